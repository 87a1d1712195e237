//===- SharedCopyCost.cpp - Copies of slices to shared memory ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cost/SharedCopyCost.h"

#include "Cost/OpCost.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include <numeric>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

double countIterations(const LoopNest &nest, ArrayRef<unsigned> loops) {
  double count = 1;
  for (unsigned loop : loops)
    count *= iterationsOf(nest, loop);
  return count;
}

/// Elements of an access that copies an operand: so many lie next to each other
/// and begin at a multiple of their number.
static int64_t elementsOfCopy(const LoopNest &nest, unsigned number,
                              OpOperand &operand, const Access &access,
                              int64_t maxElements) {
  SmallVector<unsigned> line;
  int64_t inLine = 0;
  for (const LoopUse &use : nest.op(number).loops) {
    int64_t stride = std::abs(access.stride(use.loop));
    inLine += stride == 1;
    if (stride > 0 && access.hasRangeAlong(use.loop) && stride < maxElements)
      maxElements = stride;
    if (stride > 0 && stride < maxElements)
      line.push_back(use.loop);
  }
  int64_t lanes = access.alignment(line, maxElements);
  for (unsigned padded :
       paddedLoops(nest, number, Access(operand), /*reduced=*/false))
    for (const LoopUse &use : nest.op(number).loops)
      if (nest.stemsFrom(use.loop, padded) && access.hasUnitStride(use.loop))
        lanes = std::gcd(lanes, nest.tripCountDivisor(padded));
  return inLine == 1 ? lanes : 1;
}

std::optional<unsigned> partsOfBlocks(KernelOp kernel, const LoopNest &nest) {
  return TargetAttr::of(kernel).formsClusters() ? clusterParts(nest)
                                                : std::nullopt;
}

Rounds countRounds(const LoopNest &nest, unsigned number, unsigned at,
                   std::optional<unsigned> ofBlocks) {
  Rounds rounds;
  for (const LoopUse &use : nest.op(number).loops) {
    const Loop &loop = nest.loop(use.loop);
    if (use.loop == at)
      rounds.around = rounds.all;
    if (!loop.parallel && !loop.mapped && !nest.isInRegisters(use) &&
        use.loop != ofBlocks)
      rounds.all *=
          iterationsOf(nest, use.loop) * visibleShare(nest, number, use.loop);
    if (use.loop == at)
      break;
  }
  return rounds;
}

/// Adds a slice that is copied by boxes; one thread has an instruction for
/// each.
static void addBoxes(SharedCopies &copies, const TensorBoxes &boxes,
                     const SwizzledSlice &slice, double elements,
                     const Processor &target) {
  double part = elements / double(boxes.sharers);
  copies.parts += part * double(target.warpThreads) /
                  double(boxes.lines * slice.lineElements());
  copies.far += part * double(slice.elementBytes);
  copies.sharers = std::max(copies.sharers, boxes.sharers);
}

/// Adds a slice that all threads copy, each by accesses of so many elements.
/// True if they wait for these: less than a word goes through registers, as
/// elements do that are stored one by one.
static bool addAccesses(SharedCopies &copies, double elements, int64_t bytes,
                        int64_t lanes, bool isScattered,
                        const Processor &target) {
  copies.far += elements * double(bytes);
  copies.addressed += elements * double(bytes);
  // PTX ISA, cp.async: only copies of 16 bytes leave out the first cache.
  if (copies.stages == 1 || lanes * bytes != target.vectorBytes)
    copies.cached += elements * double(bytes);
  copies.parts += elements / double(lanes);
  copies.scattered += isScattered ? elements : 0;
  return (isScattered ? 1 : lanes) * bytes < 4;
}

/// The copies at a loop, without any slice.
static SharedCopies copiesAt(KernelOp kernel, const LoopNest &nest,
                             unsigned number, unsigned at) {
  SharedCopies copies{at};
  copies.follows =
      nest.loop(at).computeAt &&
      llvm::any_of(nest.caches(), [&](const Cache &cache) {
        return cache.isShared() && cache.at == at &&
               llvm::any_of(cachingOps(nest, cache),
                            [&](unsigned op) { return op < number; });
      });
  Rounds rounds = countRounds(nest, number, at, partsOfBlocks(kernel, nest));
  copies.rounds = rounds.all;
  copies.starts = rounds.around;
  Pipeline pipeline = pipelineAt(nest, at);
  copies.stages = pipeline.stages;
  copies.ahead = pipeline.ahead();
  copies.isInFlight =
      pipeline.inFlight > 0 && mmaOf(nest, number) &&
      mmaOf(nest, number)->isOfWarpgroup() &&
      multipliesByWarpgroups(cast<ComputeOp>(nest.op(number).op));
  return copies;
}

/// Adds the slice of an operand.
static void addSlice(SharedCopies &copies, const LoopNest &nest,
                     unsigned number, const Cache &cache, OpOperand &input,
                     const Processor &target) {
  SmallVector<unsigned> loops = cachedLoops(nest, cache, number);
  double elements = countIterations(nest, loops);
  int64_t bytes = elementBytes(getElementTypeOrSelf(input.get()));
  std::optional<int64_t> shifted = shiftedRow(nest, cache, number, input);
  if (shifted)
    elements *= 1 + double(target.vectorBytes) / double(*shifted * bytes);
  copies.bytes += elements * double(bytes);
  std::string reason;
  std::optional<TensorBoxes> boxes;
  if (cache.isByTma() && mayCopyBoxes(nest, TargetAttr::of(nest.op(number).op)))
    boxes = tensorBoxes(nest, cache, number, reason);
  if (boxes) {
    addBoxes(copies, *boxes, *swizzledSlice(nest, cache, number), elements,
             target);
    copies.hasProducer = pipelineAt(nest, cache.at).producer;
    return;
  }
  Access access(nest, number, input);
  int64_t lanes = std::max(target.vectorBytes / bytes, int64_t(1));
  if (!shifted)
    lanes = elementsOfCopy(nest, number, input, access, lanes);
  bool isScattered = !loops.empty() && !access.hasUnitStride(loops.back());
  copies.isWaiting |=
      addAccesses(copies, elements, bytes, lanes, isScattered, target);
}

SmallVector<SharedCopies> copiesOf(KernelOp kernel, const LoopNest &nest,
                                   unsigned number, const Processor &target) {
  SmallVector<SharedCopies> all;
  auto op = cast<ComputeOp>(nest.op(number).op);
  for (OpOperand *input : readInputs(op)) {
    const Cache *cache = sharedCacheOf(nest, *input, number);
    if (!cache || makerOf(nest, cache->operand))
      continue;
    auto *copies = llvm::find_if(
        all, [&](const SharedCopies &other) { return other.at == cache->at; });
    if (copies == all.end()) {
      all.push_back(copiesAt(kernel, nest, number, cache->at));
      copies = &all.back();
    }
    addSlice(*copies, nest, number, *cache, *input, target);
  }
  for (SharedCopies &copies : all)
    if (copies.isWaiting) {
      copies.stages = 1;
      copies.follows = false;
    }
  return all;
}

} // namespace onnxc
