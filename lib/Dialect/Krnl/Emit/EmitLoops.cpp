//===- EmitLoops.cpp - Bounds and strips of one loop ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/LoopEnds.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace onnxc::krnl {

Value NestEmitter::minimum(LaneIndex x, int64_t y) {
  Value limit = arith::ConstantIndexOp::create(b, y);
  return b.createOrFold<arith::MinSIOp>(math.scalar(x), limit);
}

LaneIndex NestEmitter::fullExtent(unsigned loop) {
  return math.eval(nest.extentExpr(loop), {}, tripCounts);
}

/// The value of a loop at this point, though other loops may stand for it.
LaneIndex NestEmitter::valueOf(unsigned op, unsigned number) {
  SmallVector<LaneIndex> values;
  for (const ActiveLoop &at : active)
    values.push_back({at.base, at.offset, 0, {}});
  return math.eval(nest.valueExpr(op, number), values, extents);
}

/// Of so many iterations of the loop, those that are not masked in the tile.
LaneIndex NestEmitter::visibleOf(unsigned loop, unsigned op, LaneIndex bound) {
  std::optional<VisibleIterations> visible = visibleIterations(nest, op, loop);
  if (!visible)
    return bound;
  SmallVector<LaneIndex> values;
  for (const ActiveLoop &at : active)
    values.push_back({at.base, at.offset, 0, {}});
  LaneIndex from = math.eval(visible->elements, values, extents);
  for (auto [value, factor] : nest.maskedElements()->form().values)
    from =
        math.add(from, math.scale({uniform->lookup(value), 0, 0, {}}, -factor));
  Value elements = b.createOrFold<arith::MaxSIOp>(
      math.scalar(from),
      arith::ConstantIndexOp::create(b, visible->minElements));
  if (visible->each == 0) {
    Value none = arith::ConstantIndexOp::create(b, 0);
    Value isSeen =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, elements, none);
    return {
        arith::SelectOp::create(b, isSeen, math.scalar(bound), none), 0, 0, {}};
  }
  LaneIndex seen = math.floorDiv(
      math.add({elements, 0, 0, {}}, {{}, visible->each - 1, 0, {}}),
      visible->each);
  return {b.createOrFold<arith::MinSIOp>(math.scalar(seen), math.scalar(bound)),
          0,
          0,
          {}};
}

LaneIndex NestEmitter::boundOf(unsigned number, unsigned op) {
  return visibleOf(number, op, endOf(number, op));
}

/// How many iterations the loop really has at this point: the last block of a
/// loop whose size it does not divide is shorter.
LaneIndex NestEmitter::endOf(unsigned number, unsigned op) {
  const Loop &loop = nest.loop(number);
  if (!nest.endsEarly(number))
    return fullExtent(number);
  LaneIndex whole = boundOf(loop.parents[0], op);
  if (loop.kind == Loop::Kind::BlockOuter)
    return math.floorDiv(math.add(whole, {{}, loop.blockSize - 1, 0, {}}),
                         loop.blockSize);
  // The loop over the blocks was made just before the one inside.
  ActiveLoop::BlockKind part = active[number - 1].part;
  if (part == ActiveLoop::BlockKind::Full)
    return {{}, loop.blockSize, 0, {}};
  LaneIndex block = part == ActiveLoop::BlockKind::Last
                        ? math.floorDiv(whole, loop.blockSize)
                        : valueOf(op, number - 1);
  LaneIndex rest =
      math.add(whole, math.scale(math.scale(block, loop.blockSize), -1));
  if (rest.isConstant())
    return {{}, std::min(rest.offset, loop.blockSize), 0, {}};
  if (part == ActiveLoop::BlockKind::Last)
    return rest;
  return {minimum(rest, loop.blockSize), 0, 0, {}};
}

/// The number of whole blocks of a loop over blocks.
LaneIndex NestEmitter::fullBlocks(unsigned number, unsigned op) {
  const Loop &loop = nest.loop(number);
  return visibleOf(number, op,
                   math.floorDiv(boundOf(loop.parents[0], op), loop.blockSize));
}

SmallVector<Value> NestEmitter::emitStrip(unsigned loop, LaneIndex lower,
                                          LaneIndex upper, int64_t step,
                                          ActiveLoop state, ValueRange carried,
                                          Body body) {
  ActiveLoop saved = active[loop];
  llvm::scope_exit restore([&] { active[loop] = saved; });
  if (lower.isConstant() && upper.isConstant()) {
    if (lower.offset >= upper.offset)
      return llvm::to_vector(carried);
    if (lower.offset + step >= upper.offset) {
      state.base = Value();
      state.offset = lower.offset;
      active[loop] = state;
      return body(carried);
    }
  }
  auto forOp =
      scf::ForOp::create(b, math.scalar(lower), math.scalar(upper),
                         arith::ConstantIndexOp::create(b, step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  state.base = forOp.getInductionVar();
  state.offset = 0;
  active[loop] = state;
  if (state.dynamicLimit)
    active[loop].dynamicLimit = b.createOrFold<arith::SubIOp>(
        state.dynamicLimit, forOp.getInductionVar());
  SmallVector<Value> results = body(forOp.getRegionIterArgs());
  // With no carried values the terminator is already there.
  if (!carried.empty())
    scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

/// A strip of one iteration, if it has any. A loop would keep the addresses of
/// each copy in registers from one iteration to the next.
SmallVector<Value> NestEmitter::emitOnce(unsigned loop, LaneIndex lower,
                                         LaneIndex upper, ActiveLoop state,
                                         ValueRange carried, Body body) {
  if (lower.isConstant() && upper.isConstant())
    return emitStrip(loop, lower, upper, 1, state, carried, body);
  ActiveLoop saved = active[loop];
  llvm::scope_exit restore([&] { active[loop] = saved; });
  state.base = lower.base;
  state.offset = lower.offset;
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                        math.scalar(lower), math.scalar(upper));
  return emitIf(
      isThere, carried,
      [&] {
        active[loop] = state;
        return body(carried);
      },
      [&] { return llvm::to_vector(carried); });
}

SmallVector<Value>
NestEmitter::emitIf(Value condition, ValueRange carried,
                    function_ref<SmallVector<Value>()> then,
                    function_ref<SmallVector<Value>()> otherwise) {
  auto branch = scf::IfOp::create(b, carried.getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return llvm::to_vector(ValueRange(branch.getResults()));
}

SmallVector<Value> NestEmitter::emitLoop(const LoopUse &use, unsigned op,
                                         ValueRange carried, Body body) {
  Value index = thread.lookup(use.loop);
  if (index && !isSharedOut(nest, use.loop, nest.op(op)))
    return emitMapped(use.loop, op, index, carried, body);
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop state;
  if (!nest.peels(use.loop))
    return emitSteps(use, use.width(), {}, bound, state, carried, body);
  LaneIndex full = fullBlocks(use.loop, op);
  state.part = ActiveLoop::BlockKind::Full;
  SmallVector<Value> values =
      emitSteps(use, use.width(), {}, full, state, carried, body);
  state.part = ActiveLoop::BlockKind::Last;
  return emitOnce(use.loop, full, bound, state, values, body);
}

/// Whole steps first, then the rest of the loop.
SmallVector<Value> NestEmitter::emitSteps(const LoopUse &use, int64_t lanes,
                                          LaneIndex lower, LaneIndex upper,
                                          ActiveLoop state, ValueRange carried,
                                          Body body) {
  state.instances = std::max<int64_t>(use.unroll, 1);
  state.lanes = lanes;
  int64_t step = state.instances * lanes;
  if (step == 1)
    return emitStrip(use.loop, lower, upper, 1, state, carried, body);
  const Loop &loop = nest.loop(use.loop);
  bool isBlock = loop.kind == Loop::Kind::BlockInner && loop.extent == step;
  if (isBlock && !upper.isConstant() && lower.isConstant() && lower.offset == 0)
    return emitBlock(use, upper, state, carried, body);

  LaneIndex rest = math.mod(math.add(upper, math.scale(lower, -1)), step);
  LaneIndex whole = math.add(upper, math.scale(rest, -1));
  SmallVector<Value> values =
      emitStrip(use.loop, lower, whole, step, state, carried, body);
  return emitRest(use, rest, whole, upper, state, values, body);
}

/// A block of one step is whole or shorter, if it is not known to be.
SmallVector<Value> NestEmitter::emitBlock(const LoopUse &use, LaneIndex upper,
                                          ActiveLoop state, ValueRange carried,
                                          Body body) {
  ActiveLoop saved = active[use.loop];
  llvm::scope_exit restore([&] { active[use.loop] = saved; });
  int64_t step = state.instances * state.lanes;
  auto emitShorter = [&] {
    if (state.lanes < step)
      return emitRest(use, upper, {}, upper, state, carried, body);
    active[use.loop] = state;
    active[use.loop].dynamicLimit = math.scalar(upper);
    return body(carried);
  };
  // The loop over the blocks was made just before the one inside.
  if (active[use.loop - 1].part == ActiveLoop::BlockKind::Last)
    return emitShorter();
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, math.scalar(upper),
                            arith::ConstantIndexOp::create(b, step));
  return emitIf(
      isWhole, carried,
      [&] {
        active[use.loop] = state;
        return body(carried);
      },
      emitShorter);
}

/// What whole steps leave: `rest` iterations from `lower` on.
SmallVector<Value> NestEmitter::emitRest(const LoopUse &use, LaneIndex rest,
                                         LaneIndex lower, LaneIndex upper,
                                         ActiveLoop state, ValueRange carried,
                                         Body body) {
  int64_t step = state.instances * state.lanes;
  if (rest.isConstant() && rest.offset == 0)
    return llvm::to_vector(carried);
  if (use.dot && rest.isConstant()) {
    state.instances = rest.offset;
    return emitStrip(use.loop, lower, upper, step, state, carried, body);
  }
  if (state.lanes == 1) {
    LoopUse fewer = use;
    fewer.unroll = use.tail.empty() ? 1 : use.tail.front();
    fewer.tail = llvm::to_vector(llvm::drop_begin(use.tail, !use.tail.empty()));
    return emitSteps(fewer, 1, lower, upper, state, carried, body);
  }
  if (rest.isConstant() && lower.isConstant()) {
    state.instances = llvm::divideCeil(rest.offset, state.lanes);
    state.staticLimit = rest.offset;
    return emitStrip(use.loop, lower, upper, step, state, carried, body);
  }
  state.instances = 1;
  state.dynamicLimit = math.scalar(upper);
  return emitStrip(use.loop, lower, upper, state.lanes, state, carried, body);
}

void NestEmitter::emitPlainLoop(unsigned loop, unsigned op,
                                function_ref<void()> body, int64_t step) {
  emitStrip(loop, {}, boundOf(loop, op), step, ActiveLoop(), {},
            [&](ValueRange) {
              body();
              return SmallVector<Value>();
            });
}

/// Emits an i1 that is true if some value differs from the one before.
static Value anyChange(ImplicitLocOpBuilder &b, ValueRange before,
                       ValueRange after) {
  llvm::MapVector<Type, Value> changes;
  for (auto [x, y] : llvm::zip_equal(before, after)) {
    Value change = arith::XOrIOp::create(b, x, y);
    Value &all = changes[x.getType()];
    all = all ? arith::OrIOp::create(b, all, change) : change;
  }
  Value any;
  for (auto [type, bits] : changes) {
    if (isa<VectorType>(type))
      bits = vector::ReductionOp::create(b, vector::CombiningKind::OR, bits);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits.getType()));
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, zero);
    any = any ? arith::OrIOp::create(b, any, some) : some;
  }
  return any;
}

/// A loop over an index from 0 to below `end`, and `carried`, that ends when an
/// iteration yields false for the condition between the two. The caller fills
/// its body.
static scf::WhileOp createWhileLeft(ImplicitLocOpBuilder &b, Value end,
                                    ValueRange carried) {
  SmallVector<Value> inits{
      arith::ConstantIndexOp::create(b, 0),
      arith::ConstantIntOp::create(b, /*value=*/1, /*width=*/1)};
  llvm::append_range(inits, carried);
  return scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        Value isLeft =
            arith::CmpIOp::create(nb, l, arith::CmpIPredicate::slt, v[0], end);
        scf::ConditionOp::create(nb, l,
                                 arith::AndIOp::create(nb, l, isLeft, v[1]), v);
      },
      nullptr);
}

/// As emitLoop, with an early exit after each strip of unrolled steps.
SmallVector<Value> NestEmitter::emitEarlyExitLoop(const LoopUse &use,
                                                  unsigned op,
                                                  ValueRange carried,
                                                  Body body) {
  ActiveLoop saved = active[use.loop];
  llvm::scope_exit restore([&] { active[use.loop] = saved; });
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop state;
  state.instances = std::max<int64_t>(use.unroll, 1);
  LaneIndex rest = math.mod(bound, state.instances);
  Value whole = math.scalar(math.add(bound, math.scale(rest, -1)));
  scf::WhileOp loop = createWhileLeft(b, whole, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *after = loop.getAfterBody();
    b.setInsertionPointToEnd(after);
    state.base = after->getArgument(0);
    active[use.loop] = state;
    ValueRange before = after->getArguments().drop_front(2);
    SmallVector<Value> next{
        arith::AddIOp::create(
            b, after->getArgument(0),
            arith::ConstantIndexOp::create(b, state.instances)),
        Value()};
    SmallVector<Value> results = body(before);
    next[1] = anyChange(b, before, results);
    llvm::append_range(next, results);
    scf::YieldOp::create(b, next);
  }
  SmallVector<Value> values(ValueRange(loop.getResults()).drop_front(2));
  if (rest.isConstant() && rest.offset == 0)
    return values;
  return emitStrip(use.loop, {whole, 0, 0, {}}, bound, 1, ActiveLoop(), values,
                   body);
}

} // namespace onnxc::krnl
