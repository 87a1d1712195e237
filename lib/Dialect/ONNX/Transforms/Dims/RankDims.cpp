//===- RankDims.cpp - Ranks that follow from lengths -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where axes or sizes are run-time values, how many there are still says what
// rank the result has. The schemas look at their elements only.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;

/// How many elements a list has.
static std::optional<int64_t> lengthOf(RuleNode &node, Value list) {
  auto type = list ? dyn_cast<RankedTensorType>(node.analysis.type(list))
                   : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getRank() > 1)
    return std::nullopt;
  return type.getNumElements();
}

/// squeeze(x[a, b, c], axes[2]) -> [?]; reductions that drop axes likewise
static std::optional<int64_t> dropAxes(RuleNode &node, Value data, Value axes) {
  std::optional<int64_t> rank = node.rank(data), count = lengthOf(node, axes);
  if (!rank || !count || *count > *rank)
    return std::nullopt;
  return *rank - *count;
}

/// An empty list of axes is all of them, or none.
template <typename Op>
static std::optional<int64_t> reduce(RuleNode &node, Op op) {
  if (op.getKeepdims() == 1)
    return node.rank(op.getData());
  if (lengthOf(node, op.getAxes()) == 0 && op.getNoopWithEmptyAxes() == 0)
    return 0;
  return dropAxes(node, op.getData(), op.getAxes());
}

static std::optional<int64_t> add(std::optional<int64_t> x,
                                  std::optional<int64_t> y) {
  return x && y ? std::optional<int64_t>(*x + *y) : std::nullopt;
}

static std::optional<int64_t> rankOfResult(RuleNode &node) {
  using Rank = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Rank>(node.op)
      .Case([&](SqueezeOp op) {
        return dropAxes(node, op.getData(), op.getAxes());
      })
      .Case([&](UnsqueezeOp op) {
        return add(node.rank(op.getData()), lengthOf(node, op.getAxes()));
      })
      .Case([&](ExpandOp op) {
        Rank rank = node.rank(op.getInput()),
             length = lengthOf(node, op.getShape());
        return rank && length ? Rank(std::max(*rank, *length)) : std::nullopt;
      })
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp,
            ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
            ReduceSumSquareOp>([&](auto op) { return reduce(node, op); })
      .Case([&](AffineGridOp op) { return lengthOf(node, op.getSize()); })
      .Case<CenterCropPadOp, PadOp, ResizeOp, SliceOp, SplitOp, TileOp, TopKOp>(
          [&](auto op) { return node.rank(op->getOperand(0)); })
      .Case([&](Col2ImOp op) {
        return add(lengthOf(node, op.getImageShape()), 2);
      })
      // Batch, frames, frequencies, and the parts of a number.
      .Case([](STFTOp) { return Rank(4); })
      .Default([](Operation *) { return std::nullopt; });
}

void onnxc::onnx::inferResultRanks(RuleNode &node) {
  std::optional<int64_t> rank = rankOfResult(node);
  for (auto [result, found] : llvm::enumerate(node.found))
    if (rank && !found.dims)
      node.setDims(result, RuleNode::Exprs(*rank));
}
