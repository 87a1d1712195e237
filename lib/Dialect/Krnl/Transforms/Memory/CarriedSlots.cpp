//===- CarriedSlots.cpp - Offsets of loop-carried values --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CarriedSlots.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace onnxc::krnl {

bool isForwardingUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<scf::YieldOp, scf::ConditionOp, scf::WhileOp>(op))
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && use.getOperandNumber() >= loop.getNumControlOperands();
}

/// How often a buffer, or a view of it, is given away.
static unsigned timesForwarded(Value buffer) {
  unsigned times = 0;
  for (OpOperand &use : buffer.getUses()) {
    times += isForwardingUse(use);
    if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
      if (view.getViewSource() == use.get())
        times += timesForwarded(view->getResult(0));
  }
  return times;
}

namespace {

/// One value that a loop carries, by its positions.
struct CarriedBuffers {
  unsigned init, result;
  memref::AllocOp first, next;
};

class LoopSwapper {
public:
  LoopSwapper(scf::WhileOp loop,
              llvm::function_ref<bool(memref::AllocOp)> isPlanned)
      : loop(loop), isPlanned(isPlanned) {}

  void run(SmallVectorImpl<CarriedSlots> &slots);

private:
  std::optional<CarriedBuffers> carriedAt(unsigned init);

  scf::WhileOp loop;
  llvm::function_ref<bool(memref::AllocOp)> isPlanned;
};

} // namespace

/// The value of init `init`, if it stays in buffers of one size.
std::optional<CarriedBuffers> LoopSwapper::carriedAt(unsigned init) {
  auto first = loop.getInits()[init].getDefiningOp<memref::AllocOp>();
  auto next =
      loop.getYieldOp().getOperand(init).getDefiningOp<memref::AllocOp>();
  if (!first || !next || first.getType() != next.getType() ||
      first.getDynamicSizes() != next.getDynamicSizes() ||
      next->getBlock() != loop.getAfterBody() || timesForwarded(first) != 1 ||
      timesForwarded(next) != 1 || !isPlanned(first))
    return std::nullopt;
  // The condition passes it to the body and to the result, once.
  Value before = loop.getBeforeArguments()[init];
  OperandRange forwarded = loop.getConditionOp().getArgs();
  if (llvm::count(forwarded, before) != 1 || timesForwarded(before) != 1)
    return std::nullopt;
  unsigned result =
      std::distance(forwarded.begin(), llvm::find(forwarded, before));
  if (timesForwarded(loop.getAfterArguments()[result]) != 0 ||
      timesForwarded(loop.getResult(result)) != 0)
    return std::nullopt;
  return CarriedBuffers{init, result, first, next};
}

void LoopSwapper::run(SmallVectorImpl<CarriedSlots> &slots) {
  SmallVector<CarriedBuffers> all;
  for (unsigned init = 0; init < loop.getInits().size(); ++init)
    if (std::optional<CarriedBuffers> carried = carriedAt(init))
      all.push_back(*carried);
  if (all.empty())
    return;
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInits()), spares;
  SmallVector<Type> types(loop.getResultTypes());
  for (const CarriedBuffers &carried : all) {
    memref::AllocOp first = carried.first;
    spares.push_back(memref::AllocOp::create(
        builder, first.getLoc(), first.getType(), first.getDynamicSizes()));
    inits.push_back(spares.back());
    types.push_back(first.getType());
  }
  auto longer = scf::WhileOp::create(builder, loop.getLoc(), types, inits);
  longer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  longer.getBefore().takeBody(loop.getBefore());
  longer.getAfter().takeBody(loop.getAfter());
  for (auto [i, carried, spare] : llvm::enumerate(all, spares)) {
    Type type = spare.getType();
    Location loc = spare.getLoc();
    longer.getConditionOp().getArgsMutable().append(
        ValueRange(longer.getBeforeBody()->addArgument(type, loc)));
    Value next = longer.getAfterBody()->addArgument(type, loc);
    carried.next.replaceAllUsesWith(next);
    carried.next.erase();
    Value last = longer.getAfterArguments()[carried.result];
    longer.getYieldOp().getResultsMutable().append(ValueRange(last));
    memref::AllocOp first = carried.first;
    slots.push_back({{first, spare.getDefiningOp<memref::AllocOp>()},
                     longer.getResult(carried.result),
                     longer.getResult(loop.getNumResults() + i)});
  }
  loop.replaceAllUsesWith(longer.getResults().take_front(loop.getNumResults()));
  loop.erase();
}

SmallVector<CarriedSlots>
makeCarriedSlots(func::FuncOp host,
                 llvm::function_ref<bool(memref::AllocOp)> isPlanned) {
  SmallVector<scf::WhileOp> loops;
  host.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  SmallVector<CarriedSlots> slots;
  for (scf::WhileOp loop : loops)
    LoopSwapper(loop, isPlanned).run(slots);
  return slots;
}

} // namespace onnxc::krnl
