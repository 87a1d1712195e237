//===- BroadcastDims.cpp - Sizes of elementwise operators ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/EinsumEquation.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;

/// Broadcasts two shapes, aligned at their last dimensions.
static Exprs broadcast(RuleNode &node, ArrayRef<AffineExpr> a,
                       ArrayRef<AffineExpr> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Exprs result(a);
  size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i)
    result[offset + i] = node.space.broadcast(a[offset + i], b[i]);
  return result;
}

/// add(x[n, 1], y[c]) -> [n, c]
static void inferElementwise(RuleNode &node) {
  std::optional<Exprs> all;
  ArrayRef<OperandRank> ranks = OpRanks::of(node.op).operands;
  for (auto [slot, operand] : llvm::enumerate(node.op->getOperands())) {
    // Scalars, and operands that broadcast to the first operand alone.
    if (slot < ranks.size() && ranks[slot].form != OperandRank::Any)
      continue;
    std::optional<Exprs> dims = node.dims(operand);
    if (!dims)
      return;
    all = all ? broadcast(node, *all, *dims) : *dims;
  }
  if (all)
    node.setDims(0, *all);
}

/// matmul(a[b.., m, k], b[b.., k, n]) -> [b.., m, n]; a vector loses its dim.
static void inferMatMul(RuleNode &node, Value a, Value b) {
  std::optional<Exprs> left = node.dims(a), right = node.dims(b);
  if (!left || !right || left->empty() || right->empty())
    return;
  Exprs tail;
  if (left->size() > 1)
    tail.push_back((*left)[left->size() - 2]);
  if (right->size() > 1)
    tail.push_back(right->back());
  ArrayRef<AffineExpr> leftBatch(*left), rightBatch(*right);
  Exprs dims =
      broadcast(node, leftBatch.drop_back(std::min(left->size(), size_t(2))),
                rightBatch.drop_back(std::min(right->size(), size_t(2))));
  llvm::append_range(dims, tail);
  node.setDims(0, dims);
}

/// einsum(x[1, m, k], y[b, k, n]) {equation = "...ij,...jk->...ik"} ->
/// [b, m, n]: dimensions of one label broadcast.
static void inferEinsum(RuleNode &node, EinsumOp op) {
  SmallVector<Exprs> operands;
  SmallVector<int64_t> ranks;
  for (Value operand : op->getOperands()) {
    std::optional<Exprs> dims = node.dims(operand);
    if (!dims)
      return;
    ranks.push_back(dims->size());
    operands.push_back(std::move(*dims));
  }
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse(op.getEquation(), ranks);
  if (failed(equation))
    return;
  DenseMap<EinsumEquation::Label, AffineExpr> sizes;
  for (auto [dims, labels] : llvm::zip_equal(operands, equation->operands))
    for (auto [dim, label] : llvm::zip_equal(dims, labels)) {
      auto [size, isNew] = sizes.try_emplace(label, dim);
      if (!isNew)
        size->second = node.space.broadcast(size->second, dim);
    }
  node.setDims(0, llvm::to_vector<4>(llvm::map_range(
                      equation->result, [&](EinsumEquation::Label label) {
                        return sizes.lookup(label);
                      })));
}

/// expand(x, shape): the shape's elements broadcast with x's sizes.
static void inferExpand(RuleNode &node, ExpandOp op) {
  std::optional<Exprs> input = node.dims(op.getInput());
  std::optional<SmallVector<AffineExpr>> shape = node.elements(op.getShape());
  if (input && shape)
    node.setDims(0, broadcast(node, *input, *shape));
}

void onnxc::onnx::inferBroadcastDims(RuleNode &node) {
  if (isElementwise(node.op))
    return inferElementwise(node);
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](MatMulOp op) { inferMatMul(node, op.getA(), op.getB()); })
      .Case(
          [&](MatMulIntegerOp op) { inferMatMul(node, op.getA(), op.getB()); })
      .Case(
          [&](QLinearMatMulOp op) { inferMatMul(node, op.getA(), op.getB()); })
      .Case([&](EinsumOp op) { inferEinsum(node, op); })
      .Case([&](ExpandOp op) { inferExpand(node, op); });
}
