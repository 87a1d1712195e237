//===- TensorCopies.cpp - Copies of boxes of tensors ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cp.async.bulk.tensor and mbarrier by the PTX ISA, maps of tensors by the
// manual of cuTensorMapEncodeTiled. Boxes come as late as they may: when a
// thread waits for them and no other thread can go on. Until then they are not
// a number.
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
  unsigned thread;

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
  /// That has made it, and the fences that it had had.
  unsigned maker;
  uint32_t fences;

  int64_t coming() const {
    int64_t bytes = 0;
    for (const Copy &copy : copies)
      bytes += copy.bytes();
    return bytes;
  }
  bool canEnd() const { return pending == 0 && coming() == expected; }
};

} // namespace

static std::map<uintptr_t, Barrier> barriers;

void onnxc::simulator::beginBlockTensorCopies() { barriers.clear(); }

void onnxc::simulator::checkTensorCopiesEnded() {
  for (const auto &[address, barrier] : barriers)
    for (const Copy &copy : barrier.copies)
      if (copy.thread == currentPosition()->thread)
        fail("the thread ends while its copies of tensors are under way");
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

/// Calls visit(line, address of its first element that is inside, elements in
/// front of it in the line, elements inside).
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

static void begin(void *to, void *barrier, const void *pointer,
                  std::vector<int32_t> from, const void *code) {
  auto known = barriers.find(uintptr_t(barrier));
  if (known == barriers.end())
    fail("a copy of a tensor to a barrier that has not been made");
  if (proxyFencesOf(known->second.maker) == known->second.fences)
    fail("a copy of a tensor to a barrier without fence.proxy.async");
  Copy copy = {{}, uintptr_t(to), {}, currentPosition()->thread};
  std::memcpy(&copy.map, pointer, sizeof copy.map);
  const Map &map = copy.map;
  if (map.magic != kMagic || map.rank != from.size())
    fail("a copy of a tensor that has no map of these dimensions");
  if (copy.to % 128 != 0)
    fail("a copy of a tensor to an address that is no multiple of 128 bytes");
  if (map.box[0] * map.elementBytes != map.swizzle)
    fail("a copy of lines that are shorter than what is exchanged");
  std::copy(from.begin(), from.end(), copy.from);
  std::vector<Span> lines;
  forEachLine(copy, [&](uint32_t, uint64_t address, int64_t, int64_t inside) {
    if (inside)
      lines.push_back({address, address + uint64_t(inside) * map.elementBytes});
  });
  noteBoxLoad(lines, map.elementBytes, code);
  noteBoxBegin(to, unsigned(copy.bytes()));
  std::memset(to, 0xff, size_t(copy.bytes()));
  known->second.copies.push_back(copy);
}

static void finish(const Copy &copy) {
  const Map &map = copy.map;
  auto bytes = size_t(copy.bytes());
  noteBoxEnd(reinterpret_cast<void *>(copy.to), unsigned(bytes), copy.thread);
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
  auto known = barriers.find(uintptr_t(address));
  if (known == barriers.end())
    fail("an operation on a barrier that has not been made");
  return known->second;
}

/// Is the phase of this parity over, or can it end now?
bool onnxc::simulator::isPhaseOver(void *address, uint32_t parity) {
  auto known = barriers.find(uintptr_t(address));
  return known == barriers.end() || (known->second.phase & 1) != parity ||
         known->second.canEnd();
}

std::string onnxc::simulator::describePhase(void *address) {
  const Barrier &barrier = barriers.at(uintptr_t(address));
  return "a barrier of copies, of which " + std::to_string(barrier.coming()) +
         " bytes come and " + std::to_string(barrier.expected) +
         " are expected by " + std::to_string(barrier.count - barrier.pending) +
         " of " + std::to_string(barrier.count) + " threads";
}

#pragma GCC visibility push(default)
extern "C" {

void sim_mbarrier_init_shared(void *address, uint32_t count) {
  if (uintptr_t(address) % 8 != 0 || count == 0)
    fail("a barrier at an address that is no multiple of 8, or of no threads");
  if (barriers.count(uintptr_t(address)))
    fail("a barrier is made where there is one already");
  unsigned thread = currentPosition()->thread;
  barriers[uintptr_t(address)] = {
      count, count, 0, 0, {}, thread, proxyFencesOf(thread)};
}

void sim_mbarrier_inval_shared(void *address) {
  if (!barrierAt(address).copies.empty())
    fail("a barrier ends while copies to it are under way");
  barriers.erase(uintptr_t(address));
}

int64_t sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(void *address,
                                                          uint32_t bytes) {
  Barrier &barrier = barrierAt(address);
  if (barrier.pending == 0)
    fail("more threads arrive at a barrier than it has");
  --barrier.pending;
  barrier.expected += bytes;
  return 0;
}

bool sim_mbarrier_try_wait_parity_scope_cta_space_cta(void *address,
                                                      uint32_t parity) {
  barrierAt(address);
  waitForPhase(address, parity);
  Barrier &barrier = barrierAt(address);
  if ((barrier.phase & 1) != parity)
    return true;
  for (const Copy &copy : barrier.copies)
    finish(copy);
  barrier.copies.clear();
  barrier.pending = barrier.count;
  barrier.expected = 0;
  ++barrier.phase;
  return true;
}

#define COORDINATES_2 int32_t a, int32_t b
#define COORDINATES_3 COORDINATES_2, int32_t c
#define COORDINATES_4 COORDINATES_3, int32_t d
#define COORDINATES_5 COORDINATES_4, int32_t e
#define COPY(RANK, ...)                                                        \
  void sim_cp_async_bulk_tensor_g2s_tile_##RANK##d(                            \
      void *to, void *barrier, const void *map, COORDINATES_##RANK, uint16_t,  \
      uint64_t, bool, bool, uint32_t) {                                        \
    begin(to, barrier, map, {__VA_ARGS__}, __builtin_return_address(0));       \
  }
COPY(2, a, b)
COPY(3, a, b, c)
COPY(4, a, b, c, d)
COPY(5, a, b, c, d, e)

} // extern "C"
#pragma GCC visibility pop
