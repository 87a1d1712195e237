//===- Functions.cpp - Real functions, element by element -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Hyperbolic functions and their inverses are written so that small arguments
// keep their relative accuracy and large ones do not overflow on the way.
//===----------------------------------------------------------------------===//

#include "Elementwise/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <cmath>

using namespace mlir;

namespace onnxc {

/// `magnitude` with the sign of x.
static Value withSign(ScalarBuilder &s, Value magnitude, Value x) {
  return s.math<math::CopySignOp>(magnitude, x);
}

/// exp(|x|/2): its square, halved in between, reaches where exp overflows.
static Value halfExp(ScalarBuilder &s, Value x) {
  return s.exp(s.mul(s.abs(x), s.constant(0.5)));
}

static Value cosh(ScalarBuilder &s, onnx::CoshOp, ValueRange x) {
  Value half = s.constant(0.5), h = halfExp(s, x[0]);
  return s.add(s.mul(s.mul(half, h), h), s.div(half, s.mul(h, h)));
}

static Value sinh(ScalarBuilder &s, onnx::SinhOp, ValueRange x) {
  Value half = s.constant(0.5), one = s.constant(1), a = s.abs(x[0]);
  // With e = exp(a) - 1: (e + e / (e + 1)) / 2.
  Value e = s.math<math::ExpM1Op>(s.min(a, one));
  Value small = s.mul(half, s.add(e, s.div(e, s.add(e, one))));
  Value h = halfExp(s, x[0]);
  Value large = s.sub(s.mul(s.mul(half, h), h), s.div(half, s.mul(h, h)));
  return withSign(s, s.select(s.lt(a, one), small, large), x[0]);
}

/// log(2 a), where the squares in the usual forms would overflow.
static Value logOfDouble(ScalarBuilder &s, Value a) {
  return s.add(s.log(a), s.constant(0.693147180559945309417));
}

static Value asinh(ScalarBuilder &s, onnx::AsinhOp, ValueRange x) {
  Value one = s.constant(1), a = s.abs(x[0]);
  Value square = s.mul(a, a);
  // a + sqrt(a^2 + 1) - 1 without its cancellation.
  Value beyondOne =
      s.add(a, s.div(square, s.add(one, s.sqrt(s.add(square, one)))));
  Value usual = s.math<math::Log1pOp>(beyondOne);
  Value isLarge = s.lt(s.constant(1e9), a);
  return withSign(s, s.select(isLarge, logOfDouble(s, a), usual), x[0]);
}

static Value acosh(ScalarBuilder &s, onnx::AcoshOp, ValueRange x) {
  Value one = s.constant(1), none = s.constant(std::nan(""));
  Value d = s.select(s.lt(x[0], one), none, s.sub(x[0], one));
  Value root = s.sqrt(s.mul(d, s.add(x[0], one)));
  Value usual = s.math<math::Log1pOp>(s.add(d, root));
  Value isLarge = s.lt(s.constant(1e9), x[0]);
  return s.select(isLarge, logOfDouble(s, x[0]), usual);
}

static Value atanh(ScalarBuilder &s, onnx::AtanhOp, ValueRange x) {
  Value a = s.abs(x[0]);
  Value ratio = s.div(s.add(a, a), s.sub(s.constant(1), a));
  Value y = s.mul(s.constant(0.5), s.math<math::Log1pOp>(ratio));
  return withSign(s, y, x[0]);
}

/// The exponent of all elements, if a constant of the model has it.
static std::optional<double> uniformNumber(Value v) {
  TypedAttr value = onnx::constantValue(v);
  if (auto constant = v.getDefiningOp<krnl::ConstantOp>())
    value = dyn_cast<TypedAttr>(constant.getValue());
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  // The stored value may have no sign of its own.
  if (auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(v.getType())))
    return dense.getSplatValue<APInt>().roundToDouble(!type.isUnsigned());
  return std::nullopt;
}

/// Squaring and multiplying, bit by bit of the exponent. Results wrap, so
/// exponents of 64 and more have no meaningful one; for a negative one only 1
/// and -1 have results other than 0.
static Value integerPower(ScalarBuilder &s, Value x, Value exponent,
                          ScalarBuilder &e) {
  Value one = s.constant(1), zero = s.constant(0);
  Value result = one, square = x;
  auto bit = [&](Value n, int64_t i) {
    Value mask = e.constant(double(int64_t(1) << i));
    return e.math<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                 e.math<arith::AndIOp>(n, mask), e.constant(0));
  };
  for (int64_t i = 0; i < 6; ++i) {
    result = s.select(bit(exponent, i), s.mul(result, square), result);
    square = i < 5 ? s.mul(square, square) : square;
  }
  if (e.isUnsigned())
    return result;
  Value ofOne = s.select(s.eq(x, one), one, zero);
  if (!s.isUnsigned()) {
    Value minusOne = s.constant(-1);
    Value alternating = s.select(bit(exponent, 0), minusOne, one);
    ofOne = s.select(s.eq(x, minusOne), alternating, ofOne);
  }
  return s.select(e.lt(exponent, e.constant(0)), ofOne, result);
}

/// Another than the square root of -0, and of minus infinity.
static Value rootPower(ScalarBuilder &s, Value x) {
  Value root = s.sqrt(s.add(x, s.constant(0)));
  return s.select(s.eq(x, s.lowest()), s.highest(), root);
}

static Value floatPower(ScalarBuilder &s, Value x, Value exponent,
                        std::optional<double> uniform) {
  if (uniform == 1)
    return x;
  if (uniform == 2)
    return s.mul(x, x);
  if (uniform == 3)
    return s.mul(x, s.mul(x, x));
  if (uniform == 4) {
    Value square = s.mul(x, x);
    return s.mul(square, square);
  }
  if (uniform == 0.5)
    return rootPower(s, x);
  if (uniform == -0.5)
    return s.div(s.constant(1), rootPower(s, x));
  if (uniform == -1)
    return s.div(s.constant(1), x);
  return s.math<math::PowFOp>(x, exponent);
}

static Value pow(ScalarBuilder &s, onnx::PowOp op, ValueRange x) {
  Type exponentType = getElementTypeOrSelf(op->getOperand(1).getType());
  ScalarBuilder e(s.builder(), s.getLoc(), exponentType);
  Type base = getElementTypeOrSelf(op->getOperand(0).getType());
  if (s.isFloat())
    return floatPower(s, x[0], e.castTo(x[1], base),
                      uniformNumber(op->getOperand(1)));
  if (!e.isFloat())
    return integerPower(s, x[0], x[1], e);
  // f64 holds every power that is not too large for 53 bits.
  Type wide = s.builder().getF64Type();
  ScalarBuilder real(s.builder(), s.getLoc(), wide);
  Value y = real.math<math::PowFOp>(s.castTo(x[0], wide), e.castTo(x[1], wide));
  return real.castTo(y, base);
}

template <typename MathOp>
static Value apply(ScalarBuilder &s, Operation *, ValueRange x) {
  return s.math<MathOp>(x[0]);
}

void populateONNXToKrnlFunctionsPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
#define ROW(OP, FN) addElementwise<onnx::OP>(converter, patterns, FN);
  ROW(AcosOp, apply<math::AcosOp>)
  ROW(AcoshOp, acosh)
  ROW(AsinOp, apply<math::AsinOp>)
  ROW(AsinhOp, asinh)
  ROW(AtanOp, apply<math::AtanOp>)
  ROW(AtanhOp, atanh)
  ROW(CeilOp, apply<math::CeilOp>)
  ROW(CosOp, apply<math::CosOp>)
  ROW(CoshOp, cosh)
  ROW(ErfOp, apply<math::ErfOp>)
  ROW(ExpOp, apply<math::ExpOp>)
  ROW(FloorOp, apply<math::FloorOp>)
  ROW(LogOp, apply<math::LogOp>)
  ROW(PowOp, pow)
  ROW(ReciprocalOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.div(s.constant(1), x[0]);
  })
  ROW(RoundOp, apply<math::RoundEvenOp>)
  ROW(SinOp, apply<math::SinOp>)
  ROW(SinhOp, sinh)
  ROW(SqrtOp, apply<math::SqrtOp>)
  ROW(TanOp, apply<math::TanOp>)
  ROW(TanhOp, apply<math::TanhOp>)
#undef ROW
}

} // namespace onnxc
