//===- EmitLoops.cpp - Bounds and strips of one loop ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

Value KernelEmitter::minimum(LaneIndex x, int64_t y) {
  Value limit = arith::ConstantIndexOp::create(b, y);
  return b.createOrFold<arith::MinSIOp>(math.scalar(x), limit);
}

LaneIndex KernelEmitter::fullExtent(unsigned loop) {
  return math.eval(nest.extentExpr(loop), {}, extents);
}

/// A number that divides every trip count the loop can have.
static int64_t tripCountDivisor(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  if (loop.kind == Loop::Kind::BlockInner)
    return std::gcd(loop.blockSize, tripCountDivisor(nest, loop.parents[0]));
  return loop.kind == Loop::Kind::Axis && !loop.isDynamic() ? loop.extent : 1;
}

/// How many iterations the loop really has at this point: the last block of a
/// loop whose size it does not divide is shorter.
LaneIndex KernelEmitter::boundOf(unsigned number) {
  const Loop &loop = nest.loop(number);
  if (loop.kind == Loop::Kind::Axis || loop.kind == Loop::Kind::Fused)
    return fullExtent(number);
  unsigned parent = loop.parents[0];
  LaneIndex whole = boundOf(parent);
  if (loop.kind == Loop::Kind::BlockOuter)
    return math.floorDiv(math.add(whole, {{}, loop.blockSize - 1, 0, {}}),
                         loop.blockSize);
  if (tripCountDivisor(nest, parent) % loop.blockSize == 0)
    return {{}, loop.blockSize, 0, {}};
  // The outer loop of the same block was made just before the inner one.
  const ActiveLoop &outer = active[number - 1];
  LaneIndex done =
      math.scale({outer.base, outer.offset, 0, {}}, loop.blockSize);
  LaneIndex rest = math.add(whole, math.scale(done, -1));
  if (rest.isConstant())
    return {{}, std::min(rest.offset, loop.blockSize), 0, {}};
  return {minimum(rest, loop.blockSize), 0, 0, {}};
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
  return std::max<int64_t>(options.vectorBytes * 8 / bits, 1);
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

SmallVector<Value> KernelEmitter::emitLoop(const LoopUse &use, int64_t lanes,
                                           ValueRange carried, LoopBody body) {
  LaneIndex bound = boundOf(use.loop);
  int64_t copies = std::max<int64_t>(use.unroll, 1);
  if (lanes > 1)
    copies = llvm::divideCeil(copies, lanes);
  ActiveLoop state;
  state.copies = copies;
  state.lanes = lanes;
  int64_t step = copies * lanes;
  if (step == 1)
    return emitStrip(use.loop, {}, bound, 1, state, carried, body);

  // Whole steps first, then what is left of the loop.
  LaneIndex rest = math.mod(bound, step);
  LaneIndex whole = math.add(bound, math.scale(rest, -1));
  SmallVector<Value> values =
      emitStrip(use.loop, {}, whole, step, state, carried, body);
  if (rest.isConstant() && rest.offset == 0)
    return values;
  if (lanes == 1) {
    state.copies = 1;
    return emitStrip(use.loop, whole, bound, 1, state, values, body);
  }
  if (rest.isConstant() && whole.isConstant()) {
    state.copies = llvm::divideCeil(rest.offset, lanes);
    state.staticLimit = rest.offset;
    return emitStrip(use.loop, whole, bound, step, state, values, body);
  }
  state.copies = 1;
  state.dynamicLimit = math.scalar(bound);
  return emitStrip(use.loop, whole, bound, lanes, state, values, body);
}

} // namespace onnxc::krnl
