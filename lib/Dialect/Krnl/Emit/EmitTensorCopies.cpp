//===- EmitTensorCopies.cpp - Slices that are boxes -------------*- C++ -*-===//
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
// Behind the loop nobody waits at a barrier any more: in the last iteration all
// threads have done so before they waited for each other.
//
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc::krnl {

/// Lets a slice be copied by boxes; those of the same loop share barriers.
void OpEmitter::allocateBoxes(const Cache &cache, CachedSlice &slice) {
  std::string reason;
  slice.boxes = nest.tensorBoxes(cache, slice.op, reason);
  for (const CachedSlice &other : caches)
    if (other.boxes && other.at == slice.at && other.op == slice.op)
      slice.barriers = other.barriers;
  if (!slice.barriers)
    slice.barriers = policy.tileThreads()->allocateShared(
        b, outside.func, MemRefType::get({slice.stages}, b.getI64Type()),
        TensorBoxes::barrierBytes);
}

/// Those of the slices that are copied by boxes.
OpEmitter::Slices OpEmitter::boxedSlices(const Slices &slices) {
  Slices boxed;
  llvm::copy_if(slices, std::back_inserter(boxed),
                [](const CachedSlice *slice) { return bool(slice->boxes); });
  return boxed;
}

void OpEmitter::byFirstThread(llvm::function_ref<void()> emit) {
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            policy.tileThreads()->number(b), math.scalar({}));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

/// The stage of the current iteration, and how often it has been used before.
std::pair<LaneIndex, LaneIndex> OpEmitter::stageOf(const CachedSlice &slice) {
  LaneIndex iteration =
      loops.loopIndex(slice.at, Instance(active.size(), 0), false);
  return {math.mod(iteration, slice.stages),
          math.floorDiv(iteration, slice.stages)};
}

void OpEmitter::copyBoxes(const CachedSlice &slice) {
  SmallVector<ActiveLoop> saved(active);
  OpState state(storage.plan(slice.op));
  for (const LoopUse &use : nest.op(slice.op).loops)
    active[use.loop].lanes = active[use.loop].instances = 1;
  LaneIndex stage = stageOf(slice).first;
  for (unsigned loop : slice.loops)
    active[loop] = ActiveLoop();
  SmallVector<LaneIndex> from = indicesInSource(slice, state);
  active = saved;
  Value source = storage.slots[storage.chainRoot(slice.use->get())].memref;
  const SwizzledSlice &form = *slice.swizzle;
  SmallVector<int64_t> box(from.size(), 1);
  box[slice.boxes->linesDim] = slice.boxes->lines;
  box.back() = form.lineElements();
  for (int64_t at = 0; at < slice.size;
       at += slice.boxes->lines * form.lineElements()) {
    SmallVector<LaneIndex> first = from;
    first.back().offset +=
        at / (form.lines * form.lineElements()) * form.lineElements();
    first[slice.boxes->linesDim].offset +=
        at % (form.lines * form.lineElements()) / form.lineElements();
    SmallVector<Value> indices = llvm::map_to_vector(
        first, [&](LaneIndex it) { return math.scalar(it); });
    LaneIndex to = math.add(math.scale(stage, slice.size), {{}, at, 0, {}});
    CopyTensorOp::create(b, source, indices, slice.memref, math.scalar(to),
                         slice.barriers, math.scalar(stage), /*map=*/Value(),
                         box, form.lineBytes);
  }
}

/// Starts the copies of all slices of the current iteration that are boxes.
void OpEmitter::copyBoxes(const Slices &slices) {
  Slices boxed = boxedSlices(slices);
  if (boxed.empty())
    return;
  int64_t bytes = 0;
  for (const CachedSlice *slice : boxed)
    bytes += slice->size *
             elementBytes(getElementTypeOrSelf(slice->use->get().getType()));
  byFirstThread([&] {
    BarrierExpectOp::create(b, boxed.front()->barriers,
                            math.scalar(stageOf(*boxed.front()).first), bytes);
    for (const CachedSlice *slice : boxed)
      copyBoxes(*slice);
  });
}

void OpEmitter::makeBarriers(const Slices &slices) {
  if (Slices boxed = boxedSlices(slices); !boxed.empty())
    byFirstThread([&] { BarrierInitOp::create(b, boxed.front()->barriers); });
}

/// Waits for the boxes of the current iteration.
void OpEmitter::waitForBoxes(const Slices &slices) {
  Slices boxed = boxedSlices(slices);
  if (boxed.empty())
    return;
  auto [stage, use] = stageOf(*boxed.front());
  BarrierWaitOp::create(b, boxed.front()->barriers, math.scalar(stage),
                        math.scalar(math.mod(use, 2)));
}

void OpEmitter::endPipeline(unsigned loop, unsigned op) {
  if (Slices boxed = boxedSlices(slicesAhead(loop, op)); !boxed.empty())
    byFirstThread([&] { BarrierEndOp::create(b, boxed.front()->barriers); });
}

} // namespace onnxc::krnl
