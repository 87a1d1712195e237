//===- ReductionEmitter.cpp - Running values of reductions ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ReductionEmitter.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// Returns true if every instance of this loop, or thread, has an accumulator
/// of its own, combined at the end. Otherwise the instances of a reduced loop
/// follow one another.
bool ReductionEmitter::isSplit(const OpState &state, unsigned loop) const {
  return isReduced(state, loop) &&
         (active[loop].lanes > 1 || nest.loop(loop).split ||
          loops.isOfThreads(loop));
}

/// Returns true if some reduced loop has accumulators of its own, which begin
/// with the neutral element.
bool ReductionEmitter::splitsInstances(const OpState &state) const {
  return llvm::any_of(nest.op(state.number).loops, [&](const LoopUse &use) {
    return isSplit(state, use.loop);
  });
}

/// Returns true if the loop keeps accumulators of the result apart.
bool ReductionEmitter::hasOwnAccumulator(const OpState &state, unsigned result,
                                         unsigned loop) const {
  return isReduced(state, loop) ? isSplit(state, loop)
                                : state.hasOwnSums(result, loop);
}

int ReductionEmitter::accumulatorAt(const OpState &state,
                                    const Instance &instance,
                                    unsigned position) const {
  unsigned result = state.accumulated[position];
  Instance key = restrictTo(instance, [&](unsigned loop) {
    return hasOwnAccumulator(state, result, loop);
  });
  auto instances = ArrayRef(state.accumulatorInstances);
  int first = 0;
  for (ArrayRef<Instance> before : instances.take_front(position))
    first += int(before.size());
  return first + int(llvm::find(instances[position], key) -
                     instances[position].begin());
}

SmallVector<Value> ReductionEmitter::initial(OpState &state) {
  state.reads.clear();
  state.accumulatorInstances.clear();
  SmallVector<Value> values;
  bool split = splitsInstances(state);
  std::optional<unsigned> lane = laneLoop(state);
  for (unsigned i : state.accumulated) {
    OpOperand *init = state.op.getDpsInitOperand(i);
    int64_t lanes =
        lane && state.hasOwnSums(i, *lane) ? active[*lane].lanes : 1;
    state.accumulatorInstances.push_back(
        loops.enumerate(state.number, [&](unsigned loop) {
          return hasOwnAccumulator(state, i, loop);
        }));
    for (const Instance &instance : state.accumulatorInstances.back()) {
      if (split) {
        TypedAttr neutral = neutralElementOf(combinerOf(state.op, i));
        values.push_back(
            broadcast(b, arith::ConstantOp::create(b, neutral), lanes));
        continue;
      }
      // Operands that the payload does not use need no storage.
      TypedAttr nothing =
          state.op.payloadUsesValueFromOperand(init)
              ? TypedAttr()
              : b.getZeroAttr(getElementTypeOrSelf(init->get().getType()));
      Value value = nothing ? arith::ConstantOp::create(b, nothing).getResult()
                            : reader.read(state, *init, instance);
      values.push_back(broadcast(b, value, lanes));
    }
  }
  state.reads.clear();
  return values;
}

static vector::CombiningKind combiningKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, vector::CombiningKind>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) { return vector::CombiningKind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return vector::CombiningKind::MUL; })
      .Case<arith::MaximumFOp>(
          [](auto) { return vector::CombiningKind::MAXIMUMF; })
      .Case<arith::MinimumFOp>(
          [](auto) { return vector::CombiningKind::MINIMUMF; })
      .Case<arith::MaxNumFOp>(
          [](auto) { return vector::CombiningKind::MAXNUMF; })
      .Case<arith::MinNumFOp>(
          [](auto) { return vector::CombiningKind::MINNUMF; })
      .Case<arith::MaxSIOp>([](auto) { return vector::CombiningKind::MAXSI; })
      .Case<arith::MinSIOp>([](auto) { return vector::CombiningKind::MINSI; })
      .Case<arith::MaxUIOp>([](auto) { return vector::CombiningKind::MAXUI; })
      .Case<arith::MinUIOp>([](auto) { return vector::CombiningKind::MINUI; })
      .Case<arith::AndIOp>([](auto) { return vector::CombiningKind::AND; })
      .Case<arith::OrIOp>([](auto) { return vector::CombiningKind::OR; })
      .Case<arith::XOrIOp>([](auto) { return vector::CombiningKind::XOR; });
}

/// combiner(x, y) on scalars or vectors.
static Value combine(ImplicitLocOpBuilder &b, Operation *combiner, Value x,
                     Value y) {
  OperationState made(b.getLoc(), combiner->getName());
  made.addOperands({x, y});
  made.addTypes(x.getType());
  made.addAttributes(combiner->getAttrs());
  return b.create(made)->getResult(0);
}

/// The total of the thread for an element of the accumulated result at
/// `position`, over the accumulators of all instances.
Value ReductionEmitter::combineInThread(const OpState &state, unsigned position,
                                        ValueRange accumulators,
                                        const Instance &instance,
                                        Operation *combiner) {
  unsigned result = state.accumulated[position];
  auto isOwn = [&](unsigned loop) {
    return !isReduced(state, loop) && state.hasOwnSums(result, loop);
  };
  Instance element = restrictTo(instance, isOwn);
  ArrayRef<Instance> instances = state.accumulatorInstances[position];
  unsigned first = accumulatorAt(state, instances.front(), position);
  Value total;
  for (auto [accumulator, part] :
       llvm::zip_equal(instances, accumulators.slice(first, instances.size())))
    if (restrictTo(accumulator, isOwn) == element)
      total = total ? combine(b, combiner, total, part) : part;
  std::optional<unsigned> lane = laneLoop(state);
  if (lane && isReduced(state, *lane) && isa<VectorType>(total.getType()))
    total = vector::ReductionOp::create(b, combiningKind(combiner), total,
                                        arith::FastMathFlags::reassoc);
  return total;
}

/// What all threads of the block have of these elements.
void ReductionEmitter::combineInBlock(const OpState &state,
                                      MutableArrayRef<Value> totals,
                                      Operation *combiner) {
  SmallVector<ThreadLoop> sums = sumsOfThreads(nest, state.number);
  const TileThreads *threads = policy.tileThreads();
  if (!threads || sums.empty())
    return;
  int64_t maxSums = sumsOfExchange(nest, state.number);
  while (!totals.empty()) {
    size_t count = std::min(totals.size(), size_t(maxSums));
    threads->combine(
        b, outside.func, totals.take_front(count), maxSums, sums,
        [&](Value x, Value y) { return combine(b, combiner, x, y); });
    totals = totals.drop_front(count);
  }
}

/// Lets the blocks of a cluster exchange the parts of sums that they have, if
/// they have some: the elements are those of the own share from here on.
void ReductionEmitter::exchangeParts(const OpState &state,
                                     SmallVectorImpl<Instance> &kept,
                                     MutableArrayRef<Values> totals) {
  Value block = loops.blockOfCluster();
  if (!block || !nest.op(state.number).find(*clusterParts(nest)))
    return;
  unsigned shares = *clusterShares(nest);
  int64_t blocks = nest.loop(shares).extent;
  SmallVector<Instance> own;
  SmallVector<Value> ordered;
  for (int64_t share = 0; share < blocks; ++share)
    for (const Values &its : totals)
      for (auto [instance, total] : llvm::zip_equal(kept, its)) {
        if (instance[shares] != share)
          continue;
        ordered.push_back(total);
        if (share == 0 && &its == totals.begin())
          own.push_back(instance);
      }
  kept = std::move(own);
  // All results have the same one.
  Operation *combiner = combinerOf(state.op, state.accumulated.front());
  ordered = policy.tileThreads()->combineBlocks(
      b, outside.func, ordered, block, blocks,
      [&](Value x, Value y) { return combine(b, combiner, x, y); });
  for (auto [i, its] : llvm::enumerate(totals))
    its = Values(ArrayRef(ordered).slice(i * kept.size(), kept.size()));
  active[shares] = ActiveLoop();
  active[shares].base = block;
}

Value ReductionEmitter::nextOf(const OpState &state, const Instance &instance,
                               Value before, Value result) {
  Value next = result;
  if (auto type = dyn_cast<VectorType>(before.getType()))
    next = broadcast(b, next, type.getNumElements());
  std::optional<unsigned> lane = laneLoop(state);
  if (lane && isReduced(state, *lane))
    if (Value mask = loops.laneMask(state.number, instance))
      next = arith::SelectOp::create(b, mask, next, before);
  return next;
}

void ReductionEmitter::finish(OpState &state, ValueRange values) {
  state.reads.clear();
  SmallVector<Instance> kept = loops.enumerate(
      state.number, [&](unsigned loop) { return !isReduced(state, loop); });
  SmallVector<Values> totals(state.accumulated.size());
  for (auto [n, i] : llvm::enumerate(state.accumulated)) {
    Operation *combiner = combinerOf(state.op, i);
    for (const Instance &instance : kept)
      totals[n].push_back(
          combineInThread(state, n, values, instance, combiner));
    combineInBlock(state, totals[n], combiner);
  }
  exchangeParts(state, kept, totals);
  for (auto [n, i] : llvm::enumerate(state.accumulated))
    for (auto [instance, total] : llvm::zip_equal(kept, totals[n])) {
      if (splitsInstances(state)) {
        Value start =
            reader.read(state, *state.op.getDpsInitOperand(i), instance);
        // One value may stand for all lanes.
        if (auto type = dyn_cast<VectorType>(total.getType()))
          start = broadcast(b, start, type.getNumElements());
        total = combine(b, combinerOf(state.op, i), start, total);
      }
      writer.write(state, i, instance, total);
    }
}

} // namespace onnxc::krnl
