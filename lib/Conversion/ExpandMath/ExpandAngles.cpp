//===- ExpandAngles.cpp - Sines, cosines and tangents -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Of f32 and f64, on scalars and vectors alike, within 2 units in the last
// place, tangents of f64 within 3. The coefficients are minimax fits of the
// relative error on the reduced range.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"

#include "onnxc/Target/IR/Target.h"

#include <array>

using namespace mlir;
using namespace onnxc;

namespace {
/// An angle as a multiple of pi/2 and the rest, at most pi/4.
struct Angle {
  Value quarter, sine, cosine;
};

/// The constants of the range reduction: pi/2 in three parts, and the
/// polynomials of (sin r / r - 1) / r^2 and of (cos r - 1 + r^2 / 2) / r^4 in
/// r^2.
struct AngleTable {
  std::array<double, 3> quarter;
  ArrayRef<double> sine, cosine;
};
} // namespace

static AngleTable angleTable(bool isDouble) {
  static constexpr double sines[] = {-0.16666653752326965, 0.00833206344395876,
                                     -0.00019502134819049388},
                          cosines[] = {0.04166664555668831,
                                       -0.0013887243112549186,
                                       2.4423887225566432e-05};
  static constexpr double longSines[] = {-0.16666666666666632,
                                         0.008333333333322429,
                                         -0.0001984126982981716,
                                         2.75573136946784e-06,
                                         -2.5050758494308403e-08,
                                         1.5896815330259454e-10},
                          longCosines[] = {
                              0.0416666666666666,     -0.0013888888888874242,
                              2.480158728954635e-05,  -2.755731436880499e-07,
                              2.0875725298179834e-09, -1.1359743882823003e-11};
  AngleTable floats{
      {1.57079637050628662109375, -4.37113900018624283e-8, -1.71512447e-15},
      sines,
      cosines};
  AngleTable doubles{
      {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33},
      longSines,
      longCosines};
  return isDouble ? doubles : floats;
}

/// The angle of a number of quarters and a rest.
static Angle angleOf(FloatBuilder &f, Value quarter, Value r) {
  AngleTable table = angleTable(f.element().isF64());
  Value square = f.mul(r, r);
  Value s = f.polynomial(square, table.sine);
  Value c = f.polynomial(square, table.cosine);
  Value sine = f.fma(f.mul(square, r), s, r);
  Value cosine = f.fma(f.mul(square, square), c,
                       f.fma(square, f.constant(-0.5), f.constant(1.0)));
  return {quarter, sine, cosine};
}

/// The product with the first part of pi/2 is subtracted without an error, and
/// the third is below all digits for |x| < angleLimit.
static Angle reduceAngle(FloatBuilder &f, Value x) {
  AngleTable table = angleTable(f.element().isF64());
  Value rounded =
      f.fma(x, f.constant(0.6366197723675814), f.constant(f.rounder()));
  Value n = f.sub(rounded, f.constant(f.rounder()));
  Value r = x;
  for (double part : table.quarter)
    r = f.cancellingFma(n, f.constant(-part), r);
  return angleOf(f, f.bits(rounded), r);
}

/// 2/pi, from 64 bits before the point on.
static constexpr uint64_t twoOverPiWords[] = {0,
                                              0xa2f9836e4e441529,
                                              0xfc2757d1f534ddc0,
                                              0xdb6295993c439041,
                                              0xfe5163abdebbc561,
                                              0xb7246e3a424dd2e0,
                                              0x06492eea09d1921c,
                                              0xfe1deb1cb129a73e,
                                              0xe88235f52ebb4484,
                                              0xe99c7026b45f7e41,
                                              0x3991d639835339f4,
                                              0x9c845f8bbdf9283b,
                                              0x1ff897ffde05980f,
                                              0xef2f118b5a0a6d1f,
                                              0x6d367ecf27cb09b7,
                                              0x4f463f669e5fea2d,
                                              0x7527bac7ebe5f17b,
                                              0x3d0739f78a5292ea,
                                              0x6bfb5fb11f8d5d08,
                                              0x56033046fc7b6bab};

/// 192 bits of 2/pi from bit `at` of the table, in three words. They begin in a
/// word of the table up to `maxFirst`, a power of two.
static std::array<Value, 3> twoOverPi(FloatBuilder &f, Value at,
                                      int64_t maxFirst) {
  ImplicitLocOpBuilder &b = f.b;
  SmallVector<Value> words;
  for (uint64_t word : ArrayRef(twoOverPiWords).take_front(maxFirst + 4))
    words.push_back(f.integer(int64_t(word)));
  // One bit of the number of the first word after the other.
  Value first = arith::ShRUIOp::create(b, at, f.integer(6));
  for (int64_t bit = maxFirst; bit > 0; bit /= 2) {
    Value isSet = f.hasBit(first, bit);
    size_t needed = size_t(bit) + 3;
    for (size_t i = 0; i < needed && i + bit < words.size(); ++i)
      words[i] = f.select(isSet, words[i + bit], words[i]);
    words.truncate(needed);
  }
  Value offset = arith::AndIOp::create(b, at, f.integer(63));
  Value rest = arith::SubIOp::create(b, f.integer(63), offset);
  auto shifted = [&](int64_t i) -> Value {
    Value next = arith::ShRUIOp::create(b, words[i + 1], f.integer(1));
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, words[i], offset),
                                arith::ShRUIOp::create(b, next, rest));
  };
  return {shifted(0), shifted(1), shifted(2)};
}

namespace {
/// A number of quarters modulo 4, of which each has 2^62 parts.
struct Parts {
  /// The parts are signed; the rest, which is not, counts 2^-64 of them.
  Value quarter, parts, rest;
};
} // namespace

/// The parts of x = m 2^e of 2^17 or more: the bits of 2/pi matter whose
/// products with m are below 4. With 192 of them the rest has all digits of
/// f64, as no rest is below 2^-62.
static Parts partsOf(FloatBuilder &f, Value x, int64_t maxFirst) {
  ImplicitLocOpBuilder &b = f.b;
  Value bits = f.bits(x), one = f.integer(int64_t(1) << 52);
  Value m = arith::OrIOp::create(
      b, arith::AndIOp::create(b, bits, f.integer((int64_t(1) << 52) - 1)),
      one);
  Value exponent = arith::ShRUIOp::create(b, bits, f.integer(52));
  auto [w0, w1, w2] = twoOverPi(
      f, arith::SubIOp::create(b, exponent, f.integer(1013)), maxFirst);
  auto middle = arith::MulUIExtendedOp::create(b, m, w1);
  auto lowest = arith::MulUIExtendedOp::create(b, m, w2);
  Value low = arith::AddIOp::create(b, middle.getLow(), lowest.getHigh());
  Value carries =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, middle.getLow());
  Value high = arith::AddIOp::create(b, arith::MulIOp::create(b, m, w0),
                                     middle.getHigh());
  high = arith::AddIOp::create(
      b, high, arith::ExtUIOp::create(b, f.integerType(), carries));
  Value quarter = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, high, f.integer(int64_t(1) << 61)),
      f.integer(62));
  Value parts = arith::SubIOp::create(
      b, high, arith::ShLIOp::create(b, quarter, f.integer(62)));
  return {quarter, parts, low};
}

/// The rest of a quarter as an angle: parts that f64 does not hold join the
/// rest of them, and the product with pi/2 has twice the digits.
static Value angleOfParts(FloatBuilder &f, Parts x) {
  ImplicitLocOpBuilder &b = f.b;
  Value high = arith::SIToFPOp::create(b, f.type, x.parts);
  Value left = arith::SubIOp::create(
      b, x.parts, arith::FPToSIOp::create(b, f.integerType(), high));
  Value low =
      f.fma(arith::UIToFPOp::create(b, f.type, x.rest), f.constant(0x1p-64),
            arith::SIToFPOp::create(b, f.type, left));
  Value scale = f.constant(0x1.921fb54442d18p-62);
  Value product = f.mul(high, scale);
  Value error = f.cancellingFma(high, scale, f.neg(product));
  error = f.fma(high, f.constant(0x1.1a62633145c07p-116), error);
  return f.add(product, f.fma(low, scale, error));
}

/// The angle of x of 2^17 or more, computed in integers. Infinity gives NaN.
static Angle reduceLargeAngle(FloatBuilder &f, Value x) {
  ImplicitLocOpBuilder &b = f.b;
  bool isDouble = f.element().isF64();
  FloatBuilder wide(f, b.getF64Type());
  Value size = math::AbsFOp::create(b, x);
  if (!isDouble)
    size = arith::ExtFOp::create(b, wide.type, size);
  Parts parts = partsOf(wide, size, /*maxFirst=*/isDouble ? 16 : 2);
  Value r = angleOfParts(wide, parts), quarter = parts.quarter;
  if (!isDouble) {
    r = arith::TruncFOp::create(b, f.type, r);
    quarter = arith::TruncIOp::create(b, f.integerType(), quarter);
  }
  r = f.add(r, f.sub(x, x));
  Value isNegative = f.less(x, f.constant(0));
  Value opposite = arith::SubIOp::create(b, f.integer(0), quarter);
  return angleOf(f, f.select(isNegative, opposite, quarter),
                 f.select(isNegative, f.neg(r), r));
}

/// sin(x + quarters * pi/2).
static Value sineOf(FloatBuilder &f, Angle angle, int64_t quarters) {
  Value at = quarters ? Value(arith::AddIOp::create(f.b, angle.quarter,
                                                    f.integer(quarters)))
                      : angle.quarter;
  Value y = f.select(f.hasBit(at, 1), angle.cosine, angle.sine);
  // Its second bit becomes the first of the number.
  int64_t shift = int64_t(f.element().getIntOrFloatBitWidth()) - 2;
  Value sign = arith::ShLIOp::create(
      f.b, arith::AndIOp::create(f.b, at, f.integer(2)), f.integer(shift));
  return f.fromBits(arith::XOrIOp::create(f.b, f.bits(y), sign));
}

static Value tangentOf(FloatBuilder &f, Angle angle) {
  Value odd = f.hasBit(angle.quarter, 1);
  return f.div(f.select(odd, angle.cosine, angle.sine),
               f.select(odd, f.neg(angle.sine), angle.cosine));
}

/// Angles above this are left to libm, which has enough digits of pi, or are
/// reduced in integers.
static constexpr double angleLimit = 131072.0;

Value onnxc::expandAngle(FloatBuilder &f, Operation *op,
                         krnl::TargetAttr target) {
  Value x = op->getOperand(0);
  auto function = [&](Angle angle) {
    if (isa<math::TanOp>(op))
      return tangentOf(f, angle);
    return sineOf(f, angle, isa<math::CosOp>(op) ? 1 : 0);
  };
  Value fits = f.less(math::AbsFOp::create(f.b, x), f.constant(angleLimit));
  auto expand = [&] { return function(reduceAngle(f, x)); };
  return whereFits(f, fits, expand, [&] {
    if (hasLibrary(target))
      return byLanes(f, op);
    Value large = function(reduceLargeAngle(f, x));
    return isa<VectorType>(f.type) ? f.select(fits, expand(), large) : large;
  });
}
