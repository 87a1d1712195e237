//===- ScalarBuilder.cpp - Scalar code by ONNX's rules ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/ScalarBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

using namespace mlir;

namespace onnxc {

Type ScalarBuilder::storageType(Type onnxType) {
  MLIRContext *context = onnxType.getContext();
  if (auto integer = dyn_cast<IntegerType>(onnxType))
    return IntegerType::get(context, std::max(integer.getWidth(), 8u));
  if (auto real = dyn_cast<FloatType>(onnxType); real && real.getWidth() <= 8)
    return IntegerType::get(context, 8);
  if (isa<onnx::StringType>(onnxType))
    return krnl::StrType::get(context);
  return onnxType;
}

Type ScalarBuilder::computeType(Type onnxType) {
  if (isa<FloatType>(onnxType) && onnxType.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(onnxType.getContext());
  return storageType(onnxType);
}

Value ScalarBuilder::widen(Value stored) {
  if (stored.getType() == type())
    return stored;
  if (stored.getType().isInteger(8))
    return decodeSmallFloat(b, loc, cast<FloatType>(onnxType), stored);
  return arith::ExtFOp::create(b, loc, type(), stored);
}

/// The low `width` bits of an i8, extended to all of it.
static Value wrapTo(OpBuilder &b, Location loc, Value x, unsigned width,
                    bool isUnsigned) {
  Value unused =
      arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(8 - width));
  Value high = arith::ShLIOp::create(b, loc, x, unused);
  return isUnsigned ? Value(arith::ShRUIOp::create(b, loc, high, unused))
                    : Value(arith::ShRSIOp::create(b, loc, high, unused));
}

Value ScalarBuilder::narrow(Value computed, Rounding rounding) {
  Type stored = storageType(onnxType);
  auto integer = dyn_cast<IntegerType>(onnxType);
  if (integer && !isBool() && integer.getWidth() < 8)
    return wrapTo(b, loc, computed, integer.getWidth(), isUnsigned());
  if (computed.getType() == stored)
    return computed;
  if (stored.isInteger(8))
    return encodeSmallFloat(b, loc, cast<FloatType>(onnxType), computed,
                            rounding);
  return arith::TruncFOp::create(b, loc, stored, computed);
}

Value ScalarBuilder::constant(double value) {
  Type t = type();
  if (auto number = dyn_cast<ComplexType>(t)) {
    Type part = number.getElementType();
    return complex::ConstantOp::create(
        b, loc, t,
        b.getArrayAttr({b.getFloatAttr(part, value), b.getFloatAttr(part, 0)}));
  }
  if (isa<FloatType>(t))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(t, value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(t, int64_t(value)));
}

Value ScalarBuilder::lowest() {
  if (isFloat())
    return constant(-std::numeric_limits<double>::infinity());
  unsigned bits = isBool() ? 8 : onnxType.getIntOrFloatBitWidth();
  APInt value =
      isUnsigned() ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits);
  unsigned width = type().getIntOrFloatBitWidth();
  value = isUnsigned() ? value.zext(width) : value.sext(width);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), value));
}

Value ScalarBuilder::highest() {
  if (isFloat())
    return constant(std::numeric_limits<double>::infinity());
  unsigned bits = isBool() ? 8 : onnxType.getIntOrFloatBitWidth();
  APInt value =
      isUnsigned() ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  unsigned width = type().getIntOrFloatBitWidth();
  value = isUnsigned() ? value.zext(width) : value.sext(width);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), value));
}

Value ScalarBuilder::add(Value x, Value y) {
  if (isa<ComplexType>(type()))
    return math<complex::AddOp>(x, y);
  return isFloat() ? math<arith::AddFOp>(x, y) : math<arith::AddIOp>(x, y);
}

Value ScalarBuilder::sub(Value x, Value y) {
  if (isa<ComplexType>(type()))
    return math<complex::SubOp>(x, y);
  return isFloat() ? math<arith::SubFOp>(x, y) : math<arith::SubIOp>(x, y);
}

Value ScalarBuilder::mul(Value x, Value y) {
  if (isa<ComplexType>(type()))
    return math<complex::MulOp>(x, y);
  return isFloat() ? math<arith::MulFOp>(x, y) : math<arith::MulIOp>(x, y);
}

Value ScalarBuilder::div(Value x, Value y) {
  if (isFloat())
    return math<arith::DivFOp>(x, y);
  Value zero = constant(0), one = constant(1);
  Value byZero = eq(y, zero);
  Value safe = select(byZero, one, y);
  if (isUnsigned())
    return select(byZero, zero, math<arith::DivUIOp>(x, safe));
  // lowest / -1 overflows: it wraps to lowest, which is also 0 - lowest.
  Value minusOne = constant(-1);
  Value negates = eq(y, minusOne);
  Value quotient = math<arith::DivSIOp>(x, select(negates, one, safe));
  quotient = select(negates, sub(zero, x), quotient);
  return select(byZero, zero, quotient);
}

Value ScalarBuilder::max(Value x, Value y) {
  if (isFloat())
    return math<arith::MaximumFOp>(x, y);
  return isUnsigned() ? math<arith::MaxUIOp>(x, y) : math<arith::MaxSIOp>(x, y);
}

Value ScalarBuilder::min(Value x, Value y) {
  if (isFloat())
    return math<arith::MinimumFOp>(x, y);
  return isUnsigned() ? math<arith::MinUIOp>(x, y) : math<arith::MinSIOp>(x, y);
}

Value ScalarBuilder::neg(Value x) {
  return isFloat() ? math<arith::NegFOp>(x) : sub(constant(0), x);
}

Value ScalarBuilder::abs(Value x) {
  if (isFloat())
    return math<math::AbsFOp>(x);
  return isUnsigned() ? x : max(x, neg(x));
}

Value ScalarBuilder::fmod(Value x, Value y) {
  if (isFloat())
    return math<arith::RemFOp>(x, y);
  Value zero = constant(0), one = constant(1);
  // Neither of these divisors leaves a remainder, and both would trap.
  Value trivial = eq(y, zero);
  if (!isUnsigned())
    trivial = math<arith::OrIOp>(trivial, eq(y, constant(-1)));
  Value safe = select(trivial, one, y);
  return isUnsigned() ? math<arith::RemUIOp>(x, safe)
                      : math<arith::RemSIOp>(x, safe);
}

Value ScalarBuilder::mod(Value x, Value y) {
  Value rest = fmod(x, y);
  if (isUnsigned())
    return rest;
  Value zero = constant(0);
  Value differs = math<arith::XOrIOp>(lt(rest, zero), lt(y, zero));
  Value nonZero = math<arith::XOrIOp>(
      eq(rest, zero),
      arith::ConstantIntOp::create(b, loc, /*value=*/1, /*width=*/1));
  return select(math<arith::AndIOp>(differs, nonZero), add(rest, y), rest);
}

Value ScalarBuilder::eq(Value x, Value y) {
  if (isFloat())
    return math<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, y);
  return math<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
}

Value ScalarBuilder::lt(Value x, Value y) {
  if (isFloat())
    return math<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, y);
  return math<arith::CmpIOp>(isUnsigned() ? arith::CmpIPredicate::ult
                                          : arith::CmpIPredicate::slt,
                             x, y);
}

Value ScalarBuilder::le(Value x, Value y) {
  if (isFloat())
    return math<arith::CmpFOp>(arith::CmpFPredicate::OLE, x, y);
  return math<arith::CmpIOp>(isUnsigned() ? arith::CmpIPredicate::ule
                                          : arith::CmpIPredicate::sle,
                             x, y);
}

Value ScalarBuilder::isNaN(Value x) {
  return math<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}

Value ScalarBuilder::select(Value condition, Value x, Value y) {
  return math<arith::SelectOp>(condition, x, y);
}

Value ScalarBuilder::toBool(Value condition) {
  return arith::ExtUIOp::create(b, loc, b.getI8Type(), condition);
}

Value ScalarBuilder::fromBool(Value stored) {
  Value zero =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(stored.getType(), 0));
  return math<arith::CmpIOp>(arith::CmpIPredicate::ne, stored, zero);
}

Value ScalarBuilder::sigmoid(Value x) {
  // 1 / (1 + exp(-x)): exp(-x) may overflow to infinity, giving 0 as it should.
  Value one = constant(1);
  return div(one, add(one, exp(neg(x))));
}

/// Truncates a float to 64 bits, of which the first counts 2^63: processors
/// convert to signed integers, and vectors of the others are scalars twice.
Value ScalarBuilder::toUnsignedLong(Value x) {
  Type type = b.getI64Type();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value first = constant(0x1p63), isLarge = le(first, x);
  Value rest = select(isLarge, sub(x, first), x);
  Value high = arith::SelectOp::create(
      b, loc, isLarge, integer(std::numeric_limits<int64_t>::min()),
      integer(0));
  return arith::XOrIOp::create(b, loc, high,
                               arith::FPToSIOp::create(b, loc, type, rest));
}

/// Truncates a float. Values out of the integer's range are undefined in ONNX;
/// here they wrap within the range of 32 or 64 bits.
Value ScalarBuilder::toInteger(Value x, ScalarBuilder &to) {
  Type toType = to.type();
  unsigned bits = toType.getIntOrFloatBitWidth();
  bool wide = bits == 64 || (bits == 32 && to.isUnsigned());
  Type through = b.getIntegerType(wide ? 64 : 32);
  if (bits == 64 && to.isUnsigned())
    return toUnsignedLong(x);
  Value result = arith::FPToSIOp::create(b, loc, through, x);
  if (through == toType)
    return result;
  return arith::TruncIOp::create(b, loc, toType, result);
}

Value ScalarBuilder::castTo(Value x, Type target) {
  ScalarBuilder to(b, loc, target);
  Type toType = to.type();
  if (to.isBool()) {
    Value zero = constant(0);
    Value differs =
        isFloat() ? math<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zero)
                  : math<arith::CmpIOp>(arith::CmpIPredicate::ne, x, zero);
    return toBool(differs);
  }
  if (isBool())
    x = toBool(fromBool(x));
  unsigned fromBits = x.getType().getIntOrFloatBitWidth();
  unsigned toBits = toType.getIntOrFloatBitWidth();
  if (isFloat() && to.isFloat()) {
    if (fromBits == toBits)
      return x;
    return fromBits < toBits
               ? Value(arith::ExtFOp::create(b, loc, toType, x))
               : Value(arith::TruncFOp::create(b, loc, toType, x));
  }
  if (isFloat())
    return toInteger(x, to);
  if (to.isFloat())
    return isUnsigned() ? Value(arith::UIToFPOp::create(b, loc, toType, x))
                        : Value(arith::SIToFPOp::create(b, loc, toType, x));
  if (fromBits == toBits)
    return x;
  if (fromBits > toBits)
    return arith::TruncIOp::create(b, loc, toType, x);
  return isUnsigned() ? Value(arith::ExtUIOp::create(b, loc, toType, x))
                      : Value(arith::ExtSIOp::create(b, loc, toType, x));
}

} // namespace onnxc
