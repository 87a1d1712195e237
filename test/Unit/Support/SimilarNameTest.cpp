//===- SimilarNameTest.cpp - Names that are misspelt ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/SimilarName.h"

#include "gtest/gtest.h"

using namespace onnxc;

static std::string similarTo(llvm::StringRef word,
                             std::initializer_list<llvm::StringRef> names) {
  SimilarName similar(word, /*maxDistance=*/2);
  for (llvm::StringRef name : names)
    similar.offer(name);
  return similar.get();
}

TEST(SimilarName, DiffersInTheFewestLetters) {
  EXPECT_EQ(similarTo("skylak", {"skx", "skylakes", "skylake"}), "skylake");
  EXPECT_EQ(similarTo("skylake", {"skylake"}), "skylake");
}

TEST(SimilarName, OfSeveralIsTheFirstOfTheAlphabet) {
  EXPECT_EQ(similarTo("znver0", {"znver4", "znver1", "znver3"}), "znver1");
}

TEST(SimilarName, IsNoneThatDiffersInMoreOrAll) {
  EXPECT_EQ(similarTo("abacus", {"znver4", "x"}), "");
  EXPECT_EQ(similarTo("ab", {"cd", "x"}), "");
}

TEST(SimilarName, IsAQuestion) {
  SimilarName similar("Reluu", /*maxDistance=*/2);
  EXPECT_EQ(similar.question(), "");
  similar.offer("Relu");
  EXPECT_EQ(similar.question(), "; did you mean 'Relu'?");
}
