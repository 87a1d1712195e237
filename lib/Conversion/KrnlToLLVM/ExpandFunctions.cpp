//===- ExpandFunctions.cpp - Functions of f32 as polynomials ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the upstream polynomials are slow or lose digits: exp, pow, sin, cos,
// tan and atan, on scalars and vectors alike, each within 2 units in the last
// place. The coefficients are minimax fits of the relative error on the reduced
// range.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using onnxc::FloatBuilder;

/// p * 2^n for a whole n, in one instruction; null where vectors of this type
/// have none.
static Value scaled(FloatBuilder &f, bool hasScale, Value p, Value n) {
  auto vector = dyn_cast<VectorType>(f.type);
  int64_t lanes = vector ? vector.getNumElements() : 0;
  if (!hasScale || (lanes != 4 && lanes != 8 && lanes != 16))
    return {};
  // As the mode of rounding says, in all lanes.
  constexpr int32_t currentRounding = 4;
  auto all = [&](unsigned bits) -> Value {
    return arith::ConstantOp::create(
        f.b, f.b.getIntegerAttr(f.b.getIntegerType(bits), -1));
  };
  SmallVector<Value> operands{p, n, p, all(lanes == 16 ? 16 : 8)};
  if (lanes == 16)
    operands.push_back(
        arith::ConstantOp::create(f.b, f.b.getI32IntegerAttr(currentRounding)));
  auto name =
      f.b.getStringAttr("llvm.x86.avx512.mask.scalef.ps." + Twine(lanes * 32));
  return LLVM::CallIntrinsicOp::create(f.b, f.type, name, operands)
      .getResults();
}

/// e^x = 2^n e^r with |r| <= log(2) / 2. The power is multiplied by in two
/// parts where there is no instruction for it, so that all finite results have
/// one, and the bounds give 0 and inf. NaN is in r and stays.
static Value expandExp(FloatBuilder &f, bool hasScale, Value x) {
  x = f.clamp(x, -104.0, 89.0);
  Value rounded =
      f.fma(x, f.constant(1.4426950408889634), f.constant(f.rounder()));
  Value n = f.sub(rounded, f.constant(f.rounder()));
  Value r = f.fma(n, f.constant(-0.693359375), x);
  r = f.fma(n, f.constant(2.1219444005469057e-4), r);
  Value p = f.polynomial(r, {1.0, 1.0, 0.4999999403953552, 0.16666515171527863,
                             0.04166845604777336, 0.00836941972374916,
                             0.0013813142431899905});
  if (Value y = scaled(f, hasScale, p, n))
    return y;
  ImplicitLocOpBuilder &b = f.b;
  Value whole = arith::SubIOp::create(b, f.bits(rounded),
                                      f.bits(f.constant(f.rounder())));
  Value half = arith::ShRSIOp::create(b, whole, f.integer(1));
  Value rest = arith::SubIOp::create(b, whole, half);
  return f.mul(f.mul(p, f.powerOfTwo(half)), f.powerOfTwo(rest));
}

namespace {
/// An angle as a multiple of pi/2 and what is left, at most pi/4.
struct Angle {
  Value quarter, sine, cosine;
};
} // namespace

/// pi/2 in three parts: the product with the first is subtracted without an
/// error, and the third is below all digits for |x| < angleLimit.
static Angle reduceAngle(FloatBuilder &f, Value x) {
  Value rounded =
      f.fma(x, f.constant(0.6366197723675814), f.constant(f.rounder()));
  Value n = f.sub(rounded, f.constant(f.rounder()));
  Value r = f.fma(n, f.constant(-1.57079637050628662109375), x);
  r = f.fma(n, f.constant(4.37113900018624283e-8), r);
  r = f.fma(n, f.constant(1.71512447e-15), r);
  Value square = f.mul(r, r);
  Value s = f.polynomial(square, {-0.16666653752326965, 0.00833206344395876,
                                  -0.00019502134819049388});
  Value c = f.polynomial(square, {0.04166664555668831, -0.0013887243112549186,
                                  2.4423887225566432e-05});
  Value sine = f.fma(f.mul(square, r), s, r);
  Value cosine = f.fma(f.mul(square, square), c,
                       f.fma(square, f.constant(-0.5), f.constant(1.0)));
  return {f.bits(rounded), sine, cosine};
}

/// sin(x + quarters * pi/2).
static Value sineOf(FloatBuilder &f, Angle angle, int64_t quarters) {
  Value at = quarters ? Value(arith::AddIOp::create(f.b, angle.quarter,
                                                    f.integer(quarters)))
                      : angle.quarter;
  Value y = f.select(f.hasBit(at, 1), angle.cosine, angle.sine);
  Value sign = arith::ShLIOp::create(
      f.b, arith::AndIOp::create(f.b, at, f.integer(2)), f.integer(30));
  return f.fromBits(arith::XOrIOp::create(f.b, f.bits(y), sign));
}

static Value expandTan(FloatBuilder &f, Value x) {
  Angle angle = reduceAngle(f, x);
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

/// Angles above this are left to libm, which knows enough digits of pi.
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
        Value x =
            vector::ExtractOp::create(nb, loc, carried[0], OpFoldResult(lane));
        OperationState scalar(loc, op->getName());
        scalar.addOperands(x);
        scalar.addTypes(vector.getElementType());
        Value y = nb.create(scalar)->getResult(0);
        Value next = vector::InsertOp::create(nb, loc, y, carried[0],
                                              OpFoldResult(lane));
        scf::YieldOp::create(nb, loc, next);
      });
  return loop.getResult(0);
}

/// The polynomial, unless an angle is too large for it, infinite or NaN.
static Value withinLimit(FloatBuilder &f, Operation *op,
                         llvm::function_ref<Value()> expand) {
  Value fits = f.less(math::AbsFOp::create(f.b, op->getOperand(0)),
                      f.constant(angleLimit));
  if (isa<VectorType>(f.type))
    fits = vector::ReductionOp::create(f.b, vector::CombiningKind::AND, fits);
  auto branch = scf::IfOp::create(f.b, TypeRange(f.type), fits,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(f.b, expand());
  f.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(f.b, byLanes(f, op));
  return branch.getResult(0);
}

static Value expandOne(Operation *op, bool hasScale) {
  FloatBuilder f(op);
  Value x = op->getOperand(0);
  if (isa<math::ExpOp>(op))
    return expandExp(f, hasScale, x);
  if (isa<math::PowFOp>(op))
    return onnxc::expandPow(f, x, op->getOperand(1));
  if (isa<math::AtanOp>(op))
    return expandAtan(f, x);
  return withinLimit(f, op, [&] {
    if (isa<math::TanOp>(op))
      return expandTan(f, x);
    return sineOf(f, reduceAngle(f, x), isa<math::CosOp>(op) ? 1 : 0);
  });
}

bool onnxc::isExpandedFunction(Operation *op) {
  return isa<math::ExpOp, math::PowFOp, math::SinOp, math::CosOp, math::TanOp,
             math::AtanOp>(op);
}

/// Does the module's processor multiply vectors of f32 by powers of two?
static bool hasScaleInstruction(Operation *root) {
  auto module = root->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<DictionaryAttr>("krnl.target")
                       : DictionaryAttr();
  auto features = target ? target.getAs<StringAttr>("features") : StringAttr();
  if (!features)
    return false;
  SmallVector<StringRef> words;
  features.getValue().split(words, ',');
  return llvm::is_contained(words, "+avx512f") &&
         llvm::is_contained(words, "+avx512vl");
}

void onnxc::expandFunctions(Operation *root) {
  bool hasScale = hasScaleInstruction(root);
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isExpandedFunction(op) &&
        getElementTypeOrSelf(op->getResult(0)).isF32())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    op->getResult(0).replaceAllUsesWith(expandOne(op, hasScale));
    op->erase();
  }
}
