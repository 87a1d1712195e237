//===- Conv.cpp - Convolution as a contraction over windows -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// out[n, oc, o..] = bias[oc] + sum over ic, k.. of
//                   in[n, ic, o * stride + k * dilation - pad] * w[oc, ic, k..]
//
// Borders are added beforehand, so that the kernel reads without tests.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Builders/ScalarBuilder.h"
#include "Convolutions/Convolution.h"
#include "Convolutions/Taps.h"
#include "Convolutions/Windows.h"
#include "Convolutions/Winograd.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

/// Checks that data and weights agree in channels, and refines the sizes in all
/// types, that of the bias as well, by those of the others.
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

namespace {

/// Builds the kernel of one convolution. Groups are a dimension of their own,
/// unless each is one channel.
class ConvKernel {
public:
  /// `x` has its borders.
  ConvKernel(OpBuilder &b, Location loc, Value x, Value w, int64_t group,
             const Windows &windows);
  /// `bias` may be null.
  Value build(Value bias, ContractionTypes types);

private:
  void addLoops();
  void addWindow();
  KernelBuilder::Access output(Type element);

  OpBuilder &b;
  Location loc;
  int64_t group;
  const Windows &windows;
  RankedTensorType weights;
  bool depthwise, grouped;
  KernelBuilder kernel;
  /// Sizes of the result as the operator has it.
  SmallVector<Value> sizes;
  KernelBuilder::Access in, filter;
  SmallVector<AffineExpr> at, reduced;
  /// Output channels of a group.
  AffineExpr channel;
};

} // namespace

ConvKernel::ConvKernel(OpBuilder &b, Location loc, Value x, Value w,
                       int64_t group, const Windows &windows)
    : b(b), loc(loc), group(group), windows(windows), weights(rankedType(w)),
      depthwise(group != 1 && weights.getDimSize(1) == 1 &&
                weights.getDimSize(0) == group),
      grouped(group != 1 && !depthwise), kernel(b, loc, "Conv"),
      sizes{sizeOf(b, loc, x, 0), sizeOf(b, loc, w, 0)} {
  sizes.append(windows.outSizes);
  if (grouped) {
    x = splitDim(b, loc, x, 1, group);
    w = splitDim(b, loc, w, 0, group);
  }
  in.tensor = kernel.input(x);
  filter.tensor = kernel.input(w);
}

void ConvKernel::addLoops() {
  AffineExpr n = kernel.loop("n", rankedType(in.tensor).getDimSize(0));
  in.at.push_back(n);
  at.push_back(n);
  if (grouped) {
    AffineExpr g = kernel.loop("g", group);
    in.at.push_back(g);
    filter.at.push_back(g);
    at.push_back(g);
  }
  channel = kernel.loop("oc", rankedType(filter.tensor).getDimSize(grouped));
  filter.at.push_back(channel);
  at.push_back(channel);
  for (auto [d, size] : llvm::enumerate(windows.outSizes))
    at.push_back(
        kernel.loop("o" + std::to_string(d),
                    getConstantIntValue(size).value_or(ShapedType::kDynamic)));
  addWindow();
}

/// The loops that are summed over: channels and positions in the window.
void ConvKernel::addWindow() {
  if (depthwise) {
    in.at.push_back(channel);
    filter.at.push_back(kernel.zero());
  } else {
    AffineExpr ic = kernel.loop("ic", weights.getDimSize(1));
    in.at.push_back(ic);
    filter.at.push_back(ic);
    reduced.push_back(ic);
  }
  size_t spatial = windows.outSizes.size();
  ArrayRef<AffineExpr> out = ArrayRef(at).take_back(spatial);
  for (size_t d = 0; d < spatial; ++d) {
    AffineExpr k = kernel.loop("k" + std::to_string(d),
                               weights.getDimSize(d + 2), usualWindowLimit);
    in.at.push_back(out[d] * windows.strides[d] + k * windows.dilations[d]);
    filter.at.push_back(k);
    reduced.push_back(k);
  }
}

KernelBuilder::Access ConvKernel::output(Type element) {
  SmallVector<Value> split = sizes;
  if (grouped) {
    Value count = indexConstant(b, loc, group);
    split[1] = floorDivIndex(b, loc, split[1], count);
    split.insert(split.begin() + 1, count);
  }
  RankedTensorType type = typeOfSizes(split, element);
  return {kernel.output(type, split), at};
}

Value ConvKernel::build(Value bias, ContractionTypes types) {
  addLoops();
  if (bias && grouped)
    bias = splitDim(b, loc, bias, 0, group);
  KernelBuilder::Access out = output(ScalarBuilder::storageType(types.sum));
  SmallVector<KernelBuilder::Access> others;
  FinishTotal addBias;
  if (bias) {
    others.push_back({kernel.input(bias), {channel}});
    if (grouped)
      others[0].at.insert(others[0].at.begin(), at[1]);
    addBias = [](ScalarBuilder &s, Value total, ValueRange beside) {
      return s.add(total, s.widen(beside[0]));
    };
  }
  Value y = storeTotals(
      kernel, types.sum, out,
      [&](const KernelBuilder::Access &to) {
        return buildContraction(kernel, types, in, filter, to, reduced);
      },
      addBias, others);
  y = kernel.finish({y}).front();
  return grouped ? joinDims(b, loc, y, 1, sizes) : y;
}

/// Checks the sizes of the weights against the attribute, if it is present.
static void checkKernelShape(OpBuilder &b, Location loc, ValueRange sizes,
                             std::optional<ArrayRef<int64_t>> shape) {
  if (!shape || shape->size() != sizes.size())
    return;
  for (auto [size, declared] : llvm::zip_equal(sizes, *shape))
    checkEqualSizes(b, loc, size, indexConstant(b, loc, declared),
                    "the weights are not of the kernel_shape");
}

FailureOr<Value> buildConvolution(ConversionPatternRewriter &rewriter,
                                  Operation *op, Value x, Value w, Value bias,
                                  ContractionTypes types,
                                  const Convolution &convolution) {
  Location loc = op->getLoc();
  RankedTensorType xType = rankedType(x), wType = rankedType(w);
  if (!xType || !wType || xType.getRank() < 3 ||
      wType.getRank() != xType.getRank())
    return rewriter.notifyMatchFailure(
        op, "expects operands of one known rank, 3 or more");
  int64_t group = convolution.group;
  if (group < 1 || group > INT32_MAX)
    return rewriter.notifyMatchFailure(op, "group is out of range");
  x = widenFactor(rewriter, loc, x, w);
  checkChannels(rewriter, loc, x, w, bias, group);

  SmallVector<Value> kernelSizes;
  for (int64_t d = 2; d < wType.getRank(); ++d)
    kernelSizes.push_back(sizeOf(rewriter, loc, w, d));
  checkKernelShape(rewriter, loc, kernelSizes, convolution.kernelShape);
  Windows windows =
      Windows::get(rewriter, loc, x, kernelSizes, convolution.strides,
                   convolution.dilations, convolution.pads, convolution.autoPad,
                   /*ceilMode=*/false);
  Value zero = arith::ConstantOp::create(
      rewriter, loc,
      cast<TypedAttr>(rewriter.getZeroAttr(rankedType(x).getElementType())));
  x = windows.pad(rewriter, loc, x, zero);
  return ConvKernel(rewriter, loc, x, w, group, windows).build(bias, types);
}

namespace {

std::optional<WinogradLimit> winogradLimit(onnx::ConvOp op,
                                           const WinogradConv &conv) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(winogradLimitAttr);
  if (!numbers || numbers.size() != 2 || !conv.isDynamic())
    return std::nullopt;
  return WinogradLimit{numbers[0], numbers[1]};
}

Lowered lowerConv(onnx::ConvOp op, onnx::ConvOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Value bias = operands.size() > 2 ? operands[2] : Value();
  if (op->hasAttr(tapsAttr))
    if (std::optional<TapConv> conv = TapConv::match(op))
      return buildTaps(rewriter, op.getLoc(), *conv, operands[0], bias);
  if (auto side = op->getAttrOfType<IntegerAttr>(winogradAttr))
    if (std::optional<WinogradConv> conv = WinogradConv::match(op);
        conv && (side.getInt() == 2 || side.getInt() == 4))
      return buildWinograd(rewriter, op.getLoc(), *conv, side.getInt(),
                           winogradLimit(op, *conv), operands);
  return buildConvolution(rewriter, op, operands[0], operands[1], bias, element,
                          Convolution(op));
}

} // namespace

void populateONNXToKrnlConvPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConv);
}

} // namespace onnxc
