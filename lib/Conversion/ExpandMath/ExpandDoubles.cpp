//===- ExpandDoubles.cpp - Functions of f64 as polynomials ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// exp, expm1, tanh and erf on scalars and vectors alike, each within 2 units in
// the last place. The coefficients are minimax fits on the reduced range, of
// the error relative to the result.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using onnxc::FloatBuilder;

/// log 2 in two parts; the product of the first with an exponent is exact.
static constexpr double log2High = 0.6931471803691238,
                        log2Low = 1.9082149292705877e-10;

namespace {
/// e^x = 2^n (1 + part), part = e^r - 1 for |r| <= log(2) / 2; the low bits of
/// `counted` are n and an offset.
struct Power {
  Value n, counted, part;
};
} // namespace

Value onnxc::expandSmallExpM1(FloatBuilder &f, Value r) {
  Value p = f.polynomial(r, {0.5, 0.16666666666666677, 0.0416666666666667,
                             0.008333333333321648, 0.0013888888888866852,
                             0.00019841269886085886, 2.4801587360545352e-05,
                             2.75572442491238e-06, 2.7557242762164075e-07,
                             2.510902308618153e-08, 2.092444345327824e-09});
  return f.fma(f.mul(r, r), p, r);
}

/// For x whose powers have a number for an exponent; NaN is in the part.
static Power powerOf(FloatBuilder &f, Value x, int64_t offset) {
  Value rounder = f.constant(f.rounder() + double(offset));
  Value rounded = f.fma(x, f.constant(1.4426950408889634), rounder);
  Value n = f.sub(rounded, rounder);
  Value r = f.fma(n, f.constant(-log2High), x);
  r = f.fma(n, f.constant(-log2Low), r);
  return {n, f.bits(rounded), onnxc::expandSmallExpM1(f, r)};
}

/// The bounds give 0 and inf; what is rounded to 0 is not computed.
static Value expandExp(FloatBuilder &f, onnxc::krnl::TargetAttr target,
                       Value x) {
  Power power = powerOf(f, f.clamp(x, -746.0, 710.0), 2 * f.exponentBias());
  Value p = f.zeroBelow(power.n, -1075.5, f.add(power.part, f.constant(1)));
  return onnxc::scaleByPower(f, target, p, power.n, power.counted);
}

/// 2 (2^(n-1) part + 2^(n-1) - 1/2): 2^n is no number for the largest results.
static Value expandExpM1(FloatBuilder &f, Value x) {
  Power power = powerOf(f, f.clamp(x, -50.0, 710.0), f.exponentBias() - 1);
  Value half = f.powerOfCount(power.counted);
  Value y = f.fma(half, power.part, f.sub(half, f.constant(0.5)));
  return f.add(y, y);
}

/// tanh |x| = (1 - p) / (1 + p) with p = e^-2|x|, of which p - 1 has the
/// digits; there is nothing between 1 and that of 20.
static Value expandTanh(FloatBuilder &f, Value x) {
  Value a = f.clamp(math::AbsFOp::create(f.b, x), 0.0, 20.0);
  Value power = expandExpM1(f, f.mul(a, f.constant(-2)));
  Value y = f.div(power, f.add(power, f.constant(2)));
  return math::CopySignOp::create(f.b, y, x);
}

/// An odd polynomial below 1, from there 1 - erfc|x| with a polynomial for the
/// logarithm of erfc; no double is between the result at 6 and 1.
static Value expandErf(FloatBuilder &f, onnxc::krnl::TargetAttr target,
                       Value x) {
  Value a = f.clamp(math::AbsFOp::create(f.b, x), 0.0, 6.0);
  Value one = f.constant(1);
  Value p = f.polynomial(f.mul(x, x),
                         {0.12837916709551256, -0.3761263890318355,
                          0.11283791670945253, -0.02686617064327622,
                          0.005223977607423468, -0.0008548325989696758,
                          0.00012055295320494294, -1.4924744663335489e-05,
                          1.6447517677871873e-06, -1.6209175911748696e-07,
                          1.3722976265924504e-08, -7.801188874097751e-10});
  Value log = f.polynomial(
      f.sub(a, one),
      {-1.8496055099332482, -2.638967514234788, -0.8431072563586768,
       -0.04156109804180906, 0.01003382537441614, -0.0019779025679647643,
       0.0002373224816795647, 2.6277874528474075e-05, -2.715911140073096e-05,
       9.608899754186269e-06, -2.0597720794422484e-06, 1.4287585357924317e-07,
       9.754690085950266e-08, -5.203760465594849e-08, 1.4911348567752618e-08,
       -2.8640149101444523e-09, 3.682441510134361e-10, -2.881521918938439e-11,
       1.0390869322881464e-12});
  Value large = f.sub(one, expandExp(f, target, log));
  return f.select(f.less(a, one), f.fma(x, p, x),
                  math::CopySignOp::create(f.b, large, x));
}

bool onnxc::isExpandedDouble(Operation *op) {
  return isa<math::ErfOp, math::ExpOp, math::ExpM1Op, math::LogOp,
             math::Log1pOp, math::TanhOp>(op);
}

Value onnxc::expandDouble(FloatBuilder &f, Operation *op,
                          onnxc::krnl::TargetAttr target) {
  Value x = op->getOperand(0);
  if (isa<math::ErfOp>(op))
    return expandErf(f, target, x);
  if (isa<math::ExpOp>(op))
    return expandExp(f, target, x);
  if (isa<math::ExpM1Op>(op))
    return expandExpM1(f, x);
  if (isa<math::LogOp>(op))
    return expandLog(f, x);
  if (isa<math::Log1pOp>(op))
    return expandLog1p(f, x);
  return expandTanh(f, x);
}
