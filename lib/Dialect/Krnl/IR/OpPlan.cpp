//===- OpPlan.cpp - Registers and loops of each op --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/OpPlan.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/RunningValues.h"

using namespace mlir;

namespace onnxc::krnl {

RegisterLoops::RegisterLoops(const LoopNest &nest) {
  for (unsigned number : nest.order())
    for (const BodyOp &op : nest.ops()) {
      const LoopUse *use = op.find(number);
      if (!use || use->role == RegisterRole::None)
        continue;
      if (!isTile(number))
        tileLoops.push_back(*use);
      else if (use->width() > tileLoops.back().width())
        tileLoops.back() = *use;
    }
}

bool RegisterLoops::isTile(unsigned loop) const {
  return llvm::any_of(tileLoops,
                      [&](const LoopUse &use) { return use.loop == loop; });
}

OpPlan::OpPlan(const LoopNest &nest, unsigned number)
    : number(number), op(cast<ComputeOp>(nest.op(number).op)) {
  // It is no plan of loops where the op has none.
  if (isInSlices(nest, number))
    return;
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
    if (!nest.isAround(use.loop, number) && use.role == RegisterRole::None)
      loops.push_back(use);
  }
  firstReduced = loops.size();
  while (firstReduced > 0 && loops[firstReduced - 1].reduced)
    --firstReduced;
  startsOnce = loops.size() - firstReduced == reduced;
  findCommonSums(nest);
}

/// Several running values of one op may be those of more or fewer loops, where
/// each iteration of a sum takes up all of them once.
void OpPlan::findCommonSums(const LoopNest &nest) {
  const BodyOp &body = nest.op(number);
  bool isPlain = llvm::none_of(body.loops, [&](const LoopUse &use) {
    const Loop &loop = nest.loop(use.loop);
    return use.reduced &&
           (use.unroll != 1 || use.width() > 1 || loop.split || loop.mapped);
  });
  if (accumulated.size() < 2 || !isPlain ||
      !llvm::all_of(llvm::seq(op.getNumDpsInits()),
                    [&](int64_t i) { return bool(startOf(i)); }))
    return;
  RunningValues values(op);
  commonLoops.resize(op->getNumResults());
  for (auto [i, common] : llvm::enumerate(commonLoops))
    for (const LoopUse &use : body.loops)
      if (!use.reduced &&
          llvm::none_of(llvm::enumerate(body.axes), [&, i = i](auto axis) {
            return nest.stemsFrom(use.loop, axis.value()) &&
                   values.dependsOn(unsigned(i), axis.index());
          }))
        common.push_back(use.loop);
}

/// The value of all elements of the op's result, if it is one from outside.
static Value filledWith(OpResult result) {
  auto op = dyn_cast<ComputeOp>(result.getOwner());
  if (!op || scatterStoreOf(op, result.getResultNumber()) ||
      !Access(*op.getTiedOpOperand(result)).coversAll())
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
