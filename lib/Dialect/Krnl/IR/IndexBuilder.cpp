//===- IndexBuilder.cpp - Arithmetic of sizes and indices -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc {

Value IndexBuilder::value(OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(builder, loc, x);
}

/// `fold` gives the result for numbers that are known.
template <typename Op, typename Fold>
OpFoldResult IndexBuilder::combine(OpFoldResult x, OpFoldResult y, Fold fold) {
  std::optional<int64_t> a = getConstantIntValue(x), b = getConstantIntValue(y);
  if (a && b)
    return number(fold(*a, *b));
  return getAsOpFoldResult(builder.createOrFold<Op>(loc, value(x), value(y)));
}

/// `x` as "base + constant"; no base for a constant.
static std::pair<OpFoldResult, int64_t> splitOffset(OpFoldResult x) {
  if (std::optional<int64_t> constant = getConstantIntValue(x))
    return {nullptr, *constant};
  auto add = cast<Value>(x).getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> offset;
  if (add && (offset = getConstantIntValue(add.getRhs())))
    return {add.getLhs(), *offset};
  return {x, 0};
}

OpFoldResult IndexBuilder::offset(OpFoldResult base, int64_t by) {
  if (!base)
    return number(by);
  return by == 0 ? base
                 : arith::AddIOp::create(builder, loc, value(base),
                                         value(number(by)))
                       .getResult();
}

OpFoldResult IndexBuilder::add(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(x, 0) || isConstantIntValue(y, 0))
    return isConstantIntValue(x, 0) ? y : x;
  auto [xBase, xOffset] = splitOffset(x);
  auto [yBase, yOffset] = splitOffset(y);
  int64_t sum = 0;
  if ((xBase && yBase) || llvm::AddOverflow(xOffset, yOffset, sum))
    return builder.createOrFold<arith::AddIOp>(loc, value(x), value(y));
  return offset(xBase ? xBase : yBase, sum);
}

OpFoldResult IndexBuilder::sub(OpFoldResult x, OpFoldResult y) {
  auto [xBase, xOffset] = splitOffset(x);
  auto [yBase, yOffset] = splitOffset(y);
  int64_t rest = 0;
  if ((yBase && xBase != yBase) || llvm::SubOverflow(xOffset, yOffset, rest))
    return builder.createOrFold<arith::SubIOp>(loc, value(x), value(y));
  return offset(yBase ? OpFoldResult() : xBase, rest);
}

static int64_t saturatingProduct(int64_t x, int64_t y) {
  int64_t product;
  if (!llvm::MulOverflow(x, y, product))
    return product;
  return (x < 0) == (y < 0) ? INT64_MAX : -INT64_MAX;
}

OpFoldResult IndexBuilder::mul(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(x, 0) || isConstantIntValue(y, 1))
    return x;
  if (isConstantIntValue(y, 0) || isConstantIntValue(x, 1))
    return y;
  return combine<arith::MulIOp>(x, y, saturatingProduct);
}

/// A quotient of numbers by `round`, where there is one that fits.
template <typename Round>
static auto quotientBy(Round round) {
  return [round](int64_t x, int64_t y) {
    return y == 0 ? 0 : y == -1 ? saturatingProduct(x, -1) : round(x, y);
  };
}

OpFoldResult IndexBuilder::floorDiv(OpFoldResult x, OpFoldResult y) {
  return combine<arith::FloorDivSIOp>(
      x, y, quotientBy(llvm::divideFloorSigned<int64_t, int64_t>));
}

OpFoldResult IndexBuilder::ceilDiv(OpFoldResult x, OpFoldResult y) {
  return combine<arith::CeilDivSIOp>(
      x, y, quotientBy(llvm::divideCeilSigned<int64_t, int64_t>));
}

OpFoldResult IndexBuilder::div(OpFoldResult x, OpFoldResult y) {
  return combine<arith::DivSIOp>(x, y, quotientBy(std::divides<int64_t>()));
}

OpFoldResult IndexBuilder::min(OpFoldResult x, OpFoldResult y) {
  return combine<arith::MinSIOp>(
      x, y, [](int64_t a, int64_t b) { return std::min(a, b); });
}

OpFoldResult IndexBuilder::max(OpFoldResult x, OpFoldResult y) {
  for (auto [larger, other] : {std::pair(x, y), std::pair(y, x)})
    if (auto constant = getConstantIntValue(other);
        constant && lowerBoundOf(larger) >= *constant)
      return larger;
  return combine<arith::MaxSIOp>(
      x, y, [](int64_t a, int64_t b) { return std::max(a, b); });
}

ScaledSize splitFactor(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return {*known, Value()};
  ScaledSize scaled{1, cast<Value>(size)};
  while (auto product = scaled.unknown.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> factor = getConstantIntValue(product.getRhs());
    int64_t all = 1;
    if (!factor || *factor < 1 ||
        llvm::MulOverflow(scaled.factor, *factor, all))
      break;
    scaled = {all, product.getLhs()};
  }
  return scaled;
}

int64_t lowerBoundOf(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  Operation *op = cast<Value>(index).getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return 0;
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return std::max(lowerBoundOf(op->getOperand(0)),
                    lowerBoundOf(op->getOperand(1)));
  auto [base, offset] = splitOffset(index);
  int64_t bound = INT64_MIN;
  if (base != index) {
    bound = lowerBoundOf(base);
    return bound == INT64_MIN || llvm::AddOverflow(bound, offset, bound)
               ? INT64_MIN
               : bound;
  }
  std::optional<int64_t> divisor;
  if (isa_and_nonnull<arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
      (divisor = getConstantIntValue(op->getOperand(1))) && *divisor > 0 &&
      (bound = lowerBoundOf(op->getOperand(0))) != INT64_MIN)
    return isa<arith::CeilDivSIOp>(op)
               ? llvm::divideCeilSigned(bound, *divisor)
               : llvm::divideFloorSigned(bound, *divisor);
  return INT64_MIN;
}

} // namespace onnxc
