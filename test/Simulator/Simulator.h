//===- Simulator.h - Kernels of GPUs on the processor -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A simulated kernel is a function for the processor, compiled from the LLVM IR
// of the kernel with the intrinsics of NVVM as calls: llvm.nvvm.A.B is
// sim_A_B. One fibre is a thread of a block; blocks run one after the other, in
// random order, and so do their warps. The blocks of a cluster take turns: each
// goes on as far as it can, and has its shared memory where the kernel looks
// for it only while it runs.
//
// With the instrumentation of ThreadSanitizer, loads and stores are calls as
// well (Accesses.cpp): then they are checked and counted.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_SIMULATOR_H
#define ONNXC_TEST_SIMULATOR_SIMULATOR_H

#include "Counters.h"

#include "TensorCopies.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace onnxc::simulator {

inline constexpr int warpSize = 32, maxThreads = 1024;
/// Blocks of a cluster that each GPU with clusters runs.
inline constexpr unsigned maxCluster = 8;
/// Shared memory that a block of any GPU may have, and of one with attributes
/// set for its kernel (of compute capability 9.0).
inline constexpr unsigned freeSharedBytes = 48 << 10,
                          maxSharedBytes = 227 << 10;
/// Threads that execute one instruction together, at most.
inline constexpr unsigned maxTogether = 128;

/// A part of memory.
struct Span {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t address) const {
    return address >= begin && address < end;
  }
};

/// Device memory, in ascending order.
using Allocations = std::vector<Span>;

struct Launch {
  std::string name;
  void *function;
  unsigned blocks, threads;
  /// Blocks of a cluster.
  unsigned cluster;
  std::vector<uint64_t> arguments;
  /// Those that the last arguments are addresses of.
  std::shared_ptr<std::vector<TensorMap>> maps;
  /// Static shared memory of the image or, where the launch asks for some, that
  /// alone.
  Span shared;
  const Allocations *allocations;
  const Allocations *released;
};

/// Runs the kernel. The result is empty, or says why it has failed.
std::string runKernel(const Launch &launch, const Settings &settings,
                      Counters &counters);

/// A generator of random numbers: results do not depend on the library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// In [0, bound).
  size_t below(size_t bound) {
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) % bound;
  }
  template <typename T>
  void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

private:
  uint64_t state;
};

/// The thread whose code runs, and what checks of its accesses need.
struct Position {
  unsigned block, blocks, thread, threads;
  /// Of the block in its cluster, and how many blocks that has.
  unsigned rank, cluster;
  /// How many barriers and synchronisations its warp has passed.
  uint32_t warpEpoch;
  unsigned warp() const { return thread / warpSize; }
};
/// Null outside of kernels.
const Position *currentPosition();
/// That of the block which runs.
const Span &sharedMemory();
/// The first bytes of what launches may ask for.
Span dynamicSharedMemory(unsigned bytes);
/// Ends the kernel with an error of the running thread; does not return.
[[noreturn]] void fail(const std::string &problem);

/// Which accesses come before others (Order.cpp). Times begin with 1.
using Clock = std::vector<uint32_t>;
void beginOrder(unsigned blocks, unsigned threads);
void join(Clock &clock, const Clock &other);
/// Of an access of the warp of a thread now; maxThreads for the copies of
/// tensors to the block.
uint32_t timeOf(unsigned rank, unsigned thread);
/// Comes an access of that time before what the running thread does?
bool isOrdered(unsigned rank, unsigned thread, uint32_t time);
/// What the running thread, or the copies to a block, have done so far comes
/// before what those do that acquire from the clock.
void releaseTo(Clock &clock);
void releaseCopies(unsigned rank, Clock &clock);
void acquireFrom(const Clock &clock);
/// All threads of these blocks have waited for each other.
void orderBlocks(unsigned first, unsigned count);

/// What all threads of a warp or of several compute together, of the arguments
/// of each in memory (Matrices.cpp, Warpgroups.cpp).
using WarpFunction = void (*)(const void *const *arguments,
                              void *const *results);
/// Waits for all threads of a group of this size, which compute it.
void runTogether(WarpFunction function, const void *arguments, void *result,
                 unsigned width = warpSize);

/// Notes a load of the running thread that its code does not have as such.
void noteLoad(const void *pointer, unsigned size);
/// The same by an instruction that reads shared memory past the threads, and
/// the fence that lets it see what the running thread has written.
void noteAsyncLoad(const void *pointer, unsigned size);
/// A thread loads from memory of a block of its cluster, at the address that it
/// has in its own block; the code distinguishes loads.
void noteClusterLoad(const void *pointer, unsigned rank, unsigned size,
                     const void *code);
/// A thread releases what it has written to its cluster.
void noteHandover();
void noteProxyFence();
/// The same of a copy to shared memory at an address of the code: it begins,
/// and it has ended. Nobody may access these bytes in between. Of the source,
/// whose address is valid in any case, so many are read.
void noteCopyBegin(const void *from, unsigned read, void *to, unsigned size,
                   const void *code);
void noteCopyEnd(void *to, unsigned size);

/// The same of a box of a tensor, which lines of device memory are copied to.
void noteBoxLoad(const std::vector<Span> &lines, unsigned elementBytes,
                 const void *code);
/// The shared memory is that of a block of the cluster.
void noteBoxBegin(void *to, unsigned size, unsigned rank);
void noteBoxEnd(void *to, unsigned size);
/// Fences that a thread of a block of the cluster has had.
uint32_t proxyFencesOf(unsigned rank, unsigned thread);
/// Where the shared memory of a block of the cluster is now that the running
/// one has at `address`. Fails if all threads of the block have ended.
void *sharedMemoryOf(unsigned rank, void *address);

/// Copies of boxes of tensors (TensorCopies.cpp).
void beginTensorCopies(unsigned blocks, unsigned threads);
/// The last thread of a block ends.
void checkTensorCopiesEnded();
/// May a thread go on that waits for the phase of a barrier? What it waits for.
bool isPhaseOver(void *barrier, uint32_t parity);
std::string describePhase(void *barrier);
/// Lets the others run until none of them can go on and the phase may end.
void waitForPhase(void *barrier, uint32_t parity);

/// Copies that threads do not wait for (Copies.cpp).
void beginCopies(unsigned blocks, unsigned threads);
/// The running thread ends, and has waited for all of them.
void checkCopiesEnded();

/// Products of warpgroups, which threads do not wait for (Warpgroups.cpp).
void beginProducts(unsigned blocks, unsigned threads);
/// The same as for copies.
void checkProductsEnded();

/// Checks of loads and stores (Accesses.cpp).
void beginAccesses(const Launch &launch, Counters &counters);
void beginClusterAccesses();
/// From now on a block of the cluster runs.
void enterBlockAccesses(unsigned rank);
void endClusterAccesses();

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_SIMULATOR_H
