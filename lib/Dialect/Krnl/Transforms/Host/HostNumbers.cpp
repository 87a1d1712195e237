//===- HostNumbers.cpp - Arithmetic of the host, folded --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostNumbers.h"

using namespace mlir;
using namespace onnxc::krnl;

OpFoldResult HostNumbers::number(int64_t x) {
  return builder.getIndexAttr(std::clamp(x, -largest, largest));
}

Value HostNumbers::value(OpFoldResult x) {
  if (auto computed = dyn_cast<Value>(x))
    return computed;
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(cast<Attribute>(x)));
}

/// `fold` gives the result for numbers that are known.
template <typename Op, typename Fold>
OpFoldResult HostNumbers::combine(OpFoldResult x, OpFoldResult y, Fold fold) {
  std::optional<int64_t> a = getConstantIntValue(x), b = getConstantIntValue(y);
  if (a && b)
    return number(fold(*a, *b));
  return getAsOpFoldResult(builder.createOrFold<Op>(loc, value(x), value(y)));
}

OpFoldResult HostNumbers::add(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(x, 0))
    return y;
  if (isConstantIntValue(y, 0))
    return x;
  return combine<arith::AddIOp>(x, y, std::plus<int64_t>());
}

OpFoldResult HostNumbers::subtract(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(y, 0))
    return x;
  return combine<arith::SubIOp>(x, y, std::minus<int64_t>());
}

OpFoldResult HostNumbers::multiply(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(x, 0) || isConstantIntValue(y, 1))
    return x;
  if (isConstantIntValue(y, 0) || isConstantIntValue(x, 1))
    return y;
  return combine<arith::MulIOp>(x, y, [](int64_t a, int64_t b) {
    int64_t product;
    bool isLarge = llvm::MulOverflow(a, b, product);
    return !isLarge ? product : (a < 0) == (b < 0) ? largest : -largest;
  });
}

OpFoldResult HostNumbers::divide(OpFoldResult x, OpFoldResult y) {
  if (isConstantIntValue(y, 1))
    return x;
  return combine<arith::DivSIOp>(x, y, std::divides<int64_t>());
}

OpFoldResult HostNumbers::min(OpFoldResult x, OpFoldResult y) {
  return combine<arith::MinSIOp>(
      x, y, [](int64_t a, int64_t b) { return std::min(a, b); });
}

OpFoldResult HostNumbers::max(OpFoldResult x, OpFoldResult y) {
  return combine<arith::MaxSIOp>(
      x, y, [](int64_t a, int64_t b) { return std::max(a, b); });
}
