//===- PaddedLoops.cpp - Blocks that reach past the end ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// tail=pad: all blocks are whole, so that no bound depends on a thread. Values
// of the loop past its end are brought back to the last one where memory is
// read, and nothing is stored for them. A sum has products of zeros there.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "Queries.h"
#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace onnxc::krnl {

bool LoopNest::pads(unsigned number) const {
  const Loop &loop = allLoops[number];
  return loop.tail == TailStrategy::Pad && !endsEarly(loop.parents[0]);
}

static void addPadded(const LoopNest &nest, unsigned op, unsigned number,
                      SmallVectorImpl<unsigned> &padded) {
  if (nest.op(op).find(number))
    return;
  unsigned child = nest.childOf(op, number);
  const Loop &loop = nest.loop(child);
  if (nest.pads(child) && nest.tripCountDivisor(number) % loop.blockSize != 0 &&
      !llvm::is_contained(padded, number))
    padded.push_back(number);
  addPadded(nest, op, child, padded);
  // The loop inside the blocks was made just after that over them.
  if (loop.kind == Loop::Kind::BlockOuter)
    addPadded(nest, op, child + 1, padded);
}

SmallVector<unsigned> paddedLoops(const LoopNest &nest, unsigned number,
                                  bool reduced) {
  const BodyOp &op = nest.op(number);
  SmallVector<unsigned> padded;
  if (isInSlices(nest, number))
    return padded;
  for (auto [axis, isReduced] : llvm::zip_equal(op.axes, op.reduced))
    if (isReduced || !reduced)
      addPadded(nest, number, axis, padded);
  return padded;
}

SmallVector<unsigned> paddedLoops(const LoopNest &nest, unsigned number,
                                  const Access &access, bool reduced) {
  const BodyOp &op = nest.op(number);
  SmallVector<unsigned> padded;
  for (auto [dim, axis] : llvm::enumerate(op.axes))
    if (access.dependsOn(dim) && (op.reduced[dim] || !reduced))
      addPadded(nest, number, axis, padded);
  return padded;
}

std::pair<unsigned, int64_t> rootOf(const LoopNest &nest, unsigned number) {
  int64_t distance = 1;
  while (nest.loop(number).kind == Loop::Kind::BlockOuter ||
         nest.loop(number).kind == Loop::Kind::BlockInner) {
    if (nest.loop(number).kind == Loop::Kind::BlockOuter)
      distance *= nest.loop(number).blockSize;
    number = nest.loop(number).parents[0];
  }
  return {number, distance};
}

std::optional<int64_t> distanceIn(const LoopNest &nest, unsigned ancestor,
                                  unsigned number) {
  int64_t distance = 1;
  while (number != ancestor) {
    const Loop &loop = nest.loop(number);
    if (loop.kind == Loop::Kind::Axis || loop.kind == Loop::Kind::Fused)
      return std::nullopt;
    if (loop.kind == Loop::Kind::BlockOuter)
      distance *= loop.blockSize;
    number = loop.parents[0];
  }
  return distance;
}

/// Returns true if either all lanes of a vector of the loop are past the end of
/// the padded one, or none.
static bool keepsVectorsWhole(const LoopNest &nest, unsigned padded,
                              const LoopUse &use) {
  if (use.width() == 1 || !nest.stemsFrom(use.loop, padded))
    return true;
  std::optional<int64_t> distance = distanceIn(nest, padded, use.loop);
  return distance && !nest.leavesRest(use.loop, use.width()) &&
         nest.tripCountDivisor(padded) % (*distance * use.width()) == 0;
}

/// The loop over blocks of which the last one is shorter, where its iterations
/// or those of a loop that it was made of follow from the given one: after the
/// end the bound of such blocks would be negative.
static std::optional<unsigned> findShortBlocks(const LoopNest &nest,
                                               unsigned number) {
  const Loop &loop = nest.loop(number);
  if (loop.kind == Loop::Kind::Axis)
    return std::nullopt;
  unsigned parent = loop.parents[0];
  if (loop.kind == Loop::Kind::BlockOuter && !nest.pads(number) &&
      nest.tripCountDivisor(parent) % loop.blockSize != 0)
    return number;
  std::optional<unsigned> found = findShortBlocks(nest, parent);
  return found || loop.kind != Loop::Kind::Fused
             ? found
             : findShortBlocks(nest, loop.parents[1]);
}

/// Sums of products of two inputs of the kernel, both of which are zero after
/// the end.
static bool sumsUpZeros(const LoopNest &nest, unsigned number) {
  auto op = dyn_cast_if_present<ComputeOp>(nest.op(number).op);
  SmallVector<OpOperand *> factors;
  if (op)
    for (const MatrixProduct &product : matrixProductsOf(op))
      factors.append({product.lhs, product.rhs});
  SmallVector<unsigned> padded = paddedLoops(nest, number, /*reduced=*/true);
  return !factors.empty() && llvm::all_of(factors, [&](OpOperand *factor) {
    return isa<BlockArgument>(factor->get()) &&
           llvm::equal(paddedLoops(nest, number, Access(*factor), true),
                       padded);
  });
}

/// Returns true if the op accesses memory at indices that are elements of an
/// intermediate. Past the end nothing is stored to an intermediate, so that
/// these are not defined.
static bool readsIndices(ComputeOp op) {
  llvm::SetVector<Value> indices;
  for (auto read : op.getBlock()->getOps<tensor::ExtractOp>())
    indices.insert_range(read.getIndices());
  for (unsigned result : llvm::seq<unsigned>(op.getNumDpsInits()))
    if (ScatterStoreOp store = scatterStoreOf(op, result))
      indices.insert_range(store->getOperands());
  for (unsigned next = 0; next < indices.size(); ++next) {
    Value index = indices[next];
    Operation *producer = index.getDefiningOp();
    if (producer && producer->getBlock() == op.getBlock())
      indices.insert_range(producer->getOperands());
    auto element = dyn_cast<BlockArgument>(index);
    if (element && element.getOwner() == op.getBlock() &&
        !isa<BlockArgument>(op.getMatchingOpOperand(element)->get()))
      return true;
  }
  return false;
}

/// Why the op cannot have its padded blocks; empty if it can, or has none.
std::string reasonAgainstPadding(const LoopNest &nest, unsigned number) {
  const BodyOp &op = nest.op(number);
  SmallVector<unsigned> padded = paddedLoops(nest, number);
  if (padded.empty())
    return {};
  bool isSum = !paddedLoops(nest, number, /*reduced=*/true).empty();
  if (isSum && !sumsUpZeros(nest, number))
    return "it does not sum up products of two inputs of the kernel, of f16, "
           "bf16, f32 or bytes";
  if (auto compute = dyn_cast_if_present<ComputeOp>(op.op);
      compute && readsIndices(compute))
    return "it computes indices from an intermediate";
  for (unsigned loop : padded)
    if (std::optional<unsigned> blocks = findShortBlocks(nest, loop))
      return "the bound of the blocks over which loop '" +
             nest.loop(*blocks).name + "' runs depends on it";
  for (const LoopUse &use : op.loops) {
    StringRef name = nest.loop(use.loop).name;
    for (unsigned loop : padded)
      if (!keepsVectorsWhole(nest, loop, use))
        return ("vectors of loop '" + name +
                "' would reach across the end of '" + nest.loop(loop).name +
                "'")
            .str();
    if (use.transpose || use.interleave || !use.strides.empty())
      return ("accesses along loop '" + name + "' are shuffled").str();
    if (isSum && use.dot)
      return ("groups of bytes along loop '" + name + "' are read at once")
          .str();
  }
  return {};
}

} // namespace onnxc::krnl
