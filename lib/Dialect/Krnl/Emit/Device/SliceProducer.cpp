//===- SliceProducer.cpp - A warp that copies slices ------------*- C++ -*-===//
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
//===----------------------------------------------------------------------===//

#include "Device/SliceProducer.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

void SliceProducer::emitRoles(function_ref<void()> produce,
                              function_ref<void()> compute) {
  Slices slices = cached.produced();
  if (slices.empty())
    return compute();
  boxes.makeBarriers(slices);
  boxes.showBarriers(slices);
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
    boxes.byThread(numThreads(nest), produce);
  }
  if (slices.front()->blocks == 1)
    return;
  // No block ends while another one copies to it, or arrives there.
  threads.arriveInCluster(b, /*releases=*/false);
  threads.waitForCluster(b);
}

void SliceProducer::enterTile(function_ref<Value()> before) {
  Slices slices = cached.produced();
  if (slices.empty())
    return;
  const CachedSlice &first = *slices.front();
  cached.setBefore(math.scale({before(), 0, 0, {}},
                              loops.boundOf(first.at, first.op).offset));
}

void SliceProducer::produceTile() {
  Slices slices = cached.produced();
  const CachedSlice &first = *slices.front();
  loops.emitPlainLoop(first.at, first.op, [&] {
    auto [stage, use] = cached.stageOf(first);
    // That of the use before; there is none before the first one.
    LaneIndex before = math.add(use, {{}, 1, 0, {}});
    keepLoopsAround(BarrierWaitOp::create(b, first.readers, math.scalar(stage),
                                          math.scalar(math.mod(before, 2))));
    boxes.start(slices);
  });
}

/// Lets a warp say that it has read the stage of so many iterations earlier, if
/// the tile has that one.
void SliceProducer::releaseStage(const CachedSlice &slice, int64_t earlier) {
  LaneIndex iteration = loops.loopIndex(slice.at, Instance(active.size(), 0));
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
  LaneIndex number = math.add(cached.iterationOf(slice), {{}, -earlier, 0, {}});
  BarrierArriveOp::create(b, slice.readers,
                          math.scalar(math.mod(number, slice.stages)),
                          slice.blocks);
}

void SliceProducer::releaseProducts(unsigned loop, unsigned op) {
  Slices slices = cached.ofPipeline(loop, op);
  if (!slices.empty() && slices.front()->hasProducer)
    releaseStage(*slices.front(), pipelineAt(nest, loop).inFlight);
}

void SliceProducer::releaseLastProducts(const CachedSlice &slice) {
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
