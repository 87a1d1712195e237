//===- ReshapeDims.cpp - Sizes of operators that rename them ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;

static AffineExpr product(RuleNode &node, ArrayRef<AffineExpr> factors) {
  AffineExpr result = node.constantExpr(1);
  for (AffineExpr factor : factors)
    result = node.space.mul(result, factor);
  return result;
}

/// The size that -1 stands for: all elements over those of the other
/// dimensions, without common factors. Equal unknown factors cancel this way,
/// which a division of the products would not show.
static AffineExpr remainingSize(RuleNode &node, Exprs input, Exprs others) {
  for (AffineExpr &factor : others) {
    auto same = llvm::find(input, factor);
    if (!factor || same == input.end() || constantValue(factor) == 0)
      continue;
    input.erase(same);
    factor = node.constantExpr(1);
  }
  return node.space.exactDiv(product(node, input), product(node, others));
}

/// reshape(x[b, s, 12, 64], shape = [b, 0, -1]) -> [b, s, 768]
static void inferReshape(RuleNode &node, ReshapeOp op) {
  std::optional<Exprs> input = node.dims(op.getData());
  auto shape = node.contents(op.getShape());
  if (!shape)
    return;
  Exprs dims;
  std::optional<size_t> rest;
  for (auto [i, element] : llvm::enumerate(*shape)) {
    std::optional<int64_t> number = constantValue(element);
    if (number == -1)
      rest = i;
    if (number == 0 && !op.getAllowzero())
      dims.push_back(input && i < input->size() ? (*input)[i] : AffineExpr());
    else if (number == -1 || !node.space.isNonNegative(element))
      dims.push_back(AffineExpr()); // may be -1 at run time
    else
      dims.push_back(element);
  }
  if (rest && input) {
    Exprs others = dims;
    others.erase(others.begin() + *rest);
    dims[*rest] = remainingSize(node, *input, others);
  }
  node.setDims(0, dims);
}

/// flatten(x[n, c, h]) {axis = 1} -> [n, c * h]
static void inferFlatten(RuleNode &node, FlattenOp op) {
  std::optional<Exprs> input = node.dims(op.getInput());
  if (!input)
    return;
  int64_t rank = input->size(), axis = positiveAxis(op.getAxis(), rank);
  if (axis < 0 || axis > rank)
    return;
  ArrayRef<AffineExpr> all(*input);
  node.setDims(0, {product(node, all.take_front(axis)),
                   product(node, all.drop_front(axis))});
}

/// squeeze(x[n, 1, c], axes = [1]) -> [n, c]
static void inferSqueeze(RuleNode &node, SqueezeOp op) {
  std::optional<Exprs> input = node.dims(op.getData());
  auto axes = node.constants(op.getAxes());
  if (!input || !axes)
    return;
  SmallVector<bool> dropped(input->size());
  for (int64_t axis : *axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, input->size());
    if (!normal)
      return;
    dropped[*normal] = true;
  }
  Exprs dims;
  for (auto [dim, isDropped] : llvm::zip_equal(*input, dropped))
    if (!isDropped)
      dims.push_back(dim);
  node.setDims(0, dims);
}

/// unsqueeze(x[n, c], axes = [1]) -> [n, 1, c]
static void inferUnsqueeze(RuleNode &node, UnsqueezeOp op) {
  std::optional<Exprs> input = node.dims(op.getData());
  auto axes = node.constants(op.getAxes());
  if (!input || !axes)
    return;
  Exprs dims(input->size() + axes->size());
  for (int64_t axis : *axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, dims.size());
    if (!normal)
      return;
    dims[*normal] = node.constantExpr(1);
  }
  size_t next = 0;
  for (AffineExpr &dim : dims)
    if (!dim && next < input->size())
      dim = (*input)[next++];
  node.setDims(0, dims);
}

void onnxc::onnx::inferReshapeDims(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](ReshapeOp op) { inferReshape(node, op); })
      .Case([&](FlattenOp op) { inferFlatten(node, op); })
      .Case([&](SqueezeOp op) { inferSqueeze(node, op); })
      .Case([&](UnsqueezeOp op) { inferUnsqueeze(node, op); });
}
