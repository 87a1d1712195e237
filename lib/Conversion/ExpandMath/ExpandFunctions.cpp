//===- ExpandFunctions.cpp - Functions of floats as polynomials -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the upstream polynomials are slow or lose digits, or a device has no
// libm: the table of these, erf and tanh of f32, atan, asin, acos and fmod, on
// scalars and vectors alike, each within 3 units in the last place, tanh within
// 5. The coefficients are minimax fits of the relative error on the reduced
// range.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace mlir;
using namespace onnxc;

static int64_t lanesOf(FloatBuilder &f) {
  auto vector = dyn_cast<VectorType>(f.type);
  return vector ? vector.getNumElements() : 0;
}

StringRef onnxc::scaleInstruction(FloatBuilder &f, krnl::TargetAttr target) {
  unsigned width = f.element().getIntOrFloatBitWidth();
  return target.getInstruction("scale_f" + Twine(width), lanesOf(f));
}

/// In one instruction; null where the target has none for this type.
static Value scaledAtOnce(FloatBuilder &f, krnl::TargetAttr target, Value p,
                          Value n) {
  int64_t lanes = lanesOf(f), width = f.element().getIntOrFloatBitWidth();
  StringRef name = scaleInstruction(f, target);
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
                          Value n, Value counted) {
  if (Value y = scaledAtOnce(f, target, p, n))
    return y;
  // Half of the count, rounded down, is an exponent; so is the rest.
  int64_t fraction = f.fractionBits();
  Value half = arith::AndIOp::create(
      f.b, arith::ShLIOp::create(f.b, counted, f.integer(fraction - 1)),
      f.integer(-(int64_t(1) << fraction)));
  Value both = arith::ShLIOp::create(f.b, counted, f.integer(fraction));
  Value rest = arith::SubIOp::create(f.b, both, half);
  return f.mul(f.mul(p, f.fromBits(half)), f.fromBits(rest));
}

/// An odd polynomial below 1, from there 1 - p^-8 with a polynomial for the
/// power -1/8 of erfc|x|; no float is between the result at 3.95 and 1.
static Value expandErf(FloatBuilder &f, Value x) {
  Value a = math::AbsFOp::create(f.b, x), one = f.constant(1);
  Value isSmall = f.less(a, one), last = f.constant(3.95);
  a = f.select(f.less(last, a), last, a);
  Value p =
      f.polynomial(f.mul(x, x), {0.12837912142276764, -0.37612324953079224,
                                 0.11280179768800735, -0.02671131119132042,
                                 0.004917551297694445, -0.0005631421809084713});
  Value root = f.polynomial(a, {0.9964869618415833, 0.15921051800251007,
                                0.049417249858379364, 0.0737360492348671,
                                -0.033030930906534195, 0.017750712111592293,
                                -0.004002155736088753, 0.0005436668288893998});
  Value square = f.mul(root, root), fourth = f.mul(square, square);
  Value large = f.sub(one, f.div(one, f.mul(fourth, fourth)));
  return f.select(isSmall, f.fma(x, p, x),
                  math::CopySignOp::create(f.b, large, x));
}

/// A quotient of two polynomials, 1 at 0. The bound, of which it is less than 1
/// by 4 units in the last place, keeps all results from exceeding 1.
static Value expandTanh(FloatBuilder &f, Value x) {
  Value a = f.clamp(x, -8.0, 8.0), square = f.mul(a, a);
  Value above =
      f.polynomial(square, {1.0, 0.13446800410747528, 0.003574318718165159,
                            2.193921864090953e-05, 1.5292585015345446e-08});
  Value below =
      f.polynomial(square, {1.0, 0.4678013026714325, 0.026174824684858322,
                            0.0003415727696847171, 8.547747256670846e-07});
  return f.div(f.mul(a, above), below);
}

/// atan(t) = pi/4 + atan((t - 1) / (t + 1)) = pi/2 - atan(1 / t).
static Value expandAtan(FloatBuilder &f, Value x) {
  static constexpr double floats[] = {-0.3333331346511841, 0.19998358190059662,
                                      -0.1424126923084259, 0.10576300323009491,
                                      -0.060321059077978134};
  static constexpr double doubles[] = {
      -0.3333333333333333,  0.19999999999999993,  -0.14285714285711515,
      0.11111111110754406,  -0.0909090906699066,  0.07692306735321475,
      -0.06666642004996545, 0.05881925033877732,  -0.052580394289794816,
      0.04719381457895137,  -0.04104381417807643, 0.03063443323901452,
      -0.013916943217800841};
  bool isDouble = f.element().isF64();
  Value t = math::AbsFOp::create(f.b, x), one = f.constant(1);
  Value isMiddle = f.less(f.constant(0.4142135623730950), t),
        isLarge = f.less(f.constant(2.414213562373095), t);
  Value above = f.select(isMiddle, f.sub(t, one), t),
        below = f.select(isMiddle, f.add(t, one), one);
  above = f.select(isLarge, f.constant(-1), above);
  below = f.select(isLarge, t, below);
  auto base = [&](double quarter) {
    Value value = f.select(isMiddle, f.constant(quarter / 2), f.constant(0));
    return f.select(isLarge, f.constant(quarter), value);
  };
  Value z = f.div(above, below), square = f.mul(z, z);
  Value p = f.polynomial(square, isDouble ? ArrayRef(doubles) : floats);
  Value rest = f.fma(f.mul(square, z), p, z);
  // What pi/2 has beyond the digits of f64.
  if (isDouble)
    rest = f.add(rest, base(6.123233995736766e-17));
  Value y = f.add(base(1.5707963267948966), rest);
  return math::CopySignOp::create(f.b, y, x);
}

/// By tangents: sin y = x and cos y = x for sqrt((1 - x) (1 + x)) and
/// sqrt((1 - x) / (1 + x)), which keep the digits next to 1.
static Value expandArc(FloatBuilder &f, Operation *op) {
  Value x = op->getOperand(0), one = f.constant(1);
  Value below = f.sub(one, x), above = f.add(one, x);
  auto root = [&](Value square) -> Value {
    return math::SqrtOp::create(f.b, square);
  };
  if (isa<math::AsinOp>(op))
    return expandAtan(f, f.div(x, root(f.mul(below, above))));
  Value half = expandAtan(f, root(f.div(below, above)));
  return f.add(half, half);
}

Value onnxc::byLanes(FloatBuilder &f, Operation *op) {
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

Value onnxc::whereFits(FloatBuilder &f, Value fits,
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

/// |x| mod |y| by long division, 11 bits of the quotient at a time: the rests
/// are whole multiples of the last digit of |y|, below 2^53, so none has an
/// error.
static Value divideLong(FloatBuilder &f, krnl::TargetAttr target, Value x,
                        Value y) {
  ImplicitLocOpBuilder &b = f.b;
  Value one = f.integer(1), zero = f.integer(0);
  // As m 2^(e - 1075).
  auto split = [&](Value value) -> std::pair<Value, Value> {
    constexpr int64_t unit = int64_t(1) << 52;
    Value e = arith::ShRUIOp::create(b, f.bits(value), f.integer(52));
    Value m = arith::AndIOp::create(b, f.bits(value), f.integer(unit - 1));
    Value isNormal =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, e, zero);
    m = arith::AddIOp::create(b, m, f.select(isNormal, f.integer(unit), zero));
    return {m, arith::MaxSIOp::create(b, e, one)};
  };
  auto [mx, ex] = split(x);
  auto [my, ey] = split(y);
  Value divisor = arith::MaxSIOp::create(b, my, one);
  Value bits =
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, ex, ey), zero);
  Value rest = arith::RemUIOp::create(b, mx, divisor);
  auto loop = scf::WhileOp::create(
      b, TypeRange{rest.getType(), bits.getType()}, ValueRange{rest, bits},
      [&](OpBuilder &nb, Location loc, ValueRange carried) {
        Value more = arith::CmpIOp::create(nb, loc, arith::CmpIPredicate::sgt,
                                           carried[1], zero);
        if (isa<VectorType>(f.type))
          more = vector::ReductionOp::create(nb, loc, vector::CombiningKind::OR,
                                             more);
        scf::ConditionOp::create(nb, loc, more, carried);
      },
      [&](OpBuilder &nb, Location loc, ValueRange carried) {
        Value step = arith::MinSIOp::create(nb, loc, carried[1], f.integer(11));
        Value shifted = arith::ShLIOp::create(nb, loc, carried[0], step);
        Value rest = arith::RemUIOp::create(nb, loc, shifted, divisor);
        Value left = arith::SubIOp::create(nb, loc, carried[1], step);
        scf::YieldOp::create(nb, loc, ValueRange{rest, left});
      });
  Value exponent = arith::SubIOp::create(b, ey, f.integer(1075));
  return onnxc::scaleByPower(
      f, target, arith::UIToFPOp::create(b, f.type, loop.getResult(0)),
      arith::SIToFPOp::create(b, f.type, exponent),
      arith::AddIOp::create(b, exponent, f.integer(2 * f.exponentBias())));
}

/// |x| mod |y| of any two, in f64, which has the rests of f32 too.
static Value anyRemainder(FloatBuilder &f, krnl::TargetAttr target, Value x,
                          Value y) {
  FloatBuilder wide(f, f.b.getF64Type());
  bool isDouble = f.element().isF64();
  if (!isDouble) {
    x = arith::ExtFOp::create(f.b, wide.type, x);
    y = arith::ExtFOp::create(f.b, wide.type, y);
  }
  Value infinity = wide.constant(std::numeric_limits<double>::infinity());
  Value rest = wide.select(wide.less(x, y), x, divideLong(wide, target, x, y));
  // Infinity has none, division by 0 has none, NaN is in both.
  Value hasRest =
      wide.both(wide.less(x, infinity), wide.less(wide.constant(0), y));
  rest = wide.select(hasRest, rest,
                     wide.constant(std::numeric_limits<double>::quiet_NaN()));
  return isDouble ? rest
                  : arith::TruncFOp::create(f.b, f.type, rest).getResult();
}

/// C's fmod: the rest of |x| after a multiple of |y|, without an error, as
/// the quotient has few digits. It may be one too many, where the division has
/// been rounded up. Larger quotients, infinity, NaN and division by 0 are left
/// to libm, or divided at length.
static Value expandRemainder(FloatBuilder &f, Operation *op,
                             krnl::TargetAttr target) {
  ImplicitLocOpBuilder &b = f.b;
  Value x = math::AbsFOp::create(b, op->getOperand(0)),
        y = math::AbsFOp::create(b, op->getOperand(1));
  Value quotient = f.div(x, y);
  double maxQuotient = double(int64_t(1) << (f.fractionBits() - 1));
  Value infinity = f.constant(std::numeric_limits<double>::infinity());
  Value fits =
      f.both(f.less(quotient, f.constant(maxQuotient)), f.less(y, infinity));
  auto signedRest = [&](Value rest) -> Value {
    return math::CopySignOp::create(b, rest, op->getOperand(0));
  };
  auto expand = [&] {
    Value whole = math::TruncOp::create(b, quotient);
    Value rest = f.cancellingFma(f.neg(whole), y, x);
    rest = f.select(f.less(rest, f.constant(0)), f.add(rest, y), rest);
    return signedRest(rest);
  };
  return whereFits(f, fits, expand, [&] {
    return hasLibrary(target) ? byLanes(f, op)
                              : signedRest(anyRemainder(f, target, x, y));
  });
}

/// The nearest integer, the even one of two: the sum with a power of two
/// whose last digit counts ones rounds the fraction. Numbers without a
/// fraction, infinity and NaN stay; so does the sign of a result of 0.
static Value expandRoundEven(FloatBuilder &f, Value x) {
  Value size = math::AbsFOp::create(f.b, x);
  Value ones = f.constant(double(int64_t(1) << f.fractionBits()));
  Value rounded = f.sub(f.add(size, ones), ones);
  Value whole = math::CopySignOp::create(f.b, rounded, x);
  return f.select(f.less(size, ones), whole, x);
}

/// The least or the greatest number that the value can be: a constant, or what
/// a selection keeps within constants; infinite if that is not known.
static double boundOf(Value x, bool isMin) {
  double sign = isMin ? -1 : 1;
  FloatAttr number;
  if (matchPattern(x, m_Constant(&number)))
    return number.getValueAsDouble();
  if (DenseFPElementsAttr numbers;
      matchPattern(x, m_Constant(&numbers)) && numbers.isSplat())
    return numbers.getSplatValue<APFloat>().convertToDouble();
  auto select = x.getDefiningOp<arith::SelectOp>();
  auto less = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                     : arith::CmpFOp();
  if (!less || less.getPredicate() != arith::CmpFPredicate::OLT)
    return sign * HUGE_VAL;
  Value kept = select.getTrueValue(), bound = select.getFalseValue();
  bool isUpper = less.getLhs() == kept && less.getRhs() == bound;
  bool isLower = less.getLhs() == bound && less.getRhs() == kept;
  if (!isUpper && !isLower)
    return sign * HUGE_VAL;
  double ofBound = boundOf(bound, isMin);
  // The other side is that of both.
  if (isUpper != isMin)
    return ofBound;
  double ofKept = boundOf(kept, isMin);
  return isMin ? std::min(ofKept, ofBound) : std::max(ofKept, ofBound);
}

/// A rounded number of small size as an integer of 32 bits: the low bits of the
/// sum with the rounder. Null if the size is not known to be small.
static Value expandRoundToInteger(arith::FPToSIOp op) {
  auto round = op.getIn().getDefiningOp<math::RoundEvenOp>();
  if (!round || !getElementTypeOrSelf(op.getIn()).isF32() ||
      !getElementTypeOrSelf(op.getOut()).isInteger(32))
    return {};
  FloatBuilder f(round);
  Value x = round.getOperand();
  double limit = f.rounder() / 3;
  if (!(boundOf(x, /*isMin=*/true) >= -limit &&
        boundOf(x, /*isMin=*/false) <= limit))
    return {};
  Value sum = f.add(x, f.constant(f.rounder()));
  return arith::SubIOp::create(
      f.b, f.bits(sum), f.integer(llvm::bit_cast<int32_t>(float(f.rounder()))));
}

static Value expandOne(Operation *op, krnl::TargetAttr target) {
  FloatBuilder f(op);
  Value x = op->getOperand(0);
  if (isa<math::RoundEvenOp>(op))
    return expandRoundEven(f, x);
  if (f.element().isF64() && onnxc::isExpandedDouble(op))
    return onnxc::expandDouble(f, op, target);
  if (isa<math::ExpOp>(op))
    return onnxc::expandFloatExp(f, target, op);
  if (isa<math::ExpM1Op>(op))
    return onnxc::expandFloatExpM1(f, x);
  if (isa<math::ErfOp>(op))
    return expandErf(f, x);
  if (isa<math::TanhOp>(op))
    return expandTanh(f, x);
  if (isa<math::LogOp, math::Log2Op>(op))
    return onnxc::expandLog(f, x, isa<math::Log2Op>(op));
  if (isa<math::PowFOp>(op))
    return onnxc::expandPow(f, target, x, op->getOperand(1));
  if (isa<math::AtanOp>(op))
    return expandAtan(f, x);
  if (isa<math::AcosOp, math::AsinOp>(op))
    return expandArc(f, op);
  if (isa<arith::RemFOp>(op))
    return expandRemainder(f, op, target);
  return expandAngle(f, op, target);
}

bool onnxc::isExpandedFunction(Operation *op) {
  if (isa<arith::RemFOp, math::AtanOp, math::CosOp, math::ErfOp, math::ExpOp,
          math::ExpM1Op, math::LogOp, math::PowFOp, math::SinOp, math::TanOp,
          math::TanhOp>(op))
    return true;
  if (getElementTypeOrSelf(op->getResult(0)).isF64())
    return isa<math::AcosOp, math::AsinOp, math::Log1pOp>(op);
  return isa<math::Log2Op>(op);
}

bool onnxc::hasLibrary(krnl::TargetAttr target) {
  return !target || !target.getProcessor().isDevice();
}

static void expandRoundsToIntegers(arith::FPToSIOp op) {
  Value whole = expandRoundToInteger(op);
  if (!whole)
    return;
  auto round = op.getIn().getDefiningOp<math::RoundEvenOp>();
  op.getOut().replaceAllUsesWith(whole);
  op.erase();
  if (round.use_empty())
    round.erase();
}

void onnxc::expandFunctions(Operation *root) {
  auto target = krnl::TargetAttr::of(root);
  // A function that rounds to even is in newer libraries only.
  bool hasRound = target && target.getInstructions().contains("round_even");
  if (!hasRound)
    root->walk(expandRoundsToIntegers);
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
