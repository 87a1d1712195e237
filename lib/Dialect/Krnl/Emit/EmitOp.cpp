//===- EmitOp.cpp - One structured op at one point --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

bool KernelEmitter::isReduced(const OpState &state, unsigned loop) {
  const LoopUse *use = nest.op(state.number).find(loop);
  return use && use->reduced;
}

/// Does every instance of this loop have an accumulator of its own, combined at
/// the end? Otherwise the instances of a reduced loop follow one another.
bool KernelEmitter::isSplit(const OpState &state, unsigned loop) {
  return isReduced(state, loop) &&
         (active[loop].lanes > 1 || nest.loop(loop).split);
}

Instance KernelEmitter::restrictTo(const Instance &instance,
                                   llvm::function_ref<bool(unsigned)> pick) {
  Instance result(instance.size(), 0);
  for (unsigned loop = 0; loop < instance.size(); ++loop)
    if (pick(loop))
      result[loop] = instance[loop];
  return result;
}

SmallVector<Instance>
KernelEmitter::enumerate(const OpState &state,
                         llvm::function_ref<bool(unsigned)> pick) {
  SmallVector<Instance> all{Instance(active.size(), 0)};
  for (const LoopUse &use : nest.op(state.number).loops) {
    if (active[use.loop].instances == 1 || !pick(use.loop))
      continue;
    SmallVector<Instance> longer;
    for (const Instance &instance : all)
      for (int64_t c = 0; c < active[use.loop].instances; ++c) {
        longer.push_back(instance);
        longer.back()[use.loop] = c;
      }
    all = std::move(longer);
  }
  return all;
}

/// Are all iterations of the loop copies and lanes?
bool KernelEmitter::fitsRegisters(const LoopUse &use, unsigned op) {
  const Loop &loop = nest.loop(use.loop);
  return !loop.isDynamic() &&
         std::max<int64_t>(use.unroll, 1) * lanesOf(use, op) >= loop.extent;
}

/// Loops that are whole in registers run outside of the reduced ones beside
/// them, so that accumulators stay in registers, too. What runs inside together
/// must run once for each of their iterations: they have to be one strip.
void KernelEmitter::hoistRegisterLoops(OpState &state) {
  std::optional<unsigned> computeAt = nest.computeAtLoop();
  bool holdsOthers = computeAt && nest.op(state.number).find(*computeAt) &&
                     !nest.isAround(*computeAt, state.number);
  auto fits = [&](const LoopUse &use) {
    return !use.reduced && fitsRegisters(use, state.number) &&
           !(holdsOthers && nest.endsEarly(use.loop));
  };
  unsigned first = state.loops.size();
  while (first > 0 &&
         (state.loops[first - 1].reduced || fits(state.loops[first - 1])))
    --first;
  SmallVector<LoopUse> kept, reduced;
  for (const LoopUse &use : ArrayRef(state.loops).drop_front(first))
    (use.reduced ? reduced : kept).push_back(use);
  state.loops.truncate(first);
  llvm::append_range(state.loops, kept);
  llvm::append_range(state.loops, reduced);
}

/// The loops of an op, and how it accumulates.
KernelEmitter::OpState KernelEmitter::prepare(unsigned number) {
  OpState state;
  state.number = number;
  state.op = ops[number];
  for (OpOperand &init : state.op.getDpsInitsMutable()) {
    unsigned i = state.op.getTiedOpResult(&init).getResultNumber();
    if (isTrace(state.op, i) || scatterStoreOf(state.op, i))
      continue;
    state.accumulated.push_back(i);
    state.accumulates |= state.op.payloadUsesValueFromOperand(&init);
  }
  unsigned reduced = 0;
  for (const LoopUse &use : nest.op(number).loops) {
    reduced += use.reduced;
    if (!nest.isAround(use.loop, number) && !isRegisterTile(use.loop))
      state.loops.push_back(use);
  }
  if (state.accumulates && !isOrdered(state.op))
    hoistRegisterLoops(state);
  state.firstReduced = state.loops.size();
  while (state.firstReduced > 0 && state.loops[state.firstReduced - 1].reduced)
    --state.firstReduced;
  state.startsOnce = state.loops.size() - state.firstReduced == reduced;
  // A reduced loop can only have lanes of its own if partial results can be
  // combined; else it stays scalar.
  for (unsigned i = 0; i < state.op.getNumDpsInits(); ++i)
    if (isOrdered(state.op) || (state.accumulates && !combinerOf(state.op, i)))
      for (LoopUse &use : state.loops)
        if (use.reduced)
          use.lanes = 0;
  return state;
}

/// Is each dimension one of the loops, or the only index of dimensions of one?
static bool isWhole(AffineMap map, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(map.getResults(), shape), [](auto pair) {
    auto [expr, size] = pair;
    return isa<AffineDimExpr>(expr) ||
           (size == 1 && expr == getAffineConstantExpr(0, expr.getContext()));
  });
}

/// The value of all elements of the op's result, if it is one from outside.
static Value filledWith(OpResult result) {
  auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
  if (!op || scatterStoreOf(op, result.getResultNumber()) ||
      !isWhole(op.getIndexingMapMatchingResult(result),
               cast<ShapedType>(result.getType()).getShape()))
    return {};
  Value value =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  return value.getParentBlock() == op.getBlock() ? Value() : value;
}

/// The value that result `i` starts from, if that need not be in memory: the op
/// takes up each of its elements once, and nobody else asks for the start.
Value KernelEmitter::startOf(const OpState &state, unsigned i) {
  linalg::LinalgOp op = state.op;
  auto start = dyn_cast<OpResult>(op.getDpsInitOperand(i)->get());
  if (!start || !start.hasOneUse() || !state.accumulates || !state.startsOnce ||
      !llvm::is_contained(state.accumulated, i))
    return {};
  return filledWith(start);
}

/// Does the op only say what others start from?
bool KernelEmitter::isOnlyStart(unsigned number) {
  return llvm::all_of(ops[number]->getResults(), [&](OpResult result) {
    if (!result.hasOneUse() || !filledWith(result))
      return false;
    OpOperand &use = *result.use_begin();
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader && reader.isDpsInit(&use) &&
           startOf(prepare(nest.indexOf(reader)),
                   reader.getTiedOpResult(&use).getResultNumber());
  });
}

/// Does the op run inside a loop of a later one?
bool KernelEmitter::isInside(unsigned number) {
  SmallVector<unsigned> computeAt = nest.computeAtOps();
  return llvm::is_contained(ArrayRef(computeAt).drop_back(!computeAt.empty()),
                            number);
}

void KernelEmitter::emitOp(unsigned number) {
  if (isOnlyStart(number))
    return;
  OpState state = prepare(number);
  b.setLoc(state.op.getLoc());
  emitOpLoops(state, 0, {});
}

SmallVector<Value> KernelEmitter::emitOpLoops(OpState &state, unsigned position,
                                              ValueRange accumulators) {
  if (position == state.firstReduced && state.accumulates &&
      accumulators.empty()) {
    // The loops from here on decide which accumulators there are.
    for (unsigned i = position; i < state.loops.size(); ++i) {
      const LoopUse &use = state.loops[i];
      int64_t lanes = lanesOf(use, state.number);
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
    if (nest.loop(use.loop).computeAt)
      for (unsigned inside : ArrayRef(nest.computeAtOps()).drop_back()) {
        fillCaches(use.loop, inside);
        emitOp(inside);
      }
    b.setLoc(state.op.getLoc());
    return emitOpLoops(state, position + 1, carried);
  };
  if (exitsEarly(state, use.loop, accumulators))
    return emitEarlyExitLoop(use, state.number, accumulators, body);
  return emitLoop(use, state.number, accumulators, body);
}

/// Accumulators in the order of enumerate(): for each result, the instances of
/// the loops that keep them apart.
SmallVector<Value> KernelEmitter::initialAccumulators(OpState &state) {
  state.reads.clear();
  SmallVector<Value> values;
  bool split = false;
  for (const LoopUse &use : nest.op(state.number).loops)
    split |= isSplit(state, use.loop);
  state.accumulatorInstances = enumerate(state, [&](unsigned loop) {
    return !isReduced(state, loop) || isSplit(state, loop);
  });
  std::optional<unsigned> lane = laneLoop(state);
  int64_t lanes = lane ? active[*lane].lanes : 1;
  for (unsigned i : state.accumulated) {
    OpOperand *init = state.op.getDpsInitOperand(i);
    for (const Instance &instance : state.accumulatorInstances) {
      if (split) {
        TypedAttr neutral = *arith::getNeutralElement(combinerOf(state.op, i));
        values.push_back(
            broadcast(arith::ConstantOp::create(b, neutral), lanes));
        continue;
      }
      // Operands that the payload does not use need no storage.
      TypedAttr nothing =
          state.op.payloadUsesValueFromOperand(init)
              ? TypedAttr()
              : b.getZeroAttr(getElementTypeOrSelf(init->get().getType()));
      Value value = nothing ? arith::ConstantOp::create(b, nothing).getResult()
                            : readOperand(state, *init, instance);
      values.push_back(broadcast(value, lanes));
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

/// Brings split accumulators together and hands the results on.
void KernelEmitter::finishAccumulators(OpState &state, ValueRange values) {
  state.reads.clear();
  SmallVector<Instance> kept =
      enumerate(state, [&](unsigned loop) { return !isReduced(state, loop); });
  unsigned perResult = state.accumulatorInstances.size();
  std::optional<unsigned> lane = laneLoop(state);
  bool lanesReduced = lane && isReduced(state, *lane);
  for (auto [n, i] : llvm::enumerate(state.accumulated)) {
    Operation *combiner = combinerOf(state.op, i);
    for (const Instance &instance : kept) {
      Value total;
      bool split = lanesReduced;
      for (unsigned c = 0; c < perResult; ++c) {
        Instance group =
            restrictTo(state.accumulatorInstances[c],
                       [&](unsigned loop) { return !isReduced(state, loop); });
        if (group != instance)
          continue;
        Value part = values[n * perResult + c];
        split |= total != nullptr;
        total = total ? combine(b, combiner, total, part) : part;
      }
      if (lanesReduced && isa<VectorType>(total.getType()))
        total = vector::ReductionOp::create(b, combiningKind(combiner), total,
                                            arith::FastMathFlags::reassoc);
      if (split || splitsInstances(state)) {
        Value start =
            readOperand(state, *state.op.getDpsInitOperand(i), instance);
        // One value may stand for all lanes.
        if (auto type = dyn_cast<VectorType>(total.getType()))
          start = broadcast(start, type.getNumElements());
        total = combine(b, combiner, start, total);
      }
      recordResult(state, i, instance, total);
    }
  }
}

/// Some reduced loop has accumulators of its own, so they began neutral.
bool KernelEmitter::splitsInstances(const OpState &state) {
  return llvm::any_of(nest.op(state.number).loops, [&](const LoopUse &use) {
    return isSplit(state, use.loop);
  });
}

/// Which accumulator of each result the instance adds to.
int KernelEmitter::accumulatorAt(const OpState &state,
                                 const Instance &instance) {
  Instance key = restrictTo(instance, [&](unsigned loop) {
    return !isReduced(state, loop) || isSplit(state, loop);
  });
  return llvm::find(state.accumulatorInstances, key) -
         state.accumulatorInstances.begin();
}

SmallVector<Value> KernelEmitter::emitPoint(OpState &state,
                                            ValueRange accumulators) {
  state.reads.clear();
  if (!accumulators.empty())
    for (OpOperand *input : state.op.getDpsInputOperands())
      prefetchPanel(state, *input);
  SmallVector<Value> running = llvm::to_vector(accumulators);
  if (std::optional<unsigned> group = dotLoop(state);
      group && !accumulators.empty()) {
    auto isSum = [&](unsigned loop) { return loop != *group; };
    for (const Instance &instance : enumerate(state, isSum)) {
      Value &sum = running[accumulatorAt(state, instance)];
      sum = emitDot(state, instance, *group, sum);
    }
    return running;
  }
  SmallVector<Instance> all = enumerate(state, [](unsigned) { return true; });
  unsigned inits = state.op.getNumDpsInits();
  for (const Instance &instance : all) {
    SmallVector<Value> args;
    for (OpOperand *input : state.op.getDpsInputOperands()) {
      bool used = !state.op.getMatchingBlockArgument(input).use_empty();
      args.push_back(used ? readOperand(state, *input, instance) : Value());
    }
    // By result: the position of this instance's accumulator, -1 if there is
    // none.
    SmallVector<int> at(inits, -1);
    if (!accumulators.empty()) {
      int c = accumulatorAt(state, instance);
      for (auto [n, i] : llvm::enumerate(state.accumulated))
        at[i] = n * state.accumulatorInstances.size() + c;
    }
    for (unsigned i = 0; i < inits; ++i) {
      OpOperand *init = state.op.getDpsInitOperand(i);
      if (at[i] >= 0)
        args.push_back(running[at[i]]);
      else if (state.op.payloadUsesValueFromOperand(init))
        args.push_back(readOperand(state, *init, instance));
      else
        args.push_back(Value());
    }
    SmallVector<Value> results = emitPayload(state, instance, args);
    for (unsigned i = 0; i < inits; ++i) {
      if (at[i] < 0) {
        recordResult(state, i, instance, results[i]);
        continue;
      }
      Value next = results[i], before = running[at[i]];
      if (auto type = dyn_cast<VectorType>(before.getType()))
        next = broadcast(next, type.getNumElements());
      std::optional<unsigned> lane = laneLoop(state);
      if (lane && isReduced(state, *lane))
        if (Value mask = laneMask(state, instance))
          next = arith::SelectOp::create(b, mask, next, before);
      running[at[i]] = next;
    }
  }
  return running;
}

/// Stores a result where somebody needs it in memory, and keeps it for those
/// who can take it from registers.
void KernelEmitter::recordResult(OpState &state, unsigned result,
                                 const Instance &instance, Value value) {
  OpResult produced = state.op->getResult(result);
  auto isKept = [&](unsigned loop) { return !isReduced(state, loop); };
  bool accumulated = llvm::is_contained(state.accumulated, result);
  if (accumulated && handsOver(state.number)) {
    RegisterValue &kept = registers[produced];
    if (kept.loops.empty())
      for (const LoopUse &use : nest.op(state.number).loops)
        if (isKept(use.loop))
          kept.loops.push_back(use.loop);
    kept.values[restrictTo(instance, isKept)] = value;
  }
  SmallVector<Value> aliases = destinationAliases(produced);
  if (needsMemory(produced))
    aliases.push_back(chainRoot(produced));
  int64_t lanes = lanesHere(state);
  std::optional<unsigned> lane = laneLoop(state);
  Value mask;
  if (lane && isReduced(state, *lane))
    lanes = 1;
  else if (!aliases.empty())
    mask = laneMask(state, instance);
  for (Value alias : aliases) {
    const Storage &slot = storage[alias];
    SmallVector<LaneIndex> at = indicesOf(
        state, *state.op.getDpsInitOperand(result), instance, slot.local);
    if (!accumulated)
      at = movedBy(state.scatterOffsets[result], at);
    if (lanes > 1 &&
        (storeInterleaved(state, result, instance, slot.memref, at, value,
                          mask) ||
         storeTransposed(state, result, instance, slot.memref, at, value)))
      continue;
    store(slot.memref, at, value, lanes, mask);
  }
}

} // namespace onnxc::krnl
