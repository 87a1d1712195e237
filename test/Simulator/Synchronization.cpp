//===- Synchronization.cpp - Shuffles and barriers of kernels ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include <algorithm>
#include <cstring>

using namespace onnxc::simulator;

static int lane() { return int(theBlock().position.thread % warpSize); }

/// Waits for the lanes of `mask`, and returns the value of lane `source`.
static uint32_t exchange(uint32_t mask, uint32_t value, int source) {
  if (!(mask >> lane() & 1))
    fail("the thread is not in the mask of its shuffle");
  Thread &thread = theBlock().current();
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  thread.width = warpSize;
  thread.function = nullptr;
  theBlock().wait(State::AtShuffle);
  return thread.result;
}

void onnxc::simulator::runTogether(WarpFunction function, const void *arguments,
                                   void *result, unsigned width) {
  unsigned last = theBlock().position.thread / width * width + width;
  if (last > theBlock().threads.size())
    fail("an instruction of " + std::to_string(width) +
         " threads where there are fewer");
  Thread &thread = theBlock().current();
  thread.mask = 0xffffffff;
  thread.width = width;
  thread.function = function;
  thread.arguments = arguments;
  thread.results = result;
  theBlock().wait(State::AtShuffle);
}

void onnxc::simulator::waitForPhase(void *barrier, uint32_t parity) {
  Thread &thread = theBlock().current();
  thread.phaseOf = barrier;
  thread.parity = parity;
  theBlock().wait(State::AtPhase);
}

/// The lane that a shuffle reads: `to` if it lies within the segment that
/// `bounds` describes (PTX: shfl.sync, operand c), else the lane itself.
static int within(int to, int bounds, bool isUp) {
  int segment = bounds >> 8 & 31, clamp = bounds & 31;
  int limit = (lane() & segment) | (clamp & ~segment);
  return (isUp ? to >= limit : to <= limit) ? to : lane();
}

static int indexed(int to, int bounds) {
  int segment = bounds >> 8 & 31;
  return within((lane() & segment) | (to & ~segment & 31), bounds, false);
}

template <typename To, typename From>
static To bitsAs(From from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}

#define SHUFFLE(NAME, SOURCE)                                                  \
  int32_t sim_shfl_sync_##NAME##_i32(int32_t mask, int32_t value, int32_t by,  \
                                     int32_t bounds) {                         \
    return int32_t(exchange(uint32_t(mask), uint32_t(value), SOURCE));         \
  }                                                                            \
  float sim_shfl_sync_##NAME##_f32(int32_t mask, float value, int32_t by,      \
                                   int32_t bounds) {                           \
    return bitsAs<float>(                                                      \
        exchange(uint32_t(mask), bitsAs<uint32_t>(value), SOURCE));            \
  }

#define REGISTER(NAME, VALUE)                                                  \
  int32_t sim_read_ptx_sreg_##NAME() {                                         \
    const Position &at = theBlock().position;                                  \
    return int32_t(VALUE);                                                     \
  }

#pragma GCC visibility push(default)
extern "C" {

REGISTER(tid_x, at.thread)
REGISTER(ctaid_x, at.block)
REGISTER(ntid_x, at.threads)
REGISTER(nctaid_x, at.blocks)
REGISTER(tid_y, 0 * at.thread)
REGISTER(tid_z, 0 * at.thread)
REGISTER(ctaid_y, 0 * at.thread)
REGISTER(ctaid_z, 0 * at.thread)
REGISTER(laneid, at.thread % warpSize)
REGISTER(warpsize, 0 * at.thread + warpSize)

SHUFFLE(bfly, within(lane() ^ by, bounds, false))
SHUFFLE(down, within(lane() + by, bounds, false))
SHUFFLE(up, within(lane() - by, bounds, true))
SHUFFLE(idx, indexed(by, bounds))

void sim_barrier_cta_sync_aligned_all(int32_t barrier) {
  theBlock().current().barrier = barrier;
  theBlock().wait(State::AtBarrier);
}
void sim_barrier0() { sim_barrier_cta_sync_aligned_all(0); }
void sim_bar_warp_sync(int32_t mask) { exchange(uint32_t(mask), 0, lane()); }
void sim_membar_cta() {}

void sim_barrier_cluster_arrive_relaxed_aligned() {
  bool &hasArrived = theBlock().current().hasArrivedInCluster;
  if (hasArrived)
    fail("the thread arrives twice at the barrier of its cluster");
  hasArrived = true;
}
void sim_barrier_cluster_arrive_aligned() {
  noteHandover();
  sim_barrier_cluster_arrive_relaxed_aligned();
}
void sim_barrier_cluster_wait_aligned() {
  bool &hasArrived = theBlock().current().hasArrivedInCluster;
  if (!hasArrived)
    fail("the thread waits at the barrier of its cluster, but has not arrived");
  hasArrived = false;
  theBlock().wait(State::AtCluster);
}
void sim_membar_gl() {}

} // extern "C"
#pragma GCC visibility pop
