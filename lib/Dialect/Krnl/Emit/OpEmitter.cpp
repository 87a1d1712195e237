//===- OpEmitter.cpp - The ops at one point of the nest ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

void OpEmitter::emitOps() {
  registers.clear();
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    if (!isInside(nest, op))
      emitOp(op);
}

void OpEmitter::emitOp(unsigned number) {
  if (storage.isOnlyStart(number))
    return;
  OpState state(storage.plan(number));
  b.setLoc(state.op.getLoc());
  if (policy.tileThreads() && touchesShared(state))
    policy.tileThreads()->wait(b);
  prefetchBefore(number);
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

SmallVector<Value> OpEmitter::emitOpLoops(OpState &state, unsigned position,
                                          ValueRange accumulators) {
  if (position == state.firstReduced && state.accumulates &&
      accumulators.empty()) {
    // The loops from here on decide which accumulators there are.
    for (unsigned i = position; i < state.loops.size(); ++i) {
      const LoopUse &use = state.loops[i];
      int64_t lanes = use.width();
      active[use.loop].lanes = lanes;
      bool separate = lanes > 1 || nest.loop(use.loop).split;
      active[use.loop].instances =
          separate ? std::max<int64_t>(use.unroll, 1) : 1;
    }
    SmallVector<Value> initial = initialAccumulators(state);
    SmallVector<Value> final = emitOpLoops(state, position, initial);
    finishAccumulators(state, final);
    for (unsigned i = position; i < state.loops.size(); ++i)
      active[state.loops[i].loop] = ActiveLoop();
    return {};
  }
  if (position == state.loops.size())
    return emitPoint(state, accumulators);
  const LoopUse &use = state.loops[position];
  auto body = [&](ValueRange carried) {
    fillCaches(use.loop, state.number);
    if (nest.loop(use.loop).computeAt) {
      SmallVector<unsigned> ops = nest.computeAtOps();
      for (unsigned inside : llvm::drop_end(ops)) {
        fillCaches(use.loop, inside);
        emitOp(inside);
      }
    }
    b.setLoc(state.op.getLoc());
    SmallVector<Value> next = emitOpLoops(state, position + 1, carried);
    releaseProducts(use.loop, state.number);
    return next;
  };
  startPipeline(use.loop, state.number);
  if (use.earlyExit && !accumulators.empty())
    return loops.emitEarlyExitLoop(use, state.number, accumulators, body);
  SmallVector<Value> results = waitForProducts(
      state, use.loop, loops.emitLoop(use, state.number, accumulators, body));
  endPipeline(use.loop, state.number);
  return results;
}

/// The arguments of the payload, null for those without a use. `at`: by result
/// the position of the instance's accumulator in `running`, -1 if there is
/// none.
SmallVector<Value> OpEmitter::readArguments(OpState &state,
                                            const Instance &instance,
                                            ArrayRef<int> at,
                                            ArrayRef<Value> running) {
  SmallVector<Value> args;
  for (OpOperand *input : state.op.getDpsInputOperands()) {
    bool used = !state.op.getMatchingBlockArgument(input).use_empty();
    args.push_back(used ? readOperand(state, *input, instance) : Value());
  }
  for (auto [i, accumulator] : llvm::enumerate(at)) {
    OpOperand *init = state.op.getDpsInitOperand(i);
    if (accumulator >= 0)
      args.push_back(running[accumulator]);
    else if (state.op.payloadUsesValueFromOperand(init))
      args.push_back(readOperand(state, *init, instance));
    else
      args.push_back(Value());
  }
  return args;
}

/// The value of an accumulator after an instance; lanes that are masked keep
/// the one before.
Value OpEmitter::nextOf(OpState &state, const Instance &instance, Value before,
                        Value result) {
  Value next = result;
  if (auto type = dyn_cast<VectorType>(before.getType()))
    next = broadcast(b, next, type.getNumElements());
  std::optional<unsigned> lane = laneLoop(state);
  if (lane && isReduced(state, *lane))
    if (Value mask = loops.laneMask(state.number, instance))
      next = arith::SelectOp::create(b, mask, next, before);
  return next;
}

SmallVector<Value> OpEmitter::emitPoint(OpState &state,
                                        ValueRange accumulators) {
  state.reads.clear();
  if (!accumulators.empty())
    for (OpOperand *input : state.op.getDpsInputOperands())
      prefetchPanel(state, *input);
  SmallVector<Value> running = llvm::to_vector(accumulators);
  if (std::optional<unsigned> group = dotLoop(state);
      group && !accumulators.empty()) {
    auto isSum = [&](unsigned loop) { return loop != *group; };
    for (const Instance &instance : loops.enumerate(state.number, isSum)) {
      Value &sum = running[accumulatorAt(state, instance)];
      sum = emitDot(state, instance, *group, sum);
    }
    return running;
  }
  if (const Mma *mma = mmaHere(state); mma && !accumulators.empty())
    return isOfWarpgroup(state.number, *mma)
               ? emitWgmma(state, *mma, accumulators)
               : emitMma(state, *mma, accumulators);
  SmallVector<Instance> all =
      loops.enumerate(state.number, [](unsigned) { return true; });
  unsigned inits = state.op.getNumDpsInits();
  for (const Instance &instance : all) {
    SmallVector<int> at(inits, -1);
    if (!accumulators.empty()) {
      int c = accumulatorAt(state, instance);
      for (auto [n, i] : llvm::enumerate(state.accumulated))
        at[i] = n * state.accumulatorInstances.size() + c;
    }
    SmallVector<Value> results = emitInstance(
        state, instance, readArguments(state, instance, at, running));
    for (unsigned i = 0; i < inits; ++i)
      if (at[i] < 0)
        recordResult(state, i, instance, results[i]);
      else
        running[at[i]] = nextOf(state, instance, running[at[i]], results[i]);
  }
  return running;
}

} // namespace onnxc::krnl
