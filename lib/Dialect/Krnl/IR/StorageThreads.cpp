//===- StorageThreads.cpp - What threads pass to each other ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc::krnl {

LogicalResult NestBuilder::shared(StringRef op, EmitErrorFn emitError) {
  std::optional<unsigned> number = findOp(op);
  if (!number)
    return emitError() << "there is no op '" << op << "'";
  if (bodyOps[*number].isShared)
    return emitError() << "the step is already applied to op '" << op << "'";
  bodyOps[*number].isShared = true;
  return success();
}

/// Returns true if the index is at a fixed distance from the axis, so that each
/// iteration has an element of its own.
static bool isShiftOf(AffineExpr index, unsigned axis, unsigned numAxes) {
  AffineExpr distance = index - getAffineDimExpr(axis, index.getContext());
  return isa<AffineConstantExpr>(simplifyAffineExpr(distance, numAxes, 0));
}

/// Returns true if the elements that a thread reads are those that the same
/// iterations of `loop` have written. They are indexed by its axes on both
/// sides, where parts of larger tensors begin at any element.
static bool readsOwnElements(const LoopNest &nest, unsigned loop,
                             OpResult produced, OpOperand &use) {
  auto producer = cast<ComputeOp>(produced.getOwner());
  auto consumer = cast<ComputeOp>(use.getOwner());
  const BodyOp &from = nest.op(nest.indexOf(producer));
  const BodyOp &to = nest.op(nest.indexOf(consumer));
  SmallVector<AffineExpr> written =
      indicesOverAxes(producer.getIndexingMapMatchingResult(produced), from);
  SmallVector<AffineExpr> read =
      indicesOverAxes(consumer.getMatchingIndexingMap(&use), to);
  return to.find(loop) && llvm::all_of(nest.axesOf(loop), [&](unsigned axis) {
           return llvm::any_of(llvm::zip_equal(written, read), [&](auto pair) {
             auto [at, there] = pair;
             return at == there && isShiftOf(at, axis, nest.numAxes());
           });
         });
}

/// A sum that threads combine begins in registers and ends there.
static std::string reasonAgainstSum(const OpPlan &plan, const LoopUse &sum) {
  unsigned position =
      llvm::find_if(plan.loops,
                    [&](const LoopUse &use) { return use.loop == sum.loop; }) -
      plan.loops.begin();
  if (!plan.accumulates || !plan.startsOnce || position < plan.firstReduced)
    return "does not keep its sum in registers";
  if (plan.accumulated.size() != plan.op->getNumResults())
    return "has results beside its sum";
  for (Type type : plan.op->getResultTypes())
    if (Type element = getElementTypeOrSelf(type);
        !element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
      return "has sums that threads cannot exchange";
  return "";
}

/// Why the blocks of a cluster cannot have parts of the op's sum, or a share of
/// its results, where a step says that they have; empty if they can.
static std::string reasonAgainstCluster(const StoragePlan &storage,
                                        const LoopNest &nest, unsigned op) {
  std::optional<unsigned> parts = clusterParts(nest),
                          shares = clusterShares(nest);
  if (!parts || storage.isOnlyStart(op) || isInSlices(nest, op))
    return "";
  const OpPlan &plan = storage.plan(op);
  const BodyOp &body = nest.op(op);
  const LoopUse *share = shares ? body.find(*shares) : nullptr;
  if (!share || share->reduced)
    return "has no loop of which each block of the cluster has an iteration";
  const LoopUse *sum = body.find(*parts);
  if (!sum)
    return "";
  if (share->width() > 1)
    return "has lanes along loop '" + nest.loop(*shares).name +
           "', of which each block of the cluster has an iteration";
  if (std::string reason = reasonAgainstSum(plan, *sum); !reason.empty())
    return reason;
  if (plan.op->getNumResults() != 1 && matrixProductsOf(plan.op).empty())
    return "has several sums, not all of products of one factor";
  for (OpOperand *input : plan.op.getDpsInputOperands())
    if (!isa<BlockArgument>(input->get()) && !sharedCacheOf(nest, *input, op))
      return "sums up results of another op";
  for (const LoopUse &use : body.loops) {
    const Loop &loop = nest.loop(use.loop);
    if (!use.reduced && !nest.isInRegisters(use) && !loop.parallel &&
        !(loop.mapped && use.loop != *shares))
      return "has loop '" + loop.name + "', which is not unrolled";
  }
  return "";
}

/// Why threads cannot share the op; empty if they can.
static std::string reasonAgainstThreads(const StoragePlan &storage,
                                        const LoopNest &nest, unsigned op) {
  if (storage.isOnlyStart(op) || isInSlices(nest, op))
    return "";
  const OpPlan &plan = storage.plan(op);
  SmallVector<const LoopUse *> written;
  for (const LoopUse &use : nest.op(op).loops) {
    if (!nest.loop(use.loop).mapped || nest.loop(use.loop).fusedOuter)
      continue;
    if (!use.reduced)
      written.push_back(&use);
    else if (std::string reason = reasonAgainstSum(plan, use); !reason.empty())
      return reason;
  }
  for (OpResult result : plan.op->getResults()) {
    if (scatterStoreOf(plan.op, result.getResultNumber()) ||
        isTrace(plan.op, result.getResultNumber()))
      return "writes other elements than those of its thread";
    if (!storage.destinationAliases(result).empty())
      return "writes its result for others to continue";
    for (OpOperand &use : result.getUses()) {
      if (!storage.isReadFromMemory(result, use))
        continue;
      auto isOwn = [&](const LoopUse *loop) {
        return readsOwnElements(nest, loop->loop, result, use);
      };
      if (nest.op(op).isShared) {
        if (!isa<ComputeOp>(use.getOwner()))
          return "has a shared result that is read at a computed index";
        continue;
      }
      if (written.empty() || !isa<ComputeOp>(use.getOwner()) ||
          !llvm::all_of(written, isOwn))
        return "has a result in memory that other threads read";
    }
  }
  return "";
}

/// Returns true if the op writes to memory of all threads, by the step for it
/// or for an op that it continues the result of, or that continues its own.
static bool writesShared(const StoragePlan &storage, unsigned op) {
  return !storage.isOnlyStart(op) &&
         llvm::any_of(storage.slots, [&](const auto &slot) {
           return slot.second.isShared && storage.writes(op, slot.first);
         });
}

/// Why the results of the op cannot be in memory of all threads; empty if they
/// can.
static std::string reasonAgainstShared(const StoragePlan &storage,
                                       const LoopNest &nest, unsigned op) {
  ComputeOp compute = storage.plan(op).op;
  auto isInSharedSlot = [&](OpResult result) {
    auto slot = storage.slots.find(storage.chainRoot(result));
    return slot != storage.slots.end() && slot->second.isShared;
  };
  if (nest.op(op).isShared &&
      !llvm::all_of(compute->getResults(), isInSharedSlot))
    return "has a result that is not an intermediate of known size";
  int64_t written = 1;
  for (const LoopUse &use : nest.op(op).loops)
    if (nest.loop(use.loop).mapped && !use.reduced)
      written *= nest.loop(use.loop).extent;
  if (written != numThreads(nest))
    return "has elements that several threads write";
  return reasonAgainstWaiting(nest);
}

/// Returns true if threads of several warps combine sums of the op.
static bool exchangesSums(const LoopNest &nest, unsigned op) {
  return llvm::any_of(sumsOfThreads(nest, op), crossesWarps);
}

/// The bytes of the memory by which warps combine sums, which ops with as many
/// sums of one type, and as many words for each, use again, and of that by
/// which blocks of a cluster do.
static int64_t exchangedBytes(const StoragePlan &storage,
                              const LoopNest &nest) {
  llvm::DenseSet<std::tuple<Type, int64_t, int64_t>> buffers;
  for (unsigned op = 0; op < nest.ops().size(); ++op) {
    int64_t sums = sumsOfExchange(nest, op);
    for (const LoopUse &use : nest.op(op).loops)
      if (!use.reduced)
        sums *= use.width();
    for (int64_t words :
         exchangedWords(sumsOfThreads(nest, op), numThreads(nest)))
      for (unsigned result : storage.plan(op).accumulated)
        if (words > 0)
          buffers.insert({getElementTypeOrSelf(
                              storage.plan(op).op->getResult(result).getType()),
                          sums, words});
  }
  int64_t bytes = 0;
  for (auto [element, sums, words] : buffers)
    bytes += llvm::alignTo(sums * words * elementBytes(element),
                           Cache::sharedAlignment);
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    if (int64_t results = exchangedResults(nest, op))
      bytes +=
          llvm::alignTo(results * numThreads(nest) *
                            elementBytes(getElementTypeOrSelf(
                                storage.plan(op).op->getResult(0).getType())),
                        Cache::sharedAlignment);
  return bytes;
}

/// Returns true if threads pass results or parts of sums to each other.
static bool sharesResults(const LoopNest &nest) {
  return clusterParts(nest) ||
         llvm::any_of(llvm::seq<unsigned>(nest.ops().size()), [&](unsigned op) {
           return nest.op(op).isShared || exchangesSums(nest, op);
         });
}

int64_t sharedResultBytes(KernelOp kernel, const LoopNest &nest) {
  if (!sharesResults(nest))
    return 0;
  StoragePlan storage(kernel, nest);
  storage.assign();
  return storage.sharedBytes() + exchangedBytes(storage, nest);
}

LogicalResult verifyShared(KernelOp kernel, const LoopNest &nest,
                           EmitErrorFn emitError) {
  if (!sharesResults(nest))
    return success();
  StoragePlan storage(kernel, nest);
  storage.assign();
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    if (nest.op(op).isShared || writesShared(storage, op))
      if (std::string reason = reasonAgainstShared(storage, nest, op);
          !reason.empty())
        return emitError() << "op '" << nest.op(op).name
                           << "' cannot have shared results: " << reason;
  if (sharedSliceBytes(nest) + storage.sharedBytes() +
          exchangedBytes(storage, nest) >
      nest.maxSharedBytes())
    return emitError() << "shared results, sums and slices take more than "
                       << nest.maxSharedBytes() << " bytes";
  return success();
}

LogicalResult verifyThreads(KernelOp kernel, const LoopNest &nest,
                            EmitErrorFn emitError) {
  auto isOwn = [&](unsigned loop) { return !nest.loop(loop).fusedOuter; };
  if (!llvm::any_of(mappedLoops(nest), isOwn) && !clusterParts(nest))
    return success();
  StoragePlan storage(kernel, nest);
  for (unsigned op = 0; op < nest.ops().size(); ++op)
    for (auto reasonAgainst : {reasonAgainstCluster, reasonAgainstThreads})
      if (std::string reason = reasonAgainst(storage, nest, op);
          !reason.empty())
        return emitError() << "op '" << nest.op(op).name << "' " << reason;
  return success();
}

} // namespace onnxc::krnl
