//===- PlanMemory.cpp - Arena offsets and releases -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers whose size follows from the sizes of the inputs get an offset in the
// arena, planned from when they are needed. If all sizes are constants, so are
// the offsets; else they are computed when a run begins. Everything else comes
// from the pool.
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"
#include "CarriedSlots.h"
#include "EntryValues.h"
#include "Host/HostBuffers.h"
#include "OrderLaunches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/IR/MemoryPlan.h"
#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include <map>

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLPLANMEMORYPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

static constexpr StringLiteral tooLargeMessage =
    "a size is negative or too large";

namespace {

class Planner {
public:
  Planner(func::FuncOp host, bool isOnDevice)
      : host(host), isOnDevice(isOnDevice), values(host) {}

  /// Fails, with an error, where no arena is as large.
  LogicalResult run();
  /// Writes the plan that was made to the function.
  void record();

private:
  void number(Operation *op);
  Operation *lastUse(Value value, bool &isForwarded);
  void planPool(memref::AllocOp op);
  void release(Value value);
  void releaseOwned();
  bool isNested(memref::AllocOp op) {
    return op->getBlock() != &host.getBody().front();
  }
  void chooseOffsets();
  bool isKnownAtEntry(memref::AllocOp op);
  void chooseOffset(memref::AllocOp op);
  int64_t assignOffsets();
  void swapCarried();
  int64_t estimatedBytes(memref::AllocOp op);
  void checkEarly();
  void viewConstantOffsets();
  void viewComputedOffsets();
  OpFoldResult bytesAtEntry(memref::AllocOp op);
  void checkSizes(memref::AllocOp op);
  std::string formula(ArrayRef<unsigned> order);
  void replace(memref::AllocOp op, OpFoldResult offset, Value arena,
               const ArenaSlot &slot);

  func::FuncOp host;
  bool isOnDevice;
  EntryValues values;
  AssumedValues assumed;
  /// The launches of a device; no value for a processor.
  std::optional<OrderedLaunches> launches;
  /// Numbers of launches and calls, in program order.
  SmallVector<int64_t> launchNumbers;
  /// In program order: an op's own number, and the last one inside it.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> numbers;
  int64_t next = 0;
  /// The slots of the arena and their offsets.
  SmallVector<memref::AllocOp> planned;
  SmallVector<Location> slotLocations;
  SmallVector<ArenaSlot> slots;
  SmallVector<memref::AllocOp> pooled;
  /// Buffers that loops swap, with the results that are in one of them; both
  /// are needed as long as the results are.
  DenseMap<Operation *, Value> carried;
  DenseSet<Value> inArena;
  /// Bytes computed at entry, by type, block and sizes.
  std::map<std::vector<const void *>, Value> entryBytes;
};

} // namespace

void Planner::number(Operation *op) {
  int64_t own = next++;
  if (isa<LaunchOp, krnl::CallOp>(op))
    launchNumbers.push_back(own);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  numbers[op] = {own, next - 1};
}

/// The last op in the block of `value` that uses it, also as a view or inside
/// that op; null if there is none.
Operation *Planner::lastUse(Value value, bool &isForwarded) {
  Block *block = value.getParentBlock();
  Operation *last = nullptr;
  SmallVector<Value> aliases{value};
  while (!aliases.empty()) {
    for (OpOperand &use : aliases.pop_back_val().getUses()) {
      isForwarded |= isForwardingUse(use);
      Operation *user = use.getOwner();
      auto view = dyn_cast<ViewLikeOpInterface>(user);
      if ((view && view.getViewSource() == use.get()) ||
          isa<arith::SelectOp>(user))
        llvm::append_range(aliases, user->getResults());
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(inBlock))
        last = inBlock;
    }
  }
  return last;
}

void Planner::release(Value value) {
  bool isForwarded = false;
  Operation *last = lastUse(value, isForwarded);
  if (isForwarded)
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

/// Buffers from loops and branches, and those that the runtime has allocated.
void Planner::releaseOwned() {
  SmallVector<Value> owned;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isa<MemRefType>(value.getType()) && !inArena.contains(value))
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

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

int64_t Planner::estimatedBytes(memref::AllocOp op) {
  SmallVector<int64_t> shape(op.getType().getShape());
  unsigned dynamic = 0;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = std::max<int64_t>(assumed.of(op.getDynamicSizes()[dynamic++]), 0);
  auto type = MemRefType::get(shape, op.getType().getElementType());
  int64_t bytes = boundedBytes(type).value_or(maxTensorBytes);
  if (llvm::is_contained(shape, 0))
    bytes = 1;
  return llvm::alignTo(bytes, bufferAlignment);
}

/// Chooses offsets in the arena: for buffers that no loop or branch forwards,
/// if the size is known when a run begins.
void Planner::chooseOffsets() {
  SmallVector<memref::AllocOp> allocs;
  host.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  llvm::for_each(allocs, [&](memref::AllocOp op) { chooseOffset(op); });
}

/// Returns true if a run knows at its beginning how many bytes it needs, so
/// that none are kept for a branch that it does not take. The pool of a device
/// is slow: its arena has them.
bool Planner::isKnownAtEntry(memref::AllocOp op) {
  bool isOpen = !op.getType().hasStaticShape() && !isOnDevice &&
                values.mayBeSkipped(op->getBlock());
  return values.areKnown(op.getDynamicSizes()) && !isOpen;
}

void Planner::chooseOffset(memref::AllocOp op) {
  bool isForwarded = false;
  Operation *last = lastUse(op, isForwarded);
  if (Value result = carried.lookup(op)) {
    // Only its loop has it, and the users of the result.
    Operation *user = lastUse(result, isForwarded);
    last = user ? user : result.getDefiningOp();
  } else if (isForwarded || !isKnownAtEntry(op)) {
    pooled.push_back(op);
    return;
  }
  int64_t first = numbers[op].first;
  planned.push_back(op);
  slotLocations.push_back(op.getLoc());
  slots.push_back(
      {estimatedBytes(op), first, last ? numbers[last].second : first});
}

/// Returns the size of the arena.
int64_t Planner::assignOffsets() {
  if (!isOnDevice)
    return krnl::assignOffsets(slots);
  DenseSet<Value> buffers;
  buffers.insert_range(planned);
  launches = orderLaunches(
      host, [&](Value buffer) { return buffers.contains(buffer); }, assumed);
  for (auto [op, slot] : llvm::zip_equal(planned, slots))
    slot.users = launches->users.lookup(op);
  return krnl::assignOffsets(slots, launches->graph);
}

void Planner::replace(memref::AllocOp op, OpFoldResult offset, Value arena,
                      const ArenaSlot &slot) {
  OpBuilder builder(op);
  Value at = IndexBuilder(builder, op.getLoc()).value(offset);
  auto lives = arena ? builder.getDenseI64ArrayAttr({slot.first, slot.last})
                     : DenseI64ArrayAttr();
  op.replaceAllUsesWith(ArenaViewOp::create(builder, op.getLoc(), op.getType(),
                                            at, op.getDynamicSizes(), arena,
                                            lives)
                            .getOutput());
  op.erase();
}

void Planner::viewConstantOffsets() {
  for (auto [op, slot] : llvm::zip_equal(planned, slots))
    replace(op, OpBuilder(op).getIndexAttr(slot.offset), {}, slot);
}

/// Checks of values that are known at entry are moved there, before memory is
/// allocated: their messages are more precise.
void Planner::checkEarly() {
  for (CheckOp check :
       llvm::make_early_inc_range(host.getBody().front().getOps<CheckOp>())) {
    if (!values.areKnown(check->getOperands()))
      continue;
    Value condition = values.atEntry(check.getCondition());
    SmallVector<Value> sizes;
    for (Value size : check.getSizes())
      sizes.push_back(values.atEntry(size));
    auto early = CheckOp::create(values.entry(), check.getLoc(), condition,
                                 check.getMessage(), sizes);
    early->setAttrs(check->getAttrs());
    check.erase();
  }
}

/// Bytes of a buffer, a constant where they are known. Buffers inside a branch
/// or loop may never be needed: they take no room in a run that is known not to
/// come there, nor if the size is impossible.
OpFoldResult Planner::bytesAtEntry(memref::AllocOp op) {
  OpBuilder &entry = values.entry();
  Location loc = op.getLoc();
  if (op.getType().hasStaticShape())
    return entry.getIndexAttr(estimatedBytes(op));
  SmallVector<Value> sizes;
  std::vector<const void *> key{op.getType().getAsOpaquePointer(),
                                isNested(op) ? op->getBlock() : nullptr};
  for (Value size : op.getDynamicSizes()) {
    sizes.push_back(values.atEntry(size));
    key.push_back(sizes.back().getAsOpaquePointer());
  }
  Value &result = entryBytes[key];
  if (result)
    return result;
  Value bytes = result = BufferBytesOp::create(entry, loc, sizes, op.getType());
  if (!isNested(op))
    return bytes;
  Value maxBytes = arith::ConstantIndexOp::create(entry, loc, maxTensorBytes);
  Value none = arith::ConstantIndexOp::create(entry, loc, 0);
  Value isNeeded = arith::CmpIOp::create(entry, loc, arith::CmpIPredicate::sle,
                                         bytes, maxBytes);
  if (Value runs = values.runsAtEntry(op->getBlock()))
    isNeeded = arith::AndIOp::create(entry, loc, runs, isNeeded);
  return result = arith::SelectOp::create(entry, loc, isNeeded, bytes, none);
}

/// A buffer inside a branch or loop may be needed with a size that has got no
/// room.
void Planner::checkSizes(memref::AllocOp op) {
  if (!isNested(op) || op.getType().hasStaticShape())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value bytes =
      BufferBytesOp::create(builder, loc, op.getDynamicSizes(), op.getType());
  Value maxBytes = arith::ConstantIndexOp::create(builder, loc, maxTensorBytes);
  Value isPossible = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, bytes, maxBytes);
  makeCheck(builder, loc, isPossible, tooLargeMessage, op.getDynamicSizes(),
            shapeFormat(op.getType().getShape()));
}

/// Each offset begins where the offsets below it end.
void Planner::viewComputedOffsets() {
  OpBuilder &entry = values.entry();
  SmallVector<unsigned> order =
      launches ? orderSlots(slots, launches->graph) : orderSlots(slots);
  std::string text = formula(order);
  SmallVector<OpFoldResult> offsets(slots.size()), ends(slots.size());
  OpFoldResult total;
  // So many buffers that are too large would be more than a word holds.
  bool isLong = slots.size() >= 1 << 15;
  for (unsigned number : order) {
    IndexBuilder index(entry, planned[number].getLoc());
    auto raise = [&](OpFoldResult &bound, OpFoldResult end) {
      bound = bound ? index.max(bound, end) : end;
    };
    for (unsigned below : slots[number].below)
      raise(offsets[number], ends[below]);
    if (!offsets[number])
      offsets[number] = index.number(0);
    ends[number] = index.add(offsets[number], bytesAtEntry(planned[number]));
    if (isLong)
      ends[number] = index.min(ends[number], index.number(2 * maxTensorBytes));
    raise(total, ends[number]);
  }
  Location loc = host.getLoc();
  Value arena =
      ArenaReserveOp::create(entry, loc, IndexBuilder(entry, loc).value(total));
  for (auto [op, slot, offset] : llvm::zip_equal(planned, slots, offsets)) {
    checkSizes(op);
    replace(op, offset, arena, slot);
  }
  host->setAttr("krnl.arena_formula", entry.getStringAttr(text));
}

/// The size of the arena: at most so much, by the names of dimensions, or for
/// an example where that is too long to read.
std::string Planner::formula(ArrayRef<unsigned> order) {
  SmallVector<SizeFormula> ends(slots.size());
  SizeFormula total;
  for (unsigned number : order) {
    memref::AllocOp op = planned[number];
    SizeFormula bytes(op.getType().hasStaticShape()
                          ? estimatedBytes(op)
                          : elementBytes(op.getType().getElementType()));
    if (!op.getType().hasStaticShape()) {
      unsigned dynamic = 0;
      for (int64_t size : op.getType().getShape())
        bytes =
            bytes.times(ShapedType::isDynamic(size)
                            ? values.formula(op.getDynamicSizes()[dynamic++])
                            : SizeFormula(size));
      bytes = bytes.plus(SizeFormula(bufferAlignment)); // rounded up
    }
    SizeFormula offset;
    for (unsigned below : slots[number].below)
      offset = offset.atLeast(ends[below]);
    ends[number] = offset.plus(bytes);
    total = total.atLeast(ends[number]);
  }
  if (total.isReadable())
    return "at most " + total.text() + " B";
  int64_t estimate = 0;
  for (const ArenaSlot &slot : slots)
    estimate = std::max(estimate, slot.offset + slot.bytes);
  return std::to_string(estimate) + " B where unknown sizes are " +
         std::to_string(usualSize);
}

/// Values that loops carry in two buffers have offsets in the arena.
void Planner::swapCarried() {
  auto isKnown = [&](memref::AllocOp op) {
    return values.areKnown(op.getDynamicSizes());
  };
  for (const CarriedSlots &slots : makeCarriedSlots(host, isKnown)) {
    for (memref::AllocOp buffer : slots.buffers)
      carried[buffer] = slots.result;
    inArena.insert(slots.result);
    inArena.insert(slots.spare);
  }
}

LogicalResult Planner::run() {
  swapCarried();
  for (Operation &op : host.getBody().front())
    number(&op);
  chooseOffsets();
  bool isConstant = llvm::all_of(planned, [](memref::AllocOp op) {
    return op.getType().hasStaticShape();
  });
  int64_t arenaBytes = assignOffsets();
  if (isConstant && arenaBytes > maxTensorBytes)
    return host.emitError("the buffers of a run take ")
           << arenaBytes << " bytes; at most " << maxTensorBytes
           << " can be planned";
  llvm::for_each(pooled, [&](memref::AllocOp op) { planPool(op); });
  releaseOwned();
  if (isConstant) {
    viewConstantOffsets();
  } else {
    checkEarly();
    viewComputedOffsets();
  }
  Builder builder(host.getContext());
  host->setAttr("krnl.arena_bytes",
                builder.getI64IntegerAttr(isConstant ? arenaBytes : 0));
  return success();
}

void Planner::record() {
  Builder builder(host.getContext());
  // The number of launches before that op.
  auto launchAt = [&](int64_t number) {
    return llvm::lower_bound(launchNumbers, number) - launchNumbers.begin();
  };
  SmallVector<Attribute> plan;
  for (auto [slot, loc] : llvm::zip_equal(slots, slotLocations)) {
    int64_t first = launchAt(slot.first);
    int64_t last = std::max<int64_t>(launchAt(slot.last + 1) - 1, first);
    auto numbers =
        builder.getI64ArrayAttr({slot.offset, slot.bytes, first, last});
    SmallVector<Attribute> entry(numbers.getValue());
    entry.push_back(LocationAttr(loc));
    plan.push_back(builder.getArrayAttr(entry));
  }
  host->setAttr(arenaPlanAttrName, builder.getArrayAttr(plan));
  if (!isOnDevice)
    return;
  SmallVector<int64_t> path;
  for (unsigned launch : launches->graph.longestChain())
    if (Operation *op = launches->ops[launch];
        isa<LaunchOp>(op) && timesRun(op, assumed) > 0)
      path.push_back(launchAt(numbers[op].first));
  host->setAttr(criticalPathAttrName, builder.getDenseI64ArrayAttr(path));
}

namespace {

struct PlanMemory : krnl::impl::KrnlPlanMemoryPassBase<PlanMemory> {
  using KrnlPlanMemoryPassBase::KrnlPlanMemoryPassBase;

  void runOnOperation() override {
    bool isOnDevice = getOperation()->hasAttr(TargetAttr::hostAttrName);
    for (func::FuncOp host : hostFunctions(getOperation())) {
      Planner planner(host, isOnDevice);
      if (failed(planner.run()))
        return signalPassFailure();
      if (recordPlan)
        planner.record();
    }
  }
};

} // namespace
