//===- OrderLaunches.cpp - Launches that need results of others -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OrderLaunches.h"

#include "Host/HostBuffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/BufferParts.h"
#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

namespace {

/// What a launch does with a buffer.
struct Access {
  unsigned launch;
  bool writes;
  /// None: it accesses all.
  std::optional<BufferPart> part;

  bool conflictsWith(const Access &other) const {
    if (launch == other.launch || (!writes && !other.writes))
      return false;
    return !part || !other.part || part->pitch != other.part->pitch ||
           (part->begin < other.part->end && other.part->begin < part->end);
  }
};

class Orderer {
public:
  Orderer(function_ref<bool(Value)> isOnDevice, AssumedValues &sizes)
      : isOnDevice(isOnDevice), sizes(sizes) {}

  void visit(Block &block);
  OrderedLaunches result;

private:
  void endPart() {
    result.graph.endPart();
    accesses.clear();
  }
  unsigned add(Operation *op);
  void access(unsigned launch, Value buffer, bool writes,
              std::optional<BufferPart> part);
  void visitLaunch(LaunchOp op);
  void visitCopy(memref::CopyOp op);
  bool waits(Operation &op);
  void visitOther(Operation &op);
  bool isOneBuffer(Value base);

  function_ref<bool(Value)> isOnDevice;
  AssumedValues &sizes;
  /// The accesses of the launches of the part, by buffer.
  DenseMap<Value, SmallVector<Access>> accesses;
};

} // namespace

/// Constants and the word of errors order nothing.
static bool isUnordered(Value base) {
  return isa_and_nonnull<WeightViewOp, ErrorWordOp>(base.getDefiningOp());
}

/// Returns true if a view has another shape, and all elements in their order.
static bool reshapes(Operation *view) {
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::ReshapeOp>(view))
    return true;
  auto cast = dyn_cast<memref::ReinterpretCastOp>(view);
  if (!cast)
    return false;
  auto from = dyn_cast<MemRefType>(cast.getSource().getType());
  MemRefType to = cast.getType();
  return from && from.hasStaticShape() && to.hasStaticShape() &&
         from.getLayout().isIdentity() && to.getLayout().isIdentity() &&
         from.getNumElements() == to.getNumElements();
}

/// Returns true if the elements of a view are all those of its buffer, in
/// order.
static bool showsAll(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    auto next = dyn_cast<ViewLikeOpInterface>(op);
    if (!next)
      return true;
    if (!reshapes(op))
      return false;
    view = next.getViewSource();
  }
  return true;
}

unsigned Orderer::add(Operation *op) {
  unsigned number = result.graph.add(predictedCycles(op, sizes));
  result.ops.push_back(op);
  return number;
}

/// The latest ones first: what orders them already is known then.
void Orderer::access(unsigned launch, Value buffer, bool writes,
                     std::optional<BufferPart> part) {
  Value base = viewBase(buffer);
  if (isUnordered(base))
    return;
  if (!showsAll(buffer))
    part.reset();
  Access access{launch, writes, part};
  SmallVector<Access> &its = accesses[base];
  for (const Access &earlier : llvm::reverse(its))
    if (earlier.conflictsWith(access))
      result.graph.order(earlier.launch, launch);
  its.push_back(access);
  SmallVector<unsigned> &users = result.users[base];
  if (users.empty() || users.back() != launch)
    users.push_back(launch);
}

/// Returns true if the buffer is not one of several that a branch or loop
/// chooses.
bool Orderer::isOneBuffer(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isUnordered(base) || isa<OutputOp>(base.getDefiningOp()) ||
         isOnDevice(base);
}

void Orderer::visitLaunch(LaunchOp op) {
  bool isAlone = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           !isOneBuffer(viewBase(operand));
  });
  if (isAlone)
    endPart();
  unsigned launch = add(op);
  for (auto [i, in] : llvm::enumerate(op.getIns()))
    if (isa<MemRefType>(in.getType()))
      access(launch, in, /*writes=*/false, partOf(op, int64_t(i)));
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    access(launch, out, /*writes=*/true, partOf(op, ~int64_t(i)));
  if (isAlone)
    endPart();
}

void Orderer::visitCopy(memref::CopyOp op) {
  bool isOnHost = llvm::any_of(op->getOperands(), [&](Value buffer) {
    return !isOneBuffer(viewBase(buffer));
  });
  if (isOnHost)
    return endPart();
  unsigned copy = add(op);
  access(copy, op.getSource(), /*writes=*/false, std::nullopt);
  access(copy, op.getTarget(), /*writes=*/true, std::nullopt);
}

/// Returns true for what waits for launches: those that access one of its
/// buffers.
bool Orderer::waits(Operation &op) {
  return !isAboutMemory(&op) && llvm::any_of(op.getOperands(), [&](Value v) {
    return isa<MemRefType>(v.getType()) &&
           (!isOneBuffer(viewBase(v)) || result.users.contains(viewBase(v)));
  });
}

void Orderer::visitOther(Operation &op) {
  if (op.getNumRegions() == 0 && !waits(op))
    return;
  endPart();
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      visit(block);
      endPart();
    }
}

void Orderer::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto launch = dyn_cast<LaunchOp>(op))
      visitLaunch(launch);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      visitCopy(copy);
    else
      visitOther(op);
  }
}

OrderedLaunches krnl::orderLaunches(func::FuncOp host,
                                    function_ref<bool(Value)> isOnDevice,
                                    AssumedValues &sizes) {
  Orderer orderer(isOnDevice, sizes);
  for (Block &block : host.getBody())
    orderer.visit(block);
  orderer.result.graph.measure();
  return std::move(orderer.result);
}
