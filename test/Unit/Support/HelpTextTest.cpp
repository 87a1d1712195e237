//===- HelpTextTest.cpp - The layout of what --help prints ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/HelpText.h"

#include "gtest/gtest.h"

using namespace onnxc;

TEST(HelpTextTest, BreaksBeforeTheWordThatExceedsTheWidth) {
  EXPECT_EQ(wrapText("aa bb cc", 0, 5), "aa bb\ncc");
  EXPECT_EQ(wrapText("aa bb cc", 2, 7), "aa bb\n  cc");
  EXPECT_EQ(wrapText("aa bb cc", 2, 6), "aa\n  bb\n  cc");
}

TEST(HelpTextTest, KeepsALongWordOnALineOfItsOwn) {
  EXPECT_EQ(wrapText("a bbbbbbbbb c", 1, 5), "a\n bbbbbbbbb\n c");
  EXPECT_EQ(wrapText("", 1, 5), "");
}

TEST(HelpTextTest, StartsTheDescriptionAtTheColumn) {
  EXPECT_EQ(helpEntry("--json", "print JSON", 10, 20),
            "  --json  print JSON\n");
  EXPECT_EQ(helpEntry("--json", "print JSON", 10, 19),
            "  --json  print\n          JSON\n");
}

TEST(HelpTextTest, BreaksAfterAnEntryThatReachesTheColumn) {
  EXPECT_EQ(helpEntry("--quiet", "print less", 10, 20),
            "  --quiet\n          print less\n");
}
