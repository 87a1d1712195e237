//===- PlaceLaunches.cpp - Launches on a device ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"
#include "Memory/CarriedSlots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLPLACELAUNCHESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

namespace {

/// Which of the two sides have the newest contents of a buffer. Both have,
/// before the first write, and never none.
struct Sides {
  bool host = true, device = true;
};

/// A buffer of the host that launches use.
struct Place {
  /// Its memory on the device. Null for a buffer that loops or branches hand
  /// on, and for one of the pool: it stays on the host, and each launch copies.
  Value device;
  Sides newest;
};

/// Who uses a buffer in a loop.
struct Uses {
  bool onHost = false, onDevice = false, isWritten = false;
};

/// Places the launches of one function.
class Placer {
public:
  Placer(func::FuncOp host, const llvm::StringMap<IntegerAttr> &kernels,
         SmallVectorImpl<Attribute> &errors)
      : host(host), kernels(kernels), errors(errors), entry(host.getContext()) {
  }

  /// Fails, with an error, where a launch cannot run on a device.
  LogicalResult run();

private:
  LogicalResult findPlaces();
  LogicalResult addPlace(LaunchOp launch, Value base);
  void listErrors(LaunchOp launch, ErrorWordOp word);
  Value memoryOf(Value base);
  Value inArena(ArenaViewOp view);
  Value behindArena(Value base);
  void visitBlock(Block &block);
  void visitLaunch(LaunchOp launch);
  void visitHostOp(Operation *op);
  void visitIf(scf::IfOp op);
  void visitLoop(Operation *loop);
  SmallVector<Value> buffersOf(Operation *op);
  llvm::MapVector<Value, Uses> usesIn(Operation *loop);
  Value onDevice(OpBuilder &builder, Value buffer,
                 const DenseMap<Value, Value> &copied);
  void copyIn(OpBuilder &builder, Location loc, Value base);
  void copyOut(OpBuilder &builder, Location loc, Value base, bool waits);
  void reach(Operation *end, Value base, Sides wanted);
  SmallVector<Sides> sides();
  void setSides(ArrayRef<Sides> newest);

  func::FuncOp host;
  const llvm::StringMap<IntegerAttr> &kernels;
  /// What kernels report, of all functions.
  SmallVectorImpl<Attribute> &errors;
  OpBuilder entry;
  llvm::MapVector<Value, Place> places;
  int64_t bytes = 0;
  /// The arena of static size, that of the run's, and the weights.
  Value arena, dynamicArena, constants;
};

} // namespace

static SmallVector<LaunchOp> launchesOf(func::FuncOp host) {
  SmallVector<LaunchOp> launches;
  host.walk([&](LaunchOp op) { launches.push_back(op); });
  return launches;
}

static bool isBuffer(Value value) { return isa<MemRefType>(value.getType()); }

/// The same on both sides at any time: constants, and the word of errors.
static bool isShared(Value base) {
  return isa_and_nonnull<WeightViewOp, ErrorWordOp>(base.getDefiningOp());
}

/// Do other values stand for the same buffer: results of loops and branches,
/// and what their blocks carry?
static bool hasOtherNames(Value buffer) {
  return llvm::any_of(buffer.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return hasOtherNames(view->getResult(0));
    return handsOn(use) || isa<arith::SelectOp>(user);
  });
}

/// Memory of the run on the device, as large as a buffer.
static ArenaViewOp allocateLike(OpBuilder &builder, Location loc, Value base) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, base, i));
  Value bytes = BufferBytesOp::create(builder, loc, sizes, type);
  Value memory = DeviceAllocOp::create(builder, loc, bytes);
  return ArenaViewOp::create(builder, loc, type,
                             arith::ConstantIndexOp::create(builder, loc, 0),
                             sizes, memory, DenseI64ArrayAttr());
}

/// A buffer of static size in memory of the device.
static Value viewAt(OpBuilder &builder, Value base, Value memory,
                    int64_t offset) {
  Location loc = base.getLoc();
  return ArenaViewOp::create(
      builder, loc, base.getType(),
      arith::ConstantIndexOp::create(builder, loc, offset), ValueRange(),
      memory, DenseI64ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Memory on the device
//===----------------------------------------------------------------------===//

/// The same offset in the arena of the device, which is as large as the host's.
Value Placer::inArena(ArenaViewOp view) {
  OpBuilder builder(host.getContext());
  if (view.getArena() && !dynamicArena) {
    auto reserve = view.getArena().getDefiningOp<ArenaReserveOp>();
    builder.setInsertionPointAfter(reserve);
    dynamicArena =
        DeviceAllocOp::create(builder, reserve.getLoc(), reserve.getBytes());
  }
  builder.setInsertionPointAfter(view);
  return ArenaViewOp::create(
      builder, view.getLoc(), view.getType(), view.getOffset(), view.getSizes(),
      view.getArena() ? dynamicArena : arena, DenseI64ArrayAttr());
}

/// Inputs and outputs of static size lie behind the arena of the host.
Value Placer::behindArena(Value base) {
  auto type = cast<MemRefType>(base.getType());
  std::optional<int64_t> size = boundedBytes(type);
  if (!type.hasStaticShape() || !size) {
    OpBuilder builder = entry;
    if (Operation *output = base.getDefiningOp())
      builder.setInsertionPointAfter(output);
    return allocateLike(builder, base.getLoc(), base);
  }
  int64_t offset = bytes;
  bytes += llvm::alignTo(std::max<int64_t>(*size, 1), bufferAlignment);
  return viewAt(entry, base, arena, offset);
}

/// Null for a buffer that stays on the host.
Value Placer::memoryOf(Value base) {
  Operation *op = base.getDefiningOp();
  if (auto weight = dyn_cast_or_null<WeightViewOp>(op)) {
    if (!constants)
      constants = DeviceConstantsOp::create(entry, host.getLoc());
    return viewAt(entry, base, constants, weight.getOffset());
  }
  if (hasOtherNames(base))
    return {};
  if (auto view = dyn_cast_or_null<ArenaViewOp>(op))
    return inArena(view);
  bool isOfFunction = base.getParentBlock() == &host.getBody().front();
  if (isOfFunction && (!op || isa<OutputOp>(op)))
    return behindArena(base);
  return {};
}

/// The word of all launches takes the smallest number of an error.
void Placer::listErrors(LaunchOp launch, ErrorWordOp word) {
  OpBuilder builder(launch);
  auto first = builder.getI32IntegerAttr(int32_t(errors.size()));
  word->setAttr(firstErrorAttrName, first);
  // The number is behind the word.
  OpOperand &use = *word.getWord().getUses().begin();
  Value number = arith::ConstantOp::create(builder, launch.getLoc(), first);
  launch->setOperand(use.getOperandNumber() + 1, number);
  for (auto [message, loc] :
       llvm::zip_equal(word.getMessages().getAsRange<StringAttr>(),
                       word.getLocations().getAsRange<LocationAttr>()))
    errors.push_back(builder.getStringAttr(nodeMessage(loc, message)));
}

LogicalResult Placer::addPlace(LaunchOp launch, Value base) {
  if (places.contains(base))
    return success();
  if (auto word = base.getDefiningOp<ErrorWordOp>()) {
    listErrors(launch, word);
    places.insert({base, {word, {}}});
    return success();
  }
  auto type = cast<MemRefType>(base.getType());
  if (!type.getLayout().isIdentity())
    return launch.emitOpError("has a buffer of type ")
           << type
           << ", which a device does not have yet: compile the model for the "
              "processor, by --device=cpu";
  Place place{memoryOf(base), {}};
  place.newest.device = !isa<BlockArgument>(base);
  places.insert({base, place});
  return success();
}

LogicalResult Placer::findPlaces() {
  for (LaunchOp launch : launchesOf(host)) {
    for (Operation *parent = launch->getParentOp(); parent != host;
         parent = parent->getParentOp())
      if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
        return launch.emitOpError("is in '")
               << parent->getName()
               << "', which a device does not run yet: compile the model for "
                  "the processor, by --device=cpu";
    for (Value operand : launch->getOperands())
      if (isBuffer(operand) && failed(addPlace(launch, viewBase(operand))))
        return failure();
  }
  return success();
}

/// The same part of the memory on the device. Buffers that stay on the host
/// have been copied.
Value Placer::onDevice(OpBuilder &builder, Value buffer,
                       const DenseMap<Value, Value> &copied) {
  if (Value copy = copied.lookup(buffer))
    return copy;
  auto known = places.find(buffer);
  if (known != places.end())
    return known->second.device;
  Operation *view = buffer.getDefiningOp();
  Value source = cast<ViewLikeOpInterface>(view).getViewSource();
  IRMapping map;
  map.map(source, onDevice(builder, source, copied));
  return builder.clone(*view, map)
      ->getResult(cast<OpResult>(buffer).getResultNumber());
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
    if (places.find(base)->second.device) {
      copyIn(builder, loc, base);
    } else if (!copied.contains(base)) {
      ArenaViewOp copy = allocateLike(builder, loc, base);
      copied[base] = copy;
      CopyInOp::create(builder, loc, base, copy);
      if (outs.contains(base))
        CopyOutOp::create(after, loc, copy, base, /*wait=*/true);
      DeviceReleaseOp::create(after, loc, copy.getArena());
    }
    operand.set(onDevice(builder, operand.get(), copied));
  }
  for (Value base : outs)
    if (Place &place = places.find(base)->second; place.device)
      place.newest = {/*host=*/false, /*device=*/true};
}

/// The buffers with memory on the device that an operation of the host has.
SmallVector<Value> Placer::buffersOf(Operation *op) {
  llvm::SetVector<Value> used;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (!isBuffer(operand))
        continue;
      Value base = viewBase(operand);
      auto known = places.find(base);
      if (known != places.end() && known->second.device && !isShared(base))
        used.insert(base);
    }
  });
  return used.takeVector();
}

/// True for operations that neither read nor write what a buffer contains.
static bool isAboutMemory(Operation *op) {
  return isa<ViewLikeOpInterface, memref::DimOp, OutputOp, ReleaseOp, CopyInOp,
             CopyOutOp>(op);
}

/// Whatever else has a buffer reads it, and, unless it is known not to, writes
/// it.
void Placer::visitHostOp(Operation *op) {
  if (isAboutMemory(op))
    return;
  OpBuilder builder(op);
  for (Value base : buffersOf(op)) {
    copyOut(builder, op->getLoc(), base, /*waits=*/true);
    if (!isa<memref::LoadOp>(op))
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

static bool isDefinedIn(Operation *op, Value base) {
  return op->isAncestor(base.getParentBlock()->getParentOp());
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
    auto launch = dyn_cast<LaunchOp>(op);
    for (Value base : buffersOf(op)) {
      if (isDefinedIn(loop, base))
        continue;
      Uses &its = uses[base];
      (launch ? its.onDevice : its.onHost) = true;
      its.isWritten |=
          launch ? llvm::is_contained(
                       llvm::map_range(launch.getOuts(), viewBase), base)
                 : !isa<memref::LoadOp>(op);
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
  if (launchesOf(host).empty())
    return success();
  if (auto known = host->getAttrOfType<IntegerAttr>("krnl.arena_bytes"))
    bytes = llvm::alignTo(known.getInt(), bufferAlignment);
  Block &body = host.getBody().front();
  entry.setInsertionPointToStart(&body);
  auto size = arith::ConstantIndexOp::create(entry, host.getLoc(), bytes);
  arena = DeviceAllocOp::create(entry, host.getLoc(), size);
  if (failed(findPlaces()))
    return failure();
  size->setAttr("value", entry.getIndexAttr(bytes));
  if (arena.use_empty())
    arena.getDefiningOp()->erase();
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
