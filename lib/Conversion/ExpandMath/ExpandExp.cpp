//===- ExpandExp.cpp - exp by an instruction for powers of 2 ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
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

Value onnxc::expandExpByPower(FloatBuilder &f, krnl::TargetAttr target,
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
