//===- LayoutGroups.cpp - Tensors with one order ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayoutGroups.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"

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

/// Is the value used by no ops but kernels that can be rewritten?
static bool isFree(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel || !kernel.getRecipe().empty())
      return false;
  } else if (!isa<KernelOp, tensor::EmptyOp, ComputeOp, TemporaryOp>(
                 value.getDefiningOp())) {
    return false;
  }
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()))
      return dim.getConstantIndex().has_value();
    if (auto kernel = dyn_cast<KernelOp>(use.getOwner()))
      return kernel.getRecipe().empty();
    return isa<ComputeOp, tensor::ExtractOp, YieldOp>(use.getOwner());
  });
}

LayoutGroups::LayoutGroups(ArrayRef<KernelOp> kernels) {
  for (KernelOp kernel : kernels)
    addValues(kernel);
  for (KernelOp kernel : kernels)
    tieMemory(kernel);
  for (auto [value, node] : nodes)
    if (!isFree(value))
      pinned[find(node)] = true;
  for (KernelOp kernel : kernels) {
    tieNeighbours(kernel);
    tieReads(kernel);
  }
}

unsigned LayoutGroups::find(unsigned node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

void LayoutGroups::tie(Value a, Value b) {
  auto x = nodes.find(a), y = nodes.find(b);
  if (x == nodes.end() || y == nodes.end())
    return;
  unsigned p = find(x->second), q = find(y->second);
  parents[p] = q;
  pinned[q] = pinned[q] || pinned[p];
}

bool LayoutGroups::isMovable(Value value) {
  auto node = nodes.find(value);
  return node != nodes.end() && !pinned[find(node->second)];
}

void LayoutGroups::addValues(KernelOp kernel) {
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() >= 3 &&
        nodes.try_emplace(value, parents.size()).second) {
      parents.push_back(parents.size());
      pinned.push_back(false);
    }
  };
  llvm::for_each(kernel->getOperands(), add);
  llvm::for_each(kernel->getResults(), add);
  llvm::for_each(kernel.getBody().getArguments(), add);
  for (Operation &op : kernel.getBody().front())
    llvm::for_each(op.getResults(), add);
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

/// Is each index a loop that the result has at the same position, or computed,
/// and at least one of them such a loop?
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
void LayoutGroups::tieNeighbours(KernelOp kernel) {
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumReductionLoops() != 0)
      continue;
    SmallVector<Value> values(op->getOperands());
    for (auto [i, a] : llvm::enumerate(values))
      for (auto [j, b] : llvm::enumerate(values)) {
        auto x = nodes.find(a), y = nodes.find(b);
        if (i >= j || x == nodes.end() || y == nodes.end() ||
            pinned[find(x->second)] || pinned[find(y->second)])
          continue;
        if (loopsOf(op->getOpOperand(i)) == loopsOf(op->getOpOperand(j)))
          tie(a, b);
      }
  }
}

void LayoutGroups::vote(Value value, int64_t position, double weight) {
  auto node = nodes.find(value);
  if (node == nodes.end())
    return;
  SmallVector<double> &group = votes[find(node->second)];
  group.resize(cast<RankedTensorType>(value.getType()).getRank());
  group[position] += weight;
}

SmallVector<int64_t> LayoutGroups::orderOf(Value value) {
  auto node = nodes.find(value);
  if (node == nodes.end())
    return {};
  unsigned group = find(node->second);
  auto found = votes.find(group);
  if (pinned[group] || found == votes.end())
    return {};
  // Of equals the last: the first one is the batch.
  auto most = llvm::max_element(llvm::reverse(found->second));
  int64_t last = found->second.rend() - most - 1;
  int64_t rank = found->second.size();
  if (last == rank - 1)
    return {};
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != last)
      order.push_back(d);
  order.push_back(last);
  return order;
}
