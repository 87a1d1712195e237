//===- ScalarBuilder.cpp - Scalar code by ONNX's rules ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"

using namespace mlir;

namespace onnxc {

Type ScalarBuilder::storageType(Type onnxType) {
  if (auto integer = dyn_cast<IntegerType>(onnxType))
    return IntegerType::get(
        onnxType.getContext(),
        std::max(integer.getWidth() == 1 ? 8u : integer.getWidth(), 1u));
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
  return arith::ExtFOp::create(b, loc, type(), stored);
}

Value ScalarBuilder::narrow(Value computed) {
  Type stored = storageType(onnxType);
  if (computed.getType() == stored)
    return computed;
  return arith::TruncFOp::create(b, loc, stored, computed);
}

Value ScalarBuilder::constant(double value) {
  Type t = type();
  if (isa<FloatType>(t))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(t, value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(t, int64_t(value)));
}

Value ScalarBuilder::lowest() {
  if (isFloat())
    return constant(-std::numeric_limits<double>::infinity());
  unsigned bits = type().getIntOrFloatBitWidth();
  APInt value =
      isUnsigned() ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), value));
}

Value ScalarBuilder::highest() {
  if (isFloat())
    return constant(std::numeric_limits<double>::infinity());
  unsigned bits = type().getIntOrFloatBitWidth();
  APInt value =
      isUnsigned() ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), value));
}

Value ScalarBuilder::add(Value x, Value y) {
  return isFloat() ? math<arith::AddFOp>(x, y) : math<arith::AddIOp>(x, y);
}

Value ScalarBuilder::sub(Value x, Value y) {
  return isFloat() ? math<arith::SubFOp>(x, y) : math<arith::SubIOp>(x, y);
}

Value ScalarBuilder::mul(Value x, Value y) {
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
  if (isFloat()) {
    // Out of range is undefined in ONNX; go through 64 bits and wrap, which is
    // what the peers do, without undefined behaviour for huge values.
    Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), x);
    if (toBits == 64 && to.isUnsigned())
      wide = arith::FPToUIOp::create(b, loc, b.getI64Type(), x);
    return toBits < 64 ? Value(arith::TruncIOp::create(b, loc, toType, wide))
                       : wide;
  }
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
