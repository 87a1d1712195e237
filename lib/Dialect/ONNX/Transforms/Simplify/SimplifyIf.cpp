//===- SimplifyIf.cpp - Branches that are always taken ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// if(true) then {a} else {b} -> a
LogicalResult inlineTakenBranch(IfOp op, PatternRewriter &rewriter) {
  std::optional<SmallVector<int64_t>> condition = constantInts(op.getCond());
  if (!condition || condition->size() != 1)
    return rewriter.notifyMatchFailure(op, "the condition is not constant");
  Region &taken = condition->front() ? op.getThenBranch() : op.getElseBranch();
  Block &block = taken.front();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != op->getNumResults())
    return rewriter.notifyMatchFailure(op, "numbers of results differ");
  SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&block, op);
  rewriter.replaceAllUsesWith(op->getResults(), results);
  rewriter.eraseOp(op);
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyIfPatterns(RewritePatternSet &patterns) {
  addRewrites<inlineTakenBranch>(patterns);
}
