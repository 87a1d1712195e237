//===- SimplifyPool.cpp - Pools that cover everything ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A global pool is a reduction, and fuses like one.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// global_average_pool(x[n, c, h, w]) -> reduce_mean(x, [2, 3])
/// global_max_pool(x[n, c, h, w]) -> reduce_max(x, [2, 3])
template <typename Pool, typename Reduce>
LogicalResult globalPoolToReduce(Pool op, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!type || type.getRank() < 3)
    return rewriter.notifyMatchFailure(op, "the rank is unknown");
  Value axes =
      NodeMaker(rewriter, op.getLoc())
          .ints(llvm::to_vector(llvm::seq<int64_t>(2, type.getRank())));
  rewriter.replaceOpWithNewOp<Reduce>(op, op->getResultTypes(),
                                      ValueRange{op.getX(), axes});
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyPoolPatterns(RewritePatternSet &patterns) {
  addRewrites<globalPoolToReduce<GlobalAveragePoolOp, ReduceMeanOp>,
              globalPoolToReduce<GlobalMaxPoolOp, ReduceMaxOp>>(patterns);
}
