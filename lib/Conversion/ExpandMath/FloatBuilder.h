//===- FloatBuilder.h - Arithmetic on floats and vectors of them *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The builder of the expansions of functions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CONVERSION_EXPANDMATH_FLOATBUILDER_H
#define ONNXC_LIB_CONVERSION_EXPANDMATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace onnxc {

/// Arithmetic on floats of one type or vectors of them, with constants in
/// position.
class FloatBuilder {
public:
  using Value = mlir::Value;

  /// Builds in the type of the op's result, before the op.
  explicit FloatBuilder(mlir::Operation *op)
      : b(op->getLoc(), op), type(op->getResult(0).getType()) {}
  /// Builds at the position of `other`, in its type with another element.
  FloatBuilder(FloatBuilder &other, mlir::Type element)
      : b(other.b), type(other.like(element)) {}

  Value constant(double value) {
    return mlir::arith::ConstantOp::create(
        b, mlir::cast<mlir::TypedAttr>(
               splat(type, mlir::FloatAttr::get(element(), value))));
  }
  Value integer(int64_t value) {
    mlir::Type integers = integerType();
    return mlir::arith::ConstantOp::create(
        b, mlir::cast<mlir::TypedAttr>(splat(
               integers, mlir::IntegerAttr::get(
                             mlir::getElementTypeOrSelf(integers), value))));
  }
  mlir::Type element() { return mlir::getElementTypeOrSelf(type); }
  mlir::Type like(mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  /// Integers as wide as the floats.
  mlir::Type integerType() {
    return like(b.getIntegerType(element().getIntOrFloatBitWidth()));
  }
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  /// x y + z, rounded once where the processor has an instruction for it, else
  /// twice.
  Value fma(Value x, Value y, Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  /// x y + z, rounded once, for z near -x y (ExpandFma.cpp).
  Value cancellingFma(Value x, Value y, Value z);
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  Value less(Value x, Value y) {
    return compare(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  Value equal(Value x, Value y) {
    return compare(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  /// x between the two; NaN stays.
  Value clamp(Value x, double min, double max) {
    Value low = constant(min), high = constant(max);
    x = select(less(high, x), high, x);
    return select(less(x, low), low, x);
  }
  /// y, but 0 where x is below `min`.
  Value zeroBelow(Value x, double min, Value y) {
    return select(less(x, constant(min)), constant(0), y);
  }
  Value bits(Value x) {
    return mlir::arith::BitcastOp::create(b, integerType(), x);
  }
  Value fromBits(Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  Value hasBit(Value x, int64_t bit) {
    Value part = mlir::arith::AndIOp::create(b, x, integer(bit));
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, part,
                                       integer(0));
  }
  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(c));
    return sum;
  }
  /// Bits of the fraction.
  int64_t fractionBits() { return element().isF64() ? 52 : 23; }
  int64_t exponentBias() { return element().isF64() ? 1023 : 127; }
  /// Adding it leaves the nearest integer in the low bits: 1.5 times the power
  /// of two whose fraction counts ones.
  double rounder() { return 1.5 * double(int64_t(1) << fractionBits()); }
  /// 2^n for exponents of normal numbers.
  Value powerOfTwo(Value n) {
    return powerOfCount(
        mlir::arith::AddIOp::create(b, n, integer(exponentBias())));
  }
  /// 2^n, where the low bits of `counted` are n and the bias.
  Value powerOfCount(Value counted) {
    return fromBits(
        mlir::arith::ShLIOp::create(b, counted, integer(fractionBits())));
  }

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type;

private:
  static mlir::Attribute splat(mlir::Type type, mlir::Attribute value) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return vector ? mlir::Attribute(mlir::DenseElementsAttr::get(vector, value))
                  : value;
  }
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_EXPANDMATH_FLOATBUILDER_H
