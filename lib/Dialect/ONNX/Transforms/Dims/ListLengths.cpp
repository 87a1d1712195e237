//===- ListLengths.cpp - How long lists can be -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The static length of a list.
static std::optional<int64_t> knownLength(Value list) {
  auto type = dyn_cast<RankedTensorType>(list.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

static bool isList(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() <= 1;
}

/// Chains of arithmetic on lists are short.
static constexpr unsigned maxDepth = 16;

/// Between two constant positions of a list that are counted from the same end.
static std::optional<int64_t> longestSlice(SliceOp slice) {
  auto only = [](Value value) -> std::optional<int64_t> {
    std::optional<SmallVector<int64_t>> given = constantInts(value);
    return given && given->size() == 1 ? std::optional(given->front())
                                       : std::nullopt;
  };
  std::optional<int64_t> start = only(slice.getStarts()),
                         end = only(slice.getEnds());
  bool isForward = !slice.getSteps() || only(slice.getSteps()) == 1;
  if (!start || !end || !isForward)
    return std::nullopt;
  if ((*start < 0) == (*end < 0))
    return *end - *start <= maxListLength
               ? std::optional<int64_t>(std::max<int64_t>(*end - *start, 0))
               : std::nullopt;
  return *start < 0 && *start >= -maxListLength
             ? std::optional<int64_t>(-*start)
             : std::nullopt;
}

/// The sizes between two dimensions that are counted from the same end.
static std::optional<int64_t> longestShape(ShapeOp shape) {
  int64_t start = shape.getStart();
  std::optional<int64_t> end = shape.getEnd();
  if (end && (start < 0) == (*end < 0))
    return std::max<int64_t>(*end - start, 0);
  return !end && start < 0 && start >= -maxListLength
             ? std::optional<int64_t>(-start)
             : std::nullopt;
}

static ListLength lengthOf(Value list, unsigned depth) {
  if (std::optional<int64_t> known = knownLength(list))
    return {*known, known};
  Operation *op = list.getDefiningOp();
  if (!isList(list) || !op || depth == 0)
    return {};
  if (auto shape = dyn_cast<ShapeOp>(op))
    return {0, longestShape(shape)};
  if (auto slice = dyn_cast<SliceOp>(op))
    return {0, longestSlice(slice)};
  bool joins = isa<ConcatOp>(op);
  if (!joins && !isElementwise(op))
    return {};
  ListLength all{0, 0};
  bool mayBeEmpty = false;
  for (Value operand : op->getOperands()) {
    ListLength part = lengthOf(operand, depth - 1);
    mayBeEmpty |= part.min == 0;
    all.min = std::min(maxListLength, joins ? all.min + part.min
                                            : std::max(all.min, part.min));
    if (!all.max || !part.max || *part.max > maxListLength - *all.max)
      all.max = std::nullopt;
    else
      all.max = joins ? *all.max + *part.max : std::max(*all.max, *part.max);
  }
  // An empty list and a list of one broadcast to an empty one.
  if (!joins && mayBeEmpty)
    all.min = 0;
  return all;
}

ListLength onnxc::onnx::listLength(Value list) {
  return lengthOf(list, maxDepth);
}

std::optional<int64_t> onnxc::onnx::ranksReached(ShapeOp slice) {
  std::optional<int64_t> max = listLength(slice.getResult()).max;
  if (!max || *max == 0)
    return std::nullopt;
  return slice.getStart() < 0 ? -slice.getStart() : slice.getStart() + *max;
}

int64_t onnxc::onnx::minRank(Value value, Block &block) {
  int64_t min = 0;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<ShapeOp>(user);
    std::optional<int64_t> reach = slice ? ranksReached(slice) : std::nullopt;
    if (!reach)
      continue;
    for (Operation *cast : slice->getUsers())
      if (isa<IdentityOp>(cast) &&
          knownLength(cast->getResult(0)) ==
              listLength(slice.getResult()).max &&
          cast->getParentRegion()->isAncestor(block.getParent()))
        min = std::max(min, *reach);
  }
  return min;
}
