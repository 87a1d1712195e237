//===- QuantizedContraction.cpp - Products of quantised tensors -*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MatMulInteger, ConvInteger and their QLinear forms: sums in i32 of
// differences from the zero points, and for QLinear the requantisation. An
// operand with a zero point is centred beforehand, so that the border of a
// convolution is zero and the contraction the one that all operators share.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Contractions/Contraction.h"
#include "Convolutions/Convolution.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Quantization/Quantization.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

Type onnxElement(Operation *op, unsigned operand) {
  return getElementTypeOrSelf(op->getOperand(operand).getType());
}

/// A vector as a tensor that broadcasts along the dimension before the last
/// `after`; other operands are unchanged.
Value alignVector(OpBuilder &b, Location loc, Value vector, int64_t after) {
  RankedTensorType type = rankedType(vector);
  if (type.getRank() != 1 || after == 0)
    return vector;
  SmallVector<int64_t> shape(after + 1, 1);
  shape[0] = type.getDimSize(0);
  SmallVector<Value> sizes(after + 1, indexConstant(b, loc, 1));
  sizes[0] = sizeOf(b, loc, vector, 0);
  return reshapeTo(b, loc, vector,
                   RankedTensorType::get(shape, type.getElementType()), sizes);
}

/// An operand of a contraction and its element type in the onnx dialect.
struct Operand {
  Value value;
  Type element;
};

/// The type of sums: i32, or f32 where an operand is a narrow float.
Type sumType(OpBuilder &b, Type lhs, Type rhs) {
  bool isReal = isa<FloatType>(lhs) || isa<FloatType>(rhs);
  return isReal ? Type(b.getF32Type()) : Type(b.getI32Type());
}

/// x - zeroPoint in the type of the sum; x itself where there is nothing to
/// subtract. A zero point that is a vector belongs to the dimension before the
/// last `after`.
Operand center(OpBuilder &b, Location loc, Operand x, Value zeroPoint,
               int64_t after, Type sum) {
  if (!zeroPoint || isKnownZero(zeroPoint))
    return x;
  zeroPoint = alignVector(b, loc, zeroPoint, after);
  Value centered = buildElementwise(
      b, loc, "center", {x.value, zeroPoint}, sum,
      [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
        ScalarBuilder s(nb, l, x.element);
        return ScalarBuilder(nb, l, sum)
            .sub(s.castTo(s.widen(v[0]), sum), s.castTo(s.widen(v[1]), sum));
      });
  return {centered, sum};
}

/// Scales and zero point of a QLinear operator's result.
struct Requantization {
  /// Scales of the two operands and of the result, shaped to broadcast.
  Value lhsScale, rhsScale, scale, zeroPoint;
  Type lhsElement, rhsElement, element, zeroPointElement;
};

/// saturate(round(sum * lhsScale * rhsScale / scale) + zero point)
Value requantize(OpBuilder &b, Location loc, StringRef name, Value sum,
                 const Requantization &q) {
  Type f32 = b.getF32Type(), sumElement = getElementTypeOrSelf(sum.getType());
  return buildElementwise(
      b, loc, name, {sum, q.lhsScale, q.rhsScale, q.scale, q.zeroPoint},
      q.zeroPointElement, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder real(nb, l, f32);
        auto cast = [&](Value stored, Type from) {
          ScalarBuilder s(nb, l, from);
          return s.castTo(s.widen(stored), f32);
        };
        Value factor = real.div(
            real.mul(cast(v[1], q.lhsElement), cast(v[2], q.rhsElement)),
            cast(v[3], q.element));
        Value ratio = real.mul(cast(v[0], sumElement), factor);
        return quantizeScalar(real, ratio, cast(v[4], q.zeroPointElement),
                              q.zeroPointElement);
      });
}

LogicalResult checkMatMul(ConversionPatternRewriter &rewriter, Operation *op,
                          ValueRange operands, unsigned lhs, unsigned rhs) {
  if (rankedType(operands[lhs]).getRank() == 0 ||
      rankedType(operands[rhs]).getRank() == 0)
    return rewriter.notifyMatchFailure(op, "operand is of rank 0");
  return success();
}

/// The product. A vector of zero points of the left side has one for
/// each row.
Value integerMatMul(OpBuilder &b, Location loc, Operand lhs, Value lhsZero,
                    Operand rhs, Value rhsZero) {
  bool hasRows = rankedType(lhs.value).getRank() > 1;
  Type sum = sumType(b, lhs.element, rhs.element);
  lhs = center(b, loc, lhs, lhsZero, hasRows ? 1 : 0, sum);
  rhs = center(b, loc, rhs, rhsZero, 0, sum);
  return buildMatMul(b, loc, lhs.value, rhs.value,
                     {lhs.element, rhs.element, sum});
}

Lowered lowerMatMulInteger(onnx::MatMulIntegerOp op,
                           onnx::MatMulIntegerOp::Adaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
  if (failed(checkMatMul(rewriter, op, adaptor.getOperands(), 0, 1)))
    return failure();
  return integerMatMul(
      rewriter, op.getLoc(), {adaptor.getA(), onnxElement(op, 0)},
      adaptor.getAZeroPoint(), {adaptor.getB(), onnxElement(op, 1)},
      adaptor.getBZeroPoint());
}

Lowered lowerQLinearMatMul(onnx::QLinearMatMulOp op,
                           onnx::QLinearMatMulOp::Adaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
  ValueRange x = adaptor.getOperands();
  if (failed(checkMatMul(rewriter, op, x, 0, 3)))
    return failure();
  Location loc = op.getLoc();
  Value sum = integerMatMul(rewriter, loc, {x[0], onnxElement(op, 0)}, x[2],
                            {x[3], onnxElement(op, 3)}, x[5]);
  bool hasRows = rankedType(x[0]).getRank() > 1;
  bool hasColumns = rankedType(x[3]).getRank() > 1;
  int64_t after = hasRows && hasColumns ? 1 : 0;
  Requantization q{alignVector(rewriter, loc, x[1], after),
                   x[4],
                   alignVector(rewriter, loc, x[6], after),
                   alignVector(rewriter, loc, x[7], after),
                   onnxElement(op, 1),
                   onnxElement(op, 4),
                   onnxElement(op, 6),
                   onnxElement(op, 7)};
  return requantize(rewriter, loc, "QLinearMatMul", sum, q);
}

/// The convolution in i32. A vector of zero points of the weights has one for
/// each result channel.
FailureOr<Value> integerConv(ConversionPatternRewriter &rewriter, Operation *op,
                             Operand x, Value xZero, Operand w, Value wZero,
                             Value bias, const Convolution &convolution) {
  Location loc = op->getLoc();
  Type sum = rewriter.getI32Type();
  x = center(rewriter, loc, x, xZero, 0, sum);
  w = center(rewriter, loc, w, wZero, rankedType(w.value).getRank() - 1, sum);
  return buildConvolution(rewriter, op, x.value, w.value, bias,
                          {x.element, w.element, sum}, convolution);
}

Lowered lowerConvInteger(onnx::ConvIntegerOp op,
                         onnx::ConvIntegerOp::Adaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
  return integerConv(rewriter, op, {adaptor.getX(), onnxElement(op, 0)},
                     adaptor.getXZeroPoint(),
                     {adaptor.getW(), onnxElement(op, 1)},
                     adaptor.getWZeroPoint(), Value(), Convolution(op));
}

Lowered lowerQLinearConv(onnx::QLinearConvOp op,
                         onnx::QLinearConvOp::Adaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
  ValueRange x = adaptor.getOperands();
  Location loc = op.getLoc();
  FailureOr<Value> sum =
      integerConv(rewriter, op, {x[0], onnxElement(op, 0)}, x[2],
                  {x[3], onnxElement(op, 3)}, x[5],
                  x.size() > 8 ? x[8] : Value(), Convolution(op));
  if (failed(sum))
    return failure();
  int64_t spatial = rankedType(x[0]).getRank() - 2;
  Requantization q{x[1],
                   alignVector(rewriter, loc, x[4], spatial),
                   x[6],
                   x[7],
                   onnxElement(op, 1),
                   onnxElement(op, 4),
                   onnxElement(op, 6),
                   onnxElement(op, 7)};
  return requantize(rewriter, loc, "QLinearConv", *sum, q);
}

} // namespace

void populateONNXToKrnlQuantizedContractionPatterns(
    TypeConverter &converter, RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConvInteger, lowerMatMulInteger,
               lowerQLinearConv, lowerQLinearMatMul);
}

} // namespace onnxc
