//===- Checks.cpp - Invariants of the nest ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A later step can break the preconditions of an earlier one, so these checks
// run after each: bounds of shorter last blocks, the size of unrolled code, the
// loops that index packed and cached operands.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "TensorMaps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// Iterations of an op that unrolling and register tiles make together.
static constexpr int64_t maxWrittenOut = 8192;
/// Each peeled loop doubles the code inside.
static constexpr unsigned maxPeeled = 3;
//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

int64_t LoopNest::tripCountDivisor(unsigned number) const {
  const Loop &loop = allLoops[number];
  if (loop.kind == Loop::Kind::Axis)
    return loop.isDynamic() ? 1 : loop.extent;
  int64_t whole = tripCountDivisor(loop.parents[0]);
  if (loop.kind == Loop::Kind::Fused) {
    int64_t product;
    bool tooLarge =
        llvm::MulOverflow(whole, tripCountDivisor(loop.parents[1]), product);
    return tooLarge ? 1 : product;
  }
  if (loop.kind == Loop::Kind::BlockInner)
    return pads(number) ? loop.blockSize : std::gcd(loop.blockSize, whole);
  if (!loop.isDynamic() && !endsEarly(number))
    return loop.extent;
  return whole % loop.blockSize == 0 ? whole / loop.blockSize : 1;
}

bool LoopNest::endsEarly(unsigned number) const {
  const Loop &loop = allLoops[number];
  if (loop.kind == Loop::Kind::Axis)
    return false;
  unsigned parent = loop.parents[0];
  if (loop.kind == Loop::Kind::Fused)
    return endsEarly(parent) || endsEarly(loop.parents[1]);
  if (loop.kind == Loop::Kind::BlockOuter || pads(number))
    return endsEarly(parent);
  return tripCountDivisor(parent) % loop.blockSize != 0;
}

bool LoopNest::peels(unsigned number) const {
  const Loop &loop = allLoops[number];
  // The loop inside the blocks was made just after.
  return loop.kind == Loop::Kind::BlockOuter &&
         loop.tail == TailStrategy::Peel && endsEarly(number + 1);
}

bool LoopNest::leavesRest(unsigned number, int64_t factor) const {
  const Loop &loop = allLoops[number];
  return loop.isDynamic() || loop.extent % factor != 0 || endsEarly(number);
}

std::optional<int64_t> LoopNest::knownRest(unsigned number) const {
  const Loop &loop = allLoops[number];
  if (loop.kind != Loop::Kind::BlockInner || pads(number))
    return std::nullopt;
  const Loop &whole = allLoops[loop.parents[0]];
  bool isKnown = whole.kind == Loop::Kind::Axis && !whole.isDynamic() &&
                 whole.extent % loop.extent != 0;
  return isKnown ? std::optional(whole.extent % loop.extent) : std::nullopt;
}

bool LoopNest::isInRegisters(const LoopUse &use) const {
  const Loop &loop = allLoops[use.loop];
  return !loop.isDynamic() &&
         std::max<int64_t>(use.unroll, 1) * use.width() >= loop.extent;
}

SmallVector<unsigned> LoopNest::liveLoops(unsigned op, unsigned number) const {
  if (bodyOps[op].find(number))
    return {number};
  unsigned child = childOf(op, number);
  SmallVector<unsigned> loops = liveLoops(op, child);
  if (allLoops[child].kind == Loop::Kind::BlockOuter)
    llvm::append_range(loops, liveLoops(op, child + 1));
  return loops;
}

/// A loop that ends early gets its bound from the loops over the blocks, which
/// must stand outside; and a tile of parallel loops has no bounds of its own.
LogicalResult NestBuilder::checkTail(const BodyOp &op, const LoopUse &use,
                                     unsigned number,
                                     EmitErrorFn emitError) const {
  const Loop &loop = allLoops[number];
  if (!endsEarly(number)) {
    for (unsigned parent : loop.parents)
      if (failed(checkTail(op, use, parent, emitError)))
        return failure();
    return success();
  }
  auto refuse = [&](const Twine &reason) {
    return emitError() << "loop '" << loop.name
                       << "' ends early in its last block, so " << reason;
  };
  if (loop.kind == Loop::Kind::Fused)
    return refuse("its loops cannot be fused");
  if (allLoops[use.loop].parallel)
    return refuse("it cannot run parallel");
  if (loop.kind == Loop::Kind::BlockInner) {
    // The loop over the blocks was made just before.
    unsigned blocks = number - 1;
    for (unsigned around : liveLoops(&op - bodyOps.begin(), blocks)) {
      const LoopUse *outer = op.find(around);
      if (outer >= &use)
        return refuse("it must be inside loop '" +
                      Twine(allLoops[around].name) + "'");
      if (outer->role != RegisterRole::None)
        return refuse("loop '" + Twine(allLoops[around].name) +
                      "' outside cannot be part of its register tile");
      if (outer->unroll != 1 && !(around == blocks && peels(blocks)))
        return refuse("loop '" + Twine(allLoops[around].name) +
                      "' outside cannot be unrolled");
    }
  }
  return checkTail(op, use, loop.parents[0], emitError);
}

//===----------------------------------------------------------------------===//
// Size of the code
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::checkSize(const BodyOp &op,
                                     EmitErrorFn emitError) const {
  int64_t writtenOut = 1;
  unsigned peeled = 0;
  for (const LoopUse &use : op.loops) {
    peeled += peels(use.loop);
    const Loop &loop = allLoops[use.loop];
    int64_t factor = use.role == RegisterRole::None ? use.unroll : loop.extent;
    // The rest at the end of the loop is one more instance.
    if (use.unroll != 1 && (loop.isDynamic() || loop.extent % use.unroll))
      ++factor;
    if (llvm::MulOverflow(writtenOut, factor, writtenOut))
      writtenOut = INT64_MAX;
  }
  if (writtenOut > maxWrittenOut)
    return emitError() << "op '" << op.name << "' would be unrolled for "
                       << writtenOut << " iterations, more than "
                       << maxWrittenOut;
  if (peeled > maxPeeled)
    return emitError() << "op '" << op.name << "' has " << peeled
                       << " loops whose last block is peeled, more than "
                       << maxPeeled;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops together in one loop
//===----------------------------------------------------------------------===//

/// Returns true if other ops than `computeAt` use the results of the op.
static bool isUsedElsewhere(const LoopNest &nest, const BodyOp &op,
                            ArrayRef<unsigned> computeAt) {
  return op.op && llvm::any_of(op.op->getUsers(), [&](Operation *user) {
           return !isa<ComputeOp>(user) ||
                  !llvm::is_contained(computeAt, nest.indexOf(user));
         });
}

/// Fails unless one of the ops inside loop `number` has it as its next one, and
/// only the last op reduces it and has results for others.
static LogicalResult checkInside(const LoopNest &nest, unsigned number,
                                 unsigned i, ArrayRef<unsigned> computeAt,
                                 EmitErrorFn emitError) {
  StringRef name = nest.loop(number).name;
  const BodyOp &op = nest.op(i);
  bool isLast = i == computeAt.back();
  const LoopUse &use = *op.find(number);
  // Loops of threads, and those in registers, may be around that of the last
  // op, which they hold the results of: all ops inside have them in one strip.
  auto isAround = [&](const LoopUse &other) {
    return nest.loop(other.loop).fusedOuter ||
           (isLast && !other.reduced && !nest.endsEarly(other.loop) &&
            (nest.isInRegisters(other) || nest.loop(other.loop).mapped));
  };
  if (!llvm::all_of(llvm::make_range(op.loops.begin(), op.find(number)),
                    isAround))
    return emitError()
           << "loop '" << name
           << "' is not the next loop inside those of fuse_outer in op '"
           << op.name << "'";
  if (use.unroll != 1 || use.lanes || use.role != RegisterRole::None)
    return emitError() << "ops run inside loop '" << name
                       << "' together, so it stays a plain loop";
  if (use.reduced != isLast)
    return emitError() << "op '" << op.name << "' "
                       << (isLast ? "is the last one inside loop '"
                                  : "is not the last one inside loop '")
                       << name << "', so it must "
                       << (isLast ? "reduce it" : "not reduce it");
  if (!isLast && isUsedElsewhere(nest, op, computeAt))
    return emitError() << "the result of op '" << op.name
                       << "' is used outside of loop '" << name << "'";
  return success();
}

/// Ops inside one loop follow one another, begin with it, and only the last one
/// has something for those after.
LogicalResult NestBuilder::checkComputeAt(EmitErrorFn emitError) const {
  std::optional<unsigned> number = computeAtLoop();
  if (!number)
    return success();
  StringRef name = allLoops[*number].name;
  SmallVector<unsigned> computeAt = computeAtOps();
  if (computeAt.size() < 2)
    return emitError() << "fewer than two ops run over loop '" << name << "'";
  if (computeAt.back() - computeAt.front() + 1 != computeAt.size())
    return emitError() << "ops that run over loop '" << name
                       << "' do not follow one another";
  for (unsigned i : computeAt)
    if (failed(checkInside(*this, *number, i, computeAt, emitError)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Vectors and register tiles stay the innermost loops of each op, apart from
/// loops that it reduces while vectors hold its results.
LogicalResult NestBuilder::checkInnermost(const BodyOp &op,
                                          EmitErrorFn emitError) const {
  for (auto [position, use] : llvm::enumerate(op.loops)) {
    unsigned inside = op.loops.size() - 1 - position;
    if (use.role == RegisterRole::None && !use.reduced)
      inside =
          llvm::count_if(ArrayRef(op.loops).take_back(inside),
                         [](const LoopUse &other) { return !other.reduced; });
    bool vector = use.lanes || use.role == RegisterRole::Column;
    if ((vector && inside != 0) ||
        (use.role == RegisterRole::Row && inside != 1))
      return emitError() << "loop '" << allLoops[use.loop].name
                         << "' would not be "
                         << (vector ? "the innermost" : "the second innermost")
                         << " loop of op '" << op.name << "' any more";
  }
  return success();
}

/// Fails if the op cannot reduce the loop into several partial results.
LogicalResult NestBuilder::checkPartial(const BodyOp &op, const LoopUse &use,
                                        EmitErrorFn emitError) const {
  StringRef name = allLoops[use.loop].name;
  if (op.ordered)
    return emitError() << "op '" << op.name << "' computes along loop '" << name
                       << "' in order";
  if (!op.combinable)
    return emitError() << "op '" << op.name
                       << "' cannot combine partial results of loop '" << name
                       << "'";
  return success();
}

/// Fails unless all boxes can be copied, by as many maps of tensors as a launch
/// makes.
static LogicalResult checkBoxes(const LoopNest &nest, EmitErrorFn emitError) {
  // Slices of a tensor in equal boxes have the same map.
  llvm::SmallSet<std::tuple<unsigned, unsigned, int64_t, int64_t>, 16> maps;
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache)) {
      if (!copiesBoxes(nest, cache, op))
        continue;
      std::string reason;
      std::optional<TensorBoxes> boxes = tensorBoxes(nest, cache, op, reason);
      if (!boxes)
        return emitError() << "cannot copy boxes of operand " << cache.operand
                           << ": " << reason;
      maps.insert({cache.operand, boxes->linesDim, boxes->lines,
                   swizzledSlice(nest, cache, op)->lineBytes});
    }
  if (maps.size() > maxMaps)
    return emitError() << "cannot copy boxes by " << maps.size()
                       << " maps of tensors: launches make at most " << maxMaps;
  return success();
}

/// Fails unless the loops still suit the prefetches, products of matrices and
/// pipelines of steps before.
static LogicalResult checkSteps(const LoopNest &nest, EmitErrorFn emitError) {
  for (const Prefetch &prefetch : nest.prefetches())
    if (std::string reason = reasonAgainst(nest, prefetch); !reason.empty())
      return emitError() << "cannot prefetch operand " << prefetch.operand
                         << ": " << reason;
  for (const Mma &mma : nest.mmas())
    if (std::string reason = reasonAgainst(nest, mma); !reason.empty())
      return emitError() << "op '" << nest.op(mma.op).name
                         << "' cannot use products of matrices: " << reason;
  for (const Pipeline &pipeline : nest.pipelines())
    if (std::string reason = reasonAgainst(nest, pipeline); !reason.empty())
      return emitError() << "loop '" << nest.loop(pipeline.loop).name
                         << "' cannot have " << pipeline.stages
                         << " stages: " << reason;
  return success();
}

LogicalResult NestBuilder::check(EmitErrorFn emitError) const {
  if (failed(checkMapped(emitError)) || failed(checkCluster(emitError)) ||
      failed(checkComputeAt(emitError)) || failed(checkHoisted(emitError)))
    return failure();
  for (auto [number, op] : llvm::enumerate(bodyOps)) {
    for (const LoopUse &use : op.loops) {
      if (failed(checkTail(op, use, use.loop, emitError)))
        return failure();
      std::string reason;
      if (use.skipsMasked)
        reason = reasonAgainstSkipping(*this, number, use);
      if (!reason.empty())
        return emitError() << "op '" << op.name
                           << "' cannot skip iterations of loop '"
                           << allLoops[use.loop].name << "': " << reason;
    }
    if (std::string reason = reasonAgainstPadding(*this, number);
        !reason.empty())
      return emitError() << "op '" << op.name
                         << "' cannot have padded blocks: " << reason;
    if (std::string reason = reasonAgainstRanges(*this, number);
        !reason.empty())
      return emitError() << "op '" << op.name
                         << "' goes beyond a range: " << reason;
    if (failed(checkSize(op, emitError)))
      return failure();
  }
  for (const Pack &pack : allPacks)
    if (failed(checkPack(pack, emitError)))
      return failure();
  if (failed(checkSteps(*this, emitError)) ||
      failed(checkBoxes(*this, emitError)))
    return failure();
  return checkCaches(emitError);
}

} // namespace onnxc::krnl
