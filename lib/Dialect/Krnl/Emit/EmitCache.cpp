//===- EmitCache.cpp - Slices of operands in scratch memory -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): at the beginning of each iteration of l the elements
// that the loops inside l will read are copied next to each other. The slice is
// indexed by these loops, as a packed operand is.
//
// in=shared: the threads of a tile copy it together (CopyShared.cpp). Where
// each tile is one thread's, the slice is that of the thread.
//
// pipeline(l, 3): iteration i has slice i mod 3.
//
//   copy 0; group; copy 1; group
//   for i: wait for all groups but one; wait for all threads
//          copy i + 2; group
//          compute i
//
// pipeline(l, 4, in_flight=1): products of the iteration before are under way
// until iteration i has started its own ones (EmitWgmma.cpp). Their slice is
// not that of iteration i + 2.
//
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Elements from one iteration of each loop to the next.
void OpEmitter::placeSlice(CachedSlice &slice) {
  slice.strides.resize(slice.loops.size());
  slice.size = 1;
  auto isSum = [&](unsigned loop) {
    return nest.op(slice.op).find(loop)->reduced;
  };
  bool isInRow = slice.isShared;
  for (size_t i = slice.loops.size(); i-- > 0;) {
    unsigned loop = slice.loops[i];
    // The sums come first: the others are a row; or the other way round.
    if (isInRow && isSum(loop) != isSum(slice.loops.back())) {
      slice.size += paddingOf(slice, slice.size);
      isInRow = false;
    }
    slice.strides[i] = slice.size;
    slice.size *= nest.loop(loop).extent;
  }
  if (slice.stages > 1)
    slice.size = llvm::alignTo(slice.size, elementsOfAccess(*slice.use));
}

void OpEmitter::allocateCache(const Cache &cache, unsigned op,
                              OpOperand &input) {
  CachedSlice slice;
  slice.at = cache.at;
  slice.op = op;
  slice.use = &input;
  slice.isShared = cache.shared && policy.tileThreads();
  if (slice.isShared) {
    Pipeline pipeline = pipelineAt(nest, cache.at);
    slice.stages = pipeline.stages;
    slice.ahead = pipeline.ahead();
  }
  if (const Mma *mma = mmaOf(nest, op); mma && isOfWarpgroup(op, *mma))
    slice.swizzle = swizzledSlice(nest, cache, op);
  const LoopUse *at = nest.op(op).find(cache.at);
  for (unsigned loop : cachedLoops(nest, cache, op))
    if (slice.isShared || !nest.loop(loop).mapped ||
        isSharedOut(nest, loop, nest.op(op)) || nest.op(op).find(loop) > at)
      slice.loops.push_back(loop);
  placeSlice(slice);
  auto type = MemRefType::get({slice.size * slice.stages},
                              getElementTypeOrSelf(input.get()));
  slice.memref = slice.isShared ? policy.tileThreads()->allocateShared(
                                      b, outside.func, type,
                                      slice.swizzle ? SwizzledSlice::alignment
                                                    : Cache::sharedAlignment)
                                : policy.allocate(b, outside.func, type);
  if (cache.byTma && slice.swizzle && slice.stages > 1 &&
      policy.tileThreads()->copiesBoxes(nest))
    allocateBoxes(cache, slice);
  caches.push_back(std::move(slice));
}

void OpEmitter::allocateCaches() {
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache))
      for (OpOperand *input : storage.plan(op).op.getDpsInputOperands())
        if (input->get() == kernel.getBody().getArgument(cache.operand))
          allocateCache(cache, op, *input);
}

/// Returns true if all slices are copied by boxes.
template <typename Slices>
static bool isBoxed(const Slices &slices) {
  return llvm::all_of(slices,
                      [](const auto *slice) { return bool(slice->boxes); });
}

void OpEmitter::fillCaches(unsigned loop, int op) {
  Slices shared;
  for (const CachedSlice &slice : caches) {
    if (slice.at != loop || (op >= 0 && slice.op != unsigned(op)))
      continue;
    if (slice.isShared)
      shared.push_back(&slice);
    else
      emitCacheCopy(slice, 0);
  }
  if (shared.empty())
    return;
  const TileThreads &threads = *policy.tileThreads();
  auto showAll = [&] {
    if (llvm::any_of(shared, [](const CachedSlice *slice) {
          return slice->swizzle && !slice->boxes;
        }))
      threads.fenceAsyncProxy(b);
    threads.wait(b);
  };
  if (shared.front()->hasProducer)
    return waitForBoxes(shared);
  if (int64_t ahead = shared.front()->ahead; ahead > 0) {
    // Then all have read what the iteration before had, too, or the one before
    // it where products are in flight.
    if (!isBoxed(shared))
      threads.waitForGroups(b, ahead - 1);
    waitForBoxes(shared);
    showAll();
    active[loop].offset += ahead;
    copyAhead(shared, loop, shared.front()->op);
    active[loop].offset -= ahead;
    return;
  }
  // All have read what was there before.
  threads.wait(b);
  for (const CachedSlice *slice : shared)
    copyShared(*slice);
  showAll();
}

/// Copies the slices of an iteration that the loop may not have any more.
void OpEmitter::copyAhead(const Slices &slices, unsigned loop, unsigned op) {
  LaneIndex at{active[loop].base, active[loop].offset, 0, {}},
      bound = loops.boundOf(loop, op);
  auto copy = [&] {
    copyBoxes(slices);
    for (const CachedSlice *slice : slices)
      if (!slice->boxes)
        copyShared(*slice);
  };
  if (at.isConstant() && bound.isConstant()) {
    if (at.offset < bound.offset)
      copy();
  } else {
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                          math.scalar(at), math.scalar(bound));
    auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    copy();
  }
  if (!isBoxed(slices))
    policy.tileThreads()->closeGroup(b);
}

/// The slices of a pipeline of the op.
OpEmitter::Slices OpEmitter::slicesAhead(unsigned loop, unsigned op) {
  Slices slices;
  for (const CachedSlice &slice : caches)
    if (slice.at == loop && slice.op == op && slice.stages > 1)
      slices.push_back(&slice);
  return slices;
}

void OpEmitter::startPipeline(unsigned loop, unsigned op) {
  Slices slices = slicesAhead(loop, op);
  if (slices.empty() || slices.front()->hasProducer)
    return;
  makeBarriers(slices);
  // All have read what the tile before had.
  showBarriers(slices);
  ActiveLoop saved = active[loop];
  for (int64_t stage : llvm::seq(slices.front()->ahead)) {
    active[loop] = ActiveLoop();
    active[loop].offset = stage;
    copyAhead(slices, loop, op);
  }
  active[loop] = saved;
}

/// Where the element of the current iterations is in the slice.
LaneIndex OpEmitter::indexIn(const CachedSlice &slice,
                             const Instance &instance) {
  LaneIndex index;
  if (slice.swizzle)
    index = swizzledIndex(slice, instance, /*isExchanged=*/true);
  else
    for (auto [loop, stride] : llvm::zip_equal(slice.loops, slice.strides))
      index = math.add(
          index, math.scale(loops.loopIndex(loop, instance, false), stride));
  if (slice.stages > 1)
    index =
        math.add(index, math.scale(math.mod(iterationOf(slice), slice.stages),
                                   slice.size));
  return index;
}

/// Where it is in the memory of the operand.
SmallVector<LaneIndex> OpEmitter::indicesInSource(const CachedSlice &slice,
                                                  OpState &state) {
  Instance first(active.size(), 0);
  const Storage &source = storage.slots[storage.chainRoot(slice.use->get())];
  if (!source.byLoops)
    return indicesOf(state, *slice.use, first, false);
  return llvm::map_to_vector(source.packed, [&](unsigned loop) {
    return loops.loopIndex(loop, first, false);
  });
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void OpEmitter::emitCacheCopy(const CachedSlice &slice, unsigned position) {
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    loops.emitPlainLoop(loop, slice.op,
                        [&] { emitCacheCopy(slice, position + 1); });
    return;
  }
  OpState state(storage.plan(slice.op));
  Instance first(active.size(), 0);
  Value source = storage.slots[storage.chainRoot(slice.use->get())].memref;
  Value element = access.load(source, indicesInSource(slice, state), 1, {});
  element = zeroOutside(slice.op, *slice.use, first, element);
  access.store(slice.memref, indexIn(slice, first), element, 1, {});
}

} // namespace onnxc::krnl
