//===- ArenaPlan.cpp - Offsets in the arena --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
#include <set>

using namespace onnxc::krnl;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;

/// Slots up to which the largest are placed first, which takes time with the
/// square of their number.
static constexpr size_t maxLargestFirst = 4096;

/// Where `slot` goes among `placed`, which are sorted by offset.
static int64_t tightestGap(const ArenaSlot &slot,
                           ArrayRef<ArenaSlot *> placed) {
  int64_t end = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
  for (const ArenaSlot *other : placed) {
    if (!slot.overlapsInTime(*other))
      continue;
    int64_t gap = other->offset - end;
    if (gap >= slot.bytes && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, other->offset + other->bytes);
  }
  return best >= 0 ? best : end;
}

/// Largest first, each into the smallest gap that holds it among those placed
/// before and alive at the same time. Returns the size of the arena.
static int64_t placeLargestFirst(MutableArrayRef<ArenaSlot> slots) {
  SmallVector<ArenaSlot *> order, placed;
  for (ArenaSlot &slot : slots)
    order.push_back(&slot);
  llvm::sort(order, [](const ArenaSlot *a, const ArenaSlot *b) {
    return std::tie(b->bytes, a->first, a) < std::tie(a->bytes, b->first, b);
  });
  int64_t size = 0;
  for (ArenaSlot *slot : order) {
    slot->offset = tightestGap(*slot, placed);
    size = std::max(size, slot->offset + slot->bytes);
    placed.insert(llvm::upper_bound(placed, slot,
                                    [](const ArenaSlot *a, const ArenaSlot *b) {
                                      return a->offset < b->offset;
                                    }),
                  slot);
  }
  return size;
}

namespace {

/// The ranges of the arena that no slot takes at one time.
class FreeRanges {
public:
  /// The offset of a range of so many bytes, which is no longer free: in the
  /// smallest range that holds it, else at the end of the arena.
  int64_t take(int64_t bytes);
  void give(int64_t offset, int64_t bytes);
  /// The size of the arena.
  int64_t size() const { return end; }

private:
  void insert(int64_t offset, int64_t bytes);
  void erase(std::map<int64_t, int64_t>::iterator range);

  int64_t end = 0;
  /// Bytes by offset; no two of them touch.
  std::map<int64_t, int64_t> ranges;
  std::set<std::pair<int64_t, int64_t>> byBytes;
};

} // namespace

void FreeRanges::insert(int64_t offset, int64_t bytes) {
  ranges.try_emplace(offset, bytes);
  byBytes.insert({bytes, offset});
}

void FreeRanges::erase(std::map<int64_t, int64_t>::iterator range) {
  byBytes.erase({range->second, range->first});
  ranges.erase(range);
}

int64_t FreeRanges::take(int64_t bytes) {
  auto smallest = byBytes.lower_bound({bytes, 0});
  auto range =
      smallest != byBytes.end() ? ranges.find(smallest->second) : ranges.end();
  if (range == ranges.end() && !ranges.empty()) {
    auto last = std::prev(ranges.end());
    if (last->first + last->second == end) {
      end = last->first + bytes;
      range = last;
    }
  }
  if (range == ranges.end()) {
    end += bytes;
    return end - bytes;
  }
  auto [offset, held] = *range;
  erase(range);
  if (held > bytes)
    insert(offset + bytes, held - bytes);
  return offset;
}

void FreeRanges::give(int64_t offset, int64_t bytes) {
  auto next = ranges.lower_bound(offset);
  if (next != ranges.end() && next->first == offset + bytes) {
    bytes += next->second;
    erase(next++);
  }
  if (next != ranges.begin())
    if (auto before = std::prev(next);
        before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      erase(before);
    }
  insert(offset, bytes);
}

/// In the order in which they are needed, and the largest first of those that
/// are needed from the same op on, each into the smallest free range. Returns
/// the size of the arena.
static int64_t placeEarliestFirst(MutableArrayRef<ArenaSlot> slots) {
  SmallVector<ArenaSlot *> starts, ends;
  for (ArenaSlot &slot : slots)
    starts.push_back(&slot);
  ends = starts;
  llvm::sort(starts, [](const ArenaSlot *a, const ArenaSlot *b) {
    return std::tie(a->first, b->bytes, a) < std::tie(b->first, a->bytes, b);
  });
  llvm::sort(ends, [](const ArenaSlot *a, const ArenaSlot *b) {
    return std::tie(a->last, a) < std::tie(b->last, b);
  });
  FreeRanges free;
  size_t ended = 0;
  for (ArenaSlot *slot : starts) {
    for (; ends[ended]->last < slot->first; ++ended)
      free.give(ends[ended]->offset, ends[ended]->bytes);
    slot->offset = free.take(slot->bytes);
  }
  return free.size();
}

int64_t onnxc::krnl::assignOffsets(MutableArrayRef<ArenaSlot> slots) {
  return slots.size() <= maxLargestFirst ? placeLargestFirst(slots)
                                         : placeEarliestFirst(slots);
}

//===----------------------------------------------------------------------===//
// The slots below others
//===----------------------------------------------------------------------===//

namespace {

/// The slot with the greatest offset of those entered so far, by time.
class Skyline {
public:
  explicit Skyline(MutableArrayRef<ArenaSlot> slots) : slots(slots) {}

  /// Enters a slot that is above all others, and fills in those below it.
  void enter(unsigned number);

private:
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();
  using Segments = std::map<int64_t, unsigned>;

  /// The segment that begins at `time`, split off if need be.
  Segments::iterator splitAt(int64_t time);
  /// Returns true if `other` is above `slot`.
  bool isHidden(unsigned slot, unsigned other) const;

  MutableArrayRef<ArenaSlot> slots;
  /// By the time at which a segment begins; it ends where the next begins.
  Segments segments{{std::numeric_limits<int64_t>::min(), none}};
};

} // namespace

Skyline::Segments::iterator Skyline::splitAt(int64_t time) {
  auto after = segments.upper_bound(time);
  auto segment = std::prev(after);
  return segment->first == time
             ? segment
             : segments.emplace_hint(after, time, segment->second);
}

bool Skyline::isHidden(unsigned slot, unsigned other) const {
  return other != none && slots[slot].offset < slots[other].offset &&
         slots[slot].overlapsInTime(slots[other]);
}

void Skyline::enter(unsigned number) {
  ArenaSlot &slot = slots[number];
  auto end = splitAt(slot.last + 1), begin = splitAt(slot.first);
  // Of those that are seen from above, a slot that ends or begins later than
  // the slot beside it is below that slot.
  SmallVector<unsigned> seen, hidden;
  for (auto segment = begin; segment != end; ++segment) {
    unsigned other = segment->second;
    if (other == none)
      continue;
    auto next = std::next(segment);
    bool isHiddenHere =
        (segment != begin && isHidden(other, std::prev(segment)->second)) ||
        (next != end && isHidden(other, next->second));
    (isHiddenHere ? hidden : seen).push_back(other);
  }
  llvm::sort(hidden);
  llvm::sort(seen, [&](unsigned a, unsigned b) {
    return std::tie(slots[b].offset, b) < std::tie(slots[a].offset, a);
  });
  seen.erase(llvm::unique(seen), seen.end());
  llvm::copy_if(seen, std::back_inserter(slot.below), [&](unsigned other) {
    return !std::binary_search(hidden.begin(), hidden.end(), other);
  });
  begin->second = number;
  segments.erase(std::next(begin), end);
}

SmallVector<unsigned>
onnxc::krnl::orderSlots(MutableArrayRef<ArenaSlot> slots) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, slots.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tie(slots[a].offset, a) < std::tie(slots[b].offset, b);
  });
  Skyline skyline(slots);
  for (unsigned number : order)
    skyline.enter(number);
  return order;
}
