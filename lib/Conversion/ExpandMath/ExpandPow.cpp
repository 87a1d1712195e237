//===- ExpandPow.cpp - Powers of floats -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// |x|^y = 2^(y log2 |x|), with twice the digits: the error of the logarithm,
// multiplied by y, is then still far below the last digit of the result. Powers
// of f32 are computed in f64, those of f64 in sums of two of them. Signs and
// the exceptions of C's pow are put in afterwards.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"

#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using onnxc::FloatBuilder;

/// log2 a = e + log2(1 + t), 1 + t between the roots of 1/2 and 2; a is
/// positive and not denormal. The relative error of the polynomial, the minimax
/// fit of log2(1 + t) / t, is 2^-41.
static Value log2Of(FloatBuilder &f, Value a) {
  ImplicitLocOpBuilder &b = f.b;
  // The exponent for a significand from the lesser root to twice that.
  constexpr int64_t lesserRoot = 0x3fe6a09e667f3bcd;
  Value distance = arith::SubIOp::create(b, f.bits(a), f.integer(lesserRoot));
  Value exponent =
      arith::ShRSIOp::create(b, distance, f.integer(f.fractionBits()));
  Value whole = arith::ShLIOp::create(b, exponent, f.integer(f.fractionBits()));
  Value part = f.fromBits(arith::SubIOp::create(b, f.bits(a), whole));
  Value t = f.sub(part, f.constant(1));
  Value p = f.polynomial(
      t, {1.4426950408892774, -0.721347520423019, 0.4808983466468949,
          -0.3606737664721084, 0.2885390630716124, -0.24044867664887637,
          0.2060955981464333, -0.18035239664246966, 0.1604192177657951,
          -0.1440872153155145, 0.12918127309520497, -0.11999533431039906,
          0.126241678795075, -0.12216546298951987, 0.061643442589091886});
  // The exponent as a number: in the low bits of one that counts ones.
  Value rounder = f.constant(f.rounder());
  Value e = f.sub(
      f.fromBits(arith::AddIOp::create(b, f.bits(rounder), exponent)), rounder);
  return f.fma(t, p, e);
}

/// 2^x, more than any f32 or less than half of the least one for x far outside;
/// NaN stays. The relative error is 2^-34.
static Value exp2Of(FloatBuilder &f, Value x) {
  x = f.clamp(x, -200, 200);
  Value rounder = f.constant(f.rounder());
  Value rounded = f.add(x, rounder);
  Value r = f.sub(x, f.sub(rounded, rounder));
  Value p = f.polynomial(r, {0.9999999999595617, 0.6931471805568363,
                             0.2402265121349969, 0.05550410906316028,
                             0.009618025613177043, 0.0013333478480177519,
                             0.0001546972924870715, 1.53036994561262e-05});
  Value n = arith::SubIOp::create(f.b, f.bits(rounded), f.bits(rounder));
  return f.mul(p, f.powerOfTwo(n));
}

/// For a that is NaN, 0 or infinite the logarithm is 0, infinite or NaN.
static Value magnitude(FloatBuilder &f, Value a, Value y) {
  FloatBuilder wide(f, f.b.getF64Type());
  auto widened = [&](Value value) -> Value {
    return arith::ExtFOp::create(f.b, wide.type, value);
  };
  Value infinity = wide.constant(std::numeric_limits<double>::infinity());
  Value x = widened(a);
  Value log = log2Of(wide, x);
  log = wide.select(wide.less(x, infinity), log, x);
  log = wide.select(wide.equal(x, wide.constant(0)), wide.neg(infinity), log);
  Value power = exp2Of(wide, wide.mul(widened(y), log));
  return arith::TruncFOp::create(f.b, f.type, power);
}

namespace {
/// The sum of two f64, the second below the last digit of the first.
struct Sum {
  Value high, low;
};
} // namespace

/// x + y without an error, if x is 0 or not less than y.
static Sum sumOf(FloatBuilder &f, Value x, Value y) {
  Value sum = f.add(x, y);
  return {sum, f.sub(y, f.sub(sum, x))};
}

/// x * y, with the error of the products with the lower parts.
static Sum productOf(FloatBuilder &f, Sum x, Sum y) {
  Value product = f.mul(x.high, y.high);
  Value low = f.cancellingFma(x.high, y.high, f.neg(product));
  low = f.fma(x.high, y.low, low);
  return {product, f.fma(x.low, y.high, low)};
}

/// log2 a with a relative error of 2^-65. With s = t / (2 + t), log(1 + t) =
/// 2 s + 2/3 s^3 + s^5 P(s^2); one f64 has digits enough for the last.
static Sum longLog2(FloatBuilder &f, Value a) {
  auto constant = [&](double high, double low) -> Sum {
    return {f.constant(high), f.constant(low)};
  };
  auto [e, t] = onnxc::scaledOf(f, a);
  Sum below = sumOf(f, f.constant(2), t);
  Value ratio = f.div(t, below.high);
  Value rest = f.cancellingFma(f.neg(ratio), below.high, t);
  rest = f.fma(f.neg(ratio), below.low, rest);
  Sum s{ratio, f.div(rest, below.high)};
  Sum square = productOf(f, s, s), cube = productOf(f, square, s);
  Sum second =
      productOf(f, cube, constant(0.6666666666666666, 3.700743415417188e-17));
  Value p = f.polynomial(
      square.high, {0.4, 0.2857142857142937, 0.22222222221652765,
                    0.18181818336099848, 0.1538459488700718, 0.1333480879881234,
                    0.11706126464563398, 0.11724327060846747});
  Sum log = sumOf(f, f.add(ratio, ratio), second.high);
  Value low = f.add(f.add(s.low, s.low), f.add(second.low, log.low));
  low = f.fma(f.mul(cube.high, square.high), p, low);
  log = productOf(f, sumOf(f, log.high, low),
                  constant(1.4426950408889634, 2.0355273740931033e-17));
  Sum sum = sumOf(f, e, log.high);
  return {sum.high, f.add(sum.low, log.low)};
}

/// The power of a number that is not negative, of f64: 2^n e^r, where e^r is
/// corrected for the lower part of r. Powers outside of the bounds are 0 and
/// infinite.
static Value magnitudeOfDouble(FloatBuilder &f, onnxc::krnl::TargetAttr target,
                               Value a, Value y) {
  Value infinity = f.constant(std::numeric_limits<double>::infinity());
  Sum log = longLog2(f, a);
  Value first = f.select(f.less(a, infinity), log.high, a);
  first = f.select(f.equal(a, f.constant(0)), f.neg(infinity), first);
  Value high = f.mul(y, first);
  Value low = f.fma(y, log.low, f.cancellingFma(y, first, f.neg(high)));
  constexpr double bound = 1100;
  Value isNumber = f.less(math::AbsFOp::create(f.b, high), f.constant(bound));
  low = f.select(isNumber, low, f.constant(0));
  high = f.clamp(high, -bound, bound);
  Value rounder = f.constant(f.rounder() + 2 * double(f.exponentBias()));
  Value rounded = f.add(high, rounder), n = f.sub(rounded, rounder);
  Sum r = productOf(
      f, {f.sub(high, n), low},
      {f.constant(0.6931471805599453), f.constant(2.3190468138462996e-17)});
  Value part = onnxc::expandSmallExpM1(f, r.high), one = f.constant(1);
  part = f.fma(r.low, f.add(part, one), part);
  return onnxc::scaleByPower(f, target, f.add(part, one), n, f.bits(rounded));
}

Value onnxc::expandPow(FloatBuilder &f, onnxc::krnl::TargetAttr target, Value x,
                       Value y) {
  ImplicitLocOpBuilder &b = f.b;
  Value zero = f.constant(0), one = f.constant(1);
  Value infinity = f.constant(std::numeric_limits<float>::infinity());
  Value a = math::AbsFOp::create(b, x);
  Value result = f.element().isF64() ? magnitudeOfDouble(f, target, a, y)
                                     : magnitude(f, a, y);
  // A negative number has powers of whole exponents, odd ones negative; the
  // largest floats are even.
  Value half = f.mul(y, f.constant(0.5));
  Value floor = math::FloorOp::create(b, y);
  Value isOdd = f.both(f.equal(floor, y),
                       f.compare(arith::CmpFPredicate::ONE,
                                 math::FloorOp::create(b, half), half));
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         f.bits(x), f.integer(0));
  result = f.select(f.both(negative, isOdd), f.neg(result), result);
  Value isFinite = f.both(f.less(x, zero), f.less(a, infinity));
  Value isFraction = f.compare(arith::CmpFPredicate::ONE, floor, y);
  result =
      f.select(f.both(isFinite, isFraction),
               f.constant(std::numeric_limits<float>::quiet_NaN()), result);
  // One for every other operand, even NaN.
  Value isUnit =
      f.both(f.equal(a, one), f.equal(math::AbsFOp::create(b, y), infinity));
  Value isOne = f.either(f.either(f.equal(x, one), f.equal(y, zero)), isUnit);
  return f.select(isOne, one, result);
}
