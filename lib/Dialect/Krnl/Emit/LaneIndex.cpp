//===- LaneIndex.cpp - Index values across the lanes of a vector *- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

LaneIndex toLaneIndex(OpFoldResult value) {
  if (auto known = dyn_cast<Attribute>(value))
    return {{}, cast<IntegerAttr>(known).getInt(), 0, {}};
  return {cast<Value>(value), 0, 0, {}};
}

OpFoldResult LaneMath::foldResult(LaneIndex x) {
  return x.isConstant() ? OpFoldResult(b.getIndexAttr(x.offset)) : scalar(x);
}

Value LaneMath::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value LaneMath::scalar(LaneIndex x) {
  assert(!x.vec && "a general vector of indices has no base");
  if (!x.base)
    return constant(x.offset);
  if (x.offset == 0)
    return x.base;
  return b.createOrFold<arith::AddIOp>(x.base, constant(x.offset));
}

Value LaneMath::vector(LaneIndex x) {
  auto type = VectorType::get({lanes}, b.getIndexType());
  auto splat = [&](Value v) -> Value {
    return vector::BroadcastOp::create(b, type, v);
  };
  if (x.vec)
    return x.offset ? Value(arith::AddIOp::create(b, x.vec,
                                                  splat(constant(x.offset))))
                    : x.vec;
  Value first = splat(scalar({x.base, x.offset, 0, {}}));
  if (x.step == 0)
    return first;
  SmallVector<int64_t> steps;
  for (int64_t i = 0; i < lanes; ++i)
    steps.push_back(i * x.step);
  Value step = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps)));
  return arith::AddIOp::create(b, first, step);
}

LaneIndex LaneMath::add(LaneIndex x, LaneIndex y) {
  if (x.vec || y.vec) {
    Value sum = arith::AddIOp::create(b, vector(x), vector(y));
    return {{}, 0, 0, sum};
  }
  LaneIndex sum;
  sum.offset = x.offset + y.offset;
  sum.step = x.step + y.step;
  if (x.base && y.base)
    sum.base = b.createOrFold<arith::AddIOp>(x.base, y.base);
  else
    sum.base = x.base ? x.base : y.base;
  return sum;
}

LaneIndex LaneMath::scale(LaneIndex x, int64_t factor) {
  if (factor == 0)
    return {};
  if (factor == 1)
    return x;
  if (x.vec)
    return scale(x, constant(factor));
  LaneIndex result{{}, x.offset * factor, x.step * factor, {}};
  if (x.base)
    result.base = b.createOrFold<arith::MulIOp>(x.base, constant(factor));
  return result;
}

template <typename Op>
LaneIndex LaneMath::binary(LaneIndex x, Value y) {
  if (x.isUniform())
    return {b.createOrFold<Op>(scalar(x), y), 0, 0, {}};
  auto type = VectorType::get({lanes}, b.getIndexType());
  Value splat = vector::BroadcastOp::create(b, type, y);
  Value result = Op::create(b, vector(x), splat);
  return {{}, 0, 0, result};
}

LaneIndex LaneMath::scale(LaneIndex x, Value factor) {
  if (x.isConstant() && x.offset == 0)
    return x;
  return binary<arith::MulIOp>(x, factor);
}

LaneIndex LaneMath::minimum(LaneIndex x, LaneIndex end) {
  assert(!x.vec && "vectors are of adjacent elements");
  end.offset -= 1 + x.step * (lanes - 1);
  LaneIndex result;
  result.step = x.step;
  x.step = 0;
  if (x.isConstant() && end.isConstant())
    result.offset = std::min(x.offset, end.offset);
  else
    result.base = b.createOrFold<arith::MinSIOp>(scalar(x), scalar(end));
  return result;
}

// Loop indices and values derived from them inside accesses are never negative
// before a division: unsigned forms are exact and cheaper.
LaneIndex LaneMath::floorDiv(LaneIndex x, Value divisor) {
  return binary<arith::DivUIOp>(x, divisor);
}

LaneIndex LaneMath::mod(LaneIndex x, Value divisor) {
  return binary<arith::RemUIOp>(x, divisor);
}

LaneIndex LaneMath::floorDiv(LaneIndex x, int64_t divisor) {
  if (divisor == 1)
    return x;
  // By the extent of a loop that is never entered.
  if (divisor == 0)
    return {};
  if (x.isConstant())
    return {{}, x.offset / divisor, 0, {}};
  return floorDiv(x, constant(divisor));
}

LaneIndex LaneMath::mod(LaneIndex x, int64_t divisor) {
  if (divisor == 1 || divisor == 0)
    return {};
  if (x.isConstant())
    return {{}, x.offset % divisor, 0, {}};
  return mod(x, constant(divisor));
}

LaneIndex LaneMath::eval(AffineExpr expr, ArrayRef<LaneIndex> dims,
                         ArrayRef<LaneIndex> symbols) {
  if (auto c = dyn_cast<AffineConstantExpr>(expr))
    return {{}, c.getValue(), 0, {}};
  if (auto d = dyn_cast<AffineDimExpr>(expr))
    return dims[d.getPosition()];
  if (auto s = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[s.getPosition()];
  auto bin = cast<AffineBinaryOpExpr>(expr);
  LaneIndex lhs = eval(bin.getLHS(), dims, symbols);
  LaneIndex rhs = eval(bin.getRHS(), dims, symbols);
  if (bin.getKind() == AffineExprKind::Add)
    return add(lhs, rhs);
  if (bin.getKind() == AffineExprKind::Mul && lhs.isConstant())
    std::swap(lhs, rhs);
  assert(rhs.isUniform() && "only sums may vary on both sides");
  if (bin.getKind() == AffineExprKind::CeilDiv) {
    lhs = add(add(lhs, rhs), {{}, -1, 0, {}});
    return rhs.isConstant() ? floorDiv(lhs, rhs.offset)
                            : floorDiv(lhs, scalar(rhs));
  }
  switch (bin.getKind()) {
  case AffineExprKind::Mul:
    return rhs.isConstant() ? scale(lhs, rhs.offset) : scale(lhs, scalar(rhs));
  case AffineExprKind::FloorDiv:
    return rhs.isConstant() ? floorDiv(lhs, rhs.offset)
                            : floorDiv(lhs, scalar(rhs));
  case AffineExprKind::Mod:
    return rhs.isConstant() ? mod(lhs, rhs.offset) : mod(lhs, scalar(rhs));
  default:
    llvm_unreachable("every kind of affine expression is handled");
  }
}

} // namespace onnxc::krnl
