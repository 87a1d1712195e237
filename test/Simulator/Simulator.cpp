//===- Simulator.cpp - Kernels of GPUs on the processor ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include "Fibre.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sys/mman.h>

using namespace onnxc::simulator;

namespace {

enum class State { Ready, AtBarrier, AtShuffle, AtPhase, Finished };

struct Thread {
  Fibre fibre;
  State state;
  int barrier;
  // Of a shuffle: the lanes that take part, what is exchanged, and from where.
  uint32_t mask, value, result;
  int source;
  // Threads that wait for each other: those of a warp, or of several.
  unsigned width;
  // Of what they compute together: where its part is; null for a shuffle.
  WarpFunction function;
  const void *arguments;
  void *results;
  uint32_t warpEpoch;
  // Of copies of tensors.
  void *phaseOf;
  uint32_t parity;
};

constexpr size_t stackBytes = 64 << 10, guardBytes = 4096;

/// The block that runs.
struct Block {
  const Launch *launch = nullptr;
  Random *random = nullptr;
  Position position = {};
  std::vector<Thread> threads;
  Fibre scheduler;
  std::string problem;
  bool isRunning = false;

  Thread &current() { return threads[position.thread]; }

  /// Lets the others run until this thread may go on.
  void wait(State state) {
    Thread &thread = current();
    thread.state = state;
    thread.fibre.switchTo(scheduler);
  }

  void run(unsigned block);
  void runThread(unsigned thread);
  bool runReady();
  bool exchangeValues(unsigned leader);
  void computeTogether(unsigned first, unsigned count);
  bool releaseShuffles();
  bool releasePhases();
  bool hasArrived(unsigned thread, unsigned waiting) const;
  bool releaseBarrier();
};

} // namespace

static Block theBlock;

const Position *onnxc::simulator::currentPosition() {
  return theBlock.isRunning ? &theBlock.position : nullptr;
}

const Span &onnxc::simulator::sharedMemory() { return theBlock.launch->shared; }

/// The array without a size of kernels.
extern "C" {
__attribute__((visibility("default"))) alignas(
    1024) char sim_dynamic_shared[maxSharedBytes];
}

Span onnxc::simulator::dynamicSharedMemory(unsigned bytes) {
  auto begin = reinterpret_cast<uintptr_t>(sim_dynamic_shared);
  return {begin, begin + bytes};
}

void onnxc::simulator::fail(const std::string &problem) {
  const Position &at = theBlock.position;
  theBlock.problem = "kernel '" + theBlock.launch->name + "', block " +
                     std::to_string(at.block) + ", thread " +
                     std::to_string(at.thread) + ": " + problem;
  theBlock.current().fibre.switchTo(theBlock.scheduler);
  __builtin_unreachable(); // nobody switches back
}

//===----------------------------------------------------------------------===//
// Threads of a block
//===----------------------------------------------------------------------===//

/// Calls the kernel with its arguments and more of them, which it does not see:
/// each takes one word of registers or of the stack.
template <size_t... I>
static void call(void *function, const uint64_t *words,
                 std::index_sequence<I...>) {
  using Word = uint64_t;
  auto *kernel = reinterpret_cast<void (*)(decltype(Word(I))...)>(function);
  kernel(words[I]...);
}

static constexpr size_t kFewArguments = 16, kMaxArguments = 256;

static void runKernelFunction() {
  const Launch &launch = *theBlock.launch;
  const uint64_t *words = launch.arguments.data();
  if (launch.arguments.size() <= kFewArguments)
    call(launch.function, words, std::make_index_sequence<kFewArguments>());
  else
    call(launch.function, words, std::make_index_sequence<kMaxArguments>());
  checkCopiesEnded();
  checkProductsEnded();
  checkTensorCopiesEnded();
  theBlock.wait(State::Finished);
}

static char *stackOf(unsigned thread) {
  static char *stacks = [] {
    size_t bytes = maxThreads * (stackBytes + guardBytes);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (unsigned i = 0; i < maxThreads; ++i)
      mprotect(static_cast<char *>(memory) + i * (stackBytes + guardBytes),
               guardBytes, PROT_NONE);
    return static_cast<char *>(memory);
  }();
  return stacks + thread * (stackBytes + guardBytes) + guardBytes;
}

void Block::runThread(unsigned thread) {
  position.thread = thread;
  position.warpEpoch = threads[thread].warpEpoch;
  scheduler.switchTo(threads[thread].fibre);
}

/// Runs threads that are ready, by warps in random order. False if none was.
bool Block::runReady() {
  std::vector<unsigned> warps((threads.size() + warpSize - 1) / warpSize);
  std::iota(warps.begin(), warps.end(), 0u);
  random->shuffle(warps);
  bool any = false;
  for (unsigned warp : warps)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned thread = warp * warpSize + lane;
      if (thread >= threads.size() || threads[thread].state != State::Ready)
        continue;
      runThread(thread);
      any = true;
      if (!problem.empty())
        return true;
    }
  return any;
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

/// Exchanges the values of the lanes that take part in the shuffle at which
/// `leader` waits; false if one of them is missing.
bool Block::exchangeValues(unsigned leader) {
  unsigned width = threads[leader].width, first = leader / width * width;
  unsigned lanes = std::min<unsigned>(width, threads.size() - first);
  uint32_t mask = threads[leader].mask;
  for (unsigned i = 0; i < lanes; ++i)
    if (!hasArrived(first + i, leader))
      return false;
  if (threads[leader].function) {
    computeTogether(first, width);
    return true;
  }
  std::vector<Thread *> members;
  for (unsigned i = 0; i < lanes; ++i)
    if (mask >> i & 1)
      members.push_back(&threads[first + i]);
  for (Thread *thread : members) {
    unsigned source = unsigned(thread->source);
    // The value of a lane that does not take part is not defined.
    thread->result = source < lanes && (mask >> source & 1)
                         ? threads[first + source].value
                         : 0xffffffff;
  }
  for (Thread *thread : members) {
    thread->state = State::Ready;
    ++thread->warpEpoch;
  }
  return true;
}

/// Lets threads compute what all of them wait for. It orders none of their
/// accesses.
void Block::computeTogether(unsigned first, unsigned count) {
  const void *arguments[maxTogether];
  void *results[maxTogether];
  for (unsigned i = 0; i < count; ++i) {
    arguments[i] = threads[first + i].arguments;
    results[i] = threads[first + i].results;
  }
  position.thread = first;
  threads[first].function(arguments, results);
  for (unsigned i = 0; i < count; ++i)
    threads[first + i].state = State::Ready;
}

bool Block::releaseShuffles() {
  bool any = false;
  for (unsigned i = 0; i < threads.size(); ++i)
    any |= threads[i].state == State::AtShuffle && exchangeValues(i);
  return any;
}

/// Lets threads go on whose copies of tensors may have come.
bool Block::releasePhases() {
  bool any = false;
  for (Thread &thread : threads)
    if (thread.state == State::AtPhase &&
        isPhaseOver(thread.phaseOf, thread.parity)) {
      thread.state = State::Ready;
      any = true;
    }
  return any;
}

/// True if `thread` has come to where `waiting` waits, or need not.
bool Block::hasArrived(unsigned thread, unsigned waiting) const {
  const Thread &its = threads[thread], &other = threads[waiting];
  if (other.state == State::AtBarrier)
    return its.state == State::AtBarrier && its.barrier == other.barrier;
  bool takesPart = thread / other.width == waiting / other.width &&
                   (other.mask >> thread % warpSize & 1);
  return !takesPart ||
         (its.state == State::AtShuffle && its.mask == other.mask &&
          its.width == other.width && its.function == other.function);
}

/// Lets all threads go on that wait at the barrier, or records who is missing,
/// also at a shuffle. False if the block has ended.
bool Block::releaseBarrier() {
  auto find = [&](State state) {
    return std::find_if(threads.begin(), threads.end(),
                        [&](const Thread &it) { return it.state == state; }) -
           threads.begin();
  };
  bool isBarrier = true;
  size_t waiting = find(State::AtBarrier);
  if (waiting == threads.size()) {
    waiting = find(State::AtShuffle);
    isBarrier = false;
  }
  if (waiting == threads.size())
    waiting = find(State::AtPhase);
  if (waiting == threads.size())
    return false;
  if (threads[waiting].state == State::AtPhase) {
    problem = "kernel '" + launch->name + "', block " +
              std::to_string(position.block) + ": thread " +
              std::to_string(waiting) + " waits at " +
              describePhase(threads[waiting].phaseOf);
    return false;
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    if (hasArrived(i, waiting))
      continue;
    bool hasEnded = threads[i].state == State::Finished;
    problem =
        "kernel '" + launch->name + "', block " +
        std::to_string(position.block) + ": thread " + std::to_string(waiting) +
        " waits at a " + (isBarrier ? "barrier" : "shuffle") + ", but thread " +
        std::to_string(i) + (hasEnded ? " has ended" : " waits elsewhere");
    return false;
  }
  ++position.blockEpoch;
  for (Thread &thread : threads)
    thread.state = State::Ready;
  return true;
}

void Block::run(unsigned block) {
  position = {block, launch->blocks, 0, launch->threads, 1, 1};
  // Not a number, whatever the element type of floats.
  std::memset(reinterpret_cast<void *>(launch->shared.begin), 0xff,
              launch->shared.end - launch->shared.begin);
  beginBlockAccesses();
  beginBlockCopies(launch->threads);
  beginBlockProducts(launch->threads);
  beginBlockTensorCopies();
  threads.resize(launch->threads);
  for (unsigned i = 0; i < launch->threads; ++i) {
    threads[i].state = State::Ready;
    threads[i].warpEpoch = 1;
    threads[i].fibre.prepare(stackOf(i), stackBytes, runKernelFunction);
  }
  isRunning = true;
  while (problem.empty() && (runReady() || releaseShuffles() ||
                             releasePhases() || releaseBarrier())) {
  }
  isRunning = false;
  endBlockAccesses();
}

std::string onnxc::simulator::runKernel(const Launch &launch,
                                        const Settings &settings,
                                        Counters &counters) {
  if (launch.arguments.size() > kMaxArguments)
    return "kernel '" + launch.name + "' has too many parameters";
  Launch padded = launch;
  padded.arguments.resize(
      launch.arguments.size() <= kFewArguments ? kFewArguments : kMaxArguments,
      0xfefefefefefefefe);
  Random random(settings.seed);
  theBlock.launch = &padded;
  theBlock.random = &random;
  theBlock.problem.clear();
  beginAccesses(padded, counters);
  std::vector<unsigned> blocks(launch.blocks);
  std::iota(blocks.begin(), blocks.end(), 0u);
  random.shuffle(blocks);
  if (settings.blocks > 0)
    blocks.resize(std::min(blocks.size(), size_t(settings.blocks)));
  for (unsigned block : blocks)
    if (theBlock.problem.empty())
      theBlock.run(block);
  return theBlock.problem;
}

//===----------------------------------------------------------------------===//
// The intrinsics
//===----------------------------------------------------------------------===//

static int lane() { return int(theBlock.position.thread % warpSize); }

/// Waits for the lanes of `mask`, and returns the value of lane `source`.
static uint32_t exchange(uint32_t mask, uint32_t value, int source) {
  if (!(mask >> lane() & 1))
    fail("the thread is not in the mask of its shuffle");
  Thread &thread = theBlock.current();
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  thread.width = warpSize;
  thread.function = nullptr;
  theBlock.wait(State::AtShuffle);
  return thread.result;
}

void onnxc::simulator::runTogether(WarpFunction function, const void *arguments,
                                   void *result, unsigned width) {
  unsigned last = theBlock.position.thread / width * width + width;
  if (last > theBlock.threads.size())
    fail("an instruction of " + std::to_string(width) +
         " threads where there are fewer");
  Thread &thread = theBlock.current();
  thread.mask = 0xffffffff;
  thread.width = width;
  thread.function = function;
  thread.arguments = arguments;
  thread.results = result;
  theBlock.wait(State::AtShuffle);
}

void onnxc::simulator::waitForPhase(void *barrier, uint32_t parity) {
  Thread &thread = theBlock.current();
  thread.phaseOf = barrier;
  thread.parity = parity;
  theBlock.wait(State::AtPhase);
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
    const Position &at = theBlock.position;                                    \
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
  theBlock.current().barrier = barrier;
  theBlock.wait(State::AtBarrier);
}
void sim_barrier0() { sim_barrier_cta_sync_aligned_all(0); }
void sim_bar_warp_sync(int32_t mask) { exchange(uint32_t(mask), 0, lane()); }
void sim_membar_cta() {}
void sim_membar_gl() {}

} // extern "C"
#pragma GCC visibility pop
