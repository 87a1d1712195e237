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

/// The length of a list that its type tells.
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

/// Between two constant places of a list that are counted from the same end.
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

static std::optional<int64_t> longest(Value list, unsigned depth) {
  if (std::optional<int64_t> known = knownLength(list))
    return known;
  Operation *op = list.getDefiningOp();
  if (!isList(list) || !op || depth == 0)
    return std::nullopt;
  if (auto shape = dyn_cast<ShapeOp>(op)) {
    // The sizes between two places that are counted from the same end.
    int64_t start = shape.getStart();
    std::optional<int64_t> end = shape.getEnd();
    if (end && (start < 0) == (*end < 0))
      return std::max<int64_t>(*end - start, 0);
    return !end && start < 0 && start >= -maxListLength
               ? std::optional<int64_t>(-start)
               : std::nullopt;
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return longestSlice(slice);
  if (!isa<ConcatOp>(op) && !isElementwise(op))
    return std::nullopt;
  int64_t sum = 0, largest = 0;
  for (Value part : op->getOperands()) {
    std::optional<int64_t> length = longest(part, depth - 1);
    if (!length || *length > maxListLength - sum)
      return std::nullopt;
    sum += *length;
    largest = std::max(largest, *length);
  }
  return isa<ConcatOp>(op) ? sum : largest;
}

static int64_t shortest(Value list, unsigned depth) {
  if (std::optional<int64_t> known = knownLength(list))
    return *known;
  Operation *op = list.getDefiningOp();
  if (!isList(list) || !op || depth == 0)
    return 0;
  if (!isa<ConcatOp>(op) && !isElementwise(op))
    return 0;
  int64_t sum = 0, largest = 0, least = maxListLength;
  for (Value part : op->getOperands()) {
    int64_t length = shortest(part, depth - 1);
    sum = std::min(maxListLength, sum + length);
    largest = std::max(largest, length);
    least = std::min(least, length);
  }
  if (isa<ConcatOp>(op))
    return sum;
  // Nothing and a list of one broadcast to nothing.
  return least == 0 ? 0 : largest;
}

std::optional<int64_t> onnxc::onnx::longestList(Value list) {
  return longest(list, maxDepth);
}

int64_t onnxc::onnx::shortestList(Value list) {
  return shortest(list, maxDepth);
}

std::optional<int64_t> onnxc::onnx::ranksReached(ShapeOp slice) {
  std::optional<int64_t> most = longestList(slice.getResult());
  if (!most || *most == 0)
    return std::nullopt;
  return slice.getStart() < 0 ? -slice.getStart() : slice.getStart() + *most;
}

int64_t onnxc::onnx::leastRank(Value value, Block &block) {
  int64_t least = 0;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<ShapeOp>(user);
    std::optional<int64_t> reach = slice ? ranksReached(slice) : std::nullopt;
    if (!reach)
      continue;
    for (Operation *cast : slice->getUsers())
      if (isa<IdentityOp>(cast) &&
          knownLength(cast->getResult(0)) == longestList(slice.getResult()) &&
          cast->getParentRegion()->isAncestor(block.getParent()))
        least = std::max(least, *reach);
  }
  return least;
}
