//===- ByteCountTest.cpp - Numbers of bytes as text -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/ByteCount.h"

#include "gtest/gtest.h"

using namespace onnxc;

TEST(ByteCountTest, ReadsUnitsOf1024) {
  EXPECT_EQ(readByteCount("123"), 123);
  EXPECT_EQ(readByteCount("123B"), 123);
  for (const char *text : {"64K", "64KB", "64KiB"})
    EXPECT_EQ(readByteCount(text), 65536) << text;
  EXPECT_EQ(readByteCount("3M"), 3145728);
  EXPECT_EQ(readByteCount("2GiB"), 2147483648);
  EXPECT_EQ(readByteCount("8589934591G"), 9223372035781033984);
}

TEST(ByteCountTest, RefusesOtherTexts) {
  for (const char *text : {"", "K", "-1", "1.5M", "64k", "64 K", "3iB", "3T",
                           "3Ki", "8589934592G", "9223372036854775808"})
    EXPECT_EQ(readByteCount(text), std::nullopt) << text;
}

TEST(ByteCountTest, ShowsOneDigitOfTheLargestUnit) {
  EXPECT_EQ(sizeText(0), "0 B");
  EXPECT_EQ(sizeText(1023), "1023 B");
  EXPECT_EQ(sizeText(1024), "1.0 KiB");
  EXPECT_EQ(sizeText(1000 * 1024), "1000.0 KiB");
  EXPECT_EQ(sizeText(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(sizeText(int64_t(5) << 30), "5.0 GiB");
  EXPECT_EQ(sizeText(int64_t(5) << 40), "5120.0 GiB");
}
