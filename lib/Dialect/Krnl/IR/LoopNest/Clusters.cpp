//===- Clusters.cpp - Loops of blocks of clusters ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// map(l, cluster): tiles that the blocks of a cluster have, or parts of a sum.
//
//   sum:   for all shares: for the part of this block: for its terms: add
//          exchange: each block adds up the parts of its share
//   other: for the share of this block: ...
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "Queries.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/rt/device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

std::optional<unsigned> clusterLoop(const LoopNest &nest) {
  for (unsigned number : nest.order())
    if (nest.loop(number).isCluster && nest.loop(number).parallel)
      return number;
  return std::nullopt;
}

std::optional<unsigned> clusterParts(const LoopNest &nest) {
  for (unsigned number : nest.order())
    if (nest.loop(number).isCluster && !nest.loop(number).parallel)
      return number;
  return std::nullopt;
}

std::optional<unsigned> clusterShares(const LoopNest &nest) {
  std::optional<unsigned> parts = clusterParts(nest);
  for (unsigned number : nest.order())
    if (parts && nest.loop(number).threadsOf == int(*parts))
      return number;
  return std::nullopt;
}

bool isSharedOut(const LoopNest &nest, unsigned loop, const BodyOp &op) {
  return nest.loop(loop).mapped && loop == clusterShares(nest) &&
         op.find(*clusterParts(nest));
}

int64_t exchangedResults(const LoopNest &nest, unsigned op) {
  std::optional<unsigned> parts = clusterParts(nest);
  if (!parts || !nest.op(op).find(*parts))
    return 0;
  Operation *sum = nest.op(op).op;
  int64_t results = sum ? sum->getNumResults() : 1;
  for (const LoopUse &use : nest.op(op).loops)
    if (!use.reduced && nest.isInRegisters(use))
      results *= nest.loop(use.loop).extent;
  return results;
}

/// Why the iterations of a loop that is not parallel cannot be parts of a sum
/// that the blocks of a cluster have.
static std::string reasonAgainstParts(const LoopNest &nest, unsigned number) {
  if (nest.loop(number).fusedOuter)
    return "it is not parallel";
  if (nest.loop(number).mapped)
    return "it is mapped already";
  unsigned sums = 0;
  for (const BodyOp &op : nest.ops())
    if (const LoopUse *use = op.find(number)) {
      if (!use->reduced)
        return "it is not parallel, and op '" + op.name +
               "' does not reduce it";
      ++sums;
    }
  return sums == 1 ? "" : "several ops reduce it";
}

/// Why the blocks that have the parts of a sum cannot have an iteration each of
/// the loop in other ops.
static std::string reasonAgainstShares(const LoopNest &nest, unsigned number,
                                       unsigned parts) {
  const Loop &loop = nest.loop(number);
  if (parts != clusterParts(nest))
    return "loop '" + nest.loop(parts).name + "' has no parts of a sum";
  if (std::optional<unsigned> other = clusterShares(nest))
    return "loop '" + nest.loop(*other).name + "' is one";
  if (loop.fusedOuter || loop.computeAt)
    return "ops run inside it together";
  if (loop.mapped)
    return "it is mapped already";
  return loop.extent == nest.loop(parts).extent
             ? ""
             : "loop '" + nest.loop(parts).name +
                   "' has another number of iterations";
}

LogicalResult NestBuilder::mapCluster(unsigned number, StringRef as,
                                      EmitErrorFn emitError) {
  Loop &loop = allLoops[number];
  auto refuse = [&](const Twine &reason) {
    return emitError() << "loop '" << loop.name
                       << "' cannot be a cluster: " << reason;
  };
  if (!as.empty()) {
    FailureOr<unsigned> parts = resolve(as, emitError);
    if (failed(parts))
      return failure();
    if (std::string reason = reasonAgainstShares(*this, number, *parts);
        !reason.empty())
      return refuse(reason);
    loop.mapped = true;
    loop.threadsOf = int(*parts);
    return success();
  }
  std::optional<unsigned> other = clusterLoop(*this);
  if (!other)
    other = clusterParts(*this);
  if (other)
    return refuse("loop '" + allLoops[*other].name + "' is one");
  if (!loop.parallel)
    if (std::string reason = reasonAgainstParts(*this, number); !reason.empty())
      return refuse(reason);
  if (loop.extent < 2 || loop.extent > ONNXC_CLUSTER_BLOCKS ||
      !llvm::isPowerOf2_64(loop.extent))
    return refuse("its iterations are not a power of two from 2 to " +
                  Twine(ONNXC_CLUSTER_BLOCKS));
  loop.isCluster = true;
  orderPreserved &= loop.parallel;
  return success();
}

/// Each block has one iteration of a loop of parts: it stays a plain one.
static LogicalResult checkParts(const LoopNest &nest, unsigned parts,
                                EmitErrorFn emitError) {
  const Loop &loop = nest.loop(parts);
  for (const BodyOp &op : nest.ops()) {
    const LoopUse *use = op.find(parts);
    if (use &&
        (use->unroll != 1 || use->lanes || use->role != RegisterRole::None ||
         loop.computeAt || nest.peels(parts)))
      return emitError() << "each iteration of loop '" << loop.name
                         << "' is a block's, so it stays a plain loop";
    if (use && (op.ordered || !op.combinable))
      return emitError() << "op '" << op.name
                         << "' cannot combine partial results of loop '"
                         << loop.name << "'";
  }
  for (const Cache &cache : nest.caches())
    if (cache.at == parts)
      return emitError() << "operand " << cache.operand
                         << " is cached at loop '" << loop.name
                         << "', whose iterations are those of blocks";
  if (producingPipeline(nest))
    return emitError() << "a producer copies for all iterations of loop '"
                       << loop.name << "', which different blocks have";
  return success();
}

/// The blocks of a cluster have adjacent tiles, or parts of one, and wait
/// for each other.
LogicalResult NestBuilder::checkCluster(EmitErrorFn emitError) const {
  std::optional<unsigned> cluster = clusterLoop(*this);
  if (std::optional<unsigned> parts = clusterParts(*this)) {
    if (failed(checkParts(*this, *parts, emitError)))
      return failure();
    cluster = parts;
  }
  if (!cluster)
    return success();
  const Loop &loop = allLoops[*cluster];
  if (loop.parallel && parallelLoops().back() != *cluster)
    return emitError() << "loop '" << loop.name
                       << "' is a cluster, so it must be the last parallel one";
  if (gridBlocks % loop.extent != 0)
    return emitError() << "a grid of " << gridBlocks
                       << " blocks has no whole clusters of loop '" << loop.name
                       << "'";
  for (const BodyOp &op : bodyOps)
    for (const LoopUse &use : op.loops)
      if (endsEarly(use.loop) || use.earlyExit || use.skipsMasked)
        return emitError() << "loop '" << allLoops[use.loop].name
                           << "' ends early in some blocks of cluster '"
                           << loop.name << "'";
  return success();
}

} // namespace onnxc::krnl
