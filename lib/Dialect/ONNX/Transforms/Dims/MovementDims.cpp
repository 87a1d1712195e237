//===- MovementDims.cpp - Sizes of operators that move data ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;

/// The axes that an optional input lists, or all of them in order.
static std::optional<SmallVector<int64_t>> axesOr(RuleNode &node, Value input,
                                                  size_t count, int64_t rank) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (input) {
    std::optional<SmallVector<int64_t>> given = node.constants(input);
    if (!given)
      return std::nullopt;
    axes = *given;
  }
  for (int64_t &axis : axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, rank);
    if (!normal)
      return std::nullopt;
    axis = *normal;
  }
  return axes;
}

/// concat(x[a, c], y[b, c]) {axis = 0} -> [a + b, c]
static void inferConcat(RuleNode &node, ConcatOp op) {
  std::optional<Exprs> sum;
  for (Value input : op.getInputs()) {
    std::optional<Exprs> dims = node.dims(input);
    if (!dims || (sum && sum->size() != dims->size()))
      return;
    if (!sum) {
      sum = *dims;
      continue;
    }
    std::optional<int64_t> axis = normalizeAxis(op.getAxis(), dims->size());
    if (!axis)
      return;
    for (size_t i = 0; i < dims->size(); ++i)
      if (static_cast<int64_t>(i) == *axis)
        (*sum)[i] = node.space.add((*sum)[i], (*dims)[i]);
      else if (constantValue((*dims)[i])) // the others must equal it
        (*sum)[i] = (*dims)[i];
  }
  if (sum)
    node.setDims(0, *sum);
}

/// An end from here on is beyond every tensor.
static constexpr int64_t endless = 1'000'000'000;

/// The number of elements that [start, end) takes of `size` by `step` > 0.
static AffineExpr slicedSize(RuleNode &node, AffineExpr size, AffineExpr start,
                             AffineExpr end, int64_t step) {
  DimSpace &space = node.space;
  AffineExpr zero = space.constant(0);
  auto isNegative = [](AffineExpr expr) {
    return constantValue(expr).value_or(0) < 0;
  };
  if (!start || !end || !(isNegative(start) || space.isNonNegative(start)) ||
      !(isNegative(end) || space.isNonNegative(end)))
    return {};
  AffineExpr from = start, to;
  if (isNegative(start))
    from = space.max(space.add(size, start), zero);
  // Exporters write the largest number of some type, or a billion, for "to
  // the end".
  if (isNegative(end))
    to = space.add(size, end);
  else if (constantValue(end).value_or(0) >= endless)
    to = size;
  else
    to = space.min(end, size);
  AffineExpr span = space.sub(to, from);
  if (span == size && step == 1)
    return size;
  return span ? space.max(space.ceilDiv(span, step), zero) : AffineExpr();
}

/// slice(x[n, h], starts = [1], ends = [-1], axes = [1]) -> [n, max(h - 2, 0)]
static void inferSlice(RuleNode &node, SliceOp op) {
  std::optional<Exprs> dims = node.dims(op.getData());
  auto starts = node.elements(op.getStarts());
  auto ends = node.elements(op.getEnds());
  if (!dims || !starts || !ends || starts->size() != ends->size())
    return;
  auto axes = axesOr(node, op.getAxes(), starts->size(), dims->size());
  std::optional<SmallVector<int64_t>> steps(std::in_place, starts->size(), 1);
  if (op.getSteps())
    steps = node.constants(op.getSteps());
  if (!axes || axes->size() != starts->size())
    return;
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t step = steps && i < steps->size() ? (*steps)[i] : 0;
    AffineExpr &dim = (*dims)[axis];
    std::optional<int64_t> from = constantValue((*starts)[i]);
    std::optional<int64_t> to = constantValue((*ends)[i]);
    bool reverses = step == -1 && from && to && *to <= -INT32_MAX &&
                    (*from == -1 || *from >= INT32_MAX);
    if (!reverses)
      dim = step > 0 ? slicedSize(node, dim, (*starts)[i], (*ends)[i], step)
                     : AffineExpr();
  }
  node.setDims(0, *dims);
}

/// pad(x[n, h], pads = [0, 1, 0, 2]) -> [n, h + 3]
static void inferPad(RuleNode &node, PadOp op) {
  std::optional<Exprs> dims = node.dims(op.getData());
  auto pads = node.elements(op.getPads());
  if (!dims || !pads)
    return;
  size_t count = pads->size() / 2;
  auto axes = axesOr(node, op.getAxes(), count, dims->size());
  if (!axes || axes->size() != count)
    return;
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    AffineExpr both = node.space.add((*pads)[i], (*pads)[i + count]);
    (*dims)[axis] = node.space.add((*dims)[axis], both);
  }
  node.setDims(0, *dims);
}

/// tile(x[n, c], repeats = [1, r]) -> [n, c * r]
static void inferTile(RuleNode &node, TileOp op) {
  std::optional<Exprs> dims = node.dims(op.getInput());
  auto repeats = node.elements(op.getRepeats());
  if (!dims || !repeats || repeats->size() != dims->size())
    return;
  for (auto [dim, repeat] : llvm::zip_equal(*dims, *repeats))
    dim = node.space.mul(dim, repeat);
  node.setDims(0, *dims);
}

/// split(x[n], split = [a, b]) -> [a], [b]; in equal parts without sizes.
static void inferSplit(RuleNode &node, SplitOp op) {
  std::optional<Exprs> dims = node.dims(op.getInput());
  std::optional<int64_t> axis =
      dims ? normalizeAxis(op.getAxis(), dims->size()) : std::nullopt;
  if (!axis)
    return;
  unsigned parts = op->getNumResults();
  AffineExpr whole = (*dims)[*axis];
  auto sizes = node.elements(op.getSplit());
  for (unsigned i = 0; i < parts; ++i) {
    Exprs part = *dims;
    AffineExpr chunk = node.space.ceilDiv(whole, parts);
    if (op.getSplit())
      part[*axis] = sizes && i < sizes->size() ? (*sizes)[i] : AffineExpr();
    else if (i + 1 < parts)
      part[*axis] = chunk;
    else
      part[*axis] = node.space.sub(
          whole, node.space.mul(chunk, node.constantExpr(parts - 1)));
    node.setDims(i, part);
  }
}

/// floor(size * scale) where that is affine: scale n or 1/n.
static AffineExpr scaledSize(RuleNode &node, AffineExpr size, double scale) {
  double inverse = 1 / scale;
  if (scale >= 1 && scale == std::floor(scale) && scale < 1e6)
    return node.space.mul(size, node.constantExpr(std::llround(scale)));
  if (inverse > 1 && inverse == std::floor(inverse) && inverse < 1e6)
    return node.space.floorDiv(size, node.constantExpr(std::llround(inverse)));
  return {};
}

/// resize(x[n, c, h, w], scales = [1, 1, 2, 2]) -> [n, c, h * 2, w * 2]
static void inferResize(RuleNode &node, ResizeOp op) {
  std::optional<Exprs> dims = node.dims(op.getX());
  if (!dims)
    return;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, dims->size()));
  if (std::optional<ArrayRef<int64_t>> given = op.getAxes()) {
    axes.assign(given->begin(), given->end());
    for (int64_t &axis : axes) {
      std::optional<int64_t> normal = normalizeAxis(axis, dims->size());
      if (!normal)
        return;
      axis = *normal;
    }
  }
  auto sizes = node.elements(op.getSizes());
  auto scales = node.floats(op.getScales());
  bool stretches = op.getKeepAspectRatioPolicy() == "stretch";
  bool hasSizes = sizes && sizes->size() == axes.size() && stretches;
  bool hasScales = scales && scales->size() == axes.size();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    AffineExpr size = (*dims)[axis];
    (*dims)[axis] = hasSizes    ? (*sizes)[i]
                    : hasScales ? scaledSize(node, size, (*scales)[i])
                                : AffineExpr();
  }
  node.setDims(0, *dims);
}

/// The blocks of an image moved to or from the channels.
static void inferBlocks(RuleNode &node, Value input, int64_t block,
                        bool toDepth) {
  std::optional<Exprs> dims = node.dims(input);
  if (!dims || dims->size() != 4 || block <= 0 || block > INT32_MAX)
    return;
  AffineExpr side = node.constantExpr(block);
  AffineExpr area = node.constantExpr(block * block);
  DimSpace &space = node.space;
  AffineExpr channels = (*dims)[1];
  (*dims)[1] =
      toDepth ? space.mul(channels, area) : space.exactDiv(channels, area);
  for (unsigned i : {2, 3})
    (*dims)[i] = toDepth ? space.exactDiv((*dims)[i], side)
                         : space.mul((*dims)[i], side);
  node.setDims(0, *dims);
}

void onnxc::onnx::inferMovementDims(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](ConcatOp op) { inferConcat(node, op); })
      .Case([&](SliceOp op) { inferSlice(node, op); })
      .Case([&](PadOp op) { inferPad(node, op); })
      .Case([&](TileOp op) { inferTile(node, op); })
      .Case([&](SplitOp op) { inferSplit(node, op); })
      .Case([&](ResizeOp op) { inferResize(node, op); })
      .Case([&](SpaceToDepthOp op) {
        inferBlocks(node, op.getInput(), op.getBlocksize(), /*toDepth=*/true);
      })
      .Case([&](DepthToSpaceOp op) {
        inferBlocks(node, op.getInput(), op.getBlocksize(), /*toDepth=*/false);
      });
}
