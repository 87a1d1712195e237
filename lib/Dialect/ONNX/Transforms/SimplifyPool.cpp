//===- SimplifyPool.cpp - Pools that cover everything ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A global pool is a reduction, and fuses like one.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// global_average_pool(x[n, c, h, w]) -> reduce_mean(x, [2, 3])
/// global_max_pool(x[n, c, h, w]) -> reduce_max(x, [2, 3])
template <typename Pool, typename Reduce>
struct GlobalPoolToReduce final : OpRewritePattern<Pool> {
  using OpRewritePattern<Pool>::OpRewritePattern;

  LogicalResult matchAndRewrite(Pool op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getX().getType());
    if (!type || type.getRank() < 3)
      return rewriter.notifyMatchFailure(op, "the rank is unknown");
    Value axes =
        createInts(rewriter, op.getLoc(),
                   llvm::to_vector(llvm::seq<int64_t>(2, type.getRank())));
    rewriter.replaceOpWithNewOp<Reduce>(op, op->getResultTypes(),
                                        ValueRange{op.getX(), axes});
    return success();
  }
};

} // namespace

void onnxc::onnx::populateSimplifyPoolPatterns(RewritePatternSet &patterns) {
  patterns.add<GlobalPoolToReduce<GlobalAveragePoolOp, ReduceMeanOp>,
               GlobalPoolToReduce<GlobalMaxPoolOp, ReduceMaxOp>>(
      patterns.getContext());
}
