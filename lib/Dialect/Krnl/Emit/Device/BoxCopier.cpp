//===- BoxCopier.cpp - Slices that are boxes of tensors ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(.., by=tma) in a pipeline: the first thread of a tile starts a copy for
// each box of a slice. All slices of a stage have one barrier, which counts
// their bytes; all threads wait at it for those of their iteration.
//
//   first thread: make the barriers of all stages
//   wait for all threads
//   first thread: expect the bytes of stage 0; copy 0; ... of stage 1; copy 1
//   for i: wait at barrier i mod 3 for its use i / 3; wait for all threads
//          first thread: expect the bytes of i + 2; copy i + 2
//          compute i
//   first thread: end the use of the barriers
//
// After the loop no thread waits at a barrier any more: in the last iteration
// all threads have done so before they waited for each other.
//
// map(l, cluster): a slice that the blocks of a cluster have in common is
// copied by all of them, a part by each to the memory of all. A second barrier
// of each stage counts the blocks that have read it, and all threads of the
// cluster wait for each other before the first copy and after the loop:
//
//   for i: wait at barrier i mod 3; wait for all threads of the block
//          first thread, if i + 2 >= 3: arrive at the second barrier of stage
//          (i + 2) mod 3 of all blocks; wait at the own one
//          expect the bytes of i + 2; copy parts of i + 2
//          compute i
//
// So no block ends, or makes barriers again, while another one copies to it.
//===----------------------------------------------------------------------===//

#include "Device/BoxCopier.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

void BoxCopier::byThread(int64_t number, llvm::function_ref<void()> emit) {
  Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     policy.tileThreads()->number(b),
                                     math.scalar({{}, number, 0, {}}));
  auto branch = scf::IfOp::create(b, isIt, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

void BoxCopier::copyBoxes(const CachedSlice &slice) {
  SmallVector<ActiveLoop> saved(active);
  OpState state(storage.plan(slice.op));
  for (const LoopUse &use : nest.op(slice.op).loops)
    active[use.loop].lanes = active[use.loop].instances = 1;
  LaneIndex stage = cached.stageOf(slice).first;
  for (unsigned loop : slice.loops)
    active[loop] = ActiveLoop();
  SmallVector<LaneIndex> from = cached.indicesOfBox(slice, state);
  active = saved;
  Value source = cached.sourceOf(slice);
  const SwizzledSlice &form = *slice.swizzle;
  const TensorBoxes &boxes = *slice.boxes;
  SmallVector<int64_t> box(from.size(), 1);
  box[boxes.linesDim] = boxes.lines;
  box.back() = form.lineElements();
  auto [firstBlock, firstLine] = firstOfPart(slice);
  for (int64_t block : llvm::seq(boxes.partBlocks))
    for (int64_t line = 0; line < boxes.partLines; line += boxes.lines) {
      LaneIndex inSlice = math.add(firstBlock, {{}, block, 0, {}}),
                inBlock = math.add(firstLine, {{}, line, 0, {}});
      SmallVector<LaneIndex> first = from;
      first.back() =
          math.add(first.back(), math.scale(inSlice, form.lineElements()));
      first[boxes.linesDim] = math.add(first[boxes.linesDim], inBlock);
      SmallVector<Value> indices = llvm::map_to_vector(
          first, [&](LaneIndex it) { return math.scalar(it); });
      LaneIndex lines = math.add(math.scale(inSlice, form.lines), inBlock);
      LaneIndex to = math.add(math.scale(stage, slice.size),
                              math.scale(lines, form.lineElements()));
      CopyTensorOp::create(b, source, indices, slice.memref, math.scalar(to),
                           slice.barriers, math.scalar(stage), /*map=*/Value(),
                           box, form.lineBytes, boxes.sharers);
    }
}

/// The first block of lines, and line of each, that the calling block copies.
std::pair<LaneIndex, LaneIndex>
BoxCopier::firstOfPart(const CachedSlice &slice) {
  const TensorBoxes &boxes = *slice.boxes;
  if (boxes.sharers == 1)
    return {};
  LaneIndex number =
      loops.loopIndex(*clusterLoop(nest), Instance(active.size(), 0));
  if (boxes.dividesLines(*slice.swizzle))
    return {{}, math.scale(number, boxes.partLines)};
  return {math.scale(number, boxes.partBlocks), {}};
}

/// Waits until all blocks of the cluster have read the stage of the current
/// iteration, where it has been used before.
void BoxCopier::waitForReaders(const CachedSlice &slice) {
  auto [stage, use] = cached.stageOf(slice);
  if (use.isConstant() && use.offset == 0)
    return;
  Value isUsed = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                       math.scalar(use), math.scalar({}));
  auto branch = scf::IfOp::create(b, isUsed, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value at = math.scalar(stage);
  BarrierArriveOp::create(b, slice.readers, at, slice.blocks);
  // That of the use before.
  LaneIndex before = math.add(use, {{}, 1, 0, {}});
  BarrierWaitOp::create(b, slice.readers, at, math.scalar(math.mod(before, 2)));
}

void BoxCopier::start(const Slices &boxed) {
  int64_t bytes = 0;
  for (const CachedSlice *slice : boxed)
    bytes += slice->size *
             elementBytes(getElementTypeOrSelf(slice->use->get().getType()));
  BarrierExpectOp::create(b, boxed.front()->barriers,
                          math.scalar(cached.stageOf(*boxed.front()).first),
                          bytes);
  for (const CachedSlice *slice : boxed)
    copyBoxes(*slice);
}

void BoxCopier::copy(const Slices &slices) {
  Slices boxed = boxesOf(slices);
  if (boxed.empty())
    return;
  byThread(0, [&] {
    if (boxed.front()->readers)
      waitForReaders(*boxed.front());
    start(boxed);
  });
}

void BoxCopier::makeBarriers(const Slices &slices) {
  Slices boxed = boxesOf(slices);
  if (boxed.empty())
    return;
  byThread(0, [&] {
    const CachedSlice &first = *boxed.front();
    BarrierInitOp::create(b, first.barriers);
    if (!first.readers)
      return;
    // Each warp arrives at that of a producer.
    int64_t arrivals =
        first.hasProducer ? numThreads(nest) / warpThreads : int64_t(1);
    BarrierInitOp::create(b, first.readers, first.blocks * arrivals);
    if (first.blocks > 1)
      policy.tileThreads()->fenceBarriers(b);
  });
}

void BoxCopier::showBarriers(const Slices &slices) {
  const TileThreads &threads = *policy.tileThreads();
  Slices boxed = boxesOf(slices);
  if (boxed.empty() || boxed.front()->blocks == 1)
    return threads.wait(b);
  threads.arriveInCluster(b, /*releases=*/false);
  threads.waitForCluster(b);
}

/// Returns true if the blocks of the cluster need to wait for each other only
/// after the ops of a tile. Then no other pipeline of the tile has blocks that
/// wait, and this one runs once.
bool BoxCopier::waitsAfterTile(const CachedSlice &slice) {
  for (const CachedSlice &other : cached.all())
    if (other.readers && other.readers != slice.readers)
      return false;
  ArrayRef<LoopUse> uses = nest.op(slice.op).loops;
  return llvm::all_of(
      uses.take_until([&](const LoopUse &use) { return use.loop == slice.at; }),
      [&](const LoopUse &use) {
        const Loop &loop = nest.loop(use.loop);
        return loop.parallel || loop.mapped || nest.isInRegisters(use);
      });
}

void BoxCopier::wait(const Slices &slices) {
  Slices boxed = boxesOf(slices);
  if (boxed.empty())
    return;
  auto [stage, use] = cached.stageOf(*boxed.front());
  keepLoopsAround(BarrierWaitOp::create(b, boxed.front()->barriers,
                                        math.scalar(stage),
                                        math.scalar(math.mod(use, 2))));
}

void BoxCopier::endPipeline(const CachedSlice &slice) {
  byThread(0, [&] {
    BarrierEndOp::create(b, slice.barriers);
    if (slice.readers)
      BarrierEndOp::create(b, slice.readers);
  });
  if (!slice.readers)
    return;
  policy.tileThreads()->arriveInCluster(b, /*releases=*/false);
  if (!waitsAfterTile(slice))
    policy.tileThreads()->waitForCluster(b);
}

void BoxCopier::endTile() {
  const auto *slice = llvm::find_if(cached.all(), [](const CachedSlice &it) {
    return it.readers && !it.hasProducer;
  });
  if ((slice != cached.all().end() && waitsAfterTile(*slice)) ||
      loops.blockOfCluster())
    policy.tileThreads()->waitForCluster(b);
}

} // namespace onnxc::krnl
