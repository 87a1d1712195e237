//===- SimplifyTranspose.cpp - Permutations --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// transpose(x : tensor<2x3xf32>) -> transpose(x) {perm = [1, 0]}
LogicalResult makePermExplicit(TransposeOp op, PatternRewriter &rewriter) {
  if (op.getPerm())
    return rewriter.notifyMatchFailure(op, "the permutation is there");
  auto type = dyn_cast<RankedTensorType>(op.getData().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "the rank is unknown");
  SmallVector<int64_t> perm =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, type.getRank())));
  rewriter.modifyOpInPlace(op, [&] { op.setPerm(perm); });
  return success();
}

/// transpose(x) {perm = [0, 1, 2]} -> x
LogicalResult removeTranspose(TransposeOp op, PatternRewriter &rewriter) {
  std::optional<ArrayRef<int64_t>> perm = op.getPerm();
  if (!perm || !llvm::equal(*perm, llvm::seq<int64_t>(0, perm->size())))
    return rewriter.notifyMatchFailure(op, "moves dimensions");
  return replaceIfAsSharp(rewriter, op, op.getData());
}

/// transpose(transpose(x) {perm = p}) {perm = q} -> transpose(x) {perm = p[q]}
LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getData().getDefiningOp<TransposeOp>();
  if (!inner || !inner.getPerm() || !op.getPerm())
    return rewriter.notifyMatchFailure(op, "no pair of permutations");
  std::optional<ArrayRef<int64_t>> first = inner.getPerm();
  std::optional<ArrayRef<int64_t>> second = op.getPerm();
  SmallVector<int64_t> perm;
  for (int64_t axis : *second) {
    if (axis < 0 || axis >= static_cast<int64_t>(first->size()))
      return rewriter.notifyMatchFailure(op, "no permutation");
    perm.push_back((*first)[axis]);
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getDataMutable().assign(inner.getData());
    op.setPerm(perm);
  });
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyTransposePatterns(
    RewritePatternSet &patterns) {
  addRewrites<makePermExplicit, mergeTransposes, removeTranspose>(patterns);
}
