//===- NormalizeAxes.cpp - Axes counted from the front ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// softmax(x : tensor<2x3xf32>) {axis = -1} -> softmax(x) {axis = 1}
/// `extra` is how many dimensions the axis may lie beyond the operand's.
template <typename Op>
struct MakeAxisPositive final : OpRewritePattern<Op> {
  MakeAxisPositive(MLIRContext *context, int64_t extra = 0)
      : OpRewritePattern<Op>(context), extra(extra) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = op.getAxis();
    if (!axis || *axis >= 0)
      return rewriter.notifyMatchFailure(op, "the axis is not negative");
    int64_t rank = rankOf(op->getOperand(0));
    if (rank < 0 || *axis + rank + extra < 0)
      return rewriter.notifyMatchFailure(op, "the rank is unknown");
    rewriter.modifyOpInPlace(op, [&] { op.setAxis(*axis + rank + extra); });
    return success();
  }

  int64_t extra;
};

/// reduce_sum(x : tensor<2x3xf32>, [-1]) -> reduce_sum(x, [1])
/// With `outer` axes count in the result, as for Unsqueeze.
template <typename Op>
struct MakeAxesPositive final : OpRewritePattern<Op> {
  MakeAxesPositive(MLIRContext *context, bool outer = false)
      : OpRewritePattern<Op>(context), outer(outer) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> axes =
        op.getAxes() ? constantInts(op.getAxes()) : std::nullopt;
    if (!axes || llvm::all_of(*axes, [](int64_t axis) { return axis >= 0; }))
      return rewriter.notifyMatchFailure(op, "no negative constant axes");
    int64_t rank = rankOf(outer ? Value(op->getResult(0)) : op->getOperand(0));
    if (rank < 0)
      return rewriter.notifyMatchFailure(op, "the rank is unknown");
    for (int64_t &axis : *axes) {
      axis = axis < 0 ? axis + rank : axis;
      if (axis < 0)
        return rewriter.notifyMatchFailure(op, "an axis is out of range");
    }
    auto type = cast<ShapedType>(op.getAxes().getType());
    Value positive = NodeMaker(rewriter, op.getAxes().getLoc())
                         .ints(*axes, type.getElementType());
    rewriter.modifyOpInPlace(op, [&] { op.getAxesMutable().assign(positive); });
    return success();
  }

  bool outer;
};

} // namespace

template <typename... Ops>
static void addAxis(RewritePatternSet &patterns) {
  (patterns.add<MakeAxisPositive<Ops>>(patterns.getContext()), ...);
}

template <typename... Ops>
static void addAxes(RewritePatternSet &patterns) {
  (patterns.add<MakeAxesPositive<Ops>>(patterns.getContext()), ...);
}

void onnxc::onnx::populateNormalizeAxesPatterns(RewritePatternSet &patterns) {
  addAxis<ArgMaxOp, ArgMinOp, CompressOp, ConcatOp, DequantizeLinearOp,
          FlattenOp, GatherElementsOp, GatherOp, HardmaxOp,
          LayerNormalizationOp, LogSoftmaxOp, LpNormalizationOp,
          QuantizeLinearOp, RMSNormalizationOp, ScatterElementsOp, SoftmaxOp,
          SplitOp, SplitToSequenceOp, TopKOp>(patterns);
  patterns.add<MakeAxisPositive<OneHotOp>>(patterns.getContext(), 1);
  addAxes<PadOp, ReduceL1Op, ReduceL2Op, ReduceLogSumExpOp, ReduceLogSumOp,
          ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
          ReduceSumSquareOp, SliceOp, SqueezeOp>(patterns);
  patterns.add<MakeAxesPositive<UnsqueezeOp>>(patterns.getContext(), true);
}
