//===- HoistedOps.cpp - Ops outside of fused outer loops --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// hoist: which of the fused outer loops an op is inside of, and what follows
// for the order in which ops run. An op and one that uses its result have the
// same iterations of all fused outer loops that both are inside of, as the
// verifier of kernels ties loops to the dimensions of tensors. So results are
// complete where they are used if
//
// - the op that computes them runs before in each of these iterations, and
// - it reduces none of these loops.
//
// checkFuseOuter() has the second condition, as it holds without hoisted ops,
// too. What is stored in the memory of a tensor that is read before depends on
// the same order (StoragePlan.cpp).
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/HoistedOps.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

//===----------------------------------------------------------------------===//
// The order of ops
//===----------------------------------------------------------------------===//

/// The ops of the kernel whose results the op uses.
static SmallVector<unsigned> makersOf(const LoopNest &nest, unsigned op) {
  SmallVector<unsigned> makers;
  if (Operation *user = nest.op(op).op)
    for (Value operand : user->getOperands())
      if (auto maker = operand.getDefiningOp<ComputeOp>())
        makers.push_back(nest.indexOf(maker));
  return makers;
}

bool runsAfterLoop(const LoopNest &nest, unsigned op) {
  if (!nest.op(op).hoistedFrom)
    return false;
  unsigned depth = nest.depthOf(op);
  return llvm::any_of(makersOf(nest, op), [&](unsigned maker) {
    unsigned other = nest.depthOf(maker);
    return other > depth || (other == depth && runsAfterLoop(nest, maker));
  });
}

bool runTogether(const LoopNest &nest, unsigned op, unsigned other) {
  return nest.depthOf(op) == nest.depthOf(other) &&
         runsAfterLoop(nest, op) == runsAfterLoop(nest, other);
}

bool runsBefore(const LoopNest &nest, unsigned first, unsigned second) {
  if (runTogether(nest, first, second))
    return first < second;
  // One of them is outside of a loop that the other is inside of, or they are
  // on two sides of one.
  return nest.depthOf(first) < nest.depthOf(second)
             ? !runsAfterLoop(nest, first)
             : runsAfterLoop(nest, second);
}

bool readsBefore(const LoopNest &nest, unsigned reader, unsigned op) {
  return runsBefore(nest, reader, op) &&
         depthOfSums(nest, op) >=
             std::min(nest.depthOf(reader), nest.depthOf(op));
}

unsigned depthOfSums(const LoopNest &nest, unsigned op) {
  unsigned depth = nest.depthOf(op);
  for (unsigned position : llvm::seq(depth))
    if (const LoopUse *use = nest.op(op).find(nest.order()[position]);
        use && use->reduced)
      return position;
  return depth;
}

//===----------------------------------------------------------------------===//
// hoist
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::hoist(StringRef name, EmitErrorFn emitError) {
  if (limit < 0)
    return emitError() << "concerns one op; limit it to that";
  std::optional<unsigned> number = find(name);
  if (!number)
    return emitError() << "there is no loop '" << name << "' of all ops";
  if (allLoops[*number].fusedOuter)
    return emitError() << "loop '" << name
                       << "' is already in fuse_outer; hoist ops before that";
  BodyOp &op = bodyOps[limit];
  auto refuse = [&](const Twine &reason) {
    return emitError() << "op '" << op.name << "' " << reason;
  };
  if (op.hoistedFrom)
    return refuse("is hoisted from a loop already");
  if (isInSlices(*this, unsigned(limit)))
    return refuse("is computed in slices of another one");
  for (const LoopUse &use : op.loops)
    if (use.role != RegisterRole::None)
      return refuse("has loop '" + Twine(allLoops[use.loop].name) +
                    "' in a register tile; hoist it before that");
  op.hoistedFrom = number;
  return success();
}

/// Fails unless ops that run inside of a loop use only what is computed before
/// it, in one thread.
LogicalResult NestBuilder::checkHoisted(EmitErrorFn emitError) const {
  auto isHoisted = [](const BodyOp &op) { return op.hoistedFrom.has_value(); };
  if (llvm::none_of(bodyOps, isHoisted))
    return success();
  auto isOfThreads = [&](unsigned loop) {
    return allLoops[loop].mapped || allLoops[loop].isCluster;
  };
  if (computeAtLoop() || llvm::any_of(liveOrder, isOfThreads))
    return emitError()
           << "ops are hoisted, so none runs inside a loop of compute_at, nor "
              "in threads of a tile";
  for (auto [number, op] : llvm::enumerate(bodyOps))
    for (unsigned maker : makersOf(*this, number))
      if (!runsBefore(*this, maker, number))
        return emitError() << "op '" << op.name << "' runs inside loop '"
                           << allLoops[*bodyOps[maker].hoistedFrom].name
                           << "', but uses the result of op '"
                           << bodyOps[maker].name << "', which runs after it";
  return success();
}

LogicalResult NestBuilder::checkHoistSteps(
    KernelOp kernel, function_ref<InFlightDiagnostic(size_t)> errorAt) const {
  for (auto [number, step] : llvm::enumerate(kernel.getRecipe())) {
    auto only = dyn_cast<OnlyStepAttr>(step);
    auto hoist =
        only ? dyn_cast<HoistStepAttr>(only.getStep()) : HoistStepAttr();
    if (hoist &&
        !allLoops[*bodyOps[*findOp(only.getOp())].hoistedFrom].fusedOuter)
      return errorAt(number) << "loop '" << hoist.getLoop()
                             << "' is not in fuse_outer, so that no op runs "
                                "inside of it with others";
  }
  return success();
}

} // namespace onnxc::krnl
