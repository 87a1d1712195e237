//===- QuantizedSum.cpp - Sums of quantised tensors -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// QLinearAdd in the order of operations of onnxruntime's kernels, so that sums
// that lie between two quanta are rounded as there:
//
//   c = round(a * ra + (b * rb + fixed)),  ra = sa / sc,  rb = sb / sc,
//   fixed = zc - (ra * za + rb * zb)
//
// where each product and the sum around it round once.
//===----------------------------------------------------------------------===//

#include "Quantization/QuantizedSum.h"

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "Quantization/Quantization.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <cmath>

using namespace mlir;

namespace onnxc {
namespace {

/// The one number that a constant holds, before or after its conversion;
/// integers are those of `element`.
std::optional<float> singleNumber(Value value, Type element) {
  TypedAttr held = onnx::constantValue(value);
  if (auto constant = value.getDefiningOp<krnl::ConstantOp>())
    held = dyn_cast<TypedAttr>(constant.getValue());
  auto dense = dyn_cast_or_null<DenseElementsAttr>(held);
  if (!dense || dense.getNumElements() != 1)
    return std::nullopt;
  if (dense.getElementType().isF32())
    return dense.getSplatValue<APFloat>().convertToFloat();
  if (dense.getElementType().getIntOrFloatBitWidth() != 8)
    return std::nullopt;
  APInt stored = dense.getSplatValue<APInt>();
  return float(element.isUnsignedInteger() ? int64_t(stored.getZExtValue())
                                           : stored.getSExtValue());
}

/// The scale of a tensor and its zero point, 0 if it is left out.
struct Scaled {
  static std::optional<Scaled> read(Value scale, Value zero, Type element) {
    std::optional<float> s = singleNumber(scale, element),
                         z = zero ? singleNumber(zero, element) : 0.0f;
    if (!s || !z)
      return std::nullopt;
    return Scaled{*s, *z};
  }

  float scale, zero;
};

/// All that the results are made from.
struct Sum {
  /// `x` are the operands of an op of `element`, before or after conversion.
  static std::optional<Sum> read(onnx::MicrosoftQLinearAddOp::Adaptor x,
                                 Type element) {
    auto a = Scaled::read(x.getAScale(), x.getAZeroPoint(), element),
         b = Scaled::read(x.getBScale(), x.getBZeroPoint(), element),
         c = Scaled::read(x.getCScale(), x.getCZeroPoint(), element);
    if (!a || !b || !c)
      return std::nullopt;
    Sum sum;
    sum.swaps = repeatsRows(x.getA(), x.getB());
    if (sum.swaps)
      std::swap(a, b);
    sum.first = a->scale / c->scale;
    sum.second = b->scale / c->scale;
    sum.fixed = c->zero - std::fma(sum.first, a->zero, sum.second * b->zero);
    return sum;
  }

  /// Returns true if one element of `a` is added to each element of a row of
  /// `b`. Then onnxruntime takes them in the other order.
  static bool repeatsRows(Value a, Value b) {
    auto left = dyn_cast<RankedTensorType>(a.getType()),
         right = dyn_cast<RankedTensorType>(b.getType());
    if (!left || !right)
      return false;
    int64_t rank = std::max(left.getRank(), right.getRank());
    for (int64_t i = 1; i <= rank; ++i) {
      int64_t m = i <= left.getRank() ? left.getDimSize(left.getRank() - i) : 1;
      int64_t n =
          i <= right.getRank() ? right.getDimSize(right.getRank() - i) : 1;
      if (m != 1 || n != 1)
        return m == 1;
    }
    return true;
  }

  Value result(OpBuilder &b, Location loc, Value x, Value y,
               Type element) const {
    ScalarBuilder stored(b, loc, element), real(b, loc, b.getF32Type());
    if (swaps)
      std::swap(x, y);
    auto scaledSum = [&](Value value, float factor, Value rest) -> Value {
      auto once = arith::FastMathFlags::contract;
      Value wide = stored.castTo(value, b.getF32Type());
      Value product =
          arith::MulFOp::create(b, loc, wide, real.constant(factor), once);
      return arith::AddFOp::create(b, loc, product, rest, once);
    };
    Value total =
        scaledSum(x, first, scaledSum(y, second, real.constant(fixed)));
    return quantizeScalar(real, total, Value(), element);
  }

  float first, second, fixed;
  bool swaps;
};

Lowered lowerQLinearAdd(onnx::MicrosoftQLinearAddOp op,
                        onnx::MicrosoftQLinearAddOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(op.getA().getType());
  std::optional<Sum> sum = Sum::read(adaptor, element);
  if (!sum || !isa<RankedTensorType>(adaptor.getA().getType()) ||
      !isa<RankedTensorType>(adaptor.getB().getType()))
    return rewriter.notifyMatchFailure(op, "scales are not constant");
  return buildElementwise(rewriter, op.getLoc(), op->getName().stripDialect(),
                          {adaptor.getA(), adaptor.getB()}, element,
                          [&](OpBuilder &b, Location loc, ValueRange x) {
                            return sum->result(b, loc, x[0], x[1], element);
                          });
}

} // namespace

bool hasConstantScales(Operation *op) {
  auto sum = cast<onnx::MicrosoftQLinearAddOp>(op);
  return isa<RankedTensorType>(sum.getA().getType()) &&
         isa<RankedTensorType>(sum.getB().getType()) &&
         Sum::read(onnx::MicrosoftQLinearAddOp::Adaptor(op->getOperands(), sum),
                   getElementTypeOrSelf(sum.getA().getType()));
}

void populateONNXToKrnlQuantizedSumPatterns(TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerQLinearAdd);
}

} // namespace onnxc
