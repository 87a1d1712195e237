//===- Simulator.cpp - Kernels of GPUs on the processor ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sys/mman.h>

using namespace onnxc::simulator;

Cluster onnxc::simulator::theCluster;

const Position *onnxc::simulator::currentPosition() {
  return theCluster.isRunning ? &theBlock().position : nullptr;
}

const Span &onnxc::simulator::sharedMemory() {
  return theCluster.launch->shared;
}

void *onnxc::simulator::sharedMemoryOf(unsigned rank, void *address) {
  Block &block = theCluster.blocks[rank];
  if (block.areAll(State::Finished))
    fail("an access to shared memory of block " + std::to_string(rank) +
         " of the cluster, which has ended");
  if (rank == theCluster.rank)
    return address;
  return &block.shared[uintptr_t(address) - sharedMemory().begin];
}

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
  const Position &at = theBlock().position;
  theCluster.problem = "kernel '" + theCluster.launch->name + "', block " +
                       std::to_string(at.block) + ", thread " +
                       std::to_string(at.thread) + ": " + problem;
  theBlock().current().fibre.switchTo(theCluster.scheduler);
  __builtin_unreachable(); // nothing switches back
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
  const Launch &launch = *theCluster.launch;
  const uint64_t *words = launch.arguments.data();
  if (launch.arguments.size() <= kFewArguments)
    call(launch.function, words, std::make_index_sequence<kFewArguments>());
  else
    call(launch.function, words, std::make_index_sequence<kMaxArguments>());
  checkCopiesEnded();
  checkProductsEnded();
  // A thread may end before what it has copied for others.
  if (theBlock().isLastThread())
    checkTensorCopiesEnded();
  theBlock().wait(State::Finished);
}

static char *stackOf(unsigned thread) {
  static char *stacks = [] {
    size_t bytes = maxThreads * maxCluster * (stackBytes + guardBytes);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (unsigned i = 0; i < maxThreads * maxCluster; ++i)
      mprotect(static_cast<char *>(memory) + i * (stackBytes + guardBytes),
               guardBytes, PROT_NONE);
    return static_cast<char *>(memory);
  }();
  return stacks + thread * (stackBytes + guardBytes) + guardBytes;
}

void Block::wait(State state) {
  Thread &thread = current();
  thread.state = state;
  thread.fibre.switchTo(theCluster.scheduler);
}

void Block::runThread(unsigned thread) {
  position.thread = thread;
  position.warpEpoch = threads[thread].warpEpoch;
  theCluster.scheduler.switchTo(threads[thread].fibre);
}

/// Runs threads that are ready, by warps in random order. False if none was.
bool Block::runReady() {
  std::vector<unsigned> warps((threads.size() + warpSize - 1) / warpSize);
  std::iota(warps.begin(), warps.end(), 0u);
  theCluster.random->shuffle(warps);
  bool any = false;
  for (unsigned warp : warps)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned thread = warp * warpSize + lane;
      if (thread >= threads.size() || threads[thread].state != State::Ready)
        continue;
      runThread(thread);
      any = true;
      if (!theCluster.problem.empty())
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

bool Block::areAll(State state) const {
  return std::all_of(threads.begin(), threads.end(),
                     [&](const Thread &it) { return it.state == state; });
}

/// Have all threads but the running one ended?
bool Block::isLastThread() const {
  auto ended =
      std::count_if(threads.begin(), threads.end(), [](const Thread &it) {
        return it.state == State::Finished;
      });
  return size_t(ended) + 1 == threads.size();
}

/// Lets all threads go on that have waited for each other.
void Block::goOn() {
  for (Thread &thread : threads) {
    thread.state = State::Ready;
    ++thread.warpEpoch;
  }
}

/// Lets all threads go on that wait at the barrier. False if one is missing.
bool Block::releaseBarrier() {
  if (!areAll(State::AtBarrier))
    return false;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (!hasArrived(i, 0))
      return false;
  orderBlocks(position.rank, 1);
  goOn();
  return true;
}

/// Records who is missing where a thread waits.
void Block::reportMissing() {
  auto find = [&](State state) {
    return size_t(
        std::find_if(threads.begin(), threads.end(),
                     [&](const Thread &it) { return it.state == state; }) -
        threads.begin());
  };
  std::string &problem = theCluster.problem;
  std::string where = "kernel '" + theCluster.launch->name + "', block " +
                      std::to_string(position.block) + ": thread ";
  for (State state : {State::AtBarrier, State::AtShuffle}) {
    size_t waiting = find(state);
    if (waiting == threads.size())
      continue;
    for (size_t i = 0; i < threads.size(); ++i)
      if (problem.empty() && !hasArrived(i, waiting))
        problem = where + std::to_string(waiting) + " waits at a " +
                  (state == State::AtBarrier ? "barrier" : "shuffle") +
                  ", but thread " + std::to_string(i) +
                  (threads[i].state == State::Finished ? " has ended"
                                                       : " waits elsewhere");
    return;
  }
  size_t waiting = find(State::AtPhase);
  if (waiting < threads.size())
    problem = where + std::to_string(waiting) + " waits at " +
              describePhase(threads[waiting].phaseOf);
}

void Block::begin(unsigned block, unsigned rank) {
  const Launch &launch = *theCluster.launch;
  position = {block, launch.blocks, 0, launch.threads, rank, launch.cluster, 1};
  // Not a number, whatever the element type of floats.
  shared.assign(launch.shared.end - launch.shared.begin, char(0xff));
  threads.resize(launch.threads);
  for (unsigned i = 0; i < launch.threads; ++i) {
    threads[i].state = State::Ready;
    threads[i].warpEpoch = 1;
    threads[i].hasArrivedInCluster = false;
    threads[i].fibre.prepare(stackOf(rank * launch.threads + i), stackBytes,
                             runKernelFunction);
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Puts the shared memory of a block where kernels look for it.
void Cluster::enter(unsigned next) {
  void *memory = reinterpret_cast<void *>(launch->shared.begin);
  if (next == rank)
    return;
  std::memcpy(theBlock().shared.data(), memory, theBlock().shared.size());
  rank = next;
  std::memcpy(memory, theBlock().shared.data(), theBlock().shared.size());
  enterBlockAccesses(rank);
}

std::vector<unsigned> Cluster::inAnyOrder() {
  std::vector<unsigned> ranks(blocks.size());
  std::iota(ranks.begin(), ranks.end(), 0u);
  if (ranks.size() > 1)
    random->shuffle(ranks);
  return ranks;
}

/// Lets all threads of the cluster go on that wait for each other.
bool Cluster::releaseAll() {
  for (const Block &block : blocks)
    if (!block.areAll(State::AtCluster))
      return false;
  orderBlocks(0, unsigned(blocks.size()));
  for (Block &block : blocks)
    block.goOn();
  return true;
}

/// Each block goes on as far as it can; what is copied comes only where none
/// can. False if all have ended, or there is a problem.
bool Cluster::advance() {
  bool any = false;
  for (unsigned next : inAnyOrder()) {
    enter(next);
    while (problem.empty() &&
           (theBlock().runReady() || theBlock().releaseShuffles() ||
            theBlock().releaseBarrier()))
      any = true;
  }
  if (!problem.empty())
    return false;
  if (any)
    return true;
  for (unsigned next : inAnyOrder()) {
    enter(next);
    if (theBlock().releasePhases())
      return true;
  }
  if (releaseAll())
    return true;
  for (Block &block : blocks)
    if (problem.empty())
      block.reportMissing();
  for (Block &block : blocks)
    for (const Thread &thread : block.threads)
      if (problem.empty() && thread.state == State::AtCluster)
        problem = "kernel '" + launch->name + "', block " +
                  std::to_string(block.position.block) +
                  ": a thread waits for all threads of its cluster, but some "
                  "have ended";
  return false;
}

void Cluster::run(unsigned firstBlock) {
  beginClusterAccesses();
  beginOrder(launch->cluster, launch->threads);
  beginCopies(launch->cluster, launch->threads);
  beginProducts(launch->cluster, launch->threads);
  beginTensorCopies(launch->cluster, launch->threads);
  blocks.resize(launch->cluster);
  for (unsigned i = 0; i < launch->cluster; ++i)
    blocks[i].begin(firstBlock + i, i);
  rank = 0;
  std::memset(reinterpret_cast<void *>(launch->shared.begin), 0xff,
              launch->shared.end - launch->shared.begin);
  enterBlockAccesses(0);
  isRunning = true;
  while (advance()) {
  }
  isRunning = false;
  endClusterAccesses();
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
  theCluster.launch = &padded;
  theCluster.random = &random;
  theCluster.problem.clear();
  beginAccesses(padded, counters);
  std::vector<unsigned> clusters(launch.blocks / launch.cluster);
  std::iota(clusters.begin(), clusters.end(), 0u);
  random.shuffle(clusters);
  if (settings.blocks > 0)
    clusters.resize(std::min(clusters.size(),
                             (size_t(settings.blocks) + launch.cluster - 1) /
                                 launch.cluster));
  for (unsigned cluster : clusters)
    if (theCluster.problem.empty())
      theCluster.run(cluster * launch.cluster);
  return theCluster.problem;
}
