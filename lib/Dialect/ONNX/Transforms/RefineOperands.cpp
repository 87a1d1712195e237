//===- RefineOperands.cpp - Types from results to operands -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A model that declares its outputs says something of what they are computed
// from: exporters squeeze without naming the axes, which gives no rank, and
// declare the scalar that comes out.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/UnknownRanks.h"

#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace onnxc::onnx;

/// True if the result of `op` has the shape of its only operand.
static bool keepsShape(Operation *op) {
  return isa<AbsOp, CastOp, CeilOp, ClipOp, DropoutOp, EluOp, ErfOp, ExpOp,
             FloorOp, GeluOp, HardSigmoidOp, HardSwishOp, IdentityOp,
             LeakyReluOp, LogOp, LogSoftmaxOp, MishOp, NegOp, NotOp,
             ReciprocalOp, ReluOp, RoundOp, SigmoidOp, SignOp, SoftmaxOp,
             SoftplusOp, SoftsignOp, SqrtOp, TanhOp>(op);
}

/// True if the result of `op` has at least the rank of each operand.
static bool broadcasts(Operation *op) {
  return isa<AddOp, DivOp, MaxOp, MinOp, MulOp, PowOp, SubOp, SumOp>(op);
}

/// Gives `value`, if of unknown rank and computed, this shape: its lowering
/// checks it. What a branch says of values outside is true in it alone.
static bool refine(Operation *user, Value value, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<UnrankedTensorType>(value.getType());
  if (!type || !value.getDefiningOp() || mayVaryInRank(value.getDefiningOp()) ||
      value.getParentBlock() != user->getBlock())
    return false;
  value.setType(RankedTensorType::get(shape, type.getElementType()));
  return true;
}

bool onnxc::onnx::refineOperands(ModuleOp module) {
  bool changed = refineSequences(module);
  module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    auto type = op->getNumResults() == 0
                    ? RankedTensorType()
                    : dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return;
    // relu(x : tensor<*xf32>) : tensor<?x4xf32> has x : tensor<?x4xf32>
    if (keepsShape(op))
      changed |= refine(op, op->getOperand(0), type.getShape());
    // add(x, y) : tensor<f32> has scalars x and y
    if (broadcasts(op) && type.getRank() == 0)
      for (Value operand : op->getOperands())
        changed |= refine(op, operand, {});
  });
  return changed;
}
