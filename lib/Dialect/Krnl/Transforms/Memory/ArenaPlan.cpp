//===- ArenaPlan.cpp - Offsets in the arena --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace onnxc::krnl;
using llvm::ArrayRef;
using llvm::SmallVector;

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

int64_t onnxc::krnl::assignOffsets(llvm::MutableArrayRef<ArenaSlot> slots) {
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

SmallVector<unsigned>
onnxc::krnl::orderSlots(llvm::MutableArrayRef<ArenaSlot> slots) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, slots.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tie(slots[a].offset, a) < std::tie(slots[b].offset, b);
  });
  // By slot: all that are below it, directly or not.
  std::vector<llvm::BitVector> under(slots.size());
  for (auto [position, number] : llvm::enumerate(order)) {
    llvm::BitVector &mine = under[number];
    mine.resize(slots.size());
    // The nearest first: slots below them need not be listed again.
    for (unsigned other :
         llvm::reverse(ArrayRef<unsigned>(order).take_front(position))) {
      if (mine.test(other) || !slots[number].overlapsInTime(slots[other]))
        continue;
      slots[number].below.push_back(other);
      mine |= under[other];
      mine.set(other);
    }
  }
  return order;
}
