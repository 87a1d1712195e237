//===- ConvTranspose.cpp - Convolution the other way round ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The convolution, with steps of 1, of the operand with `stride - 1` zeros
// between its elements and of the filter read backwards.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Convolutions/Convolution.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// Along one spatial dimension.
struct Stretch {
  int64_t stride, dilation;
  /// Host indices: elements cut off at the beginning, size of the result.
  Value before, size;
};

/// Element `i` of an attribute, if it has one.
int64_t elementOr(std::optional<ArrayRef<int64_t>> values, int64_t i,
                  int64_t otherwise) {
  return values && i < int64_t(values->size()) ? (*values)[i] : otherwise;
}

/// The size of the result before padding is cut off.
Value unpaddedSize(OpBuilder &b, onnx::ConvTransposeOp op, Value in, Value w,
                   int64_t d, const Stretch &s) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t v) { return indexConstant(b, loc, v); };
  Value one = constant(1);
  checkAtMost(b, loc, one, in, "ConvTranspose: there is nothing to convolve");
  Value reach =
      mulIndex(b, loc, subIndex(b, loc, sizeOf(b, loc, w, d + 2), one),
               constant(s.dilation));
  Value full = addIndex(
      b, loc, mulIndex(b, loc, subIndex(b, loc, in, one), constant(s.stride)),
      addIndex(b, loc, reach, one));
  return addIndex(b, loc, full,
                  constant(elementOr(op.getOutputPadding(), d, 0)));
}

Stretch getStretch(OpBuilder &b, onnx::ConvTransposeOp op, Value x, Value w,
                   int64_t d, int64_t spatial) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t v) { return indexConstant(b, loc, v); };
  Stretch s;
  s.stride = elementOr(op.getStrides(), d, 1);
  s.dilation = elementOr(op.getDilations(), d, 1);
  Value in = sizeOf(b, loc, x, d + 2);
  Value full = unpaddedSize(b, op, in, w, d, s);
  StringRef autoPad = op.getAutoPad();
  bool same = autoPad.starts_with("SAME");
  if (auto shape = op.getOutputShape())
    // Older models give the sizes of all dimensions.
    s.size =
        constant(elementOr(shape, d + int64_t(shape->size()) - spatial, 0));
  else if (same) // Nothing is added where the filter is less than a step.
    s.size = maxIndex(
        b, loc,
        minIndex(b, loc, mulIndex(b, loc, in, constant(s.stride)), full),
        constant(0));
  if (!s.size) {
    bool valid = autoPad == "VALID";
    int64_t before = valid ? 0 : elementOr(op.getPads(), d, 0);
    int64_t after = valid ? 0 : elementOr(op.getPads(), d + spatial, 0);
    s.before = constant(before);
    s.size = maxIndex(b, loc, subIndex(b, loc, full, constant(before + after)),
                      constant(0));
    return s;
  }
  // Beside a size that is given pads are ignored.
  Value total = maxIndex(b, loc, subIndex(b, loc, full, s.size), constant(0));
  Value half = floorDivIndex(b, loc, total, constant(2));
  s.before = autoPad == "SAME_UPPER" ? half : subIndex(b, loc, total, half);
  return s;
}

/// Every stride-th element from x, zeros between them and at the borders that
/// the filter reaches.
Value stretch(OpBuilder &b, Location loc, Value x, Value w,
              ArrayRef<Stretch> steps) {
  SmallVector<Value> sizes{sizeOf(b, loc, x, 0), sizeOf(b, loc, x, 1)};
  SmallVector<Value> inputs{x};
  for (auto [d, s] : llvm::enumerate(steps)) {
    Value reach = mulIndex(
        b, loc,
        subIndex(b, loc, sizeOf(b, loc, w, d + 2), indexConstant(b, loc, 1)),
        indexConstant(b, loc, s.dilation));
    sizes.push_back(addIndex(b, loc, s.size, reach));
    inputs.push_back(subIndex(b, loc, reach, s.before));
  }
  for (auto [d, s] : llvm::enumerate(steps))
    inputs.push_back(sizeOf(b, loc, x, d + 2));
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  return generate(
      b, loc, "stretch", element, sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> index,
          ArrayRef<Value> images) -> Value {
        Value ok = arith::ConstantIntOp::create(nb, l, 1, 1);
        SmallVector<Value> at(index.take_front(2));
        for (auto [d, s] : llvm::enumerate(steps)) {
          Value stride = indexConstant(nb, l, s.stride);
          Value from = subIndex(nb, l, index[d + 2], images[1 + d]);
          Value position = floorDivIndex(nb, l, from, stride);
          Value hit =
              arith::CmpIOp::create(nb, l, arith::CmpIPredicate::eq,
                                    mulIndex(nb, l, position, stride), from);
          Value size = images[1 + steps.size() + d];
          ok = arith::AndIOp::create(nb, l, ok, hit);
          ok =
              arith::AndIOp::create(nb, l, ok, isInside(nb, l, position, size));
          at.push_back(clampIndex(nb, l, position, size));
        }
        Value value = tensor::ExtractOp::create(nb, l, images[0], at);
        return arith::SelectOp::create(nb, l, ok, value,
                                       storedConstant(nb, l, element, 0));
      });
}

/// w[C, M / group, k..] -> [M, C / group, k..], the last ones backwards.
Value flipFilter(OpBuilder &b, Location loc, Value w, int64_t group) {
  SmallVector<Value> from = sizesOf(b, loc, w), sizes = from;
  Value groups = indexConstant(b, loc, group);
  sizes[0] = mulIndex(b, loc, from[1], groups);
  sizes[1] = floorDivIndex(b, loc, from[0], groups);
  SmallVector<Value> inputs{w};
  inputs.append(from);
  Type element = cast<RankedTensorType>(w.getType()).getElementType();
  return generate(
      b, loc, "flip_filter", element, sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> index,
          ArrayRef<Value> images) -> Value {
        Value one = indexConstant(nb, l, 1), perGroup = images[2];
        Value g = floorDivIndex(nb, l, index[0], perGroup);
        Value inGroup =
            floorDivIndex(nb, l, images[1], indexConstant(nb, l, group));
        SmallVector<Value> at{
            addIndex(nb, l, mulIndex(nb, l, g, inGroup), index[1]),
            subIndex(nb, l, index[0], mulIndex(nb, l, g, perGroup))};
        for (size_t d = 2; d < index.size(); ++d)
          at.push_back(
              subIndex(nb, l, subIndex(nb, l, images[1 + d], one), index[d]));
        return tensor::ExtractOp::create(nb, l, images[0], at);
      });
}

Lowered lowerConvTranspose(onnx::ConvTransposeOp op,
                           onnx::ConvTransposeOp::Adaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX(), w = adaptor.getW();
  auto xType = dyn_cast<RankedTensorType>(x.getType());
  auto wType = dyn_cast<RankedTensorType>(w.getType());
  if (!xType || !wType || xType.getRank() < 3 ||
      wType.getRank() != xType.getRank() || op.getGroup() < 1)
    return rewriter.notifyMatchFailure(
        op, "expects operands of one known rank, 3 or more");
  SmallVector<Stretch> steps;
  int64_t spatial = xType.getRank() - 2;
  for (int64_t d = 0; d < spatial; ++d)
    steps.push_back(getStretch(rewriter, op, x, w, d, spatial));
  Value wide = stretch(rewriter, loc, x, w, steps);
  Value flipped = flipFilter(rewriter, loc, w, op.getGroup());
  Convolution unit(op.getGroup());
  unit.dilations = op.getDilations();
  unit.kernelShape = op.getKernelShape();
  return buildConvolution(rewriter, op, wide, flipped, adaptor.getB(),
                          getElementTypeOrSelf(op.getX().getType()), unit);
}

} // namespace

void populateONNXToKrnlConvTransposePatterns(TypeConverter &converter,
                                             RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConvTranspose);
}

} // namespace onnxc
