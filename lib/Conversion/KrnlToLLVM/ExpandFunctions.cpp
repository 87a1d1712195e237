//===- ExpandFunctions.cpp - Functions of floats as polynomials -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the upstream polynomials are slow or lose digits: exp, log, log2, pow,
// sin, cos, tan, atan and fmod of f32, and those of f64, on scalars and vectors
// alike, each within 2 units in the last place. The coefficients are minimax
// fits of the relative error on the reduced range.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace onnxc;

/// In one instruction; null where the target has none for this type.
static Value scaledAtOnce(FloatBuilder &f, krnl::TargetAttr target, Value p,
                          Value n) {
  auto vector = dyn_cast<VectorType>(f.type);
  int64_t lanes = vector ? vector.getNumElements() : 0;
  int64_t width = f.element().getIntOrFloatBitWidth();
  StringRef name = target.getInstruction("scale_f" + Twine(width), lanes);
  if (name.empty())
    return {};
  // By the current mode of rounding, in all lanes.
  constexpr int32_t currentRounding = 4;
  auto all = [&](unsigned count) -> Value {
    return arith::ConstantOp::create(
        f.b, f.b.getIntegerAttr(f.b.getIntegerType(count), -1));
  };
  SmallVector<Value> operands{p, n, p, all(lanes == 16 ? 16 : 8)};
  // The longest form has the mode as an operand.
  if (lanes * width == 512)
    operands.push_back(
        arith::ConstantOp::create(f.b, f.b.getI32IntegerAttr(currentRounding)));
  return LLVM::CallIntrinsicOp::create(f.b, f.type, f.b.getStringAttr(name),
                                       operands)
      .getResults();
}

Value onnxc::scaleByPower(FloatBuilder &f, krnl::TargetAttr target, Value p,
                          Value n, Value whole) {
  if (Value y = scaledAtOnce(f, target, p, n))
    return y;
  Value half = arith::ShRSIOp::create(f.b, whole, f.integer(1));
  Value rest = arith::SubIOp::create(f.b, whole, half);
  return f.mul(f.mul(p, f.powerOfTwo(half)), f.powerOfTwo(rest));
}

/// e^x = 2^n e^r with |r| <= log(2) / 2. The bounds give 0 and inf. NaN is in r
/// and stays.
static Value expandExp(FloatBuilder &f, krnl::TargetAttr target, Value x) {
  x = f.clamp(x, -104.0, 89.0);
  Value rounded =
      f.fma(x, f.constant(1.4426950408889634), f.constant(f.rounder()));
  Value n = f.sub(rounded, f.constant(f.rounder()));
  Value r = f.fma(n, f.constant(-0.693359375), x);
  r = f.fma(n, f.constant(2.1219444005469057e-4), r);
  Value p = f.polynomial(r, {1.0, 1.0, 0.4999999403953552, 0.16666515171527863,
                             0.04166845604777336, 0.00836941972374916,
                             0.0013813142431899905});
  Value whole = arith::SubIOp::create(f.b, f.bits(rounded),
                                      f.bits(f.constant(f.rounder())));
  return onnxc::scaleByPower(f, target, p, n, whole);
}

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
    r = f.fma(n, f.constant(-part), r);
  return angleOf(f, f.bits(rounded), r);
}

/// The 96 bits of 2/pi from bit `at` of a table that begins 32 bits before the
/// point, in three words.
static std::array<Value, 3> twoOverPi(FloatBuilder &wide, Value at) {
  static constexpr int64_t table[] = {0,          0xa2f9836e, 0x4e441529,
                                      0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                      0x3c439041, 0xfe5163ab};
  ImplicitLocOpBuilder &b = wide.b;
  Value first = arith::ShRUIOp::create(b, at, wide.integer(5));
  auto word = [&](int64_t number) {
    Value value = wide.integer(table[number]);
    for (int64_t i = 1; i + 3 < int64_t(std::size(table)); ++i) {
      Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first,
                                            wide.integer(i));
      value = wide.select(isFirst, wide.integer(table[i + number]), value);
    }
    return value;
  };
  Value offset = arith::AndIOp::create(b, at, wide.integer(31));
  Value shift = arith::SubIOp::create(b, wide.integer(32), offset);
  std::array<Value, 3> words;
  for (int64_t i = 0; i < 3; ++i) {
    Value high = arith::ShLIOp::create(b, word(i), wide.integer(32));
    Value both = arith::OrIOp::create(b, high, word(i + 1));
    words[i] = arith::AndIOp::create(b, arith::ShRUIOp::create(b, both, shift),
                                     wide.integer(0xffffffff));
  }
  return words;
}

/// The same for f32 of 2^17 or more, in integers: x = m 2^e, and quarters are
/// counted modulo 4, so those bits of 2/pi matter whose products with m are
/// less: with 96 of them the rest has all its digits. Infinity gives NaN.
static Angle reduceLargeAngle(FloatBuilder &f, Value x) {
  ImplicitLocOpBuilder &b = f.b;
  FloatBuilder wide(f, b.getF64Type());
  Value bits = arith::ExtUIOp::create(b, wide.integerType(),
                                      f.bits(math::AbsFOp::create(b, x)));
  Value m = arith::OrIOp::create(
      b, arith::AndIOp::create(b, bits, wide.integer(0x7fffff)),
      wide.integer(0x800000));
  Value exponent = arith::ShRUIOp::create(b, bits, wide.integer(23));
  auto [w0, w1, w2] =
      twoOverPi(wide, arith::SubIOp::create(b, exponent, wide.integer(120)));
  Value high = arith::ShLIOp::create(b, arith::MulIOp::create(b, m, w0),
                                     wide.integer(32));
  Value low = arith::ShRUIOp::create(b, arith::MulIOp::create(b, m, w2),
                                     wide.integer(32));
  // Quarters in the upper two bits, and their fraction.
  Value product = arith::AddIOp::create(
      b, arith::AddIOp::create(b, high, arith::MulIOp::create(b, m, w1)), low);
  Value quarter = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, product, wide.integer(int64_t(1) << 61)),
      wide.integer(62));
  Value rest = arith::SubIOp::create(
      b, product, arith::ShLIOp::create(b, quarter, wide.integer(62)));
  Value r = wide.mul(arith::SIToFPOp::create(b, wide.type, rest),
                     wide.constant(0x1.921fb54442d18p-62));
  r = f.add(arith::TruncFOp::create(b, f.type, r), f.sub(x, x));
  quarter = arith::TruncIOp::create(b, f.integerType(), quarter);
  Value isNegative = f.less(x, f.constant(0));
  return angleOf(f,
                 f.select(isNegative,
                          arith::SubIOp::create(b, f.integer(0), quarter),
                          quarter),
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

/// atan(t) = pi/4 + atan((t - 1) / (t + 1)) = pi/2 - atan(1 / t).
static Value expandAtan(FloatBuilder &f, Value x) {
  Value t = math::AbsFOp::create(f.b, x), one = f.constant(1);
  Value isMiddle = f.less(f.constant(0.4142135623730950), t),
        isLarge = f.less(f.constant(2.414213562373095), t);
  Value above = f.select(isMiddle, f.sub(t, one), t),
        below = f.select(isMiddle, f.add(t, one), one);
  above = f.select(isLarge, f.constant(-1), above);
  below = f.select(isLarge, t, below);
  Value base =
      f.select(isMiddle, f.constant(0.7853981633974483), f.constant(0));
  base = f.select(isLarge, f.constant(1.5707963267948966), base);
  Value z = f.div(above, below), square = f.mul(z, z);
  Value p = f.polynomial(square, {-0.3333331346511841, 0.19998358190059662,
                                  -0.1424126923084259, 0.10576300323009491,
                                  -0.060321059077978134});
  Value y = f.add(base, f.fma(f.mul(square, z), p, z));
  return math::CopySignOp::create(f.b, y, x);
}

/// Angles above this are left to libm, which has enough digits of pi.
static constexpr double angleLimit = 131072.0;

/// The op itself on a scalar; on a vector lane by lane, in a loop.
static Value byLanes(FloatBuilder &f, Operation *op) {
  ImplicitLocOpBuilder &b = f.b;
  auto vector = dyn_cast<VectorType>(f.type);
  if (!vector)
    return b.clone(*op)->getResult(0);
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1),
        lanes = arith::ConstantIndexOp::create(b, vector.getNumElements());
  auto loop = scf::ForOp::create(
      b, zero, lanes, one, ValueRange(op->getOperand(0)),
      [&](OpBuilder &nb, Location loc, Value lane, ValueRange carried) {
        OperationState scalar(loc, op->getName());
        for (Value operand : op->getOperands()) {
          Value element =
              vector::ExtractOp::create(nb, loc, operand, OpFoldResult(lane));
          scalar.addOperands(element);
        }
        scalar.addTypes(vector.getElementType());
        Value y = nb.create(scalar)->getResult(0);
        Value next = vector::InsertOp::create(nb, loc, y, carried[0],
                                              OpFoldResult(lane));
        scf::YieldOp::create(nb, loc, next);
      });
  return loop.getResult(0);
}

/// The expansion, unless some lane is out of its range: then what `others`
/// gives.
static Value whereFits(FloatBuilder &f, Value fits,
                       llvm::function_ref<Value()> expand,
                       llvm::function_ref<Value()> others) {
  if (isa<VectorType>(f.type))
    fits = vector::ReductionOp::create(f.b, vector::CombiningKind::AND, fits);
  auto branch = scf::IfOp::create(f.b, TypeRange(f.type), fits,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(f.b, expand());
  f.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(f.b, others());
  return branch.getResult(0);
}

/// C's fmod: the rest of |x| after a whole number of |y|, without an error, as
/// the quotient has few digits. It may be one too many, where the division has
/// been rounded up. Larger quotients, infinity, NaN and division by 0 are left
/// to libm.
static Value expandRemainder(FloatBuilder &f, Operation *op) {
  ImplicitLocOpBuilder &b = f.b;
  Value x = math::AbsFOp::create(b, op->getOperand(0)),
        y = math::AbsFOp::create(b, op->getOperand(1));
  Value quotient = f.div(x, y);
  double most = double(int64_t(1) << (f.fractionBits() - 1));
  Value infinity = f.constant(std::numeric_limits<double>::infinity());
  Value fits = f.both(f.less(quotient, f.constant(most)), f.less(y, infinity));
  auto expand = [&] {
    Value whole = math::TruncOp::create(b, quotient);
    Value rest = f.fma(f.neg(whole), y, x);
    rest = f.select(f.less(rest, f.constant(0)), f.add(rest, y), rest);
    return Value(math::CopySignOp::create(b, rest, op->getOperand(0)));
  };
  return whereFits(f, fits, expand, [&] { return byLanes(f, op); });
}

/// The nearest whole number, the even one of two: the sum with a power of two
/// whose last digit counts ones rounds the fraction. Numbers without a
/// fraction, infinity and NaN stay; so does the sign of a result of 0.
static Value expandRoundEven(FloatBuilder &f, Value x) {
  Value size = math::AbsFOp::create(f.b, x);
  Value ones = f.constant(double(int64_t(1) << f.fractionBits()));
  Value rounded = f.sub(f.add(size, ones), ones);
  Value whole = math::CopySignOp::create(f.b, rounded, x);
  return f.select(f.less(size, ones), whole, x);
}

/// Devices have no libm.
static Value expandAngle(FloatBuilder &f, Operation *op,
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
    bool isDevice = target && target.getProcessor().tileThreads > 1;
    if (!isDevice || f.element().isF64())
      return byLanes(f, op);
    Value large = function(reduceLargeAngle(f, x));
    return isa<VectorType>(f.type) ? f.select(fits, expand(), large) : large;
  });
}

static Value expandOne(Operation *op, krnl::TargetAttr target) {
  FloatBuilder f(op);
  Value x = op->getOperand(0);
  if (isa<math::RoundEvenOp>(op))
    return expandRoundEven(f, x);
  if (f.element().isF64() && onnxc::isExpandedDouble(op))
    return onnxc::expandDouble(f, op, target);
  if (isa<math::ExpOp>(op))
    return expandExp(f, target, x);
  if (isa<math::LogOp, math::Log2Op>(op))
    return onnxc::expandLog(f, x, isa<math::Log2Op>(op));
  if (isa<math::PowFOp>(op))
    return onnxc::expandPow(f, x, op->getOperand(1));
  if (isa<math::AtanOp>(op))
    return expandAtan(f, x);
  if (isa<arith::RemFOp>(op))
    return expandRemainder(f, op);
  return expandAngle(f, op, target);
}

bool onnxc::isExpandedFunction(Operation *op) {
  if (isa<math::SinOp, math::CosOp, arith::RemFOp>(op))
    return true;
  if (getElementTypeOrSelf(op->getResult(0)).isF64())
    return isExpandedDouble(op);
  return isa<math::AtanOp, math::ExpOp, math::LogOp, math::Log2Op, math::PowFOp,
             math::TanOp>(op);
}

void onnxc::expandFunctions(Operation *root) {
  auto target = krnl::TargetAttr::of(root);
  // A function that rounds to even is in newer libraries only.
  bool hasRound = target && target.getInstructions().contains("round_even");
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (!element.isF32() && !element.isF64())
      return;
    if (isExpandedFunction(op) || (isa<math::RoundEvenOp>(op) && !hasRound))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    op->getResult(0).replaceAllUsesWith(expandOne(op, target));
    op->erase();
  }
}
