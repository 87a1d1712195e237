//===- PlaceLaunches.cpp - Launches on a device ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

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

/// A buffer of the host that launches use: its memory on the device, and which
/// of the two have the newest contents. Neither has, before the first write.
struct Place {
  Value device;
  bool isOnHost = false, isOnDevice = false;
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
  FailureOr<int64_t> arenaOffset(LaunchOp launch, Value base);
  void place(LaunchOp launch);
  Value onDevice(OpBuilder &builder, Value buffer);
  void copyIn(OpBuilder &builder, Location loc, Value base);
  void copyOut(OpBuilder &builder, Location loc, Value base, bool waits);
  void visitHostOp(Operation *op);
  void copyOutputs();

  func::FuncOp host;
  const llvm::StringMap<IntegerAttr> &kernels;
  /// What kernels report, of all functions.
  SmallVectorImpl<Attribute> &errors;
  OpBuilder entry;
  llvm::MapVector<Value, Place> places;
  int64_t bytes = 0;
  Value arena, constants;
};

} // namespace

static SmallVector<LaunchOp> launchesOf(func::FuncOp host) {
  SmallVector<LaunchOp> launches;
  host.walk([&](LaunchOp op) { launches.push_back(op); });
  return launches;
}

static bool isBuffer(Value value) { return isa<MemRefType>(value.getType()); }

/// Where a buffer that no constant is lies in the arena of the device.
FailureOr<int64_t> Placer::arenaOffset(LaunchOp launch, Value base) {
  auto type = cast<MemRefType>(base.getType());
  auto view = base.getDefiningOp<ArenaViewOp>();
  std::optional<int64_t> offset = view && !view.getArena()
                                      ? getConstantIntValue(view.getOffset())
                                      : std::nullopt;
  bool isBehind = isa<BlockArgument>(base) ||
                  isa_and_nonnull<OutputOp>(base.getDefiningOp());
  std::optional<int64_t> size = boundedBytes(type);
  if (!type.hasStaticShape() || !size || (!offset && !isBehind))
    return launch.emitOpError(
        "has a buffer whose size only a run knows, which a device does not "
        "have yet: give the sizes of the inputs by --shape or --dim, or "
        "compile "
        "the model for the processor, by --device=cpu");
  if (offset)
    return *offset;
  int64_t behind = bytes;
  bytes += llvm::alignTo(std::max<int64_t>(*size, 1), bufferAlignment);
  return behind;
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
  Place place;
  Location loc = base.getLoc();
  if (auto word = base.getDefiningOp<ErrorWordOp>()) {
    listErrors(launch, word);
    places.insert({base, {word, /*isOnHost=*/true, /*isOnDevice=*/true}});
    return success();
  }
  Value memory = arena;
  int64_t offset;
  if (auto weight = base.getDefiningOp<WeightViewOp>()) {
    if (!constants)
      constants = DeviceConstantsOp::create(entry, host.getLoc());
    memory = constants;
    offset = weight.getOffset();
    place.isOnHost = place.isOnDevice = true;
  } else {
    FailureOr<int64_t> found = arenaOffset(launch, base);
    if (failed(found))
      return failure();
    offset = *found;
    place.isOnHost = isa<BlockArgument>(base);
  }
  place.device =
      ArenaViewOp::create(entry, loc, base.getType(),
                          arith::ConstantIndexOp::create(entry, loc, offset),
                          ValueRange(), memory, DenseI64ArrayAttr());
  places.insert({base, place});
  return success();
}

LogicalResult Placer::findPlaces() {
  for (LaunchOp launch : launchesOf(host)) {
    if (launch->getBlock() != &host.getBody().front())
      return launch.emitOpError("is in a loop or branch, which a device does "
                                "not run yet: compile the "
                                "model for the processor, by --device=cpu");
    for (Value operand : launch->getOperands())
      if (isBuffer(operand) && failed(addPlace(launch, viewBase(operand))))
        return failure();
  }
  return success();
}

/// The same part of the memory on the device.
Value Placer::onDevice(OpBuilder &builder, Value buffer) {
  auto known = places.find(buffer);
  if (known != places.end())
    return known->second.device;
  Operation *view = buffer.getDefiningOp();
  Value source = cast<ViewLikeOpInterface>(view).getViewSource();
  IRMapping map;
  map.map(source, onDevice(builder, source));
  return builder.clone(*view, map)
      ->getResult(cast<OpResult>(buffer).getResultNumber());
}

void Placer::copyIn(OpBuilder &builder, Location loc, Value base) {
  Place &place = places.find(base)->second;
  if (place.isOnDevice || !place.isOnHost)
    return;
  CopyInOp::create(builder, loc, base, place.device);
  place.isOnDevice = true;
}

void Placer::copyOut(OpBuilder &builder, Location loc, Value base, bool waits) {
  Place &place = places.find(base)->second;
  if (place.isOnHost || !place.isOnDevice)
    return;
  CopyOutOp::create(builder, loc, place.device, base, waits);
  place.isOnHost = true;
}

/// Results may be a part of their buffer, the rest of which stays.
void Placer::place(LaunchOp launch) {
  OpBuilder builder(launch);
  launch->setAttr(KrnlDialect::deviceKernelAttrName,
                  kernels.lookup(launch.getKernel()));
  SmallVector<Value> outs;
  for (Value out : launch.getOuts())
    outs.push_back(viewBase(out));
  for (OpOperand &operand : launch->getOpOperands()) {
    if (!isBuffer(operand.get()))
      continue;
    copyIn(builder, launch.getLoc(), viewBase(operand.get()));
    operand.set(onDevice(builder, operand.get()));
  }
  for (Value base : outs) {
    Place &place = places.find(base)->second;
    place.isOnDevice = true;
    place.isOnHost = false;
  }
}

/// Whatever else has a buffer reads it, and, unless it is known not to, writes
/// it.
void Placer::visitHostOp(Operation *op) {
  if (isa<ViewLikeOpInterface, memref::DimOp, OutputOp, ReleaseOp, CopyInOp,
          CopyOutOp>(op))
    return;
  llvm::SetVector<Value> used;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isBuffer(operand) && places.contains(viewBase(operand)))
        used.insert(viewBase(operand));
  });
  OpBuilder builder(op);
  for (Value base : used) {
    copyOut(builder, op->getLoc(), base, /*waits=*/true);
    if (isa<memref::LoadOp>(op) || base.getDefiningOp<WeightViewOp>())
      continue;
    Place &place = places.find(base)->second;
    place.isOnHost = true;
    place.isOnDevice = false;
  }
}

void Placer::copyOutputs() {
  OpBuilder builder(host.getBody().front().getTerminator());
  for (auto &[base, place] : places)
    if (isa_and_nonnull<OutputOp>(base.getDefiningOp()))
      copyOut(builder, base.getLoc(), base, /*waits=*/false);
}

LogicalResult Placer::run() {
  if (launchesOf(host).empty())
    return success();
  if (auto known = host->getAttrOfType<IntegerAttr>("krnl.arena_bytes"))
    bytes = llvm::alignTo(known.getInt(), bufferAlignment);
  Block &body = host.getBody().front();
  entry.setInsertionPointToStart(&body);
  auto reserve = DeviceArenaOp::create(entry, host.getLoc(), bytes);
  arena = reserve;
  if (failed(findPlaces()))
    return failure();
  reserve.setBytes(std::max<int64_t>(bytes, 1));
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (auto launch = dyn_cast<LaunchOp>(op))
      place(launch);
    else
      visitHostOp(&op);
  copyOutputs();
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
