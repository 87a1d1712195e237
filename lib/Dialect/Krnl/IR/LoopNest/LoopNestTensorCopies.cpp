//===- LoopNestTensorCopies.cpp - Slices that are boxes -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(.., by=tma): a slice of shared memory consists of boxes of a tensor,
// each of which one instruction copies, to the blocks of a cluster that have
// the same slice.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

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

bool LoopNest::copiesBoxes(const Cache &cache, unsigned op) const {
  const Mma *mma = mmaOf(op);
  return cache.byTma && mma && mma->isOfWarpgroup() &&
         pipelineAt(cache.at).stages > 1;
}

/// The dimension that the slice has the lines of. Its loops go over this one
/// and the last one, and are in the order of memory there.
std::string LoopNest::reasonAgainstBoxes(const Cache &cache, unsigned op,
                                         TensorBoxes &boxes) const {
  const Operand &operand = operands[cache.operand];
  SmallVector<unsigned> loops = cachedLoops(cache, op);
  bool sumsLast = bodyOps[op].find(loops.back())->reduced;
  std::optional<unsigned> linesDim;
  for (unsigned number : loops) {
    auto [root, distance] = rootOf(number);
    std::string name = "loop '" + allLoops[number].name + "'";
    if (allLoops[root].kind != Loop::Kind::Axis)
      return name + " goes over several dimensions";
    unsigned dim =
        llvm::find(operand.dimAxes, int(root)) - operand.dimAxes.begin();
    bool isAlong = bodyOps[op].find(number)->reduced == sumsLast;
    if (isAlong != (dim + 1 == operand.dimAxes.size()))
      return name + " does not go over the dimension of its place in the slice";
    if (!isAlong && linesDim.value_or(dim) != dim)
      return name + " goes over a third dimension of the slice";
    if (!isAlong)
      linesDim = dim;
    // The place of the only iteration is that of the tile.
    if (allLoops[number].extent == 1)
      continue;
    if (strideInSlice(cache, op, number) != distance)
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
std::string LoopNest::divideBoxes(const Cache &cache, unsigned op,
                                  const SwizzledSlice &slice,
                                  TensorBoxes &boxes) const {
  SmallVector<unsigned> loops = cachedLoops(cache, op);
  bool sumsLast = bodyOps[op].find(loops.back())->reduced;
  int64_t inLine = 1;
  for (unsigned number : loops)
    if (bodyOps[op].find(number)->reduced == sumsLast)
      inLine *= allLoops[number].extent;
  boxes.partBlocks = inLine / slice.lineElements();
  boxes.partLines = slice.lines;
  std::optional<unsigned> cluster = clusterLoop();
  if (cluster && llvm::none_of(operands[cache.operand].readers,
                               [&](const Operand::Reader &reader) {
                                 return reader.op == op &&
                                        llvm::is_contained(
                                            indexingLoops(reader), *cluster);
                               }))
    boxes.sharers = allLoops[*cluster].extent;
  if (boxes.partBlocks % boxes.sharers == 0)
    boxes.partBlocks /= boxes.sharers;
  else if (boxes.partLines % (groupLines * boxes.sharers) == 0)
    boxes.partLines /= boxes.sharers;
  else
    return "its lines cannot be divided among the blocks of a cluster";
  return {};
}

bool LoopNest::mayCopyBoxes(TargetAttr target) const {
  return target.copiesTensors() && (!clusterLoop() || target.formsClusters());
}

std::optional<TensorBoxes> LoopNest::tensorBoxes(const Cache &cache,
                                                 unsigned op,
                                                 std::string &reason) const {
  const Operand &operand = operands[cache.operand];
  std::optional<SwizzledSlice> slice = swizzledSlice(cache, op);
  auto kernel = bodyOps[op].op->getParentOfType<KernelOp>();
  TensorBoxes boxes{};
  if (!slice)
    reason = "no instruction of a warpgroup reads the slice";
  else if (pipelineAt(cache.at).stages == 1)
    reason = "its copies do not go ahead";
  else if (packOf(cache.operand))
    reason = "it is packed";
  else if (!operand.plain)
    reason = "it is not indexed by one loop in each dimension";
  else
    reason = reasonAgainstMap(
        cast<ShapedType>(kernel.getBody().getArgument(cache.operand).getType()),
        operand.elementBytes);
  if (reason.empty())
    reason = reasonAgainstBoxes(cache, op, boxes);
  if (reason.empty())
    reason = divideBoxes(cache, op, *slice, boxes);
  if (!reason.empty())
    return std::nullopt;
  boxes.lines = boxes.partLines;
  for (int64_t parts = 2; boxes.lines > TensorBoxes::maxLines; ++parts)
    if (boxes.partLines % parts == 0)
      boxes.lines = boxes.partLines / parts;
  if (boxes.lines % groupLines == 0)
    return boxes;
  reason = "its boxes are no groups of eight lines";
  return std::nullopt;
}

} // namespace onnxc::krnl
