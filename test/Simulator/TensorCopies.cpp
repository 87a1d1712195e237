//===- TensorCopies.cpp - Copies of boxes of tensors ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cp.async.bulk.tensor and mbarrier by the PTX ISA, maps of tensors by the
// manual of cuTensorMapEncodeTiled. Boxes come as late as they may: when a
// thread waits for them and no other thread can go on. Until then they are not
// a number. A box for several blocks of a cluster comes to each of them when
// its threads wait; threads of all of them arrive at barriers at once.
//
//   line j of a box    place j * bytes of a line, its first one at a multiple
//                      of 128 bytes
//   then               bits 4 to 6 xor bits 7 to 9, as many as a line has
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"

#include "Simulator.h"

#include <cstring>
#include <map>

using namespace onnxc::simulator;

namespace {

constexpr uint32_t kMaxRank = 5;

/// What the 128 bytes of a map are here.
struct Map {
  uint64_t magic, address;
  uint32_t elementBytes, rank, swizzle;
  uint32_t box[kMaxRank];
  uint64_t sizes[kMaxRank], strides[kMaxRank - 1];
};
constexpr uint64_t kMagic = 0x70616d726f736e65;
static_assert(sizeof(Map) <= sizeof(TensorMap));

struct Copy {
  Map map;
  uintptr_t to;
  int32_t from[kMaxRank];
  /// The block of the cluster that has started it.
  unsigned rank;

  int64_t bytes() const {
    int64_t count = map.elementBytes;
    for (uint32_t i = 0; i < map.rank; ++i)
      count *= map.box[i];
    return count;
  }
};

struct Barrier {
  uint32_t count, pending, phase;
  int64_t expected;
  /// Of this phase.
  std::vector<Copy> copies;
  /// That has made it, and the fences that it had had: for copies, and for
  /// other blocks of the cluster.
  unsigned maker;
  uint32_t fences, clusterFences;
  /// What comes before the arrivals of this phase, and before the ends of all.
  Clock arrived, ended;

  int64_t coming() const {
    int64_t bytes = 0;
    for (const Copy &copy : copies)
      bytes += copy.bytes();
    return bytes;
  }
  bool canEnd() const { return pending == 0 && coming() == expected; }
};

} // namespace

/// What the threads of a block of a cluster have: barriers by their addresses,
/// and how often each has fenced those that it had made for other blocks.
struct BlockBarriers {
  std::map<uintptr_t, Barrier> barriers;
  std::vector<uint32_t> clusterFences;
};
static std::vector<BlockBarriers> blocks;

static std::map<uintptr_t, Barrier> &ownBarriers() {
  return blocks[currentPosition()->rank].barriers;
}

void onnxc::simulator::beginTensorCopies(unsigned count, unsigned threads) {
  blocks.assign(count, {{}, std::vector<uint32_t>(threads)});
}

void onnxc::simulator::checkTensorCopiesEnded() {
  const Position &at = *currentPosition();
  for (unsigned rank = 0; rank < blocks.size(); ++rank)
    for (const auto &[address, barrier] : blocks[rank].barriers)
      for (const Copy &copy : barrier.copies)
        if (rank == at.rank || copy.rank == at.rank)
          fail("the block ends while copies of tensors are under way");
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

bool onnxc::simulator::encodeTensorMap(TensorMap *result,
                                       const TensorMapRequest &its) {
  constexpr uint32_t bytesOfType[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  constexpr uint32_t spans[] = {0, 32, 64, 128};
  if (uintptr_t(result) % 64 != 0 || its.address % 16 != 0 || its.rank == 0 ||
      its.rank > kMaxRank || its.elementType < 0 || its.elementType > 12 ||
      its.interleave != 0 || its.swizzle < 0 || its.swizzle > 3 ||
      its.promotion < 0 || its.promotion > 3 || its.fill < 0 || its.fill > 1)
    return false;
  Map map = {kMagic,
             its.address,
             bytesOfType[its.elementType],
             its.rank,
             spans[its.swizzle],
             {},
             {},
             {}};
  for (uint32_t i = 0; i < its.rank; ++i) {
    map.sizes[i] = its.sizes[i];
    map.box[i] = its.box[i];
    if (map.sizes[i] == 0 || map.sizes[i] > uint64_t(1) << 32 ||
        map.box[i] == 0 || map.box[i] > 256 || its.steps[i] != 1)
      return false;
  }
  for (uint32_t i = 0; i + 1 < its.rank; ++i) {
    map.strides[i] = its.strides[i];
    uint64_t inner = i == 0 ? map.elementBytes : map.strides[i - 1];
    if (map.strides[i] % 16 != 0 || map.strides[i] >= uint64_t(1) << 40 ||
        map.strides[i] % inner != 0 || map.strides[i] < inner * map.sizes[i])
      return false;
  }
  uint32_t line = map.box[0] * map.elementBytes;
  if (line % 16 != 0 || (map.swizzle && line > map.swizzle))
    return false;
  std::memset(result, 0, sizeof *result);
  std::memcpy(result, &map, sizeof map);
  return true;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Calls visit(line, address of its first element that is inside, elements
/// before it in the line, elements inside).
template <typename Visit>
static void forEachLine(const Copy &copy, Visit visit) {
  const Map &map = copy.map;
  uint32_t lines = 1;
  for (uint32_t i = 1; i < map.rank; ++i)
    lines *= map.box[i];
  int64_t first = copy.from[0], end = first + map.box[0],
          size = int64_t(map.sizes[0]);
  int64_t begin = std::max<int64_t>(first, 0), inside = std::min(end, size);
  for (uint32_t line = 0; line < lines; ++line) {
    uint64_t address = map.address + uint64_t(begin) * map.elementBytes;
    bool isInside = begin < inside;
    uint32_t left = line;
    for (uint32_t i = 1; i < map.rank; ++i) {
      int64_t at = copy.from[i] + int64_t(left % map.box[i]);
      left /= map.box[i];
      isInside &= at >= 0 && at < int64_t(map.sizes[i]);
      address += uint64_t(at) * map.strides[i - 1];
    }
    visit(line, address, begin - first, isInside ? inside - begin : 0);
  }
}

/// The barrier of a block of the cluster at an address of the own one.
static Barrier &barrierOf(unsigned rank, void *address, const char *what) {
  auto known = blocks[rank].barriers.find(uintptr_t(address));
  if (known == blocks[rank].barriers.end())
    fail(std::string(what) + " a barrier that has not been made");
  const Barrier &barrier = known->second;
  if (rank != currentPosition()->rank &&
      blocks[rank].clusterFences[barrier.maker] == barrier.clusterFences)
    fail(std::string(what) + " a barrier of another block without "
                             "fence.mbarrier_init");
  return known->second;
}

/// The blocks of the cluster by the bits of a mask.
static std::vector<unsigned> ranksOf(uint16_t mask) {
  std::vector<unsigned> ranks;
  for (unsigned rank = 0; rank < 16; ++rank)
    if (mask >> rank & 1)
      ranks.push_back(rank);
  if (ranks.empty() || ranks.back() >= blocks.size())
    fail("a copy of a tensor to blocks that the cluster has not");
  return ranks;
}

static void begin(void *to, void *barrier, const void *pointer,
                  std::vector<int32_t> from, const std::vector<unsigned> &ranks,
                  const void *code) {
  const Position &at = *currentPosition();
  Copy copy = {{}, uintptr_t(to), {}, at.rank};
  std::memcpy(&copy.map, pointer, sizeof copy.map);
  const Map &map = copy.map;
  if (map.magic != kMagic || map.rank != from.size())
    fail("a copy of a tensor that has no map of these dimensions");
  if (copy.to % 128 != 0)
    fail(
        "a copy of a tensor to an address that is not a multiple of 128 bytes");
  if (map.box[0] * map.elementBytes != map.swizzle)
    fail("a copy of lines that are shorter than what is exchanged");
  std::copy(from.begin(), from.end(), copy.from);
  std::vector<Span> lines;
  forEachLine(copy, [&](uint32_t, uint64_t address, int64_t, int64_t inside) {
    if (inside)
      lines.push_back({address, address + uint64_t(inside) * map.elementBytes});
  });
  noteBoxLoad(lines, map.elementBytes, code);
  for (unsigned rank : ranks) {
    Barrier &its = barrierOf(rank, barrier, "a copy of a tensor to");
    if (proxyFencesOf(rank, its.maker) == its.fences)
      fail("a copy of a tensor to a barrier without fence.proxy.async");
    noteBoxBegin(to, unsigned(copy.bytes()), rank);
    std::memset(sharedMemoryOf(rank, to), 0xff, size_t(copy.bytes()));
    its.copies.push_back(copy);
  }
}

static void finish(const Copy &copy) {
  const Map &map = copy.map;
  auto bytes = size_t(copy.bytes());
  noteBoxEnd(reinterpret_cast<void *>(copy.to), unsigned(bytes));
  std::memset(reinterpret_cast<void *>(copy.to), 0, bytes);
  forEachLine(copy, [&](uint32_t line, uint64_t address, int64_t before,
                        int64_t inside) {
    for (int64_t i = 0; i < inside; ++i) {
      uintptr_t place = copy.to + line * map.swizzle +
                        uintptr_t(before + i) * map.elementBytes;
      place ^= (place >> 7 & (map.swizzle / 16 - 1)) << 4;
      std::memcpy(reinterpret_cast<void *>(place),
                  reinterpret_cast<const void *>(
                      address + uint64_t(i) * map.elementBytes),
                  map.elementBytes);
    }
  });
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static Barrier &barrierAt(void *address) {
  return barrierOf(currentPosition()->rank, address, "an operation on");
}

static void endPhase(Barrier &barrier) {
  barrier.copies.clear();
  barrier.pending = barrier.count;
  barrier.expected = 0;
  ++barrier.phase;
  join(barrier.ended, barrier.arrived);
  barrier.arrived.clear();
}

/// Addresses of other blocks have the number of the block in bits that no
/// memory has.
static constexpr int kRankAt = 56;

/// The block, and the address that the memory has in each block.
static std::pair<unsigned, void *> placeInCluster(void *there) {
  uintptr_t address = uintptr_t(there) & ((uintptr_t(1) << kRankAt) - 1);
  return {unsigned(uintptr_t(there) >> kRankAt),
          reinterpret_cast<void *>(address)};
}

/// A thread arrives. Where no bytes come, its phase ends with the last one.
static void arrive(Barrier &barrier, uint32_t bytes) {
  if (barrier.pending == 0)
    fail("more threads arrive at a barrier than it has");
  --barrier.pending;
  releaseTo(barrier.arrived);
  barrier.expected += bytes;
  if (barrier.canEnd() && barrier.copies.empty())
    endPhase(barrier);
}

/// Is the phase of this parity over, or can it end now?
bool onnxc::simulator::isPhaseOver(void *address, uint32_t parity) {
  auto known = ownBarriers().find(uintptr_t(address));
  return known == ownBarriers().end() || (known->second.phase & 1) != parity ||
         known->second.canEnd();
}

std::string onnxc::simulator::describePhase(void *address) {
  // Also of a block that does not run.
  const Barrier *found = nullptr;
  for (const BlockBarriers &block : blocks)
    if (auto known = block.barriers.find(uintptr_t(address));
        known != block.barriers.end() && (!found || !known->second.canEnd()))
      found = &known->second;
  if (!found)
    return "a barrier that has not been made";
  const Barrier &barrier = *found;
  return "a barrier of copies, of which " + std::to_string(barrier.coming()) +
         " bytes come and " + std::to_string(barrier.expected) +
         " are expected by " + std::to_string(barrier.count - barrier.pending) +
         " of " + std::to_string(barrier.count) + " threads";
}

#pragma GCC visibility push(default)
extern "C" {

void sim_mbarrier_init_shared(void *address, uint32_t count) {
  if (uintptr_t(address) % 8 != 0 || count == 0)
    fail("a barrier at an address that is not a multiple of 8, or of no "
         "threads");
  if (ownBarriers().count(uintptr_t(address)))
    fail("a barrier is made where there is one already");
  const Position &at = *currentPosition();
  ownBarriers()[uintptr_t(address)] = {count,
                                       count,
                                       0,
                                       0,
                                       {},
                                       at.thread,
                                       proxyFencesOf(at.rank, at.thread),
                                       blocks[at.rank].clusterFences[at.thread],
                                       {},
                                       {}};
}

void sim_fence_mbarrier_init_release_cluster() {
  const Position &at = *currentPosition();
  ++blocks[at.rank].clusterFences[at.thread];
}

void *sim_mapa_shared_cluster(void *address, int32_t rank) {
  if (rank < 0 || size_t(rank) >= blocks.size())
    fail("the address of a block that the cluster has not");
  return reinterpret_cast<void *>(uintptr_t(address) | uintptr_t(rank)
                                                           << kRankAt);
}

void sim_ld_shared_cluster(void *value, void *there, int32_t bytes) {
  auto [rank, address] = placeInCluster(there);
  const void *memory = sharedMemoryOf(rank, address);
  noteClusterLoad(address, rank, unsigned(bytes), __builtin_return_address(0));
  std::memcpy(value, memory, size_t(bytes));
}

void sim_mbarrier_arrive_scope_cta_space_cluster(void *there, int32_t count) {
  auto [rank, address] = placeInCluster(there);
  sharedMemoryOf(rank, address);
  for (int32_t i = 0; i < count; ++i)
    arrive(barrierOf(rank, address, "the thread arrives at"), 0);
}

void sim_mbarrier_inval_shared(void *address) {
  if (!barrierAt(address).copies.empty())
    fail("a barrier ends while copies to it are under way");
  ownBarriers().erase(uintptr_t(address));
}

int64_t sim_mbarrier_arrive_shared(void *address) {
  arrive(barrierAt(address), 0);
  return 0;
}

int64_t sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(void *address,
                                                          uint32_t bytes) {
  arrive(barrierAt(address), bytes);
  return 0;
}

bool sim_mbarrier_try_wait_parity_scope_cta_space_cta(void *address,
                                                      uint32_t parity) {
  barrierAt(address);
  waitForPhase(address, parity);
  Barrier &barrier = barrierAt(address);
  if ((barrier.phase & 1) == parity) {
    for (const Copy &copy : barrier.copies)
      finish(copy);
    releaseCopies(currentPosition()->rank, barrier.arrived);
    endPhase(barrier);
  }
  acquireFrom(barrier.ended);
  return true;
}

#define COORDINATES_2 int32_t a, int32_t b
#define COORDINATES_3 COORDINATES_2, int32_t c
#define COORDINATES_4 COORDINATES_3, int32_t d
#define COORDINATES_5 COORDINATES_4, int32_t e
#define COPY(RANK, ...)                                                        \
  void sim_cp_async_bulk_tensor_g2s_tile_##RANK##d(                            \
      void *to, void *barrier, const void *map, COORDINATES_##RANK,            \
      uint16_t mask, uint64_t, bool isForSeveral, bool, uint32_t) {            \
    begin(to, barrier, map, {__VA_ARGS__},                                     \
          isForSeveral ? ranksOf(mask)                                         \
                       : std::vector<unsigned>{currentPosition()->rank},       \
          __builtin_return_address(0));                                        \
  }
COPY(2, a, b)
COPY(3, a, b, c)
COPY(4, a, b, c, d)
COPY(5, a, b, c, d, e)

} // extern "C"
#pragma GCC visibility pop
