//===- StoragePlan.cpp - Where the tensors of a kernel live -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/HoistedOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc::krnl {

StoragePlan::StoragePlan(KernelOp kernel, const LoopNest &nest,
                         Forwards forwards)
    : kernel(kernel), nest(nest), forwards(std::move(forwards)) {
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    plans.emplace_back(nest, op);
}

bool StoragePlan::isBodyOp(Operation *op) const {
  return op && isa<ComputeOp>(op) && op->getParentOp() == kernel;
}

bool StoragePlan::isOnlyStart(unsigned op) const {
  return llvm::all_of(plans[op].op->getResults(), [&](OpResult result) {
    if (!result.hasOneUse())
      return false;
    OpOperand &use = *result.use_begin();
    auto reader = dyn_cast<ComputeOp>(use.getOwner());
    return reader && reader.isDpsInit(&use) &&
           plans[nest.indexOf(reader)].startOf(
               reader.getTiedOpResult(&use).getResultNumber());
  });
}

/// Returns true if the op leaves elements of the tensor that it continues
/// unchanged. A loop along two dimensions runs over their diagonal.
static bool writesPart(ComputeOp op, OpOperand *init) {
  Access access(*init);
  if (scatterStoreOf(op, op.getTiedOpResult(init).getResultNumber()) ||
      !access.coversAll())
    return true;
  llvm::SmallDenseSet<unsigned> loops;
  return !llvm::all_of(llvm::seq(access.getRank()), [&](unsigned position) {
    std::optional<unsigned> loop = access.loopAt(position);
    return !loop || loops.insert(*loop).second;
  });
}

/// Returns true if the op continues the tensor it starts from, by accumulating
/// into it or by writing only a part of it.
static bool continuesInit(ComputeOp op, OpOperand *init) {
  return op.payloadUsesValueFromOperand(init) || writesPart(op, init);
}

SmallVector<AffineExpr> indicesOverAxes(AffineMap map, const BodyOp &op) {
  SmallVector<AffineExpr> axes;
  for (unsigned axis : op.axes)
    axes.push_back(getAffineDimExpr(axis, map.getContext()));
  SmallVector<AffineExpr> indices;
  for (AffineExpr index : map.getResults())
    indices.push_back(index.replaceDims(axes));
  return indices;
}

/// Returns true if the op would overwrite the tensor that it continues before
/// other ops read it. Then it gets memory of its own, into which the tensor it
/// starts from is written as well. Ops that have read the same elements before
/// do not count.
bool StoragePlan::overwritesEarly(OpOperand &init) const {
  Value tensor = init.get();
  auto maker = tensor.getDefiningOp<ComputeOp>();
  if (!maker || tensor.hasOneUse())
    return false;
  auto consumer = cast<ComputeOp>(init.getOwner());
  unsigned last = nest.indexOf(consumer);
  if (writesPart(consumer, &init) || isInside(nest, last))
    return true;
  auto indices = [&](ComputeOp op, AffineMap map) {
    return indicesOverAxes(map, nest.op(nest.indexOf(op)));
  };
  SmallVector<AffineExpr> written =
      indices(consumer, consumer.getMatchingIndexingMap(&init));
  if (written != indices(maker, maker.getIndexingMapMatchingResult(
                                    cast<OpResult>(tensor))))
    return true;
  return !llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    if (&use == &init)
      return true;
    auto reader = dyn_cast<ComputeOp>(use.getOwner());
    return reader && isBodyOp(reader) && !reader.isDpsInit(&use) &&
           readsBefore(nest, nest.indexOf(reader), last) &&
           !isInside(nest, nest.indexOf(reader)) &&
           indices(reader, reader.getMatchingIndexingMap(&use)) == written;
  });
}

Value StoragePlan::chainRoot(Value tensor) const {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    auto op = dyn_cast<ComputeOp>(result.getOwner());
    if (!op)
      break;
    OpOperand *init = op.getTiedOpOperand(result);
    if (!continuesInit(op, init) || overwritesEarly(*init))
      break;
    tensor = init->get();
  }
  return tensor;
}

/// Every loop of its own has to be a register loop, or reduced inside all the
/// others. A loop that is whole in registers or of threads will do, too.
bool StoragePlan::isCompleteInRegisters(unsigned number) const {
  bool keepsOrder = isOrdered(plans[number].op), isReducing = false;
  return llvm::all_of(nest.op(number).loops, [&](const LoopUse &use) {
    if (nest.isAround(use.loop, number))
      return !use.reduced;
    isReducing |= use.reduced;
    // A thread has one iteration of a mapped loop, inside of which the others
    // are.
    bool isWhole =
        nest.loop(use.loop).mapped || (!keepsOrder && nest.isInRegisters(use));
    return use.reduced || use.role != RegisterRole::None ||
           (isWhole && !isReducing && !nest.endsEarly(use.loop));
  });
}

/// Returns true if the use reads the very element that was produced at this
/// point, in registers.
bool StoragePlan::canForward(OpResult produced, OpOperand &use) const {
  auto producer = cast<ComputeOp>(produced.getOwner());
  auto consumer = dyn_cast<ComputeOp>(use.getOwner());
  if (!consumer || !isBodyOp(consumer) ||
      !isCompleteInRegisters(nest.indexOf(producer)))
    return false;
  if (!runTogether(nest, nest.indexOf(producer), nest.indexOf(consumer)))
    return false;
  unsigned result = produced.getResultNumber();
  if (scatterStoreOf(producer, result) || isTrace(producer, result))
    return false;
  // Values that every step continues have to be in memory.
  if (consumer.isDpsInit(&use) &&
      (scatterStoreOf(consumer,
                      consumer.getTiedOpResult(&use).getResultNumber()) ||
       !plans[nest.indexOf(consumer)].startsOnce))
    return false;
  const BodyOp &from = nest.op(nest.indexOf(producer));
  const BodyOp &to = nest.op(nest.indexOf(consumer));
  if (forwards && !forwards(from, to))
    return false;
  // Without an instruction for matrices a thread of a device needs elements of
  // others, too.
  if (registerFactor(nest, use))
    return !TargetAttr::processorOf(kernel).isDevice() ||
           multipliesMatrices(consumer);
  AffineMap written = producer.getIndexingMapMatchingResult(produced);
  AffineMap read = consumer.getMatchingIndexingMap(&use);
  if (indicesOverAxes(written, from) != indicesOverAxes(read, to))
    return false;
  // The same loops must be in registers on both sides, with the same lanes, or
  // lanes are put together from single columns of a tile. After a sum that
  // blocks exchange each has the iteration of its share.
  for (const LoopUse &a : from.loops) {
    if (a.reduced || (isSharedOut(nest, a.loop, from) && to.find(a.loop)))
      continue;
    const LoopUse *other = to.find(a.loop);
    bool isTile = a.role != RegisterRole::None;
    bool isOfSingles = isTile && a.width() == 1;
    if (!other || (a.width() != other->width() && !isOfSingles) ||
        (!isTile && a.unroll != other->unroll))
      return false;
  }
  return true;
}

/// A tensor that is filled part by part has to get there with all its parts.
SmallVector<Value> StoragePlan::destinationAliases(OpResult produced) const {
  SmallVector<Value> aliases;
  for (OpOperand &use : produced.getUses()) {
    auto consumer = dyn_cast<ComputeOp>(use.getOwner());
    if (!consumer || !consumer.isDpsInit(&use))
      continue;
    OpResult continued = consumer.getTiedOpResult(&use);
    if (!overwritesEarly(use)) {
      if (writesPart(consumer, &use))
        llvm::append_range(aliases, destinationAliases(continued));
    } else if (continuesInit(consumer, &use) && !canForward(produced, use)) {
      aliases.push_back(continued);
    }
  }
  return aliases;
}

bool StoragePlan::needsMemory(OpResult produced) const {
  // Its elements are in the slices of the op that reads it.
  if (auto producer = dyn_cast<ComputeOp>(produced.getOwner());
      producer && isInSlices(nest, nest.indexOf(producer)))
    return false;
  // The running value that a reduction keeps for the sake of its other results,
  // unless it starts and stays in registers.
  if (produced.use_empty())
    if (auto producer = dyn_cast<ComputeOp>(produced.getOwner()))
      return producer->getNumResults() > 1 &&
             producer.getNumReductionLoops() > 0 &&
             !plans[nest.indexOf(producer)].startOf(produced.getResultNumber());
  return llvm::any_of(produced.getUses(), [&](OpOperand &use) {
    return isa<YieldOp>(use.getOwner()) || isReadFromMemory(produced, use);
  });
}

bool StoragePlan::isReadFromMemory(OpResult produced, OpOperand &use) const {
  auto consumer = dyn_cast<ComputeOp>(use.getOwner());
  // Read by index from inside a payload.
  if (!consumer)
    return !isa<YieldOp>(use.getOwner());
  if (consumer.isDpsInit(&use)) {
    // Running values begin with the value that all elements have.
    unsigned result = consumer.getTiedOpResult(&use).getResultNumber();
    if (plans[nest.indexOf(consumer)].startOf(result) ||
        !continuesInit(consumer, &use) || overwritesEarly(use))
      return false;
  }
  return !canForward(produced, use);
}

bool isAroundPart(const LoopNest &nest, unsigned loop, unsigned depth) {
  return nest.loop(loop).fusedOuter
             ? llvm::is_contained(nest.order().take_front(depth), loop)
             : nest.loop(loop).computeAt;
}

/// Returns true if the op reads the tensor, continues it, or writes what it
/// starts with.
bool StoragePlan::accesses(unsigned op, Value root) const {
  ComputeOp user = plans[op].op;
  return llvm::any_of(
             user->getOperands(),
             [&](Value operand) { return chainRoot(operand) == root; }) ||
         llvm::any_of(user->getResults(), [&](OpResult result) {
           return llvm::is_contained(destinationAliases(result), root);
         });
}

/// How many fused outer loops are around all that is done with the tensor:
/// around each op that accesses it, and outside of those that a sum in it is
/// over.
unsigned StoragePlan::depthOf(Value root) const {
  unsigned depth = nest.fusedOuterLoops().size();
  for (const OpPlan &plan : plans) {
    unsigned ofOp = nest.depthOf(plan.number),
             ofSums = depthOfSums(nest, plan.number);
    if (ofSums < depth && writes(plan.number, root))
      depth = ofSums;
    if (ofOp < depth && accesses(plan.number, root))
      depth = ofOp;
  }
  return depth;
}

/// Returns true if one of the loops around the part that is stored stems from
/// iterator dimension `dim` of the op.
bool StoragePlan::hasFusedOuterLoop(unsigned number, unsigned dim,
                                    unsigned depth) const {
  unsigned axis = nest.op(number).axes[dim];
  return llvm::any_of(nest.order(), [&](unsigned loop) {
    return nest.isAround(loop, number) && isAroundPart(nest, loop, depth) &&
           nest.stemsFrom(loop, axis);
  });
}

/// An upper bound of `value`, over the loops of the op, within one visit of the
/// first `depth` fused outer loops: of those only the instances and lanes of
/// one step count. A very large number if it is not known.
int64_t StoragePlan::lastLocal(unsigned number, AffineExpr value,
                               unsigned depth) const {
  constexpr int64_t unknown = int64_t(1) << 40;
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return std::min(constant.getValue(), unknown);
  if (isa<AffineSymbolExpr>(value))
    return unknown;
  if (auto dim = dyn_cast<AffineDimExpr>(value)) {
    const LoopUse &use = *nest.op(number).find(dim.getPosition());
    const Loop &loop = nest.loop(use.loop);
    if (nest.isAround(use.loop, number) && isAroundPart(nest, use.loop, depth))
      return std::max(use.unroll, use.width()) - 1;
    return loop.isDynamic() ? unknown : std::max<int64_t>(loop.extent, 1) - 1;
  }
  auto binary = cast<AffineBinaryOpExpr>(value);
  int64_t x = lastLocal(number, binary.getLHS(), depth);
  int64_t y = lastLocal(number, binary.getRHS(), depth);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return std::min(x + y, unknown);
  case AffineExprKind::Mul:
    return x != 0 && y > unknown / x ? unknown : x * y;
  case AffineExprKind::Mod:
    return std::min(x, y - 1);
  case AffineExprKind::FloorDiv:
    return y == unknown ? x : x / std::max<int64_t>(y, 1);
  default:
    return unknown;
  }
}

/// Shape of the part of an intermediate that one visit of the first `depth`
/// fused outer loops touches.
SmallVector<int64_t> StoragePlan::localShape(OpResult value,
                                             unsigned depth) const {
  auto op = cast<ComputeOp>(value.getOwner());
  unsigned number = nest.indexOf(op);
  Access access(*op.getTiedOpOperand(value));
  SmallVector<int64_t> shape;
  for (unsigned position : llvm::seq(access.getRank())) {
    std::optional<unsigned> dim = access.loopAt(position);
    bool partly = dim && hasFusedOuterLoop(number, *dim, depth);
    shape.push_back(
        partly ? lastLocal(number, nest.axisExpr(number, *dim), depth) + 1
               : cast<ShapedType>(value.getType()).getDimSize(position));
  }
  return shape;
}

bool StoragePlan::writes(unsigned op, Value root) const {
  return llvm::any_of(plans[op].op->getResults(),
                      [&](Value result) { return chainRoot(result) == root; });
}

/// Bytes of a tensor; nothing if they are not known.
static std::optional<int64_t> bytesOf(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = elementBytes(element);
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes))
      return std::nullopt;
  return bytes;
}

bool StoragePlan::isSharedRoot(Value root) const {
  return llvm::any_of(plans, [&](const OpPlan &plan) {
    return nest.op(plan.number).isShared && writes(plan.number, root);
  });
}

int64_t StoragePlan::sharedBytes() const {
  int64_t bytes = 0;
  for (const auto &[root, slot] : slots)
    if (slot.isShared)
      bytes += llvm::alignTo(
          bytesOf(slot.localShape, getElementTypeOrSelf(root.getType()))
              .value_or(int64_t(1) << 40),
          Cache::sharedAlignment);
  return bytes;
}

void StoragePlan::assignOutputs() {
  for (auto [i, value] : llvm::enumerate(kernel.getYield().getValues()))
    if (Value root = chainRoot(value); !isa<BlockArgument>(root))
      outputOf.try_emplace(root, i);
}

void StoragePlan::assignSlot(Value root, OpResult value) {
  // A reduction may start from an undefined tensor.
  auto first = dyn_cast<OpResult>(root);
  if (!first || !isa<ComputeOp>(first.getOwner()))
    first = value;
  Storage slot;
  slot.depth = depthOf(root);
  SmallVector<int64_t> shape = localShape(first, slot.depth);
  Type element = getElementTypeOrSelf(root.getType());
  std::optional<int64_t> bytes = bytesOf(shape, element);
  if (isSharedRoot(root) && bytes) {
    // Rows an odd number of 16 bytes apart are in different banks.
    int64_t line = 16 / elementBytes(element);
    if (!shape.empty())
      shape.back() = (llvm::divideCeil(shape.back(), line) | 1) * line;
    slot.local = slot.isShared = true;
    slot.localShape = shape;
    slots[root] = slot;
    return;
  }
  bool fits = bytes && *bytes <= maxTileBytes;
  if (fits)
    tileBytes[root] = *bytes;
  if (fits && llvm::none_of(plans, [&](const OpPlan &plan) {
        return nest.op(plan.number).inArena && writes(plan.number, root);
      })) {
    slot.local = true;
    slot.localShape = shape;
  } else {
    temporaries.push_back(root);
  }
  slots[root] = slot;
}

void StoragePlan::assign() {
  assignOutputs();
  llvm::DenseSet<Value> seen, started;
  for (const OpPlan &plan : plans)
    for (OpResult value : plan.op->getResults()) {
      for (Value alias : destinationAliases(value))
        started.insert(alias);
      Value root = chainRoot(value);
      if (!isa<BlockArgument>(root) && !outputOf.contains(root) &&
          (needsMemory(value) || started.contains(value)) &&
          seen.insert(root).second)
        assignSlot(root, value);
    }
}

LogicalResult NestBuilder::arena(StringRef op, EmitErrorFn emitError) {
  std::optional<unsigned> number = findOp(op);
  if (!number)
    return emitError() << "there is no op '" << op << "'";
  if (bodyOps[*number].inArena)
    return emitError() << "the step is already applied to op '" << op << "'";
  bodyOps[*number].inArena = true;
  return success();
}

bool isSharedByThreads(const LoopNest &nest, const BodyOp &op) {
  return llvm::any_of(loopsOfThreads(nest), [&](unsigned loop) {
    const LoopUse *use = op.find(loop);
    return use && !use->reduced && !nest.loop(loop).fusedOuter;
  });
}

StoragePlan::Forwards forwardsOfTarget(KernelOp kernel, const LoopNest &nest) {
  if (TargetAttr::processorOf(kernel).isDevice()) {
    std::optional<unsigned> parts = clusterParts(nest);
    if (!parts || TargetAttr::of(kernel).formsClusters())
      return nullptr;
    return [parts](const BodyOp &producer, const BodyOp &) {
      return !producer.find(*parts);
    };
  }
  return [&nest](const BodyOp &producer, const BodyOp &) {
    return !isSharedByThreads(nest, producer);
  };
}

LogicalResult verifyArena(KernelOp kernel, const LoopNest &nest, StringRef op,
                          EmitErrorFn emitError) {
  StoragePlan storage(kernel, nest, forwardsOfTarget(kernel, nest));
  storage.assign();
  if (llvm::any_of(storage.tileBytes, [&](auto bytes) {
        return storage.writes(*nest.findOp(op), bytes.first);
      }))
    return success();
  return emitError() << "no result of op '" << op
                     << "' is an intermediate on the stack";
}

} // namespace onnxc::krnl
