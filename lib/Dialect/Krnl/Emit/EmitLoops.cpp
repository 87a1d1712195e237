//===- EmitLoops.cpp - Bounds and strips of one loop ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

Value KernelEmitter::minimum(LaneIndex x, int64_t y) {
  Value limit = arith::ConstantIndexOp::create(b, y);
  return b.createOrFold<arith::MinSIOp>(math.scalar(x), limit);
}

LaneIndex KernelEmitter::fullExtent(unsigned loop) {
  return math.eval(nest.extentExpr(loop), {}, tripCounts);
}

/// The value of a loop at this point, though other loops may stand for it.
LaneIndex KernelEmitter::valueOf(unsigned op, unsigned number) {
  SmallVector<LaneIndex> values;
  for (const ActiveLoop &at : active)
    values.push_back({at.base, at.offset, 0, {}});
  return math.eval(nest.valueExpr(op, number), values, extents);
}

/// How many iterations the loop really has at this point: the last block of a
/// loop whose size it does not divide is shorter.
LaneIndex KernelEmitter::boundOf(unsigned number, unsigned op) {
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

/// Of a loop over blocks: the number of those that are not cut off.
LaneIndex KernelEmitter::fullBlocks(unsigned number, unsigned op) {
  const Loop &loop = nest.loop(number);
  return math.floorDiv(boundOf(loop.parents[0], op), loop.blockSize);
}

bool KernelEmitter::isRegisterTile(unsigned loop) {
  return llvm::any_of(tileLoops,
                      [&](const LoopUse &use) { return use.loop == loop; });
}

/// Widest element that the op computes with, in bits.
static int64_t widestElement(linalg::LinalgOp op) {
  int64_t bits = 8;
  auto widen = [&](Type type) {
    if (type.isIntOrFloat())
      bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
  };
  for (BlockArgument arg : op.getBlock()->getArguments())
    widen(arg.getType());
  for (Operation &inner : *op.getBlock())
    for (Type type : inner.getResultTypes())
      widen(type);
  return bits;
}

int64_t KernelEmitter::lanesOf(const LoopUse &use, unsigned op) {
  if (use.role != RegisterRole::Column)
    return std::max<int64_t>(use.lanes, 1);
  if (use.lanes > 0)
    return use.lanes;
  // One lane count for the whole tile, so that values stay in registers.
  int64_t bits = 8;
  for (const BodyOp &other : nest.ops())
    if (other.find(use.loop))
      bits = std::max(bits, widestElement(cast<linalg::LinalgOp>(other.op)));
  return options.processor.lanes(unsigned(bits));
}

SmallVector<Value> KernelEmitter::emitStrip(unsigned loop, LaneIndex lower,
                                            LaneIndex upper, int64_t step,
                                            ActiveLoop state,
                                            ValueRange carried, LoopBody body) {
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

SmallVector<Value> KernelEmitter::emitLoop(const LoopUse &use, unsigned op,
                                           ValueRange carried, LoopBody body) {
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop state;
  if (!nest.peels(use.loop))
    return emitSteps(use, lanesOf(use, op), {}, bound, state, carried, body);
  LaneIndex full = fullBlocks(use.loop, op);
  state.part = ActiveLoop::BlockKind::Full;
  SmallVector<Value> values =
      emitSteps(use, lanesOf(use, op), {}, full, state, carried, body);
  state.part = ActiveLoop::BlockKind::Last;
  return emitStrip(use.loop, full, bound, 1, state, values, body);
}

/// Whole steps first, then what is left of the loop.
SmallVector<Value> KernelEmitter::emitSteps(const LoopUse &use, int64_t lanes,
                                            LaneIndex lower, LaneIndex upper,
                                            ActiveLoop state,
                                            ValueRange carried, LoopBody body) {
  int64_t instances = std::max<int64_t>(use.unroll, 1);
  state.instances = instances;
  state.lanes = lanes;
  int64_t step = instances * lanes;
  if (step == 1)
    return emitStrip(use.loop, lower, upper, 1, state, carried, body);

  LaneIndex rest = math.mod(math.add(upper, math.scale(lower, -1)), step);
  LaneIndex whole = math.add(upper, math.scale(rest, -1));
  SmallVector<Value> values =
      emitStrip(use.loop, lower, whole, step, state, carried, body);
  if (rest.isConstant() && rest.offset == 0)
    return values;
  if (use.dot && rest.isConstant()) {
    state.instances = rest.offset;
    return emitStrip(use.loop, whole, upper, step, state, values, body);
  }
  if (lanes == 1) {
    // What is left of many instances still goes side by side, a few at a time.
    constexpr int64_t many = 8;
    LoopUse fewer = use;
    fewer.unroll = instances >= many ? instances / 4 : 1;
    return emitSteps(fewer, lanes, whole, upper, state, values, body);
  }
  if (rest.isConstant() && whole.isConstant()) {
    state.instances = llvm::divideCeil(rest.offset, lanes);
    state.staticLimit = rest.offset;
    return emitStrip(use.loop, whole, upper, step, state, values, body);
  }
  state.instances = 1;
  state.dynamicLimit = math.scalar(upper);
  return emitStrip(use.loop, whole, upper, lanes, state, values, body);
}

} // namespace onnxc::krnl
