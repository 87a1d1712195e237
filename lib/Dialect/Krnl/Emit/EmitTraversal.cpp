//===- EmitTraversal.cpp - Loops with an early exit -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

using namespace mlir;

namespace onnxc::krnl {

/// May the loop end as soon as an iteration leaves all accumulators as they
/// were?
bool KernelEmitter::exitsEarly(const OpState &state, unsigned loop,
                               ValueRange accumulators) {
  if (accumulators.empty() || !isReduced(state, loop))
    return false;
  for (Type type : accumulators.getTypes())
    if (!getElementTypeOrSelf(type).isSignlessInteger())
      return false;
  const BodyOp &op = nest.op(state.number);
  for (auto [dim, axis] : llvm::enumerate(op.axes))
    if (nest.stemsFrom(loop, axis))
      return isTraversalDim(state.op, dim);
  return false;
}

/// True where some value differs from what it was before.
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

/// As emitLoop, with an early exit after each strip of unrolled steps.
SmallVector<Value> KernelEmitter::emitEarlyExitLoop(const LoopUse &use,
                                                    unsigned op,
                                                    ValueRange carried,
                                                    LoopBody body) {
  ActiveLoop saved = active[use.loop];
  llvm::scope_exit restore([&] { active[use.loop] = saved; });
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop state;
  state.instances = std::max<int64_t>(use.unroll, 1);
  LaneIndex rest = math.mod(bound, state.instances);
  Value whole = math.scalar(math.add(bound, math.scale(rest, -1)));
  SmallVector<Value> inits{
      arith::ConstantIndexOp::create(b, 0),
      arith::ConstantIntOp::create(b, /*value=*/1, /*width=*/1)};
  llvm::append_range(inits, carried);
  auto loop = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        Value isLeft = arith::CmpIOp::create(nb, l, arith::CmpIPredicate::slt,
                                             v[0], whole);
        scf::ConditionOp::create(nb, l,
                                 arith::AndIOp::create(nb, l, isLeft, v[1]), v);
      },
      nullptr);
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
