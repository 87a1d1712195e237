//===- ExpandExp.cpp - exp and exp - 1 of f32 -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// e^x = 2^n e^r, with a polynomial for e^r or e^r - 1; the coefficients are
// minimax fits of the relative error for |r| <= log(2) / 2.
//
// Units for functions of a device have 2^t of f32, with an error of two units
// in the last place. With t = x log2(e), rounded,
//
//   e^x = 2^t e^r = 2^t (1 + r),   r = x - t log(2)
//
// where r is as small as what t was rounded by. Results that are rounded to 16
// bits need no r.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "FloatBuilder.h"
#include "onnxc/Conversion/ExpandMath/VectorMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

std::optional<PowerInstruction>
onnxc::powerInstructionOf(krnl::TargetAttr target) {
  if (!target)
    return std::nullopt;
  for (NamedAttribute entry : target.getInstructions()) {
    StringRef operation = entry.getName().strref();
    auto name = dyn_cast<StringAttr>(entry.getValue());
    int64_t results = 0;
    if (name && operation.consume_front("exp2_f32_x") &&
        !operation.getAsInteger(10, results) && results > 0)
      return PowerInstruction{name.getValue(), results};
  }
  return std::nullopt;
}

static bool isHalf(Type type) {
  return getElementTypeOrSelf(type).isF16() ||
         getElementTypeOrSelf(type).isBF16();
}

std::optional<PowerInstruction>
onnxc::powerInstructionFor(Operation *op, krnl::TargetAttr target) {
  if (!isa<math::ExpOp>(op))
    return std::nullopt;
  Type type = op->getResult(0).getType();
  return getElementTypeOrSelf(type).isF32() || isHalf(type)
             ? powerInstructionOf(target)
             : std::nullopt;
}

bool onnxc::isRoundedToHalf(Operation *op) {
  Value result = op->getResult(0);
  return isHalf(result.getType()) ||
         (!result.use_empty() &&
          llvm::all_of(result.getUsers(), [](Operation *user) {
            return isa<arith::TruncFOp>(user) &&
                   isHalf(user->getResult(0).getType());
          }));
}

/// 2^t in each lane.
static Value powerOf(FloatBuilder &f, StringRef name, Value t) {
  auto one = [&](Value lane) -> Value {
    return LLVM::CallIntrinsicOp::create(f.b, f.element(),
                                         f.b.getStringAttr(name), lane)
        .getResults();
  };
  auto type = dyn_cast<VectorType>(t.getType());
  if (!type)
    return one(t);
  SmallVector<Value> lanes;
  for (int64_t i : llvm::seq(type.getNumElements()))
    lanes.push_back(one(vector::ExtractOp::create(f.b, t, i)));
  return vector::FromElementsOp::create(f.b, type, lanes);
}

/// log2(e) x in each lane.
static Value exponentOf(FloatBuilder &f, Value x) {
  return f.mul(x, f.constant(1.4426950408889634));
}

void onnxc::expandRoundedExps(Operation *root) {
  std::optional<PowerInstruction> power =
      powerInstructionOf(krnl::TargetAttr::of(root));
  if (!power)
    return;
  SmallVector<math::ExpOp> ops;
  root->walk([&](math::ExpOp op) {
    if (getElementTypeOrSelf(op.getType()).isF32() && isRoundedToHalf(op))
      ops.push_back(op);
  });
  for (math::ExpOp op : ops) {
    FloatBuilder f(op);
    op.replaceAllUsesWith(
        powerOf(f, power->name, exponentOf(f, op.getOperand())));
    op.erase();
  }
}

/// In registers; null where the target has no instruction.
static Value expandExpByPower(FloatBuilder &f, krnl::TargetAttr target,
                              Value x) {
  std::optional<PowerInstruction> power = powerInstructionOf(target);
  if (!power)
    return {};
  Value t = exponentOf(f, x);
  Value y = powerOf(f, power->name, t);
  Value r = f.fma(t, f.constant(-0.693359375), x);
  r = f.fma(t, f.constant(2.1219444005469057e-4), r);
  // r is NaN where x is infinite. Up to the lower bound e^x is rounded to 0,
  // from the upper one on 2^t is infinite.
  Value isAbove = f.less(f.constant(-104.0), x);
  Value isBelow = f.less(x, f.constant(88.72283935546875));
  return f.select(f.both(isAbove, isBelow), f.fma(y, r, y), y);
}

namespace {
/// e^(sign x).
struct Argument {
  Value x;
  double sign = 1;
};

/// e^(sign x) = 2^n e^(sign r) with |r| <= log(2) / 2; the low bits of
/// `counted` are n and an offset.
struct ReducedExp {
  Value counted, n, r;
  double sign;
};
} // namespace

static Argument argumentOf(Value x) {
  if (auto negated = x.getDefiningOp<arith::NegFOp>())
    return {negated.getOperand(), -1};
  return {x};
}

/// For sign x between the two; NaN is in r.
static ReducedExp reduceExp(FloatBuilder &f, Argument at, double min,
                            double max, int64_t offset) {
  Value x = at.sign < 0 ? f.clamp(at.x, -max, -min) : f.clamp(at.x, min, max);
  Value rounder = f.constant(f.rounder() + double(offset));
  Value rounded = f.fma(x, f.constant(at.sign * 1.4426950408889634), rounder);
  Value n = f.sub(rounded, rounder);
  Value r = f.fma(n, f.constant(at.sign * -0.693359375), x);
  r = f.fma(n, f.constant(at.sign * 2.1219444005469057e-4), r);
  return {f.bits(rounded), n, r, at.sign};
}

/// e^(sign r) times `factor`, a power of 2.
static Value polynomialOfExp(FloatBuilder &f, const ReducedExp &parts,
                             double factor = 1) {
  SmallVector<double> coefficients{1.0,
                                   1.0,
                                   0.4999999403953552,
                                   0.16666515171527863,
                                   0.04166845604777336,
                                   0.00836941972374916,
                                   0.0013813142431899905};
  for (double &c : coefficients) {
    c *= factor;
    factor *= parts.sign;
  }
  return f.polynomial(parts.r, coefficients);
}

/// Returns true if the result is only added to constants of 1 or more, beside
/// which what is below half of their last digit vanishes.
static bool isAddedToOne(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto sum = dyn_cast<arith::AddFOp>(use.getOwner());
    APFloat constant(0.0);
    return sum &&
           matchPattern(sum->getOperand(1 - use.getOperandNumber()),
                        m_ConstantFloat(&constant)) &&
           std::abs(constant.convertToDouble()) >= 1;
  });
}

/// e^(sign x) for sign x from `min` to 89, by the bits of half the power of 2:
/// the largest n is 128, the smallest -125, and with -126 the power is 0.
static Value scaleAtOnce(FloatBuilder &f, Argument at, double min) {
  ReducedExp parts = reduceExp(f, at, min, 89.0, f.exponentBias() - 1);
  return f.mul(polynomialOfExp(f, parts, 2), f.powerOfCount(parts.counted));
}

/// The bounds give 0 and inf. NaN is in r and stays. A scaled number that is
/// rounded to 0 takes processors a hundred cycles, so that 0 is scaled instead;
/// n is known long before e^r.
Value onnxc::expandFloatExp(FloatBuilder &f, krnl::TargetAttr target,
                            Operation *op) {
  if (Value y = expandExpByPower(f, target, op->getOperand(0)))
    return y;
  Argument at = argumentOf(op->getOperand(0));
  bool hasScale = !scaleInstruction(f, target).empty();
  // Beside 1, no power of 2 is so small that it would take two factors.
  if (isAddedToOne(op) && !hasScale)
    return scaleAtOnce(f, at, -18.0);
  // 0 for results that would take two factors: the bits of the power for the
  // lower bound, 2^-126, are those of 0.
  auto flags = cast<math::ExpOp>(op).getFastmath();
  if (arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn) && !hasScale)
    return scaleAtOnce(f, at, -87.5);
  ReducedExp parts = reduceExp(f, at, -105.0, 89.0, 2 * f.exponentBias());
  Value p = f.zeroBelow(parts.n, -150.5, polynomialOfExp(f, parts));
  return onnxc::scaleByPower(f, target, p, parts.n, parts.counted);
}

/// 2 (2^(n-1) part + 2^(n-1) - 1/2) with part = e^r - 1: 2^n is no number for
/// the largest results. Up to the lower bound the result is rounded to -1.
Value onnxc::expandFloatExpM1(FloatBuilder &f, Value x) {
  ReducedExp parts = reduceExp(f, {x}, -18.0, 89.0, f.exponentBias() - 1);
  Value r = parts.r;
  Value p = f.polynomial(r, {0.4999999701976776, 0.1666654348373413,
                             0.04166720062494278, 0.008366547524929047,
                             0.0013882516650483012});
  Value part = f.fma(f.mul(r, r), p, r);
  Value half = f.powerOfCount(parts.counted);
  Value y = f.fma(half, part, f.sub(half, f.constant(0.5)));
  return f.add(y, y);
}
