//===- SliceCopier.cpp - Copies of operands to scratch memory ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): at the beginning of each iteration of l the elements
// that the loops inside l will read are copied next to each other. The slice is
// indexed by these loops, as a packed operand is.
//
// as=i16: bytes are extended, in vectors along the sums.
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
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// Accesses of a thread that are unrolled where lines are copied.
static constexpr int64_t maxUnrolledCopies = 8;

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
      copyByThread(slice, lineOf(slice), 0);
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

/// Only slices whose sums come last have lines to be copied in vectors.
SliceCopier::Line SliceCopier::lineOf(const CachedSlice &slice) {
  Line line;
  std::optional<unsigned> along = cached.loopAlongMemory(slice);
  if (!slice.isWide || !along)
    return line;
  line.loops = threads.loopsOfLine(slice, *along, elementsOfAccess(*slice.use));
  line.lanes = threads.lanesAlong(slice, line.loops);
  int64_t left = line.lanes;
  for (unsigned loop : line.loops) {
    int64_t step = std::gcd(left, nest.loop(loop).extent);
    line.steps[loop] = step;
    left /= step;
  }
  if (line.lanes == 1)
    return line;
  unsigned outer = *line.outer();
  int64_t accesses = nest.loop(outer).extent / line.steps[outer];
  line.copies = maxUnrolledCopies;
  while (accesses % line.copies != 0)
    --line.copies;
  return line;
}

/// The bytes extended to 16 bits, as the op that multiplies them reads them.
Value SliceCopier::widened(const CachedSlice &slice, Value bytes) {
  ByteProduct product = *byteProductOf(storage.plan(slice.op).op);
  const ByteFactor &factor =
      product.lhs.operand == slice.use ? product.lhs : product.rhs;
  Type type = b.getI16Type();
  if (auto lanes = dyn_cast<VectorType>(bytes.getType()))
    type = lanes.clone(type);
  return factor.isSigned ? arith::ExtSIOp::create(b, type, bytes).getResult()
                         : arith::ExtUIOp::create(b, type, bytes).getResult();
}

/// One loop of the copy for each loop of the slice, as far as it really runs.
void SliceCopier::copyByThread(const CachedSlice &slice, const Line &line,
                               unsigned position) {
  if (position < slice.loops.size()) {
    unsigned loop = slice.loops[position];
    int64_t step = std::max<int64_t>(line.steps.lookup(loop), 1);
    int64_t copies = loop == line.outer() ? line.copies : 1;
    loops.emitPlainLoop(
        loop, slice.op,
        [&] {
          for (int64_t copy = 0; copy < copies; ++copy) {
            copyByThread(slice, line, position + 1);
            active[loop].offset += step;
          }
        },
        step * copies);
    return;
  }
  OpState state(storage.plan(slice.op));
  Instance first(active.size(), 0);
  if (line.lanes > 1)
    active[line.loops.front()].lanes = line.lanes;
  Value element = sources.read(slice, state, line.lanes);
  element = positions.zeroOutside(slice.op, *slice.use, first, element);
  if (slice.isWide)
    element = widened(slice, element);
  access.store(slice.memref, cached.indexIn(slice, first), element, line.lanes,
               {});
}

} // namespace onnxc::krnl
