//===- TensorCopies.cpp - Slices that are boxes -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(.., by=tma): a slice of shared memory consists of boxes of a tensor,
// each of which one instruction copies, to the blocks of a cluster that have
// the same slice.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"
#include "Queries.h"
#include "TensorMaps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace onnxc::krnl {

std::string reasonAgainstMap(ShapedType type, int64_t elementBytes) {
  // Coordinates are signed words.
  constexpr int64_t maxSize = std::numeric_limits<int32_t>::max();
  if (type.getRank() < 2 || type.getRank() > TensorBoxes::maxRank)
    return "it has not 2 to " + std::to_string(TensorBoxes::maxRank) +
           " dimensions";
  if (type.isDynamicDim(type.getRank() - 1))
    return "its rows have a dynamic size";
  int64_t pitch = elementBytes;
  for (auto [i, size] : llvm::enumerate(llvm::reverse(type.getShape()))) {
    // Launches pass them.
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 1 || size > maxSize)
      return "a dimension has not 1 to 2^31 - 1 elements";
    if (size > (TensorBoxes::maxPitchBytes - 1) / pitch)
      return "it has not less than 2^40 bytes";
    pitch *= size;
    if (i == 0 && pitch % TensorBoxes::pitchBytes != 0)
      return "its rows of " + std::to_string(pitch) +
             " bytes do not begin at multiples of " +
             std::to_string(TensorBoxes::pitchBytes);
  }
  return {};
}

bool copiesBoxes(const LoopNest &nest, const Cache &cache, unsigned op) {
  const Mma *mma = mmaOf(nest, op);
  return cache.isByTma() && mma && mma->isOfWarpgroup() &&
         pipelineAt(nest, cache.at).stages > 1;
}

/// The only position of the slice whose index depends on the axis of the op,
/// and how far apart its iterations are there; nothing for others.
static std::optional<std::pair<unsigned, int64_t>>
positionAlong(const Access &access, unsigned axis) {
  std::optional<unsigned> found;
  for (unsigned position : llvm::seq(access.getRank()))
    if (access.dependsOnAt(position, axis)) {
      if (found)
        return std::nullopt;
      found = position;
    }
  std::optional<int64_t> step =
      found ? access.stepAt(*found, axis) : std::nullopt;
  return step ? std::optional(std::pair(*found, *step)) : std::nullopt;
}

/// A box has zeros outside of the tensor, and nowhere else: ranges are whole
/// dimensions, and sums end with these.
static std::string reasonAgainstZeros(const LoopNest &nest, unsigned op,
                                      OpOperand &operand) {
  Access access(operand);
  auto type = cast<ShapedType>(operand.get().getType());
  auto compute = cast<ComputeOp>(nest.op(op).op);
  for (auto [at, size] :
       llvm::zip_equal(compute.getSubscripts(operand), type.getShape()))
    if (at.range && (at.outside || *at.range != std::pair(int64_t(0), size)))
      return "elements inside of it are left out";
  for (unsigned padded : paddedLoops(nest, op, access, /*reduced=*/true)) {
    unsigned root = rootOf(nest, padded).first;
    for (auto [dim, axis] : llvm::enumerate(nest.op(op).axes))
      if (nest.stemsFrom(root, axis))
        for (unsigned position : llvm::seq(access.getRank()))
          if (access.dependsOnAt(position, dim) && !access.loopAt(position))
            return "it goes on after the end of a sum";
  }
  return {};
}

/// The dimension that the slice has the lines of. Its loops go over this one
/// and the last one, and are in the order of memory there.
static std::string reasonAgainstBoxes(const LoopNest &nest, const Cache &cache,
                                      unsigned op, const Access &access,
                                      TensorBoxes &boxes) {
  ArrayRef<unsigned> axes = nest.op(op).axes;
  SmallVector<unsigned> loops = cachedLoops(nest, cache, op);
  bool sumsLast = nest.op(op).find(loops.back())->reduced;
  std::optional<unsigned> linesDim;
  for (unsigned number : loops) {
    auto [root, distance] = rootOf(nest, number);
    std::string name = "loop '" + nest.loop(number).name + "'";
    if (nest.loop(root).kind != Loop::Kind::Axis)
      return name + " goes over several dimensions";
    auto position =
        positionAlong(access, llvm::find(axes, root) - axes.begin());
    if (!position)
      return name + " does not go over one dimension evenly";
    auto [dim, step] = *position;
    bool isAlong = nest.op(op).find(number)->reduced == sumsLast;
    if (isAlong != (dim + 1 == access.getRank()))
      return name + " does not go over the dimension of its place in the slice";
    if (!isAlong && linesDim.value_or(dim) != dim)
      return name + " goes over a third dimension of the slice";
    if (!isAlong)
      linesDim = dim;
    // The place of the only iteration is that of the tile.
    if (nest.loop(number).extent == 1)
      continue;
    if (strideInSlice(nest, cache, op, number) != distance * step)
      return "iterations of " + name +
             " are not as far apart in the slice as "
             "in the operand";
  }
  if (!linesDim)
    return "the slice has one line";
  boxes.linesDim = *linesDim;
  return {};
}

/// Which part of the slice a block copies: all of it, or an equal part of what
/// the blocks of a cluster have in common.
static std::string divideBoxes(const LoopNest &nest, const Cache &cache,
                               unsigned op, const SwizzledSlice &slice,
                               TensorBoxes &boxes) {
  SmallVector<unsigned> loops = cachedLoops(nest, cache, op);
  bool sumsLast = nest.op(op).find(loops.back())->reduced;
  int64_t inLine = 1;
  for (unsigned number : loops)
    if (nest.op(op).find(number)->reduced == sumsLast)
      inLine *= nest.loop(number).extent;
  boxes.partBlocks = inLine / slice.lineElements();
  boxes.partLines = slice.lines;
  std::optional<unsigned> cluster = clusterLoop(nest);
  if (cluster &&
      llvm::none_of(nest.operand(cache.operand).readers,
                    [&](const LoopNest::Operand::Reader &reader) {
                      return reader.op == op &&
                             llvm::is_contained(indexingLoops(nest, reader),
                                                *cluster);
                    }))
    boxes.sharers = nest.loop(*cluster).extent;
  if (boxes.partBlocks % boxes.sharers == 0)
    boxes.partBlocks /= boxes.sharers;
  else if (boxes.partLines % (groupLines * boxes.sharers) == 0)
    boxes.partLines /= boxes.sharers;
  else
    return "its lines cannot be divided among the blocks of a cluster";
  return {};
}

bool mayCopyBoxes(const LoopNest &nest, TargetAttr target) {
  return target.copiesTensors() &&
         (!clusterLoop(nest) || target.formsClusters());
}

std::optional<TensorBoxes> tensorBoxes(const LoopNest &nest, const Cache &cache,
                                       unsigned op, std::string &reason) {
  const LoopNest::Operand &operand = nest.operand(cache.operand);
  std::optional<SwizzledSlice> slice = swizzledSlice(nest, cache, op);
  TensorBoxes boxes{};
  if (!slice)
    reason = "no instruction of a warpgroup reads the slice";
  else if (pipelineAt(nest, cache.at).stages == 1)
    reason = "its copies do not go ahead";
  else if (makerOf(nest, cache.operand))
    reason = "its elements are computed";
  else if (nest.packOf(cache.operand))
    reason = "it is packed";
  else
    reason =
        reasonAgainstMap(cast<ShapedType>(slicedValue(nest, cache).getType()),
                         operand.elementBytes);
  auto compute = cast<ComputeOp>(nest.op(op).op);
  for (OpOperand *input : compute.getDpsInputOperands())
    if (reason.empty() && input->get() == slicedValue(nest, cache)) {
      reason = reasonAgainstZeros(nest, op, *input);
      if (reason.empty())
        reason = reasonAgainstBoxes(nest, cache, op, Access(*input), boxes);
    }
  if (reason.empty())
    reason = divideBoxes(nest, cache, op, *slice, boxes);
  if (!reason.empty())
    return std::nullopt;
  boxes.lines = boxes.partLines;
  for (int64_t parts = 2; boxes.lines > TensorBoxes::maxLines; ++parts)
    if (boxes.partLines % parts == 0)
      boxes.lines = boxes.partLines / parts;
  if (boxes.lines % groupLines == 0)
    return boxes;
  reason = "its boxes are not groups of eight lines";
  return std::nullopt;
}

} // namespace onnxc::krnl
