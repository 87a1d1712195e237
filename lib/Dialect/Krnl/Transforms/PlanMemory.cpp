//===- PlanMemory.cpp - Arena offsets and releases -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLPLANMEMORYPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

namespace {

/// A buffer with a place in the arena.
struct Slot {
  memref::AllocOp op;
  int64_t bytes;
  /// First and last op, by number, that need it.
  int64_t first, last;
  int64_t offset = 0;

  bool overlapsInTime(const Slot &other) const {
    return first <= other.last && other.first <= last;
  }
};

class Planner {
public:
  explicit Planner(func::FuncOp host) : host(host) {}

  void run();

private:
  void number(Operation *op);
  Operation *lastUse(Value value, bool &isHandedOn);
  void planPool(memref::AllocOp op);
  void release(Value value);
  void releaseOwned();
  void place(MutableArrayRef<Slot> slots);

  func::FuncOp host;
  /// In program order: an op's own number, and the last one inside it.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> numbers;
  int64_t next = 0;
  int64_t arenaBytes = 0;
};

} // namespace

void Planner::number(Operation *op) {
  int64_t own = next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  numbers[op] = {own, next - 1};
}

/// True where an operand gives its buffer to a loop or to what follows a block.
static bool handsOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<scf::YieldOp, scf::ConditionOp, scf::WhileOp>(op))
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && use.getOperandNumber() >= loop.getNumControlOperands();
}

/// The last op in the block of `value` that uses it, also as a view or inside
/// that op; null if there is none.
Operation *Planner::lastUse(Value value, bool &isHandedOn) {
  Block *block = value.getParentBlock();
  Operation *last = nullptr;
  SmallVector<Value> aliases{value};
  while (!aliases.empty()) {
    for (OpOperand &use : aliases.pop_back_val().getUses()) {
      isHandedOn |= handsOn(use);
      Operation *user = use.getOwner();
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        if (view.getViewSource() == use.get())
          llvm::append_range(aliases, user->getResults());
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(inBlock))
        last = inBlock;
    }
  }
  return last;
}

void Planner::release(Value value) {
  bool isHandedOn = false;
  Operation *last = lastUse(value, isHandedOn);
  if (isHandedOn)
    return;
  OpBuilder builder(host.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointAfterValue(value);
  ReleaseOp::create(builder, value.getLoc(), value);
}

void Planner::planPool(memref::AllocOp op) {
  OpBuilder builder(op);
  Value pool =
      AllocOp::create(builder, op.getLoc(), op.getType(), op.getDynamicSizes());
  op.replaceAllUsesWith(pool);
  op.erase();
  release(pool);
}

/// What loops and branches hand to us, and what the runtime has allocated.
void Planner::releaseOwned() {
  SmallVector<Value> owned;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isa<MemRefType>(value.getType()))
        owned.push_back(value);
  };
  host.walk([&](Operation *op) {
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp, krnl::CallOp>(op))
      return;
    add(op->getResults());
    if (isa<scf::ForOp, scf::WhileOp>(op))
      for (Region &region : op->getRegions())
        add(region.getArguments());
  });
  llvm::for_each(owned, [&](Value value) { release(value); });
}

/// Largest first, each into the smallest gap that holds it among those placed
/// before and alive at the same time.
void Planner::place(MutableArrayRef<Slot> slots) {
  SmallVector<Slot *> order, placed;
  for (Slot &slot : slots)
    order.push_back(&slot);
  llvm::sort(order, [](const Slot *a, const Slot *b) {
    return std::tie(b->bytes, a->first) < std::tie(a->bytes, b->first);
  });
  for (Slot *slot : order) {
    int64_t end = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
    for (const Slot *other : placed) { // by offset
      if (!slot->overlapsInTime(*other))
        continue;
      int64_t gap = other->offset - end;
      if (gap >= slot->bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + other->bytes);
    }
    slot->offset = best >= 0 ? best : end;
    arenaBytes = std::max(arenaBytes, slot->offset + slot->bytes);
    placed.insert(llvm::upper_bound(placed, slot,
                                    [](const Slot *a, const Slot *b) {
                                      return a->offset < b->offset;
                                    }),
                  slot);
  }
}

void Planner::run() {
  SmallVector<memref::AllocOp> allocs;
  host.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  SmallVector<memref::AllocOp> dynamic;
  for (Operation &op : host.getBody().front())
    number(&op);
  SmallVector<Slot> slots;
  for (memref::AllocOp op : allocs) {
    bool isHandedOn = false;
    Operation *last = lastUse(op, isHandedOn);
    if (isHandedOn || !op.getType().hasStaticShape()) {
      dynamic.push_back(op);
      continue;
    }
    int64_t bytes = llvm::alignTo(
        std::max<int64_t>(staticBytes(op.getType()), 1), bufferAlignment);
    int64_t first = numbers[op].first;
    slots.push_back({op, bytes, first, last ? numbers[last].second : first});
  }
  place(slots);
  llvm::for_each(dynamic, [&](memref::AllocOp op) { planPool(op); });
  releaseOwned();
  for (Slot &slot : slots) {
    OpBuilder builder(slot.op);
    Location loc = slot.op.getLoc();
    Value offset = arith::ConstantIndexOp::create(builder, loc, slot.offset);
    slot.op.replaceAllUsesWith(ArenaViewOp::create(builder, loc,
                                                   slot.op.getType(), offset,
                                                   ValueRange())
                                   .getOutput());
    slot.op.erase();
  }
  Builder builder(host.getContext());
  host->setAttr("krnl.arena_bytes", builder.getI64IntegerAttr(arenaBytes));
}

namespace {

struct PlanMemory : krnl::impl::KrnlPlanMemoryPassBase<PlanMemory> {
  using KrnlPlanMemoryPassBase::KrnlPlanMemoryPassBase;

  void runOnOperation() override {
    for (func::FuncOp host : hostFunctions(getOperation()))
      Planner(host).run();
  }
};

} // namespace
