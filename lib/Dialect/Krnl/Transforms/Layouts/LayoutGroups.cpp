//===- LayoutGroups.cpp - Tensors with one order ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayoutGroups.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

SmallVector<int64_t> onnxc::krnl::loopsOf(OpOperand &operand) {
  Access access(operand);
  SmallVector<int64_t> loops;
  for (unsigned position : llvm::seq(access.getRank())) {
    int64_t only = -1;
    for (unsigned dim : llvm::seq(access.getNumLoops()))
      if (access.dependsOnAt(position, dim))
        only = only == -1 ? int64_t(dim) : -2;
    loops.push_back(only);
  }
  return loops;
}

ViewSides onnxc::krnl::sidesOf(Operation *view) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return {expand.getResult(), expand.getSrc(),
            expand.getReassociationIndices()};
  auto collapse = cast<tensor::CollapseShapeOp>(view);
  return {collapse.getSrc(), collapse.getResult(),
          collapse.getReassociationIndices()};
}

/// Returns true if the value is used by no ops but kernels that can be
/// rewritten, and views.
bool LayoutGroups::isFree(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel || !kernel.getRecipe().empty())
      return false;
  } else if (!isa<KernelOp, tensor::EmptyOp, ComputeOp, TemporaryOp>(
                 value.getDefiningOp()) &&
             !views.contains(value.getDefiningOp())) {
    return false;
  }
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()))
      return dim.getConstantIndex().has_value();
    if (auto kernel = dyn_cast<KernelOp>(use.getOwner()))
      return kernel.getRecipe().empty();
    return isa<ComputeOp, tensor::ExtractOp, YieldOp>(use.getOwner()) ||
           views.contains(use.getOwner());
  });
}

LayoutGroups::LayoutGroups(ArrayRef<KernelOp> kernels,
                           ArrayRef<Operation *> views) {
  for (KernelOp kernel : kernels)
    addValues(kernel);
  for (Operation *view : views)
    addView(view);
  for (KernelOp kernel : kernels)
    tieMemory(kernel);
  for (Operation *view : this->views)
    tieView(view);
  for (auto [value, node] : nodes)
    if (!isFree(value))
      pinned[groups.findLeader(node.value)] = true;
}

void LayoutGroups::tieAdjacent(ArrayRef<KernelOp> kernels) {
  for (KernelOp kernel : kernels) {
    tieAdjacent(kernel);
    tieReads(kernel);
  }
}

void LayoutGroups::pinShortRuns() {
  llvm::DenseSet<unsigned> isShort;
  for (unsigned dim : shortRuns)
    isShort.insert(dims.findLeader(dim));
  for (auto [value, node] : nodes) {
    unsigned elected = electedOf(leadersOf(value));
    if (votes.contains(elected) && isShort.contains(elected))
      pinned[groups.findLeader(node.value)] = true;
  }
  votes.clear();
}

void LayoutGroups::join(unsigned a, unsigned b) {
  bool keeps = pinned[groups.findLeader(a)] || pinned[groups.findLeader(b)];
  pinned[groups.join(a, b)] = keeps;
}

/// Ties two tensors of one rank, dimension by dimension.
void LayoutGroups::tie(Value a, Value b) {
  auto x = nodes.find(a), y = nodes.find(b);
  if (x == nodes.end() || y == nodes.end())
    return;
  join(x->second.value, y->second.value);
  for (unsigned dim :
       llvm::seq<unsigned>(cast<RankedTensorType>(a.getType()).getRank()))
    dims.join(x->second.firstDim + dim, y->second.firstDim + dim);
}

/// The dimensions of a run go where the one that stands for all of them goes.
/// The last of them alone is along memory for kernels that see them apart.
void LayoutGroups::tieView(Operation *view) {
  ViewSides sides = sidesOf(view);
  auto type = cast<RankedTensorType>(sides.expanded.getType());
  int64_t minExtent = TargetAttr::processorOf(view).layoutElements;
  Node expanded = nodes.at(sides.expanded),
       collapsed = nodes.at(sides.collapsed);
  join(expanded.value, collapsed.value);
  for (auto [dim, run] : llvm::enumerate(sides.runs)) {
    for (int64_t part : run)
      dims.join(expanded.firstDim + part, collapsed.firstDim + dim);
    if (run.size() > 1 && type.getDimSize(run.back()) < minExtent)
      shortRuns.push_back(collapsed.firstDim + dim);
  }
}

bool LayoutGroups::isMovable(Value value) {
  auto node = nodes.find(value);
  return node != nodes.end() && !pinned[groups.findLeader(node->second.value)];
}

void LayoutGroups::add(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() < 3)
    return;
  Node node{unsigned(pinned.size()), numDims};
  if (!nodes.try_emplace(value, node).second)
    return;
  pinned.push_back(false);
  groups.grow(node.value + 1);
  numDims += type.getRank();
  dims.grow(numDims);
}

void LayoutGroups::addValues(KernelOp kernel) {
  auto add = [&](Value value) { this->add(value); };
  llvm::for_each(kernel->getOperands(), add);
  llvm::for_each(kernel->getResults(), add);
  llvm::for_each(kernel.getBody().getArguments(), add);
  for (Operation &op : kernel.getBody().front())
    llvm::for_each(op.getResults(), add);
}

void LayoutGroups::addView(Operation *view) {
  ViewSides sides = sidesOf(view);
  if (sides.runs.size() < 3)
    return;
  add(sides.expanded);
  add(sides.collapsed);
  views.insert(view);
}

/// Values that stand for the same memory.
void LayoutGroups::tieMemory(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [operand, argument] :
       llvm::zip_equal(kernel->getOperands(), body.getArguments()))
    tie(operand, argument);
  for (auto [number, result] : llvm::enumerate(kernel.getResults()))
    tie(result, kernel.getOutArgument(number));
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInits(), op->getResults()))
      tie(init, result);
}

/// Returns true if each index is a loop that the result has at the same
/// position, or is computed, and at least one of them is such a loop.
static bool isSideBySide(tensor::ExtractOp read, OpOperand &written) {
  SmallVector<int64_t> loops = loopsOf(written);
  if (read.getIndices().size() != loops.size())
    return false;
  bool follows = false;
  for (auto [index, loop] : llvm::zip_equal(read.getIndices(), loops)) {
    auto alone = index.getDefiningOp<IndexOp>();
    if (alone && int64_t(alone.getDim()) != loop)
      return false;
    follows |= alone != nullptr;
  }
  return follows;
}

/// Ties tensors read at computed indices along some dimensions, and written by
/// the same loops as they are read along all others: the dimension along memory
/// is to be the same on both sides.
void LayoutGroups::tieReads(KernelOp kernel) {
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (auto read : op.getBody()->getOps<tensor::ExtractOp>())
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isMovable(read.getTensor()) && isMovable(init.get()) &&
            isSideBySide(read, init))
          tie(read.getTensor(), init.get());
}

/// Operands that an op which reduces nothing accesses by the same loops.
void LayoutGroups::tieAdjacent(KernelOp kernel) {
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumReductionLoops() != 0)
      continue;
    SmallVector<Value> values(op->getOperands());
    for (auto [i, a] : llvm::enumerate(values))
      for (auto [j, b] : llvm::enumerate(values)) {
        if (i >= j || !isMovable(a) || !isMovable(b))
          continue;
        if (loopsOf(op->getOpOperand(i)) == loopsOf(op->getOpOperand(j)))
          tie(a, b);
      }
  }
}

void LayoutGroups::vote(Value value, int64_t position, double weight) {
  auto node = nodes.find(value);
  if (node != nodes.end())
    votes[dims.findLeader(node->second.firstDim + position)] += weight;
}

/// Which dimensions of its group the dimensions of the value are.
SmallVector<unsigned> LayoutGroups::leadersOf(Value value) {
  unsigned first = nodes.lookup(value).firstDim;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return llvm::map_to_vector(
      llvm::seq<unsigned>(first, first + rank),
      [&](unsigned dim) { return dims.findLeader(dim); });
}

/// The one with most votes; of equals the last: the first one is the batch.
unsigned LayoutGroups::electedOf(ArrayRef<unsigned> leaders) {
  return *llvm::max_element(llvm::reverse(leaders),
                            [&](unsigned a, unsigned b) {
                              return votes.lookup(a) < votes.lookup(b);
                            });
}

SmallVector<int64_t> LayoutGroups::orderOf(Value value) {
  if (!isMovable(value))
    return {};
  SmallVector<unsigned> leaders = leadersOf(value);
  unsigned last = electedOf(leaders);
  SmallVector<int64_t> order;
  for (bool isLast : {false, true})
    for (auto [dim, leader] : llvm::enumerate(leaders))
      if ((leader == last) == isLast)
        order.push_back(dim);
  if (!votes.contains(last) || llvm::is_sorted(order))
    return {};
  return order;
}
