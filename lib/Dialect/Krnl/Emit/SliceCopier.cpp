//===- SliceCopier.cpp - Copies of operands to scratch memory ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): at the beginning of each iteration of l the elements
// that the loops inside l will read are copied next to each other. The slice is
// indexed by these loops, as a packed operand is.
//
// in=shared: the threads of a tile copy it together (ThreadCopier.cpp). Where
// each tile is one thread's, the slice is that of the thread.
//
// pipeline(l, 3): iteration i has slice i mod 3.
//
//   copy 0; group; copy 1; group
//   for i: wait for all groups but one; wait for all threads
//          copy i + 2; group
//          compute i
//
// Those of ops that are computed at l are copied together, before the first op.
//
// pipeline(l, 4, in_flight=1): products of the iteration before are under way
// until iteration i has started its own ones (WgmmaEmitter.cpp). Their slice is
// not that of iteration i + 2.
//===----------------------------------------------------------------------===//

#include "SliceCopier.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

void SliceCopier::fill(unsigned loop, int op) {
  Slices shared;
  for (const CachedSlice &slice : cached.all()) {
    if (slice.at != loop ||
        (op >= 0 ? copyingOp(nest, loop, slice.op) != unsigned(op)
                 : !nest.isAround(loop, slice.op)))
      continue;
    if (slice.isShared)
      shared.push_back(&slice);
    else
      copyByThread(slice, 0);
  }
  if (shared.empty())
    return;
  const TileThreads &tile = *policy.tileThreads();
  auto showAll = [&] {
    if (llvm::any_of(shared, [](const CachedSlice *slice) {
          return slice->swizzle && !slice->boxes;
        }))
      tile.fenceAsyncProxy(b);
    tile.wait(b);
  };
  if (shared.front()->hasProducer)
    return boxes.wait(shared);
  if (int64_t ahead = shared.front()->ahead; ahead > 0) {
    // Then all have read what the iteration before had, too, or the one before
    // it where products are in flight.
    if (!areBoxes(shared))
      tile.waitForGroups(b, ahead - 1);
    boxes.wait(shared);
    showAll();
    active[loop].offset += ahead;
    copyAhead(shared, loop, unsigned(op));
    active[loop].offset -= ahead;
    return;
  }
  // All have read what was there before.
  tile.wait(b);
  for (const CachedSlice *slice : shared)
    threads.copy(*slice);
  showAll();
}

/// Copies the slices of an iteration that the loop may not have any more.
void SliceCopier::copyAhead(const Slices &slices, unsigned loop, unsigned op) {
  LaneIndex at{active[loop].base, active[loop].offset, 0, {}},
      bound = loops.boundOf(loop, op);
  auto copy = [&] {
    boxes.copy(slices);
    for (const CachedSlice *slice : slices)
      if (!slice->boxes)
        threads.copy(*slice);
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
  if (!areBoxes(slices))
    policy.tileThreads()->closeGroup(b);
}

void SliceCopier::startPipeline(unsigned loop, unsigned op) {
  Slices slices = cached.ofPipeline(loop, op);
  if (slices.empty() || slices.front()->hasProducer)
    return;
  boxes.makeBarriers(slices);
  // All have read what the tile before had.
  boxes.showBarriers(slices);
  ActiveLoop saved = active[loop];
  for (int64_t stage : llvm::seq(slices.front()->ahead)) {
    active[loop] = ActiveLoop();
    active[loop].offset = stage;
    copyAhead(slices, loop, op);
  }
  active[loop] = saved;
}

void SliceCopier::endPipeline(unsigned loop, unsigned op) {
  Slices boxed = boxesOf(cached.ofPipeline(loop, op));
  if (boxed.empty())
    return;
  if (boxed.front()->hasProducer)
    producer.releaseLastProducts(*boxed.front());
  else
    boxes.endPipeline(*boxed.front());
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void SliceCopier::copyByThread(const CachedSlice &slice, unsigned position) {
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    loops.emitPlainLoop(loop, slice.op,
                        [&] { copyByThread(slice, position + 1); });
    return;
  }
  OpState state(storage.plan(slice.op));
  Instance first(active.size(), 0);
  Value element = sources.read(slice, state, 1);
  element = positions.zeroOutside(slice.op, *slice.use, first, element);
  access.store(slice.memref, cached.indexIn(slice, first), element, 1, {});
}

} // namespace onnxc::krnl
