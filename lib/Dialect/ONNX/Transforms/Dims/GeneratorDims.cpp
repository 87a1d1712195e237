//===- GeneratorDims.cpp - Sizes that come from values ---------*- C++ -*-===//
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

static AffineExpr soleElement(RuleNode &node, Value value) {
  auto elements = node.elements(value);
  return elements && elements->size() == 1 ? elements->front() : AffineExpr();
}

/// range(start, limit, delta) -> [max(ceil((limit - start) / delta), 0)]
static void inferRange(RuleNode &node, RangeOp op) {
  AffineExpr start = soleElement(node, op.getStart());
  AffineExpr limit = soleElement(node, op.getLimit());
  std::optional<int64_t> delta = node.constant(op.getDelta());
  if (!delta || *delta == 0 || *delta < -INT32_MAX || *delta > INT32_MAX)
    return;
  AffineExpr span =
      *delta > 0 ? node.space.sub(limit, start) : node.space.sub(start, limit);
  AffineExpr count = node.space.ceilDiv(span, std::abs(*delta));
  if (count)
    node.setDims(0, {node.space.max(count, node.constantExpr(0))});
}

/// constant_of_shape([a, b]) -> [a, b]
static void inferConstantOfShape(RuleNode &node, ConstantOfShapeOp op) {
  if (auto shape = node.elements(op.getInput()))
    node.setDims(0, Exprs(ArrayRef(*shape)));
}

/// topk(x[n, c], k) {axis = 1} -> [n, k] twice
static void inferTopK(RuleNode &node, TopKOp op) {
  std::optional<Exprs> dims = node.dims(op.getX());
  std::optional<int64_t> axis =
      dims ? normalizeAxis(op.getAxis(), dims->size()) : std::nullopt;
  if (!axis)
    return;
  (*dims)[*axis] = soleElement(node, op.getK());
  node.setDims(0, *dims);
  node.setDims(1, *dims);
}

/// onehot(x[n], depth) {axis = 1} -> [n, depth]
static void inferOneHot(RuleNode &node, OneHotOp op) {
  std::optional<Exprs> dims = node.dims(op.getIndices());
  std::optional<int64_t> axis =
      dims ? normalizeAxis(op.getAxis(), dims->size() + 1) : std::nullopt;
  if (!axis)
    return;
  dims->insert(dims->begin() + *axis, soleElement(node, op.getDepth()));
  node.setDims(0, *dims);
}

/// mel_weight_matrix(bins, length, ...) -> [length / 2 + 1, bins]
static void inferMelWeights(RuleNode &node, MelWeightMatrixOp op) {
  AffineExpr half = node.space.floorDiv(soleElement(node, op.getDftLength()),
                                        node.constantExpr(2));
  node.setDims(0, {node.space.add(half, node.constantExpr(1)),
                   soleElement(node, op.getNumMelBins())});
}

void onnxc::onnx::inferGeneratorDims(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](RangeOp op) { inferRange(node, op); })
      .Case([&](ConstantOfShapeOp op) { inferConstantOfShape(node, op); })
      .Case([&](TopKOp op) { inferTopK(node, op); })
      .Case([&](OneHotOp op) { inferOneHot(node, op); })
      .Case([&](MelWeightMatrixOp op) { inferMelWeights(node, op); });
}
