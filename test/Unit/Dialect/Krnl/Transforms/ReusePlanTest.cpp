//===- ReusePlanTest.cpp - Offsets of parallel launches ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Memory/ArenaPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace onnxc::krnl;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Bytes of slots whose arenas are not small.
static constexpr int64_t unit = 1 << 20;

namespace {

/// Launches that each write a slot and read those of earlier ones.
struct Program {
  SmallVector<ArenaSlot> slots;
  LaunchGraph launches;

  /// Returns the number of the slot.
  unsigned add(int64_t bytes, ArrayRef<unsigned> reads, double cycles = 1) {
    unsigned launch = read(reads, cycles);
    slots.push_back({bytes, launch, launch});
    slots.back().users.push_back(launch);
    return unsigned(slots.size() - 1);
  }
  /// A launch that writes no slot.
  unsigned read(ArrayRef<unsigned> reads, double cycles = 1) {
    unsigned launch = launches.add(cycles);
    for (unsigned slot : reads) {
      launches.order(slots[slot].users.front(), launch);
      slots[slot].last = launch;
      slots[slot].users.push_back(launch);
    }
    launches.measure();
    return launch;
  }
};

} // namespace

static bool shareBytes(const ArenaSlot &a, const ArenaSlot &b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// `towers` chains of `length`, one after the other, and their sum.
static Program towers(unsigned number, unsigned length, int64_t bytes = unit) {
  Program program;
  SmallVector<unsigned> ends;
  for (unsigned tower = 0; tower < number; ++tower) {
    unsigned last = program.add(bytes, {});
    for (unsigned i = 1; i < length; ++i)
      last = program.add(bytes, last);
    ends.push_back(last);
  }
  program.add(bytes, ends);
  return program;
}

/// A launch reads one buffer and writes another: with two towers three buffers
/// are the least, and four let both run at the same time.
TEST(ReusePlan, LetsBranchesRunAtTheSameTime) {
  Program program = towers(2, 6);
  EXPECT_EQ(program.launches.cycles(), 7);
  SmallVector<ArenaSlot> smallest = program.slots;
  EXPECT_EQ(assignOffsets(smallest), 3 * unit);
  EXPECT_EQ(assignOffsets(program.slots, program.launches), 4 * unit);
  EXPECT_EQ(program.launches.cycles(), 7);
}

/// Four towers that run at the same time need eight buffers; half as much again
/// as the least of five is seven.
TEST(ReusePlan, TakesHalfAsMuchAgainAtMost) {
  Program program = towers(4, 6);
  SmallVector<ArenaSlot> smallest = program.slots;
  int64_t minBytes = assignOffsets(smallest);
  EXPECT_EQ(minBytes, 5 * unit);
  int64_t size = assignOffsets(program.slots, program.launches);
  EXPECT_LE(size, minBytes + minBytes / 2);
  EXPECT_GT(program.launches.cycles(), 7);
  EXPECT_LT(program.launches.cycles(), 4 * 6 + 1);
}

TEST(ReusePlan, LetsSmallArenasGrow) {
  Program program = towers(4, 6, /*bytes=*/64);
  EXPECT_LE(assignOffsets(program.slots, program.launches), 9 * 64);
  EXPECT_EQ(program.launches.cycles(), 7);
}

/// Nothing is gained: the plan is the one that reuses most.
TEST(ReusePlan, KeepsTheSmallestPlanOfAChain) {
  Program program = towers(1, 20);
  SmallVector<ArenaSlot> smallest = program.slots;
  EXPECT_EQ(assignOffsets(program.slots, program.launches),
            assignOffsets(smallest));
  for (auto [a, b] : llvm::zip_equal(program.slots, smallest))
    EXPECT_EQ(a.offset, b.offset);
}

/// Three branches, and room for two at a time: one of the slow ones waits for
/// the fast one, and not for the other.
TEST(ReusePlan, LetsLaunchesWaitWhereTheChainGrowsLeast) {
  Program program;
  unsigned root = program.add(unit, {});
  for (double cycles : {100, 1, 100})
    program.read(program.add(unit, root, cycles));
  program.read(root);
  EXPECT_EQ(program.launches.cycles(), 1 + 100 + 1);
  EXPECT_EQ(assignOffsets(program.slots, program.launches), 3 * unit);
  EXPECT_LE(program.launches.cycles(), 1 + 100 + 1 + 1 + 1);
}

static Program randomProgram(std::mt19937 &random, unsigned launches) {
  Program program;
  for (unsigned i = 0; i < launches; ++i) {
    SmallVector<unsigned> reads;
    for (unsigned k = 0; i > 0 && k < 2; ++k)
      reads.push_back(i - 1 - random() % std::min(i, 12u));
    llvm::sort(reads);
    reads.erase(llvm::unique(reads), reads.end());
    program.add(unit * int64_t(1 + random() % 8), reads, 1 + random() % 5);
  }
  return program;
}

TEST(ReusePlan, OrdersAllThatShareBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    Program program = randomProgram(random, 60);
    SmallVector<ArenaSlot> smallest = program.slots;
    int64_t minBytes = assignOffsets(smallest);
    int64_t size = assignOffsets(program.slots, program.launches);
    EXPECT_LE(size, minBytes + minBytes / 2);
    for (const ArenaSlot &a : program.slots)
      for (const ArenaSlot &b : program.slots) {
        EXPECT_LE(a.offset + a.bytes, size);
        if (&a == &b || !shareBytes(a, b) || a.first > b.first)
          continue;
        EXPECT_FALSE(a.overlapsInTime(b));
        for (unsigned earlier : a.users)
          for (unsigned later : b.users)
            EXPECT_TRUE(program.launches.isBefore(earlier, later));
      }
  }
}

/// More slots than are compared, in more parts than one.
TEST(ReusePlan, OrdersVeryManyAsTheyAre) {
  std::mt19937 random(5);
  Program program = randomProgram(random, 2000);
  SmallVector<ArenaSlot> smallest = program.slots;
  EXPECT_EQ(assignOffsets(program.slots, program.launches),
            assignOffsets(smallest));
  for (const ArenaSlot &a : program.slots)
    for (const ArenaSlot &b : program.slots)
      if (&a != &b && shareBytes(a, b) && a.last < b.first) {
        EXPECT_TRUE(program.launches.isBefore(a.last, b.first));
      }
}

/// Launches that run at the same time have bytes of their own for other sizes
/// than those of the plan, too.
TEST(ReusePlan, HoldsForOtherSizes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Program program = randomProgram(random, 50);
    SmallVector<ArenaSlot> &slots = program.slots;
    assignOffsets(slots, program.launches);
    SmallVector<int64_t> bytes, begin(slots.size()), end(slots.size());
    for (size_t i = 0; i < slots.size(); ++i)
      bytes.push_back(unit * int64_t(1 + random() % 30));
    for (unsigned number : orderSlots(slots, program.launches)) {
      for (unsigned below : slots[number].below)
        begin[number] = std::max(begin[number], end[below]);
      end[number] = begin[number] + bytes[number];
    }
    for (size_t i = 0; i < slots.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (slots[i].overlapsInTime(slots[j]) ||
            !program.launches.isBefore(slots[j].users.back(),
                                       slots[i].users.front())) {
          EXPECT_TRUE(end[i] <= begin[j] || end[j] <= begin[i])
              << i << " and " << j;
        }
  }
}
