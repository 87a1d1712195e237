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
  if (!type.hasStaticShape())
    return "its sizes are dynamic";
  int64_t pitch = elementBytes;
  for (auto [i, size] : llvm::enumerate(llvm::reverse(type.getShape()))) {
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
  return cache.byTma && mma && mma->isOfWarpgroup() &&
         pipelineAt(nest, cache.at).stages > 1;
}

/// The dimension that the slice has the lines of. Its loops go over this one
/// and the last one, and are in the order of memory there.
static std::string reasonAgainstBoxes(const LoopNest &nest, const Cache &cache,
                                      unsigned op, TensorBoxes &boxes) {
  const LoopNest::Operand &operand = nest.operand(cache.operand);
  SmallVector<unsigned> loops = cachedLoops(nest, cache, op);
  bool sumsLast = nest.op(op).find(loops.back())->reduced;
  std::optional<unsigned> linesDim;
  for (unsigned number : loops) {
    auto [root, distance] = rootOf(nest, number);
    std::string name = "loop '" + nest.loop(number).name + "'";
    if (nest.loop(root).kind != Loop::Kind::Axis)
      return name + " goes over several dimensions";
    unsigned dim =
        llvm::find(operand.dimAxes, int(root)) - operand.dimAxes.begin();
    bool isAlong = nest.op(op).find(number)->reduced == sumsLast;
    if (isAlong != (dim + 1 == operand.dimAxes.size()))
      return name + " does not go over the dimension of its place in the slice";
    if (!isAlong && linesDim.value_or(dim) != dim)
      return name + " goes over a third dimension of the slice";
    if (!isAlong)
      linesDim = dim;
    // The place of the only iteration is that of the tile.
    if (nest.loop(number).extent == 1)
      continue;
    if (strideInSlice(nest, cache, op, number) != distance)
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
  auto kernel = nest.op(op).op->getParentOfType<KernelOp>();
  TensorBoxes boxes{};
  if (!slice)
    reason = "no instruction of a warpgroup reads the slice";
  else if (pipelineAt(nest, cache.at).stages == 1)
    reason = "its copies do not go ahead";
  else if (makerOf(nest, cache.operand))
    reason = "its elements are computed";
  else if (nest.packOf(cache.operand))
    reason = "it is packed";
  else if (!operand.plain)
    reason = "it is not indexed by one loop in each dimension";
  else
    reason = reasonAgainstMap(
        cast<ShapedType>(kernel.getBody().getArgument(cache.operand).getType()),
        operand.elementBytes);
  if (reason.empty())
    reason = reasonAgainstBoxes(nest, cache, op, boxes);
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
