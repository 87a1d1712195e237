//===- KeyTablesTest.cpp - Numbers that operands are looked up in ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/KeyTables.h"

#include "calls/KeyHash.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <bit>
#include <set>

using namespace onnxc;
using testing::ElementsAre;
using testing::Le;

namespace {

using Words = std::vector<uint64_t>;

int64_t bitsOf(llvm::ArrayRef<uint64_t> words) {
  return std::countr_zero(words.size());
}

/// Where generated code looks for the key.
uint64_t slotOf(const KeyTable &table, uint64_t key) {
  uint64_t bucket = rt::hashKey(key, table.firstMultiplier(),
                                bitsOf(table.multipliersByBucket()));
  return rt::hashKey(key, table.multipliersByBucket()[bucket],
                     bitsOf(table.keysBySlot()));
}

/// Each key is found in a slot of its own, `other` in none.
void expectFound(const Words &keys, const Words &others) {
  std::optional<KeyTable> table = KeyTable::makeHashed(keys);
  ASSERT_TRUE(table);
  EXPECT_THAT(size_t(table->numSlots()), Le(4 * keys.size() + 4));
  std::set<int64_t> taken;
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(int64_t(slotOf(*table, keys[i])), table->slotOf(i));
    EXPECT_EQ(table->keysBySlot()[table->slotOf(i)], keys[i]);
    EXPECT_TRUE(taken.insert(table->slotOf(i)).second);
  }
  for (uint64_t other : others)
    EXPECT_NE(table->keysBySlot()[slotOf(*table, other)], other);
}

TEST(KeyTablesTest, KeysCloseTogetherArePositions) {
  std::optional<KeyTable> table = KeyTable::make({7, 5, 9});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->isDirect());
  EXPECT_THAT(table->arrange<char>({'a', 'b', 'c'}, 'z'),
              ElementsAre('b', 'z', 'a', 'z', 'c', 'z'));
}

TEST(KeyTablesTest, NegativeKeysAreBesideZero) {
  std::optional<KeyTable> table = KeyTable::make({uint64_t(-2), 1});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->isDirect());
  EXPECT_EQ(table->numSlots(), 4);
}

TEST(KeyTablesTest, EndsOfTheIntegersAreFarApart) {
  std::optional<KeyTable> table =
      KeyTable::make({uint64_t(INT64_MIN), uint64_t(INT64_MAX)});
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->isDirect());
}

TEST(KeyTablesTest, NoKeysHaveNoSlots) {
  std::optional<KeyTable> table = KeyTable::make({});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->numSlots(), 0);
  EXPECT_THAT(table->arrange<char>({}, 'z'), ElementsAre('z'));
}

TEST(KeyTablesTest, OneKey) { expectFound({0}, {1, uint64_t(-1)}); }

// What keys have in common must not make them meet.
TEST(KeyTablesTest, KeysThatDifferInFewBits) {
  Words multiples, floats, others;
  for (uint64_t i = 0; i < 3000; ++i) {
    multiples.push_back(i << 44);
    floats.push_back(std::bit_cast<uint64_t>(double(i)));
    others.push_back((i << 44) + 1);
  }
  expectFound(multiples, others);
  expectFound(floats, others);
}

TEST(KeyTablesTest, ManyKeys) {
  Words keys;
  for (uint64_t i = 0; i < 200000; ++i)
    keys.push_back(i * i * 1000003);
  expectFound(keys, {7, 8, 9});
}

} // namespace
