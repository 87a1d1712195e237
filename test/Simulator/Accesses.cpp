//===- Accesses.cpp - Checks and counts of loads and stores -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The calls that the instrumentation of ThreadSanitizer puts before accesses.
// The library of ThreadSanitizer itself is not part of this: threads of a GPU
// are fibres here, and memory has spaces.
//
// - An access to device memory lies within one allocation.
// - Its address is a multiple of its bytes. Vectors that are not known to be
//   aligned are accesses to their elements.
// - Of two accesses to the same byte of shared memory, one of them to write,
//   one comes before the other by barriers (Order.cpp); within a warp a shuffle
//   does. Nobody accesses bytes while they are copied.
// - What instructions of warpgroups read, the thread that wrote it has fenced,
//   and what other blocks of a cluster read, it has released to these.
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace onnxc::simulator;

namespace {

/// The last access to a byte of shared memory, by a thread of a block.
struct Access {
  uint32_t thread, time, warpEpoch; ///< these begin with 1; 0: none
  uint32_t rank;
  unsigned warp() const { return thread / warpSize; }
};
struct ByteAccesses {
  Access write, read;
  /// Those of other warps that come neither before nor after `read`: where
  /// they are in a table, from 1 on; 0: none.
  uint32_t otherReads;
  bool isCopied;     ///< a copy that nothing has waited for
  uint32_t fences;   ///< that the thread had had when it wrote
  uint32_t releases; ///< the same of arrivals that release to the cluster
};

/// The same access of the threads of a warp: one instruction, for the same
/// time.
struct Request {
  std::vector<uintptr_t> addresses;
  unsigned size;
  bool isShared;
};
struct RequestKey {
  const void *code;
  unsigned warp, repetition;
  bool operator<(const RequestKey &other) const {
    return std::tie(code, warp, repetition) <
           std::tie(other.code, other.warp, other.repetition);
  }
};

} // namespace

namespace {

struct BlockAccesses {
  std::vector<ByteAccesses> sharedBytes;
  std::vector<std::vector<Access>> reads;
  std::vector<uint32_t> freeReads;
  /// How many fences of its writes each thread has had.
  std::vector<uint32_t> proxyFences;
  /// How often each has released its writes to the cluster.
  std::vector<uint32_t> releases;
  std::map<RequestKey, Request> requests;
  /// How often each thread has executed an access.
  std::map<std::pair<const void *, unsigned>, unsigned> repetitions;
};

} // namespace

static const Launch *theLaunch;
static Counters *theCounters;
/// Of each block of a cluster, and of the one that runs.
static std::vector<BlockAccesses> blocks;
static BlockAccesses *own;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static void count(uintptr_t address, unsigned size, bool isShared,
                  const void *code) {
  const Position &at = *currentPosition();
  unsigned repetition = own->repetitions[{code, at.thread}]++;
  Request &request = own->requests[{code, at.warp(), repetition}];
  request.addresses.push_back(address);
  request.size = size;
  request.isShared = isShared;
}

static int64_t sectorsOf(const Request &request) {
  std::vector<uintptr_t> sectors;
  for (uintptr_t address : request.addresses)
    for (uintptr_t byte = address; byte < address + request.size; byte += 4)
      sectors.push_back(byte / 32);
  std::sort(sectors.begin(), sectors.end());
  return std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

/// The most words that one of the 32 banks has to deliver, as far as it is more
/// than all banks need for the request: without conflicts it is one step,
/// though 16 bytes a thread take four.
static int64_t sharedStepsOf(const Request &request) {
  std::vector<uintptr_t> words;
  for (uintptr_t address : request.addresses)
    for (uintptr_t byte = address; byte < address + request.size; byte += 4)
      words.push_back(byte / 4);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  int64_t ofBank[32] = {};
  for (uintptr_t word : words)
    ++ofBank[word % 32];
  int64_t minRounds = (int64_t(words.size()) + 31) / 32;
  return *std::max_element(ofBank, ofBank + 32) - minRounds + 1;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Does nothing order the access and one of the running thread?
static bool isUnordered(const Access &earlier) {
  const Position &at = *currentPosition();
  if (earlier.time == 0)
    return false;
  if (earlier.rank != at.rank || earlier.warp() != at.warp())
    return !isOrdered(earlier.rank, earlier.thread, earlier.time);
  return earlier.thread != at.thread && earlier.warpEpoch == at.warpEpoch;
}

/// In the memory of a block of the cluster.
static void checkRace(const Access &earlier, unsigned rank, size_t byte) {
  if (!isUnordered(earlier))
    return;
  std::string who = earlier.thread == maxThreads
                        ? "a copy of a tensor"
                        : "thread " + std::to_string(earlier.thread);
  if (earlier.rank != rank)
    who += " of block " + std::to_string(earlier.rank);
  fail("race with " + who + " at byte " + std::to_string(byte) +
       " of shared memory" +
       (rank == currentPosition()->rank
            ? ""
            : " of block " + std::to_string(rank) + " of the cluster"));
}

/// The running thread writes to the byte of a block of the cluster.
static void checkWrite(BlockAccesses &of, size_t byte) {
  auto rank = unsigned(&of - blocks.data());
  ByteAccesses &known = of.sharedBytes[byte];
  checkRace(known.write, rank, byte);
  checkRace(known.read, rank, byte);
  if (known.otherReads == 0)
    return;
  for (const Access &read : of.reads[known.otherReads - 1])
    checkRace(read, rank, byte);
  of.reads[known.otherReads - 1].clear();
  of.freeReads.push_back(known.otherReads);
  known.otherReads = 0;
}

/// Keeps the last read of another warp that does not come before this one.
static void keepRead(BlockAccesses &of, ByteAccesses &known) {
  const Position &at = *currentPosition();
  if ((known.read.warp() == at.warp() && known.read.rank == at.rank) ||
      !isUnordered(known.read))
    return;
  if (known.otherReads == 0 && of.freeReads.empty()) {
    of.reads.emplace_back();
    of.freeReads.push_back(uint32_t(of.reads.size()));
  }
  if (known.otherReads == 0) {
    known.otherReads = of.freeReads.back();
    of.freeReads.pop_back();
  }
  std::vector<Access> &others = of.reads[known.otherReads - 1];
  for (Access &other : others)
    if (other.warp() == known.read.warp() && other.rank == known.read.rank) {
      other = known.read;
      return;
    }
  others.push_back(known.read);
}

/// An access to memory of a block of the cluster, where the kernel sees it.
static void checkShared(BlockAccesses &of, uintptr_t address, unsigned size,
                        bool isWrite) {
  const Position &at = *currentPosition();
  auto rank = unsigned(&of - blocks.data());
  Access now = {at.thread, timeOf(at.rank, at.thread), at.warpEpoch, at.rank};
  for (uintptr_t place = address; place < address + size; ++place) {
    size_t byte = place - theLaunch->shared.begin;
    ByteAccesses &known = of.sharedBytes[byte];
    if (known.isCopied)
      fail("an access to byte " + std::to_string(byte) +
           " of shared memory while it is copied");
    if (isWrite) {
      checkWrite(of, byte);
      known.write = now;
      known.fences = of.proxyFences[at.thread];
      known.releases = of.releases[at.thread];
    } else {
      checkRace(known.write, rank, byte);
      keepRead(of, known);
      known.read = now;
    }
  }
}

/// The span that begins at or below the address, or null.
static const Span *beforeOrAt(const Allocations &all, uintptr_t address) {
  auto next = std::upper_bound(
      all.begin(), all.end(), address,
      [](uintptr_t value, const Span &span) { return value < span.begin; });
  return next == all.begin() ? nullptr : &*std::prev(next);
}

/// The allocation that begins at or below the address, or null.
static const Span *allocationOf(uintptr_t address) {
  static const Span *last;
  const Allocations &all = *theLaunch->allocations;
  if (last >= all.data() && last < all.data() + all.size() &&
      last->contains(address))
    return last;
  const Span *found = beforeOrAt(all, address);
  return found ? last = found : nullptr;
}

static bool isReleased(uintptr_t address) {
  const Span *span = beforeOrAt(*theLaunch->released, address);
  return span && span->contains(address);
}

/// Bytes around allocations that belong to no other memory.
static constexpr uintptr_t kNear = 1 << 16;

/// A thread accesses `part` bytes at a time, which it knows to be aligned: of
/// the last ones perhaps only the first.
static void access(void *pointer, unsigned size, unsigned part, bool isWrite,
                   const void *code) {
  if (!currentPosition())
    return;
  auto address = reinterpret_cast<uintptr_t>(pointer);
  bool isShared = theLaunch->shared.contains(address);
  const Span *allocation = isShared ? nullptr : allocationOf(address);
  if (isShared) {
    if (address + size > theLaunch->shared.end)
      fail("an access goes beyond shared memory");
    checkShared(*own, address, size, isWrite);
  } else if (!(allocation && allocation->contains(address)) &&
             isReleased(address)) {
    fail("an access to device memory that was released");
  } else if (allocation && address < allocation->end + kNear) {
    if (address + size > allocation->end)
      fail(std::string(isWrite ? "a store" : "a load") + " of " +
           std::to_string(size) + " bytes at byte " +
           std::to_string(address - allocation->begin) +
           " of device memory of " +
           std::to_string(allocation->end - allocation->begin) + " bytes");
  } else if (dynamicSharedMemory(maxSharedBytes).contains(address)) {
    fail("an access goes beyond the shared memory of the launch");
  } else {
    return; // a local variable, or a constant of the image
  }
  if (address % std::min(part, 8u) != 0)
    fail("an access of " + std::to_string(part) + " bytes at an address that " +
         "is not a multiple of them");
  if (simulatorSettings()->countsSectors)
    for (unsigned i = 0; i * part < size; ++i)
      count(address + i * part, part, isShared,
            static_cast<const char *>(code) + i);
}

void onnxc::simulator::noteClusterLoad(const void *pointer, unsigned rank,
                                       unsigned size, const void *code) {
  auto address = uintptr_t(pointer);
  if (!theLaunch->shared.contains(address) ||
      address + size > theLaunch->shared.end)
    fail("a load from the cluster goes beyond shared memory");
  if (address % size != 0)
    fail(
        "a load of " + std::to_string(size) +
        " bytes from the cluster at an address that is not a multiple of them");
  BlockAccesses &of = blocks[rank];
  checkShared(of, address, size, false);
  for (uintptr_t place = address; place < address + size; ++place)
    if (const ByteAccesses &known =
            of.sharedBytes[place - theLaunch->shared.begin];
        rank != currentPosition()->rank && known.write.time != 0 &&
        known.write.thread != maxThreads &&
        known.releases == of.releases[known.write.thread])
      fail("a load from the cluster reads what thread " +
           std::to_string(known.write.thread) + " of block " +
           std::to_string(rank) + " has not released");
  if (simulatorSettings()->countsSectors)
    count(address, size, /*isShared=*/true, code);
}

void onnxc::simulator::noteHandover() {
  ++own->releases[currentPosition()->thread];
}

void onnxc::simulator::noteLoad(const void *pointer, unsigned size) {
  access(const_cast<void *>(pointer), size, size, false,
         __builtin_return_address(0));
}

/// Fails if a thread of the block has written one of the bytes and not fenced
/// it yet.
static void checkFenced(const char *what, uintptr_t address, unsigned size,
                        const BlockAccesses &of) {
  uintptr_t first = address - theLaunch->shared.begin;
  for (uintptr_t byte = first; byte < first + size; ++byte)
    if (const ByteAccesses &known = of.sharedBytes[byte];
        known.write.time != 0 && known.write.thread != maxThreads &&
        known.fences == of.proxyFences[known.write.thread])
      fail(std::string(what) + " byte " + std::to_string(byte) +
           " of shared memory, which thread " +
           std::to_string(known.write.thread) +
           " wrote without fence.proxy.async");
}

void onnxc::simulator::noteAsyncLoad(const void *pointer, unsigned size) {
  noteLoad(pointer, size);
  checkFenced("wgmma reads", uintptr_t(pointer), size, *own);
}

uint32_t onnxc::simulator::proxyFencesOf(unsigned rank, unsigned thread) {
  return blocks[rank].proxyFences[thread];
}

void onnxc::simulator::noteProxyFence() {
  ++own->proxyFences[currentPosition()->thread];
}

void onnxc::simulator::noteCopyBegin(const void *from, unsigned read, void *to,
                                     unsigned size, const void *code) {
  access(const_cast<void *>(from), std::max(read, 1u), size, false, code);
  access(to, size, size, true, static_cast<const char *>(code) + 1);
  uintptr_t first = uintptr_t(to) - theLaunch->shared.begin;
  for (unsigned i = 0; i < size; ++i)
    own->sharedBytes[first + i].isCopied = true;
}

void onnxc::simulator::noteCopyEnd(void *to, unsigned size) {
  uintptr_t first = uintptr_t(to) - theLaunch->shared.begin;
  for (unsigned i = 0; i < size; ++i)
    own->sharedBytes[first + i].isCopied = false;
  checkShared(*own, uintptr_t(to), size, true);
}

/// A box is one request, whose bytes are those of allocations.
void onnxc::simulator::noteBoxLoad(const std::vector<Span> &lines,
                                   unsigned elementBytes, const void *code) {
  unsigned size = 16;
  for (const Span &line : lines) {
    const Span *allocation = allocationOf(line.begin);
    if (!allocation || line.end > allocation->end)
      fail("a copy of a tensor reads beyond device memory");
    if (line.begin % size != 0 || line.end % size != 0)
      size = elementBytes;
  }
  if (!simulatorSettings()->countsSectors)
    return;
  Request request = {{}, size, /*isShared=*/false};
  for (const Span &line : lines)
    for (uintptr_t at = line.begin; at < line.end; at += size)
      request.addresses.push_back(at);
  unsigned thread = currentPosition()->thread;
  unsigned repetition = own->repetitions[{code, thread}]++;
  own->requests[{code, currentPosition()->warp(), repetition}] =
      std::move(request);
}

void onnxc::simulator::noteBoxBegin(void *to, unsigned size, unsigned rank) {
  auto address = uintptr_t(to);
  if (!theLaunch->shared.contains(address) ||
      address + size > theLaunch->shared.end)
    fail("a copy of a tensor goes beyond shared memory");
  BlockAccesses &of = blocks[rank];
  checkFenced("a copy of a tensor overwrites", address, size, of);
  for (unsigned i = 0; i < size; ++i) {
    size_t byte = address + i - theLaunch->shared.begin;
    bool &isCopied = of.sharedBytes[byte].isCopied;
    if (isCopied)
      fail("two copies of tensors to the same bytes of block " +
           std::to_string(rank) + " of the cluster");
    checkWrite(of, byte);
    isCopied = true;
  }
}

void onnxc::simulator::noteBoxEnd(void *to, unsigned size) {
  uint32_t time = timeOf(currentPosition()->rank, maxThreads);
  for (unsigned i = 0; i < size; ++i) {
    ByteAccesses &known =
        own->sharedBytes[uintptr_t(to) + i - theLaunch->shared.begin];
    known.isCopied = false;
    // Nobody has had access since it began.
    known.write = {maxThreads, time, 0, currentPosition()->rank};
  }
}

void onnxc::simulator::beginAccesses(const Launch &launch, Counters &counters) {
  theLaunch = &launch;
  theCounters = &counters;
}

void onnxc::simulator::beginClusterAccesses() {
  blocks.resize(theLaunch->cluster);
  for (BlockAccesses &block : blocks) {
    block.sharedBytes.assign(theLaunch->shared.end - theLaunch->shared.begin,
                             {});
    block.proxyFences.assign(maxThreads, 0);
    block.releases.assign(maxThreads, 0);
  }
}

void onnxc::simulator::enterBlockAccesses(unsigned rank) {
  own = &blocks[rank];
}

void onnxc::simulator::endClusterAccesses() {
  for (BlockAccesses &block : blocks) {
    for (const auto &[key, request] : block.requests) {
      if (request.isShared) {
        ++theCounters->sharedRequests;
        theCounters->sharedSteps += sharedStepsOf(request);
      } else {
        ++theCounters->requests;
        theCounters->sectors += sectorsOf(request);
      }
    }
    block.requests.clear();
    block.repetitions.clear();
  }
}

//===----------------------------------------------------------------------===//
// The functions of the instrumentation
//===----------------------------------------------------------------------===//

/// The largest power of two, at most `maxPart`, that divides the address.
static unsigned partAt(const void *pointer, unsigned maxPart) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  return std::min<uintptr_t>(maxPart, address & -address);
}

#pragma GCC visibility push(default)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

#define ACCESS(PREFIX, SIZE, PART)                                             \
  void __tsan_##PREFIX##read##SIZE(void *pointer) {                            \
    access(pointer, SIZE, PART, false, __builtin_return_address(0));           \
  }                                                                            \
  void __tsan_##PREFIX##write##SIZE(void *pointer) {                           \
    access(pointer, SIZE, PART, true, __builtin_return_address(0));            \
  }
ACCESS(, 1, 1)
ACCESS(, 2, 2)
ACCESS(, 4, 4)
ACCESS(, 8, 8)
ACCESS(, 16, 16)
// Less aligned than they are long, to the knowledge of the compiler: elements
// of a vector, most of which have 4 bytes, and none more than its address
// allows.
ACCESS(unaligned_, 2, 1)
ACCESS(unaligned_, 4, partAt(pointer, 2))
ACCESS(unaligned_, 8, partAt(pointer, 4))
ACCESS(unaligned_, 16, partAt(pointer, 4))

static void accessBytes(void *pointer, size_t bytes, bool isWrite) {
  for (size_t i = 0; i < bytes; ++i)
    access(static_cast<char *>(pointer) + i, 1, 1, isWrite,
           __builtin_return_address(0));
}
void *__tsan_memset(void *to, int value, size_t bytes) {
  accessBytes(to, bytes, true);
  return std::memset(to, value, bytes);
}
void *__tsan_memcpy(void *to, void *from, size_t bytes) {
  accessBytes(from, bytes, false);
  accessBytes(to, bytes, true);
  return std::memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, void *from, size_t bytes) {
  accessBytes(from, bytes, false);
  accessBytes(to, bytes, true);
  return std::memmove(to, from, bytes);
}

} // extern "C"
#pragma GCC visibility pop
