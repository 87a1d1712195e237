//===- OpPlan.cpp - Registers and loops of each op --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "OpPlan.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc::krnl {

RegisterLoops::RegisterLoops(const LoopNest &nest) : nest(nest) {
  for (unsigned number : nest.order())
    for (const BodyOp &op : nest.ops())
      if (const LoopUse *use = op.find(number);
          use && use->role != RegisterRole::None && !isTile(number))
        tileLoops.push_back(*use);
}

bool RegisterLoops::isTile(unsigned loop) const {
  return llvm::any_of(tileLoops,
                      [&](const LoopUse &use) { return use.loop == loop; });
}

bool RegisterLoops::fits(const LoopUse &use) const {
  const Loop &loop = nest.loop(use.loop);
  return !loop.isDynamic() &&
         std::max<int64_t>(use.unroll, 1) * use.width() >= loop.extent;
}

OpPlan::OpPlan(const LoopNest &nest, const RegisterLoops &registers,
               unsigned number)
    : number(number), op(cast<ComputeOp>(nest.op(number).op)) {
  for (OpOperand &operand : op->getOpOperands())
    accesses.emplace_back(nest, number, operand);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    unsigned i = op.getTiedOpResult(&init).getResultNumber();
    if (isTrace(op, i) || scatterStoreOf(op, i))
      continue;
    accumulated.push_back(i);
    accumulates |= op.payloadUsesValueFromOperand(&init);
  }
  unsigned reduced = 0;
  for (const LoopUse &use : nest.op(number).loops) {
    reduced += use.reduced;
    if (!nest.isAround(use.loop, number) && !registers.isTile(use.loop))
      loops.push_back(use);
  }
  if (accumulates && !isOrdered(op))
    hoistRegisterLoops(nest, registers);
  firstReduced = loops.size();
  while (firstReduced > 0 && loops[firstReduced - 1].reduced)
    --firstReduced;
  startsOnce = loops.size() - firstReduced == reduced;
}

/// Loops that are whole in registers run outside of the reduced ones beside
/// them, so that accumulators stay in registers, too. What runs inside together
/// must run once for each of their iterations: they have to be one strip.
void OpPlan::hoistRegisterLoops(const LoopNest &nest,
                                const RegisterLoops &registers) {
  std::optional<unsigned> computeAt = nest.computeAtLoop();
  bool holdsOthers = computeAt && nest.op(number).find(*computeAt) &&
                     !nest.isAround(*computeAt, number);
  auto fits = [&](const LoopUse &use) {
    return !use.reduced && registers.fits(use) &&
           !(holdsOthers && nest.endsEarly(use.loop));
  };
  unsigned first = loops.size();
  while (first > 0 && (loops[first - 1].reduced || fits(loops[first - 1])))
    --first;
  SmallVector<LoopUse> kept, reduced;
  for (const LoopUse &use : ArrayRef(loops).drop_front(first))
    (use.reduced ? reduced : kept).push_back(use);
  loops.truncate(first);
  llvm::append_range(loops, kept);
  llvm::append_range(loops, reduced);
}

/// Is each dimension one of the loops, or the only index of dimensions of one?
static bool isWhole(AffineMap map, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(map.getResults(), shape), [](auto pair) {
    auto [expr, size] = pair;
    return isa<AffineDimExpr>(expr) || (size == 1 && expr == 0);
  });
}

/// The value of all elements of the op's result, if it is one from outside.
static Value filledWith(OpResult result) {
  auto op = dyn_cast<ComputeOp>(result.getOwner());
  if (!op || scatterStoreOf(op, result.getResultNumber()) ||
      !isWhole(op.getIndexingMapMatchingResult(result),
               cast<ShapedType>(result.getType()).getShape()))
    return {};
  Value value =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  return value.getParentBlock() == op.getBlock() ? Value() : value;
}

Value OpPlan::startOf(unsigned i) const {
  auto start = dyn_cast<OpResult>(op.getDpsInitOperand(i)->get());
  if (!start || !start.hasOneUse() || !accumulates || !startsOnce ||
      !llvm::is_contained(accumulated, i))
    return {};
  return filledWith(start);
}

bool isInside(const LoopNest &nest, unsigned op) {
  SmallVector<unsigned> computeAt = nest.computeAtOps();
  return llvm::is_contained(ArrayRef(computeAt).drop_back(!computeAt.empty()),
                            op);
}

} // namespace onnxc::krnl
