//===- RankDims.cpp - Ranks that follow from lengths -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where axes or sizes are run-time values, their number still determines the
// rank of the result. The schemas use their elements only.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

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

static std::optional<int64_t> add(std::optional<int64_t> x,
                                  std::optional<int64_t> y) {
  return x && y ? std::optional<int64_t>(*x + *y) : std::nullopt;
}

/// squeeze(x[a, b, c], axes[2]) -> [?]; reductions that drop axes likewise
static std::optional<int64_t> rankOfResult(RuleNode &node) {
  using Rank = std::optional<int64_t>;
  if (node.op->getNumOperands() == 0)
    return std::nullopt;
  auto length = [&](Value list) { return lengthOf(node, list); };
  Rank rank = node.rank(node.op->getOperand(0));
  if (Rank found = add(rank, rankChange(node.op, length)); found && *found >= 0)
    return found;
  if (isReduction(node.op) && node.op->getNumOperands() > 1 &&
      length(node.op->getOperand(1)) == 0) {
    bool dropsAll =
        integerAttr(node.op, "keepdims").value_or(1) != 1 &&
        integerAttr(node.op, "noop_with_empty_axes").value_or(0) == 0;
    return dropsAll ? 0 : rank;
  }
  return llvm::TypeSwitch<Operation *, Rank>(node.op)
      .Case([&](ExpandOp op) {
        Rank count = length(op.getShape());
        return rank && count ? Rank(std::max(*rank, *count)) : std::nullopt;
      })
      .Case([&](AffineGridOp op) { return length(op.getSize()); })
      .Case([&](Col2ImOp op) { return add(length(op.getImageShape()), 2); })
      // Batch, frames, frequencies, and the parts of a number.
      .Case([](STFTOp) { return Rank(4); })
      .Default([](Operation *) { return std::nullopt; });
}

void onnxc::onnx::inferResultRanks(RuleNode &node) {
  std::optional<int64_t> rank = rankOfResult(node);
  unsigned likeFirst = countLikeFirst(node.op);
  for (auto [result, found] : llvm::enumerate(node.found))
    if (rank && !found.dims && (likeFirst == 0 || result < likeFirst))
      node.setDims(result, RuleNode::Exprs(*rank));
}
