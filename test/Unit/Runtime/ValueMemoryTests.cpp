//===- ValueMemoryTests.cpp - Memory of values as a whole -----------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ValueMemory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace onnxc::rt;

TEST(ValueMemory, PartsAreApartAndAligned) {
  ValueMemory memory;
  std::vector<std::pair<char *, int64_t>> parts;
  for (int64_t i = 0; i < 3000; ++i) {
    int64_t bytes = i % 100 == 99 ? 5000 + i : i % 90;
    auto *part = static_cast<char *>(memory.allocate(bytes));
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(uintptr_t(part) % (bytes < 64 ? 16 : 64), 0u) << bytes;
    memset(part, int(i % 128), size_t(bytes));
    parts.emplace_back(part, bytes);
  }
  for (size_t i = 0; i < parts.size(); ++i)
    for (int64_t k = 0; k < parts[i].second; ++k)
      ASSERT_EQ(parts[i].first[k], char(i % 128)) << i;
  freeChunks(memory.chunks());
}

TEST(ValueMemory, RefusesSizesThatDoNotExist) {
  ValueMemory memory;
  EXPECT_EQ(memory.allocate(-1), nullptr);
  EXPECT_EQ(memory.allocate(INT64_MAX), nullptr);
  EXPECT_EQ(memory.chunks(), nullptr);
  freeChunks(nullptr);
}
