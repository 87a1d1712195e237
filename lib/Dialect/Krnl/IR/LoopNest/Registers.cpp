//===- Registers.cpp - Steps for the loops inside ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// unroll, vectorize, register_tile: several iterations at a time, in copies of
// the code, lanes of vectors, or both.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// The maximum unroll factor of a loop, and the maximum number of lanes.
static constexpr int64_t maxUnroll = 64;
static constexpr int64_t maxLanes = 64;

/// Returns true if the copies of a reduced loop follow one another: all reduced
/// loops inside are unrolled completely.
bool NestBuilder::unrollsInOrder(const BodyOp &op, const LoopUse &use) const {
  return llvm::all_of(op.loops, [&](const LoopUse &inside) {
    return !inside.reduced || &inside <= &use ||
           inside.unroll == allLoops[inside.loop].extent;
  });
}

/// What is left is done in ever smaller parts; a single iteration need not be
/// listed.
LogicalResult NestBuilder::checkTail(ArrayRef<int64_t> tail, int64_t factor,
                                     unsigned loop, bool leavesRest,
                                     EmitErrorFn emitError) const {
  if (!tail.empty() && !leavesRest)
    return emitError() << "loop '" << allLoops[loop].name
                       << "' leaves no iterations for a tail";
  for (int64_t size : tail) {
    if (size < 2 || size >= factor)
      return emitError() << "the next part of the tail must have 2 to "
                         << factor - 1 << " iterations, but has " << size;
    factor = size;
  }
  return success();
}

LogicalResult NestBuilder::unroll(StringRef name, int64_t factor,
                                  ArrayRef<int64_t> tail,
                                  EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  const Loop &loop = allLoops[*number];
  if (factor < 1 || factor > maxUnroll)
    return emitError() << "unroll factor must be 1 to " << maxUnroll
                       << ", but is " << factor;
  if (!loop.isDynamic() && factor > std::max<int64_t>(loop.extent, 1))
    return emitError() << "unroll factor " << factor << " exceeds the "
                       << loop.extent << " iterations of loop '" << name << "'";
  if (loop.fusedOuter)
    return emitError()
           << "loop '" << name
           << "' is in fuse_outer; only loops inside can be unrolled";
  if (failed(checkTail(tail, factor, *number, leavesRest(*number, factor),
                       emitError)))
    return failure();
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use)
      continue;
    if (use->role != RegisterRole::None)
      return emitError() << "loop '" << name << "' is part of a register tile";
    if (use->lanes && !tail.empty())
      return emitError() << "vectors of loop '" << name
                         << "' are left one by one; they have no tail";
    if (use->unroll != 1)
      return emitError() << "loop '" << name << "' is unrolled already";
    if (op.ordered && use->reduced)
      return emitError() << "op '" << op.name << "' computes along loop '"
                         << name << "' in order";
    use->unroll = factor;
    use->tail.assign(tail.begin(), tail.end());
    orderPreserved &= !use->reduced || unrollsInOrder(op, *use);
  }
  return success();
}

/// Vectors of bytes are for single sums: the columns of a register tile are
/// unrolled one by one in this op.
static LogicalResult takeLanes(const LoopNest &nest, BodyOp &op,
                               EmitErrorFn emitError) {
  for (LoopUse &use : op.loops) {
    if (use.role == RegisterRole::Column && use.lanes > 1 &&
        nest.leavesUnknownRest(use.loop))
      return emitError() << "op '" << op.name << "' has an unknown number of "
                         << "columns, and a group of " << bytesOfLongDot
                         << " bytes is for one sum";
    if (use.role == RegisterRole::Column)
      use.lanes = 1;
    else if (use.lanes)
      return emitError() << "op '" << op.name << "' has sums in vectors, and a "
                         << "group of " << bytesOfLongDot
                         << " bytes is for one sum";
  }
  return success();
}

LogicalResult NestBuilder::dot(StringRef name, bool shortSums,
                               EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  const Loop &loop = allLoops[*number];
  if (!llvm::is_contained({bytesOfPair, bytesOfDot, bytesOfLongDot},
                          loop.extent))
    return emitError() << "a group has " << bytesOfPair << ", " << bytesOfDot
                       << " or " << bytesOfLongDot
                       << " iterations; block loop '" << name << "' first";
  if (loop.fusedOuter)
    return emitError() << "loop '" << name
                       << "' is in fuse_outer; a group is inside an op";
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use)
      continue;
    if (!use->reduced || !op.multipliesBytes)
      return emitError() << "op '" << op.name
                         << "' sums up no products of bytes along loop '"
                         << name << "'";
    if (use->unroll != 1 || use->lanes)
      return emitError() << "loop '" << name
                         << "' is already unrolled or vectorized";
    if (std::string reason =
            shortSums ? reasonAgainstShortSums(*this, i, *number) : "";
        !reason.empty())
      return emitError() << "the sums of op '" << op.name << "' " << reason;
    if (loop.extent == bytesOfLongDot &&
        failed(takeLanes(*this, op, emitError)))
      return failure();
    use->unroll = loop.extent;
    use->dot = true;
    use->shortSums = shortSums;
  }
  return success();
}

/// Vectors have a power of two of lanes; one lane is scalar code.
static LogicalResult checkLanes(int64_t lanes, int64_t minLanes,
                                EmitErrorFn emitError) {
  if (lanes < minLanes || lanes > maxLanes || !llvm::isPowerOf2_64(lanes))
    return emitError() << "lanes must be a power of two from " << minLanes
                       << " to " << maxLanes << ", but are " << lanes;
  return success();
}

/// Strings and complex numbers are in no vector.
static bool hasLanes(const BodyOp &op) {
  auto compute = dyn_cast_if_present<ComputeOp>(op.op);
  return !compute || fitsVectors(compute);
}

/// Fails unless the loop can be that of the op's vectors.
static LogicalResult checkVectors(const LoopNest &nest, const BodyOp &op,
                                  const LoopUse &use, EmitErrorFn emitError) {
  StringRef name = nest.loop(use.loop).name;
  if (use.role != RegisterRole::None)
    return emitError() << "loop '" << name << "' is part of a register tile";
  if (!hasLanes(op))
    return emitError() << "op '" << op.name
                       << "' has elements that fit no vector";
  auto isInside = [&](const LoopUse &other) {
    return &other > &use && (use.reduced || !other.reduced);
  };
  if (llvm::any_of(op.loops, isInside))
    return emitError() << "loop '" << name
                       << "' is not the innermost loop of op '" << op.name
                       << "', '" << nest.loop(op.loops.back().loop).name
                       << "' is";
  if (use.lanes)
    return emitError() << "loop '" << name << "' is vectorized already";
  if (!use.tail.empty())
    return emitError() << "vectors of loop '" << name
                       << "' are left one by one; they have no tail";
  return success();
}

LogicalResult NestBuilder::vectorize(StringRef name, int64_t lanes,
                                     EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  if (failed(checkLanes(lanes, /*minLanes=*/2, emitError)))
    return failure();
  if (allLoops[*number].parallel)
    return emitError() << "loop '" << name << "' is parallel; block it first";
  if (allLoops[*number].fusedOuter && limit >= 0)
    return emitError()
           << "loop '" << name
           << "' is in fuse_outer: all ops have it in vectors or none";
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use)
      continue;
    if (failed(checkVectors(*this, op, *use, emitError)))
      return failure();
    if (use->reduced && failed(checkPartial(op, *use, emitError)))
      return failure();
    use->lanes = lanes;
    orderPreserved &= !use->reduced;
  }
  return success();
}

/// Checks that the op can hold its tile in registers, and marks it.
static LogicalResult tileOp(const LoopNest &nest, BodyOp &op, unsigned rows,
                            unsigned columns, int64_t lanes,
                            ArrayRef<int64_t> tail, EmitErrorFn emitError) {
  LoopUse *row = op.find(rows), *column = op.find(columns);
  auto refuse = [&](const Twine &reason) {
    return emitError() << "op '" << op.name << "' " << reason;
  };
  if (lanes > 1 && !hasLanes(op))
    return refuse("has elements that fit no vector");
  if (!row || !column)
    return refuse("runs over only one of '" + Twine(nest.loop(rows).name) +
                  "' and '" + nest.loop(columns).name + "'");
  if (column != &op.loops.back() || row + 1 != column)
    return refuse("does not have '" + Twine(nest.loop(rows).name) + "', '" +
                  nest.loop(columns).name + "' as its innermost loops");
  for (LoopUse *use : {row, column}) {
    if (use->reduced)
      return refuse("reduces loop '" + Twine(nest.loop(use->loop).name) + "'");
    if (use->lanes || use->unroll != 1 || use->role != RegisterRole::None)
      return refuse("has loop '" + Twine(nest.loop(use->loop).name) +
                    "' vectorized, unrolled or tiled already");
  }
  bool reduces =
      llvm::any_of(op.loops, [](const LoopUse &use) { return use.reduced; });
  for (const LoopUse &use : op.loops)
    if (reduces && &use != row && &use != column && !use.reduced &&
        !nest.loop(use.loop).fusedOuter && !nest.loop(use.loop).computeAt)
      return refuse(
          "has loop '" + Twine(nest.loop(use.loop).name) +
          "' around the tile, which is neither in fuse_outer nor reduced");
  if (llvm::any_of(op.loops, [](const LoopUse &use) {
        return use.dot && use.unroll == bytesOfLongDot;
      }))
    return refuse("already has a group of bytes; the tile comes before it");
  row->role = RegisterRole::Row;
  row->tail.assign(tail.begin(), tail.end());
  column->role = RegisterRole::Column;
  column->lanes = lanes;
  return success();
}

/// Fails unless the loops have known extents and are inside all ops, and the
/// rows are few enough to be unrolled.
static LogicalResult checkTileLoops(const LoopNest &nest, unsigned rows,
                                    unsigned columns, EmitErrorFn emitError) {
  for (unsigned number : {rows, columns}) {
    const Loop &loop = nest.loop(number);
    if (loop.isDynamic())
      return emitError() << "the extent of loop '" << loop.name
                         << "' is not known; block it first";
    if (loop.fusedOuter)
      return emitError() << "loop '" << loop.name
                         << "' is in fuse_outer; a tile needs it inside";
  }
  if (nest.loop(rows).extent > maxUnroll)
    return emitError() << "a tile has at most " << maxUnroll
                       << " rows, but loop '" << nest.loop(rows).name
                       << "' has " << nest.loop(rows).extent;
  return success();
}

LogicalResult NestBuilder::registerTile(StringRef rowName, StringRef columnName,
                                        int64_t lanes, ArrayRef<int64_t> tail,
                                        bool masked, EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  if (failed(checkLanes(lanes, /*minLanes=*/1, emitError)))
    return failure();
  for (const BodyOp &op : bodyOps)
    for (const LoopUse &use : op.loops)
      if (use.role != RegisterRole::None)
        return emitError() << "op '" << op.name << "' has a register tile of '"
                           << allLoops[use.loop].name << "' already";
  FailureOr<SmallVector<unsigned>> pair =
      resolveAll({rowName, columnName}, emitError);
  if (failed(pair))
    return failure();
  unsigned rows = pair->front(), columns = pair->back();
  if (failed(checkTileLoops(*this, rows, columns, emitError)))
    return failure();
  if (failed(checkTail(tail, allLoops[rows].extent, rows,
                       leavesUnknownRest(rows), emitError)))
    return failure();
  if (masked && (!leavesUnknownRest(rows) || !leavesUnknownRest(columns)))
    return emitError() << "nothing is masked: the rows and columns that are "
                          "left are known";
  bool reduces = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    if (op.hoistedFrom || (!op.find(rows) && !op.find(columns)))
      continue;
    if (failed(tileOp(*this, op, rows, columns, lanes, tail, emitError)))
      return failure();
    op.find(columns)->masked = masked;
    reduces |=
        llvm::any_of(op.loops, [](const LoopUse &use) { return use.reduced; });
  }
  if (!reduces)
    return emitError() << "no op with loops '" << rowName << "' and '"
                       << columnName << "' reduces anything";
  return success();
}

} // namespace onnxc::krnl
