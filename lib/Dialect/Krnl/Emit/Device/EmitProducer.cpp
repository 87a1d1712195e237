//===- EmitProducer.cpp - A warp that copies slices -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// pipeline(l, 4, in_flight=1, producer): a warp after those of the mapped
// loops starts the copies of boxes, and the others compute. Slices have numbers
// n over all tiles of a block. Of each stage one barrier counts the bytes that
// have come, and another one the warps that have read it:
//
//   first thread: make the barriers of all stages
//   wait for all threads of the block, or of the cluster
//   first thread of the producer:
//     for each tile: for i: wait until stage n mod 4 has been read
//                           expect the bytes of n; copy n
//   warps of mapped loops:
//     for each tile: for i: wait until stage n mod 4 has come
//                           compute i; wait for the products of i - 1
//                           first lane: stage (n - 1) mod 4 has been read
//                    wait for the last products; their stage has been read
//                    the other ops
//   cluster: wait for all threads
//
// So the slices of the next tile come while the ops after the sums of this one
// run. In a cluster a warp has read a stage for all blocks that copy to it.
//
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

using namespace mlir;

namespace onnxc::krnl {

bool OpEmitter::hasProducer() const {
  return llvm::any_of(
      caches, [](const CachedSlice &slice) { return slice.hasProducer; });
}

/// All of them are of one loop.
OpEmitter::Slices OpEmitter::producedSlices() {
  Slices slices;
  for (const CachedSlice &slice : caches)
    if (slice.hasProducer)
      slices.push_back(&slice);
  return slices;
}

void OpEmitter::emitRoles(function_ref<void()> produce,
                          function_ref<void()> compute) {
  Slices slices = producedSlices();
  if (slices.empty())
    return compute();
  makeBarriers(slices);
  showBarriers(slices);
  const TileThreads &threads = *policy.tileThreads();
  Value isOfLoops =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, threads.number(b),
                            math.scalar({{}, numThreads(nest), 0, {}}));
  auto branch = scf::IfOp::create(b, isOfLoops, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    compute();
    b.setInsertionPointToStart(branch.elseBlock());
    byThread(numThreads(nest), produce);
  }
  if (slices.front()->blocks == 1)
    return;
  // No block ends while another one copies to it, or arrives there.
  threads.arriveInCluster(b, /*releases=*/false);
  threads.waitForCluster(b);
}

void OpEmitter::enterTile(function_ref<Value()> before) {
  Slices slices = producedSlices();
  if (slices.empty())
    return;
  const CachedSlice &first = *slices.front();
  slicesBefore = math.scale({before(), 0, 0, {}},
                            loops.boundOf(first.at, first.op).offset);
}

void OpEmitter::produceTile() {
  Slices slices = producedSlices();
  const CachedSlice &first = *slices.front();
  loops.emitPlainLoop(first.at, first.op, [&] {
    auto [stage, use] = stageOf(first);
    // That of the use before; there is none before the first one.
    LaneIndex before = math.add(use, {{}, 1, 0, {}});
    keepLoopsAround(BarrierWaitOp::create(b, first.readers, math.scalar(stage),
                                          math.scalar(math.mod(before, 2))));
    startBoxes(slices);
  });
}

/// Lets a warp say that it has read the stage of so many iterations earlier, if
/// the tile has that one.
void OpEmitter::releaseStage(const CachedSlice &slice, int64_t earlier) {
  LaneIndex iteration =
      loops.loopIndex(slice.at, Instance(active.size(), 0), false);
  if (iteration.isConstant() && iteration.offset < earlier)
    return;
  LaneIndex lane =
      math.mod({policy.tileThreads()->number(b), 0, 0, {}}, warpThreads);
  Value says = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     math.scalar(lane), math.scalar({}));
  if (!iteration.isConstant() && earlier > 0) {
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                          math.scalar(iteration),
                                          math.scalar({{}, earlier, 0, {}}));
    says = arith::AndIOp::create(b, says, isThere);
  }
  auto branch = scf::IfOp::create(b, says, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LaneIndex number = math.add(iterationOf(slice), {{}, -earlier, 0, {}});
  BarrierArriveOp::create(b, slice.readers,
                          math.scalar(math.mod(number, slice.stages)),
                          slice.blocks);
}

/// After the products of an iteration: all but those in flight have ended.
void OpEmitter::releaseProducts(unsigned loop, unsigned op) {
  Slices slices = slicesAhead(loop, op);
  if (!slices.empty() && slices.front()->hasProducer)
    releaseStage(*slices.front(), pipelineAt(nest, loop).inFlight);
}

/// After the loop, where those in flight have ended, too.
void OpEmitter::releaseLastProducts(const CachedSlice &slice) {
  int64_t iterations = loops.boundOf(slice.at, slice.op).offset,
          inFlight = pipelineAt(nest, slice.at).inFlight;
  ActiveLoop saved = active[slice.at];
  for (int64_t i = std::max<int64_t>(iterations - inFlight, 0); i < iterations;
       ++i) {
    active[slice.at] = ActiveLoop();
    active[slice.at].offset = i;
    releaseStage(slice, 0);
  }
  active[slice.at] = saved;
}

} // namespace onnxc::krnl
