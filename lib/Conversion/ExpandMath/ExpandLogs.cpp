//===- ExpandLogs.cpp - Logarithms as polynomials --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// log and log2 of f32, log and log1p of f64, on scalars and vectors alike, each
// within 2 units in the last place, of denormal numbers too. The coefficients
// are minimax fits of the error relative to the result.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using onnxc::FloatBuilder, onnxc::Scaled;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Denormal numbers are multiplied by a power of two first.
Scaled onnxc::scaledOf(FloatBuilder &f, Value x) {
  ImplicitLocOpBuilder &b = f.b;
  bool isDouble = f.element().isF64();
  double minNormal = isDouble ? std::numeric_limits<double>::min()
                              : double(std::numeric_limits<float>::min());
  int64_t lesserRoot = isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  int64_t raised = f.fractionBits() + 2;
  Value isDenormal = f.less(x, f.constant(minNormal));
  Value larger = f.mul(x, f.constant(double(int64_t(1) << raised)));
  Value a = f.bits(f.select(isDenormal, larger, x));
  // The exponent for a significand from the lesser root to twice that.
  Value distance = arith::SubIOp::create(b, a, f.integer(lesserRoot));
  Value exponent =
      arith::ShRSIOp::create(b, distance, f.integer(f.fractionBits()));
  Value whole = arith::ShLIOp::create(b, exponent, f.integer(f.fractionBits()));
  Value t =
      f.sub(f.fromBits(arith::SubIOp::create(b, a, whole)), f.constant(1));
  // The exponent as a number: in the low bits of one that counts ones.
  Value rounder = f.constant(f.rounder());
  Value counted = arith::AddIOp::create(b, f.bits(rounder), exponent);
  Value e = f.sub(
      f.fromBits(counted),
      f.select(isDenormal, f.constant(f.rounder() + double(raised)), rounder));
  return {e, t};
}

/// With s = t / (2 + t), log(1 + t) = 2 atanh s = t - (t^2/2 - s (t^2/2 +
/// R(s^2))), which keeps the digits of t. log 2 is in two parts; the product of
/// the first with an exponent is exact.
static Value logOfDouble(FloatBuilder &f, Scaled x) {
  constexpr double log2High = 0.6931471803691238,
                   log2Low = 1.9082149292705877e-10;
  Value s = f.div(x.t, f.add(x.t, f.constant(2)));
  Value z = f.mul(s, s);
  Value r = f.mul(z, f.polynomial(z, {0.6666666666666734, 0.3999999999941905,
                                      0.28571428741563926, 0.22222198647561492,
                                      0.18183560842060875, 0.15314132225852584,
                                      0.14795191988526202}));
  Value half = f.mul(f.mul(x.t, x.t), f.constant(0.5));
  Value rest = f.fma(s, f.add(half, r), f.mul(x.e, f.constant(log2Low)));
  return f.fma(x.e, f.constant(log2High), f.sub(x.t, f.sub(half, rest)));
}

/// log(1 + t) = t + t^2 P(t). To base 2 it is multiplied, and the exponent
/// added as it is; else log 2 is in two parts.
static Value logOfFloat(FloatBuilder &f, Scaled x, bool isBinary) {
  constexpr double log2High = 0.693359375, log2Low = -2.1219444005469057e-4;
  Value p = f.polynomial(x.t, {-0.5, 0.3333333134651184, -0.2500081956386566,
                               0.20001226663589478, -0.16623356938362122,
                               0.14201757311820984, -0.13160182535648346,
                               0.1276157796382904, -0.07634497433900833});
  Value square = f.mul(x.t, x.t);
  if (isBinary)
    return f.fma(f.fma(square, p, x.t), f.constant(1.4426950408889634), x.e);
  Value y = f.fma(square, p, f.fma(x.e, f.constant(log2Low), x.t));
  return f.fma(x.e, f.constant(log2High), y);
}

Value onnxc::expandLog(FloatBuilder &f, Value x, bool isBinary) {
  Scaled scaled = scaledOf(f, x);
  Value y = f.element().isF64() ? logOfDouble(f, scaled)
                                : logOfFloat(f, scaled, isBinary);
  // Infinity and NaN stay.
  y = f.select(f.less(x, f.constant(infinity)), y, x);
  y = f.select(f.equal(x, f.constant(0)), f.constant(-infinity), y);
  return f.select(f.less(x, f.constant(0)), f.constant(notANumber), y);
}

/// log(1 + x) and the rounding error of the sum, relative to it.
Value onnxc::expandLog1p(FloatBuilder &f, Value x) {
  Value one = f.constant(1);
  Value sum = f.add(one, x);
  Value isLarge = f.less(one, x);
  Value larger = f.select(isLarge, x, one), lesser = f.select(isLarge, one, x);
  Value lost = f.div(f.sub(lesser, f.sub(sum, larger)), sum);
  // Not of infinity, nor of 0.
  Value isNumber =
      f.both(f.less(sum, f.constant(infinity)), f.less(f.constant(0), sum));
  Value y = f.add(expandLog(f, sum), f.select(isNumber, lost, f.constant(0)));
  return f.select(f.equal(sum, one), x, y);
}
