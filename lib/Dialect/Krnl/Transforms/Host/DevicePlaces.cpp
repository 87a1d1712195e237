//===- DevicePlaces.cpp - Memory of buffers on a device ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DevicePlaces.h"

#include "HostBuffers.h"
#include "Memory/CarriedSlots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// Returns true if other values stand for the same buffer: results of loops and
/// branches, and values that their blocks carry.
static bool hasOtherNames(Value buffer) {
  return llvm::any_of(buffer.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return hasOtherNames(view->getResult(0));
    return isForwardingUse(use) || isa<arith::SelectOp>(user);
  });
}

/// Memory of the run on the device, as large as a buffer.
ArenaViewOp krnl::allocateLike(OpBuilder &builder, Location loc, Value base) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<Value> sizes = dynamicSizes(builder, loc, base);
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

DevicePlaces::DevicePlaces(func::FuncOp host,
                           SmallVectorImpl<Attribute> &errors)
    : host(host), errors(errors), entry(host.getContext()) {}

/// Returns true if the buffer is a row of another one, which is not aligned for
/// vectors.
static bool isRow(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<RowViewOp>(view))
      return true;
    buffer = view.getViewSource();
  }
  return false;
}

ArrayRef<Value> DevicePlaces::sourcesOf(Value buffer) {
  auto [known, isNew] = sources.try_emplace(buffer);
  if (!isNew)
    return known->second;
  llvm::SmallSetVector<Value, 4> names;
  SmallVector<Value, 2> found;
  names.insert(viewBase(buffer));
  for (size_t i = 0; i < names.size(); ++i) {
    auto given = forwarded.find(names[i]);
    if (given == forwarded.end())
      found.push_back(names[i]);
    else
      for (Value name : given->second)
        names.insert(viewBase(name));
  }
  return sources[buffer] = std::move(found);
}

bool krnl::isDefinedIn(Operation *op, Value base) {
  return op->isAncestor(base.getParentBlock()->getParentOp());
}

void DevicePlaces::findNames() {
  host.walk([&](Operation *op) {
    if (auto select = dyn_cast<arith::SelectOp>(op); select && isBuffer(select))
      forwarded[select] = {select.getTrueValue(), select.getFalseValue()};
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (!branch)
      return;
    RegionBranchInverseSuccessorMapping operands;
    branch.getSuccessorInputOperandMapping(operands);
    for (auto &[name, uses] : operands)
      if (isBuffer(name))
        for (OpOperand *use : uses)
          forwarded[name].push_back(use->get());
  });
  for (auto &[name, given] : forwarded) {
    Operation *producer = name.getDefiningOp();
    if (!producer)
      producer = name.getParentBlock()->getParentOp();
    for (Value source : sourcesOf(name))
      if (isDefinedIn(producer, source))
        leaving.insert(source);
    for (Value value : given)
      if (isRow(value))
        leaving.insert_range(sourcesOf(value));
  }
}

/// The arena on the device that is as large as that of the view.
Value DevicePlaces::arenaOf(ArenaViewOp view) {
  if (!view.getArena())
    return arena;
  if (!dynamicArena) {
    auto reserve = view.getArena().getDefiningOp<ArenaReserveOp>();
    OpBuilder builder(host.getContext());
    builder.setInsertionPointAfter(reserve);
    dynamicArena =
        DeviceAllocOp::create(builder, reserve.getLoc(), reserve.getBytes());
  }
  return dynamicArena;
}

/// A view of the arena of the device at the offset of `view`.
Value DevicePlaces::inArena(ArenaViewOp view) {
  OpBuilder builder(host.getContext());
  builder.setInsertionPointAfter(view);
  return ArenaViewOp::create(builder, view.getLoc(), view.getType(),
                             view.getOffset(), view.getSizes(), arenaOf(view),
                             DenseI64ArrayAttr());
}

static Value addressOf(OpBuilder &builder, Location loc, Value buffer) {
  return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
}

/// The memory of one of several buffers of an arena: as far from the beginning
/// of that of the device as the buffer is from that of the host. Null for other
/// buffers.
Value DevicePlaces::mirrorOf(Value name) {
  ArenaViewOp first;
  for (Value source : sourcesOf(name)) {
    auto view = source.getDefiningOp<ArenaViewOp>();
    if (!view || leaving.contains(source) ||
        (first && first.getArena() != view.getArena()))
      return {};
    first = view;
  }
  Location loc = name.getLoc();
  OpBuilder builder(host.getContext());
  builder.setInsertionPointAfterValue(name);
  auto bytes = MemRefType::get({1}, builder.getI8Type());
  Value start = ArenaViewOp::create(
      builder, loc, bytes, arith::ConstantIndexOp::create(builder, loc, 0),
      ValueRange(), first.getArena(), DenseI64ArrayAttr());
  Value offset =
      arith::SubIOp::create(builder, loc, addressOf(builder, loc, name),
                            addressOf(builder, loc, start));
  return ArenaViewOp::create(builder, loc, name.getType(), offset,
                             dynamicSizes(builder, loc, name), arenaOf(first),
                             DenseI64ArrayAttr());
}

/// Inputs and outputs of static size lie after the arena of the host.
Value DevicePlaces::afterArena(Value base) {
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
Value DevicePlaces::memoryOf(Value base) {
  Operation *op = base.getDefiningOp();
  if (auto weight = dyn_cast_or_null<WeightViewOp>(op)) {
    if (!constants)
      constants = DeviceConstantsOp::create(entry, host.getLoc());
    return viewAt(entry, base, constants, weight.getOffset());
  }
  if (auto view = dyn_cast_or_null<ArenaViewOp>(op))
    return leaving.contains(base) ? Value() : inArena(view);
  if (sourcesOf(base) != ArrayRef(base))
    return mirrorOf(base);
  if (hasOtherNames(base))
    return {};
  bool isOfFunction = base.getParentBlock() == &host.getBody().front();
  if (isOfFunction && (!op || isa<OutputOp>(op)))
    return afterArena(base);
  return {};
}

/// The words are some of those of all launches.
void DevicePlaces::listErrors(ErrorWordOp word) {
  Builder builder(word.getContext());
  word->setAttr(firstErrorAttrName,
                builder.getI32IntegerAttr(int32_t(errors.size())));
  for (auto [message, loc, dimension] :
       llvm::zip_equal(word.getMessages().getAsRange<StringAttr>(),
                       word.getLocations().getAsRange<LocationAttr>(),
                       word.getDimensions()))
    errors.push_back(
        builder.getArrayAttr({builder.getStringAttr(nodeMessage(loc, message)),
                              builder.getI64IntegerAttr(dimension)}));
}

LogicalResult DevicePlaces::addPlace(LaunchOp launch, Value base) {
  if (places.contains(base))
    return success();
  if (auto word = base.getDefiningOp<ErrorWordOp>()) {
    listErrors(word);
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
  if (place.device)
    for (Value source : sourcesOf(base))
      if (failed(addPlace(launch, source)))
        return failure();
  return success();
}

LogicalResult DevicePlaces::find(ArrayRef<LaunchOp> launches) {
  if (auto known = host->getAttrOfType<IntegerAttr>("krnl.arena_bytes"))
    bytes = llvm::alignTo(known.getInt(), bufferAlignment);
  entry.setInsertionPointToStart(&host.getBody().front());
  auto size = arith::ConstantIndexOp::create(entry, host.getLoc(), bytes);
  arena = DeviceAllocOp::create(entry, host.getLoc(), size);
  findNames();
  for (LaunchOp launch : launches) {
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
  size->setAttr("value", entry.getIndexAttr(bytes));
  if (arena.use_empty())
    arena.getDefiningOp()->erase();
  return success();
}

Value DevicePlaces::onDevice(OpBuilder &builder, Value buffer,
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
