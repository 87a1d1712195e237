//===- Conv.cpp - Convolution as a contraction over windows -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// out[n, oc, o..] = bias[oc] + sum over ic, k.. of
//                   in[n, ic, o * stride + k * dilation - pad] * w[oc, ic, k..]
//
// Borders are added beforehand, so that the kernel reads without tests.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Convolution.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Padding.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Windows.h"
#include "onnxc/Conversion/ONNXToKrnl/Winograd.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
/// Checks that data and weights agree about channels, and lets all types, that
/// of the bias as well, say what one does.
static void checkChannels(OpBuilder &b, Location loc, Value &x, Value &w,
                          Value &bias, int64_t group) {
  auto size = [](Value v, int64_t dim) {
    return cast<RankedTensorType>(v.getType()).getDimSize(dim);
  };
  checkEqualSizes(
      b, loc, sizeOf(b, loc, x, 1),
      mulIndex(b, loc, sizeOf(b, loc, w, 1), indexConstant(b, loc, group)),
      "convolution: the operands differ in their channels");
  if (!ShapedType::isDynamic(size(x, 1)))
    w = withSize(b, loc, w, 1, size(x, 1) / group);
  if (!ShapedType::isDynamic(size(w, 1)))
    x = withSize(b, loc, x, 1, size(w, 1) * group);
  if (!bias)
    return;
  w = withSize(b, loc, w, 0, size(bias, 0));
  bias = withSize(b, loc, bias, 0, size(w, 0));
}

FailureOr<Value> buildConvolution(ConversionPatternRewriter &rewriter,
                                  Operation *op, Value x, Value w, Value bias,
                                  ContractionTypes types,
                                  const Convolution &convolution) {
  Location loc = op->getLoc();
  auto xType = dyn_cast<RankedTensorType>(x.getType());
  auto wType = dyn_cast<RankedTensorType>(w.getType());
  if (!xType || !wType || xType.getRank() < 3 ||
      wType.getRank() != xType.getRank())
    return rewriter.notifyMatchFailure(
        op, "expects operands of one known rank, 3 or more");
  x = widenHalves(rewriter, loc, x);
  xType = rankedType(x);
  int64_t group = convolution.group;
  if (group < 1 || group > INT32_MAX)
    return rewriter.notifyMatchFailure(op, "group is out of range");
  int64_t outChannels = wType.getDimSize(0), perGroup = wType.getDimSize(1);

  checkChannels(rewriter, loc, x, w, bias, group);
  perGroup = cast<RankedTensorType>(w.getType()).getDimSize(1);
  outChannels = cast<RankedTensorType>(w.getType()).getDimSize(0);

  int64_t spatial = xType.getRank() - 2;
  SmallVector<Value> kernelSizes;
  for (int64_t d = 0; d < spatial; ++d)
    kernelSizes.push_back(sizeOf(rewriter, loc, w, d + 2));
  Windows windows =
      Windows::get(rewriter, loc, x, kernelSizes, convolution.strides,
                   convolution.dilations, convolution.pads, convolution.autoPad,
                   /*ceilMode=*/false);
  Value zero = arith::ConstantOp::create(
      rewriter, loc,
      cast<TypedAttr>(rewriter.getZeroAttr(xType.getElementType())));
  x = windows.pad(rewriter, loc, x, zero);
  xType = cast<RankedTensorType>(x.getType());

  // Groups become a dimension of their own, unless each is one channel.
  bool depthwise = group != 1 && perGroup == 1 && outChannels == group;
  bool grouped = group != 1 && !depthwise;
  SmallVector<Value> outSizes{sizeOf(rewriter, loc, x, 0),
                              sizeOf(rewriter, loc, w, 0)};
  outSizes.append(windows.outSizes);
  if (grouped) {
    x = splitDim(rewriter, loc, x, 1, group);
    w = splitDim(rewriter, loc, w, 0, group);
  }
  auto inType = cast<RankedTensorType>(x.getType());
  auto filterType = cast<RankedTensorType>(w.getType());

  KernelBuilder kernel(rewriter, loc, "Conv");
  KernelBuilder::Access in{kernel.input(x), {}}, filter{kernel.input(w), {}};
  KernelBuilder::Access out;
  AffineExpr n = kernel.loop("n", inType.getDimSize(0));
  in.at.push_back(n);
  out.at.push_back(n);
  AffineExpr channel;
  if (grouped) {
    AffineExpr g = kernel.loop("g", group);
    in.at.push_back(g);
    filter.at.push_back(g);
    out.at.push_back(g);
  }
  channel = kernel.loop("oc", filterType.getDimSize(grouped ? 1 : 0));
  filter.at.push_back(channel);
  out.at.push_back(channel);
  SmallVector<AffineExpr> reduced;
  for (int64_t d = 0; d < spatial; ++d) {
    auto size = getConstantIntValue(windows.outSizes[d]);
    out.at.push_back(kernel.loop("o" + std::to_string(d),
                                 size ? *size : ShapedType::kDynamic));
  }
  if (depthwise) {
    in.at.push_back(channel);
    filter.at.push_back(kernel.zero());
  } else {
    AffineExpr ic = kernel.loop("ic", perGroup);
    in.at.push_back(ic);
    filter.at.push_back(ic);
    reduced.push_back(ic);
  }
  for (int64_t d = 0; d < spatial; ++d) {
    AffineExpr k =
        kernel.loop("k" + std::to_string(d), wType.getDimSize(d + 2));
    AffineExpr o = out.at[out.at.size() - spatial + d];
    in.at.push_back(o * windows.strides[d] + k * windows.dilations[d]);
    filter.at.push_back(k);
    reduced.push_back(k);
  }
  if (reduced.empty())
    return rewriter.notifyMatchFailure(op, "convolution without a window");

  SmallVector<Value> kernelOutSizes = outSizes;
  if (grouped) {
    kernelOutSizes[1] = floorDivIndex(rewriter, loc, kernelOutSizes[1],
                                      indexConstant(rewriter, loc, group));
    kernelOutSizes.insert(kernelOutSizes.begin() + 1,
                          indexConstant(rewriter, loc, group));
  }
  SmallVector<int64_t> unknown(kernelOutSizes.size(), ShapedType::kDynamic);
  RankedTensorType type = refineType(
      RankedTensorType::get(unknown, ScalarBuilder::storageType(types.sum)),
      kernelOutSizes);
  Type compute = ScalarBuilder::computeType(types.sum);
  if (bias && grouped)
    bias = splitDim(rewriter, loc, bias, 0, group);
  Value destination = kernel.output(type, dynamicSizes(type, kernelOutSizes));
  out.tensor = destination;
  bool epilogue = bias || compute != type.getElementType();
  if (epilogue)
    out.tensor = kernel.temporaryLike(destination, compute);
  Value result = buildContraction(kernel, types, in, filter, out, reduced);
  if (epilogue) {
    SmallVector<KernelBuilder::Access> ins{{result, out.at}};
    if (bias) {
      KernelBuilder::Access access{kernel.input(bias), {}};
      if (grouped)
        access.at.push_back(out.at[1]);
      access.at.push_back(channel);
      ins.push_back(access);
    }
    result = kernel.generic(ins, {destination, out.at}, {},
                            [&](OpBuilder &b, Location l, ValueRange v) {
                              ScalarBuilder s(b, l, types.sum);
                              Value y =
                                  bias ? s.add(v[0], s.widen(v[1])) : v[0];
                              return s.narrow(y);
                            });
  }
  Value y = kernel.finish({result}).front();
  if (grouped) {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + 1);
    shape[1] = outChannels;
    y = reshapeTo(rewriter, loc, y,
                  RankedTensorType::get(shape, type.getElementType()),
                  outSizes);
  }
  return y;
}

namespace {

struct ConvLowering : public OpConversionPattern<onnx::ConvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::ConvOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange operands = adaptor.getOperands();
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    if (auto side = op->getAttrOfType<IntegerAttr>(winogradAttr))
      if (std::optional<WinogradConv> conv = WinogradConv::match(op);
          conv && (side.getInt() == 2 || side.getInt() == 4)) {
        Value y = buildWinograd(rewriter, op.getLoc(), *conv, side.getInt(),
                                operands[0],
                                operands.size() > 2 ? operands[2] : Value());
        replaceWithCasts(rewriter, *getTypeConverter(), op, y);
        return success();
      }
    FailureOr<Value> y = buildConvolution(
        rewriter, op, operands[0], operands[1],
        operands.size() > 2 ? operands[2] : Value(), element, Convolution(op));
    if (failed(y))
      return failure();
    replaceWithCasts(rewriter, *getTypeConverter(), op, *y);
    return success();
  }
};

} // namespace

void populateONNXToKrnlConvPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ConvLowering>(converter, patterns.getContext());
}

} // namespace onnxc
