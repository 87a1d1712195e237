//===- OpEmitter.cpp - The ops at one point of the nest ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/HoistedOps.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"

using namespace mlir;

namespace onnxc::krnl {

void OpEmitter::emitOps() {
  kept.clear();
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    if (!isInside(nest, op) && !isInSlices(nest, op) &&
        !nest.op(op).hoistedFrom)
      emitOp(op);
}

void OpEmitter::emitHoisted(unsigned loop, NestEmitter::LoopSide side) {
  kept.clear();
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    if (nest.op(op).hoistedFrom == loop &&
        runsAfterLoop(nest, op) == (side == NestEmitter::LoopSide::After))
      emitOp(op);
}

void OpEmitter::emitOp(unsigned number) {
  if (storage.isOnlyStart(number))
    return;
  OpState state(storage.plan(number));
  b.setLoc(state.op.getLoc());
  if (policy.tileThreads() && touchesShared(state))
    policy.tileThreads()->wait(b);
  prefetcher.emitBefore(number);
  SmallVector<ActiveLoop> saved(active);
  writeOutColumns(number);
  emitOpLoops(state, 0, {});
  llvm::copy(saved, active.begin());
}

/// An op without lanes has the columns of a tile of vectors one by one.
void OpEmitter::writeOutColumns(unsigned number) {
  for (const LoopUse &use : nest.op(number).loops) {
    ActiveLoop &at = active[use.loop];
    if (use.role != RegisterRole::Column || at.lanes == use.width())
      continue;
    at.instances =
        at.staticLimit >= 0 ? at.staticLimit : at.instances * at.lanes;
    at.lanes = 1;
    at.staticLimit = -1;
  }
}

/// Returns true if the op reads what other threads have written, or writes what
/// they may still read.
bool OpEmitter::touchesShared(const OpState &state) {
  auto isShared = [&](Value tensor) {
    auto slot = storage.slots.find(storage.chainRoot(tensor));
    return slot != storage.slots.end() && slot->second.isShared;
  };
  return llvm::any_of(state.op->getResults(),
                      [&](OpResult result) {
                        return storage.needsMemory(result) && isShared(result);
                      }) ||
         llvm::any_of(state.op->getOpOperands(), [&](OpOperand &operand) {
           auto result = dyn_cast<OpResult>(operand.get());
           return result && result.getDefiningOp<ComputeOp>() &&
                  storage.isReadFromMemory(result, operand) && isShared(result);
         });
}

/// The loops of a reduction, which decide which accumulators there are.
SmallVector<Value> OpEmitter::emitReduction(OpState &state, unsigned position) {
  for (unsigned i = position; i < state.loops.size(); ++i) {
    const LoopUse &use = state.loops[i];
    int64_t lanes = use.width();
    active[use.loop].lanes = lanes;
    bool separate = lanes > 1 || nest.loop(use.loop).split;
    active[use.loop].instances =
        separate ? std::max<int64_t>(use.unroll, 1) : 1;
  }
  SmallVector<Value> initial = reduction.initial(state);
  SmallVector<Value> final = emitOpLoops(state, position, initial);
  reduction.finish(state, final);
  for (unsigned i = position; i < state.loops.size(); ++i)
    active[state.loops[i].loop] = ActiveLoop();
  return {};
}

SmallVector<Value> OpEmitter::emitOpLoops(OpState &state, unsigned position,
                                          ValueRange accumulators) {
  if (position == state.firstReduced && state.accumulates &&
      accumulators.empty())
    return emitReduction(state, position);
  if (position == state.loops.size())
    return emitPoint(state, accumulators);
  const LoopUse &use = state.loops[position];
  auto body = [&](ValueRange carried) {
    copier.fill(use.loop, state.number);
    if (nest.loop(use.loop).computeAt) {
      SmallVector<unsigned> ops = nest.computeAtOps();
      for (unsigned inside : llvm::drop_end(ops))
        emitOp(inside);
    }
    b.setLoc(state.op.getLoc());
    SmallVector<Value> next = emitOpLoops(state, position + 1, carried);
    copier.endIteration(use.loop, state.number);
    return next;
  };
  copier.startPipeline(use.loop, state.number);
  if (use.earlyExit && !accumulators.empty())
    return loops.emitEarlyExitLoop(use, state.number, accumulators, body);
  SmallVector<Value> results = wgmmas.wait(
      state, use.loop, loops.emitLoop(use, state.number, accumulators, body));
  copier.endPipeline(use.loop, state.number);
  return results;
}

SmallVector<Value> OpEmitter::emitPoint(OpState &state,
                                        ValueRange accumulators) {
  state.reads.clear();
  if (accumulators.empty())
    return emitInstances(state, accumulators);
  prefetcher.emitInStep(state);
  if (std::optional<unsigned> group = dots.loopOf(state))
    return emitGroups(state, *group, accumulators);
  if (const Mma *mma = mmas.productsOf(state))
    return isOfWarpgroup(state.number, *mma)
               ? wgmmas.emit(state, *mma, accumulators)
               : mmas.emit(state, *mma, accumulators);
  return emitInstances(state, accumulators);
}

/// Products of groups of bytes, whose sums have 16 bits at first where these
/// fit.
SmallVector<Value> OpEmitter::emitGroups(OpState &state, unsigned group,
                                         ValueRange accumulators) {
  auto emitWith = [&](ArrayRef<unsigned> copies, auto emitDot) {
    state.reads.clear();
    SmallVector<Value> running = llvm::to_vector(accumulators);
    auto isSum = [&](unsigned loop) {
      return loop != group && !llvm::is_contained(copies, loop);
    };
    for (const Instance &instance : loops.enumerate(state.number, isSum)) {
      Value &sum = running[reduction.accumulatorAt(state, instance)];
      sum = emitDot(instance, sum);
    }
    return running;
  };
  auto emitLong = [&] {
    return emitWith({}, [&](const Instance &instance, Value sum) {
      return dots.emit(state, instance, group, sum);
    });
  };
  std::optional<ShortSums> sums = dots.shortSumsAt(state);
  if (!sums)
    return emitLong();
  auto emitShort = [&] {
    return emitWith(sums->loops, [&](const Instance &instance, Value sum) {
      return dots.emitShort(state, instance, group, *sums, sum);
    });
  };
  if (!sums->operand)
    return emitShort();
  SmallVector<Value> all = loops.emitIf(dots.areShort(state, *sums->operand),
                                        accumulators, emitShort, emitLong);
  all.front().getDefiningOp()->setAttr(unlikelyAttrName, b.getUnitAttr());
  return all;
}

/// The payload in each instance of the point.
SmallVector<Value> OpEmitter::emitInstances(OpState &state,
                                            ValueRange accumulators) {
  SmallVector<Value> running = llvm::to_vector(accumulators);
  SmallVector<Instance> all =
      loops.enumerate(state.number, [](unsigned) { return true; });
  unsigned inits = state.op.getNumDpsInits();
  // Instances with one running value all take it up as it was before them.
  const SmallVector<Value> before = running;
  for (const Instance &instance : all) {
    SmallVector<int> at(inits, -1);
    if (!accumulators.empty())
      for (auto [n, i] : llvm::enumerate(state.accumulated))
        at[i] = reduction.accumulatorAt(state, instance, n);
    SmallVector<Value> results = instances.emit(
        state, instance,
        reader.readArguments(state, instance, at,
                             state.hasCommonSums() ? before : running));
    for (unsigned i = 0; i < inits; ++i)
      if (at[i] < 0)
        writer.write(state, i, instance, results[i]);
      else
        running[at[i]] =
            reduction.nextOf(state, instance, running[at[i]], results[i]);
  }
  return running;
}

} // namespace onnxc::krnl
