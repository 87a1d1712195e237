//===- PlaceLaunches.cpp - Launches on a device ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DevicePlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLPLACELAUNCHESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

namespace {

/// Who uses a buffer in a loop.
struct Uses {
  bool onHost = false, onDevice = false, isWritten = false;
};

/// Places the launches of one function.
class Placer {
public:
  Placer(func::FuncOp host, const llvm::StringMap<IntegerAttr> &kernels,
         SmallVectorImpl<Attribute> &errors)
      : host(host), kernels(kernels), memory(host, errors),
        places(memory.places) {}

  /// Fails, with an error, where a launch cannot run on a device.
  LogicalResult run();

private:
  void visitBlock(Block &block);
  void visitLaunch(LaunchOp launch);
  void visitHostOp(Operation *op);
  bool replaces(memref::CopyOp copy, Value source);
  bool hasPlaces(memref::CopyOp op);
  bool visitCopy(memref::CopyOp op);
  void visitIf(scf::IfOp op);
  void visitLoop(Operation *loop);
  SmallVector<Value> placedSources(Value buffer);
  SmallVector<Value> buffersOf(Operation *op);
  bool mayWrite(Operation *op, Value source);
  llvm::MapVector<Value, Uses> usesIn(Operation *loop);
  void copyIn(OpBuilder &builder, Location loc, Value base);
  void copyOut(OpBuilder &builder, Location loc, Value base, bool waits);
  void reach(Operation *end, Value base, Sides wanted);
  SmallVector<Sides> sides();
  void setSides(ArrayRef<Sides> newest);

  func::FuncOp host;
  const llvm::StringMap<IntegerAttr> &kernels;
  DevicePlaces memory;
  llvm::MapVector<Value, Place> &places;
};

} // namespace

static SmallVector<LaunchOp> launchesOf(func::FuncOp host) {
  SmallVector<LaunchOp> launches;
  host.walk([&](LaunchOp op) { launches.push_back(op); });
  return launches;
}

/// Returns true if the buffer has the same contents on both sides at any time:
/// constants, and the word of errors.
static bool isShared(Value base) {
  return isa_and_nonnull<WeightViewOp, ErrorWordOp>(base.getDefiningOp());
}

/// Returns true if the launch is the first to use a buffer that its block
/// allocates: no elements have been written.
static bool isUnwritten(Value base, LaunchOp launch) {
  Block *block = launch->getBlock();
  if (!base.getDefiningOp<AllocOp>() || base.getParentBlock() != block)
    return false;
  SmallVector<Value> aliases{base};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(aliases, user->getResults());
      else if (block->findAncestorOpInBlock(*user)->isBeforeInBlock(launch))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Placer::copyIn(OpBuilder &builder, Location loc, Value base) {
  Place &place = places.find(base)->second;
  if (place.newest.device)
    return;
  CopyInOp::create(builder, loc, base, place.device);
  place.newest.device = true;
}

void Placer::copyOut(OpBuilder &builder, Location loc, Value base, bool waits) {
  Place &place = places.find(base)->second;
  if (place.newest.host)
    return;
  CopyOutOp::create(builder, loc, place.device, base, waits);
  place.newest.host = true;
}

/// Results may be a part of their buffer, the rest of which stays.
void Placer::visitLaunch(LaunchOp launch) {
  OpBuilder builder(launch), after(launch->getContext());
  after.setInsertionPointAfter(launch);
  Location loc = launch.getLoc();
  launch->setAttr(KrnlDialect::deviceKernelAttrName,
                  kernels.lookup(launch.getKernel()));
  llvm::SmallSetVector<Value, 4> outs;
  for (Value out : launch.getOuts())
    outs.insert(viewBase(out));
  DenseMap<Value, Value> copied;
  for (OpOperand &operand : launch->getOpOperands()) {
    if (!isBuffer(operand.get()))
      continue;
    Value base = viewBase(operand.get());
    bool isOnDevice = places.find(base)->second.device != nullptr;
    for (Value source : placedSources(base))
      if (isOnDevice)
        copyIn(builder, loc, source);
      else
        copyOut(builder, loc, source, /*waits=*/true);
    if (!isOnDevice && !copied.contains(base)) {
      ArenaViewOp copy = allocateLike(builder, loc, base);
      copied[base] = copy;
      if (!isUnwritten(base, launch))
        CopyInOp::create(builder, loc, base, copy);
      if (outs.contains(base))
        CopyOutOp::create(after, loc, copy, base, /*wait=*/true);
      DeviceReleaseOp::create(after, loc, copy.getArena());
    }
    operand.set(memory.onDevice(builder, operand.get(), copied));
  }
  for (Value base : outs) {
    bool isOnDevice = places.find(base)->second.device != nullptr;
    for (Value source : placedSources(base))
      places.find(source)->second.newest = {!isOnDevice, isOnDevice};
  }
}

/// The buffers with memory on the device that a value may stand for.
SmallVector<Value> Placer::placedSources(Value buffer) {
  return llvm::filter_to_vector(memory.sourcesOf(buffer), [&](Value source) {
    auto known = places.find(source);
    return known != places.end() && known->second.device && !isShared(source);
  });
}

/// Returns true if the copy overwrites all of the buffer `source`, whose old
/// elements are not needed. The buffer may be the source of the copy through a
/// selection.
bool Placer::replaces(memref::CopyOp copy, Value source) {
  return copy.getTarget() == source &&
         !llvm::is_contained(memory.sourcesOf(copy.getSource()), source) &&
         memory.sourcesOf(source) == ArrayRef<Value>(source);
}

/// Returns true if both buffers are on the device.
bool Placer::hasPlaces(memref::CopyOp op) {
  return llvm::all_of(op->getOperands(), [&](Value buffer) {
    auto known = places.find(viewBase(buffer));
    return known != places.end() && known->second.device;
  });
}

/// Copies there what the device has. The rest of a buffer stays, so that it has
/// to be there as well.
bool Placer::visitCopy(memref::CopyOp op) {
  auto isNewest = [&](Value source) {
    return replaces(op, source) || places.find(source)->second.newest.device;
  };
  SmallVector<Value> targets = placedSources(op.getTarget());
  if (!hasPlaces(op) ||
      !llvm::all_of(placedSources(op.getSource()), isNewest) ||
      !llvm::all_of(targets, isNewest))
    return false;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(memory.onDevice(builder, operand.get(),
                                /*copied=*/DenseMap<Value, Value>()));
  op->setAttr(onDeviceAttrName, builder.getUnitAttr());
  for (Value source : targets)
    places.find(source)->second.newest = {/*host=*/false, /*device=*/true};
  return true;
}

/// The buffers with memory on the device that an operation of the host has.
SmallVector<Value> Placer::buffersOf(Operation *op) {
  llvm::SetVector<Value> used;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (isBuffer(operand))
        used.insert_range(placedSources(operand));
    }
  });
  return used.takeVector();
}

/// Whatever else has a buffer reads it, and, unless it is known not to, writes
/// it.
bool Placer::mayWrite(Operation *op, Value source) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return llvm::is_contained(memory.sourcesOf(copy.getTarget()), source);
  if (auto launch = dyn_cast<LaunchOp>(op))
    return llvm::any_of(launch.getOuts(), [&](Value out) {
      return llvm::is_contained(memory.sourcesOf(out), source);
    });
  return !isa<memref::LoadOp>(op);
}

void Placer::visitHostOp(Operation *op) {
  if (isAboutMemory(op))
    return;
  OpBuilder builder(op);
  auto copy = dyn_cast<memref::CopyOp>(op);
  for (Value base : buffersOf(op)) {
    if (!copy || !replaces(copy, base))
      copyOut(builder, op->getLoc(), base, /*waits=*/true);
    if (mayWrite(op, base))
      places.find(base)->second.newest = {/*host=*/true, /*device=*/false};
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

SmallVector<Sides> Placer::sides() {
  return llvm::map_to_vector(places,
                             [](auto &known) { return known.second.newest; });
}

void Placer::setSides(ArrayRef<Sides> newest) {
  for (auto [known, its] : llvm::zip_equal(places, newest))
    known.second.newest = its;
}

/// Copies at the end of a block, so that the sides wanted have the contents.
void Placer::reach(Operation *end, Value base, Sides wanted) {
  OpBuilder builder(end);
  if (wanted.device)
    copyIn(builder, end->getLoc(), base);
  if (wanted.host)
    copyOut(builder, end->getLoc(), base, /*waits=*/true);
}

/// A side has the contents after a branch if it has them after both. Where none
/// would, the first branch copies to the side that the other one leaves them.
void Placer::visitIf(scf::IfOp op) {
  SmallVector<Sides> before = sides();
  visitBlock(*op.thenBlock());
  SmallVector<Sides> first = sides();
  setSides(before);
  if (Block *block = op.elseBlock())
    visitBlock(*block);
  SmallVector<Sides> second = sides();
  setSides(first);
  for (auto [known, a, b] : llvm::zip_equal(places, first, second)) {
    bool isNone = !(a.host && b.host) && !(a.device && b.device);
    if (isNone && !isDefinedIn(op, known.first))
      reach(op.thenBlock()->getTerminator(), known.first, b);
    Sides &newest = known.second.newest;
    newest = {newest.host && b.host, newest.device && b.device};
  }
}

llvm::MapVector<Value, Uses> Placer::usesIn(Operation *loop) {
  llvm::MapVector<Value, Uses> uses;
  loop->walk([&](Operation *op) {
    if (op->getNumRegions() > 0 || isAboutMemory(op))
      return;
    for (Value operand : llvm::make_filter_range(op->getOperands(), isBuffer))
      for (Value base : placedSources(operand)) {
        if (isDefinedIn(loop, base))
          continue;
        Uses &its = uses[base];
        auto copy = dyn_cast<memref::CopyOp>(op);
        bool isOnDevice =
            copy ? hasPlaces(copy)
                 : isa<LaunchOp>(op) &&
                       places.find(viewBase(operand))->second.device;
        (isOnDevice ? its.onDevice : its.onHost) = true;
        its.isWritten |= mayWrite(op, base);
      }
  });
  return uses;
}

/// Each iteration begins with the contents of a buffer on the same sides: on
/// both if the loop only reads it, on the device if a launch has it, else on
/// the host.
void Placer::visitLoop(Operation *loop) {
  OpBuilder builder(loop);
  llvm::MapVector<Value, Uses> uses = usesIn(loop);
  for (auto &[base, its] : uses) {
    if (its.onDevice)
      copyIn(builder, loop->getLoc(), base);
    if (!its.onDevice || (its.onHost && !its.isWritten))
      copyOut(builder, loop->getLoc(), base, /*waits=*/true);
    if (its.isWritten)
      places.find(base)->second.newest = {!its.onDevice, its.onDevice};
  }
  SmallVector<Sides> head = sides();
  for (Region &region : loop->getRegions()) {
    visitBlock(region.front());
    for (auto &[base, its] : uses)
      reach(region.front().getTerminator(), base,
            head[places.find(base) - places.begin()]);
    setSides(head);
  }
}

void Placer::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (op.getNumResults() == 1)
      if (auto known = places.find(op.getResult(0)); known != places.end())
        known->second.newest = {};
    auto copy = dyn_cast<memref::CopyOp>(op);
    if (copy && visitCopy(copy))
      continue;
    if (auto launch = dyn_cast<LaunchOp>(op))
      visitLaunch(launch);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      visitIf(branch);
    else if (isa<scf::ForOp, scf::WhileOp>(op))
      visitLoop(&op);
    else
      visitHostOp(&op);
  }
}

LogicalResult Placer::run() {
  SmallVector<LaunchOp> launches = launchesOf(host);
  if (launches.empty())
    return success();
  if (failed(memory.find(launches)))
    return failure();
  Block &body = host.getBody().front();
  visitBlock(body);
  OpBuilder end(body.getTerminator());
  for (auto &[base, place] : places)
    if (place.device && isa_and_nonnull<OutputOp>(base.getDefiningOp()))
      copyOut(end, base.getLoc(), base, /*waits=*/false);
  return success();
}

namespace {

struct PlaceLaunches : krnl::impl::KrnlPlaceLaunchesPassBase<PlaceLaunches> {
  using KrnlPlaceLaunchesPassBase::KrnlPlaceLaunchesPassBase;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(TargetAttr::hostAttrName))
      return; // all runs on the processor
    Builder builder(&getContext());
    llvm::StringMap<IntegerAttr> kernels;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(KrnlDialect::threadsAttrName)) {
        auto number = builder.getI32IntegerAttr(int32_t(kernels.size()));
        kernels[kernel.getName()] = number;
        kernel->setAttr(KrnlDialect::deviceKernelAttrName, number);
      }
    SmallVector<Attribute> errors;
    for (func::FuncOp host : hostFunctions(getOperation()))
      if (failed(Placer(host, kernels, errors).run()))
        return signalPassFailure();
    if (!errors.empty())
      getOperation()->setAttr(deviceErrorsAttrName,
                              builder.getArrayAttr(errors));
  }
};

} // namespace
