//===- LaunchCycles.cpp - Predicted cycles of launches ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// The iterations of a loop; one if its bounds are not known.
static double iterationsOf(scf::ForOp loop, NumberOf numberOf) {
  std::optional<int64_t> begin = numberOf(loop.getLowerBound()),
                         end = numberOf(loop.getUpperBound()),
                         step = numberOf(loop.getStep());
  bool isKnown = begin && end && step && *step > 0 && *end > *begin;
  return isKnown ? double(llvm::divideCeil(*end - *begin, *step)) : 1;
}

/// Returns true if a branch is known to be the other one than that with `op`.
static bool isSkipped(Operation *op, scf::IfOp branch, NumberOf numberOf) {
  std::optional<int64_t> condition = numberOf(branch.getCondition());
  bool isElse = branch.getElseRegion().isAncestor(op->getParentRegion());
  return condition && (*condition != 0) == isElse;
}

double krnl::timesRun(Operation *op, NumberOf numberOf) {
  double times = 1;
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(at))
      times *= iterationsOf(loop, numberOf);
    auto branch = dyn_cast<scf::IfOp>(at);
    if (branch && isSkipped(op, branch, numberOf))
      return 0;
  }
  return times;
}

/// Returns true for a launch without tiles and a kernel whose results are
/// empty.
static bool isEmpty(Operation *op, AssumedValues &values) {
  auto isNone = [&](Value count) {
    return values.ofSizes(count).value_or(1) <= 0;
  };
  if (auto launch = dyn_cast<LaunchOp>(op))
    return isNone(launch.getTiles());
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    return false;
  return llvm::any_of(
      llvm::seq<unsigned>(kernel.getLoops().size()), [&](unsigned loop) {
        return kernel.isOfResults(loop) && kernel.getLoop(loop).isDynamic() &&
               isNone(kernel.getExtentMutable(loop).get());
      });
}

double krnl::timesRun(Operation *op, AssumedValues &values) {
  if (isEmpty(op, values))
    return 0;
  return timesRun(op, [&](Value value) { return values.ofSizes(value); });
}

double krnl::predictedCycles(Operation *launch, AssumedValues &values) {
  auto terms = launch->getAttrOfType<ArrayAttr>(cyclesAttrName);
  if (!terms)
    return 0;
  double sum = 0;
  for (auto term : terms.getAsRange<ArrayAttr>()) {
    double cycles = cast<FloatAttr>(term[0]).getValueAsDouble();
    for (Attribute position : term.getValue().drop_front()) {
      unsigned operand = cast<IntegerAttr>(position).getInt();
      int64_t extent = values.of(launch->getOperand(operand));
      cycles *= double(std::max<int64_t>(extent, 0));
    }
    sum += cycles;
  }
  return sum * timesRun(launch, values);
}
