//===- ArenaPlanTest.cpp - Positions in the arena --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Memory/ArenaPlan.h"
#include "Memory/SizeFormula.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace onnxc::krnl;
using llvm::ArrayRef;
using llvm::SmallVector;

static ArenaSlot slot(int64_t bytes, int64_t first, int64_t last) {
  return {bytes, first, last};
}

TEST(ArenaPlan, ReusesWhatIsNoLongerNeeded) {
  SmallVector<ArenaSlot> slots{slot(256, 0, 2), slot(256, 1, 3),
                               slot(256, 3, 4)};
  EXPECT_EQ(assignOffsets(slots), 512);
  EXPECT_EQ(slots[0].offset, slots[2].offset);
  EXPECT_NE(slots[0].offset, slots[1].offset);
}

TEST(ArenaPlan, TakesTheTightestGap) {
  // 0: [0, 128), 1: [128, 256) for a while, 2: after both.
  SmallVector<ArenaSlot> slots{slot(512, 0, 9), slot(256, 0, 3),
                               slot(128, 0, 9), slot(64, 5, 6)};
  EXPECT_EQ(assignOffsets(slots), 512 + 256 + 128);
  EXPECT_EQ(slots[3].offset, slots[1].offset);
}

TEST(ArenaPlan, NamesOnlyTheNearestBelow) {
  SmallVector<ArenaSlot> slots{slot(192, 0, 9), slot(128, 0, 9),
                               slot(64, 0, 9)};
  assignOffsets(slots);
  SmallVector<unsigned> order = orderSlots(slots);
  EXPECT_EQ(order, (SmallVector<unsigned>{0, 1, 2}));
  EXPECT_TRUE(slots[0].below.empty());
  EXPECT_EQ(slots[1].below, (SmallVector<unsigned>{0}));
  EXPECT_EQ(slots[2].below, (SmallVector<unsigned>{1}));
}

static SmallVector<ArenaSlot> randomSlots(std::mt19937 &random, int number,
                                          int64_t ops, int64_t longest) {
  SmallVector<ArenaSlot> slots;
  for (int i = 0; i < number; ++i) {
    int64_t first = random() % ops;
    slots.push_back(
        slot(64 * (1 + random() % 20), first, first + random() % longest));
  }
  return slots;
}

/// Bytes that are needed at the same op at most: no arena is smaller.
static int64_t maxLiveBytes(ArrayRef<ArenaSlot> slots) {
  std::map<int64_t, int64_t> changes;
  for (const ArenaSlot &slot : slots) {
    changes[slot.first] += slot.bytes;
    changes[slot.last + 1] -= slot.bytes;
  }
  int64_t live = 0, maxLive = 0;
  for (auto [op, change] : changes)
    maxLive = std::max(maxLive, live += change);
  return maxLive;
}

/// By definition: the slots below that are below no other one below.
static SmallVector<unsigned> nearestBelow(ArrayRef<ArenaSlot> slots,
                                          ArrayRef<unsigned> order,
                                          unsigned number) {
  SmallVector<bool> isUnder(slots.size());
  SmallVector<unsigned> nearest;
  auto at = llvm::find(order, number);
  isUnder[number] = true;
  for (unsigned other : llvm::reverse(llvm::make_range(order.begin(), at))) {
    bool isDirect = slots[other].overlapsInTime(slots[number]);
    bool isHidden = false;
    for (unsigned between = 0; between < slots.size(); ++between)
      isHidden |= between != number && isUnder[between] &&
                  slots[between].overlapsInTime(slots[other]);
    if (isDirect && !isHidden)
      nearest.push_back(other);
    isUnder[other] = isDirect || isHidden;
  }
  return nearest;
}

TEST(ArenaPlan, NamesExactlyTheNearestBelow) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    SmallVector<ArenaSlot> slots = randomSlots(random, 30, 40, 1 + round);
    assignOffsets(slots);
    SmallVector<unsigned> order = orderSlots(slots);
    for (unsigned number : order)
      EXPECT_EQ(slots[number].below, nearestBelow(slots, order, number));
  }
}

TEST(ArenaPlan, SharesNoBytesAtTheSameTime) {
  std::mt19937 random(3);
  // The last round has more slots than are placed the largest first.
  for (int number : {1, 40, 300, 5000}) {
    SmallVector<ArenaSlot> slots = randomSlots(random, number, number, 50);
    int64_t size = assignOffsets(slots);
    EXPECT_LE(size, 2 * maxLiveBytes(slots));
    for (const ArenaSlot &a : slots) {
      EXPECT_GE(a.offset, 0);
      EXPECT_LE(a.offset + a.bytes, size);
      for (const ArenaSlot &b : slots) {
        bool isApart =
            a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        EXPECT_TRUE(&a == &b || isApart || !a.overlapsInTime(b));
      }
    }
  }
}

/// Slots of which each is needed at the same time as half of all others: the
/// lists of those below must not grow with the square of their number.
TEST(ArenaPlan, ListsFewSlotsBelowOfVeryMany) {
  std::mt19937 random(11);
  const int number = 200'000;
  SmallVector<ArenaSlot> slots = randomSlots(random, number, number, number);
  EXPECT_LE(assignOffsets(slots), 2 * maxLiveBytes(slots));
  EXPECT_EQ(orderSlots(slots).size(), slots.size());
  size_t below = 0;
  for (const ArenaSlot &slot : slots)
    below += slot.below.size();
  EXPECT_LE(below, 3 * slots.size());
}

/// The plan holds for sizes that have nothing to do with the estimates.
TEST(ArenaPlan, HoldsForOtherSizes) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    SmallVector<ArenaSlot> slots = randomSlots(random, 40, 60, 15);
    assignOffsets(slots);
    SmallVector<int64_t> bytes, begin(slots.size()), end(slots.size());
    for (size_t i = 0; i < slots.size(); ++i)
      bytes.push_back(64 * (random() % 30));
    for (unsigned number : orderSlots(slots)) {
      for (unsigned below : slots[number].below)
        begin[number] = std::max(begin[number], end[below]);
      end[number] = begin[number] + bytes[number];
    }
    for (size_t i = 0; i < slots.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (slots[i].overlapsInTime(slots[j])) {
          EXPECT_TRUE(end[i] <= begin[j] || end[j] <= begin[i])
              << i << " and " << j;
        }
  }
}

TEST(SizeFormula, PrintsSumsOfProducts) {
  SizeFormula n = SizeFormula::named("n"), m = SizeFormula::named("m");
  EXPECT_EQ(n.times(SizeFormula(4)).times(m).plus(SizeFormula(64)).text(),
            "64 + 4*m*n");
  EXPECT_EQ(n.plus(SizeFormula(2), -1).text(), "-2 + n");
  EXPECT_EQ(n.plus(n, -1).text(), "0");
}

TEST(SizeFormula, DividesByWhatDivides) {
  SizeFormula n = SizeFormula::named("n");
  SizeFormula bytes = n.times(SizeFormula(256)).plus(SizeFormula(64));
  EXPECT_EQ(bytes.dividedBy(SizeFormula(64))->text(), "1 + 4*n");
  EXPECT_FALSE(bytes.dividedBy(SizeFormula(128)));
  EXPECT_FALSE(bytes.dividedBy(SizeFormula(0)));
  EXPECT_FALSE(bytes.dividedBy(n));
}

TEST(SizeFormula, ShortensLongNames) {
  SizeFormula n = SizeFormula::named("n");
  EXPECT_TRUE(n.isReadable());
  SizeFormula tooLong = n.plus(SizeFormula::named(std::string(1000, 'x')));
  EXPECT_FALSE(tooLong.isReadable());
  EXPECT_EQ(tooLong.text(), "... + n");
}

TEST(SizeFormula, BoundsBoth) {
  SizeFormula n = SizeFormula::named("n");
  SizeFormula a = n.times(SizeFormula(8)).plus(SizeFormula(64), -1);
  SizeFormula b = n.times(SizeFormula(4)).plus(SizeFormula(128));
  EXPECT_EQ(a.atLeast(b).text(), "128 + 8*n");
  EXPECT_EQ(a.atLeast(SizeFormula(0)).text(), "8*n");
}
