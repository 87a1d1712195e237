//===- WeightsSegmentTest.cpp - The section of weights ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Weights.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace onnxc;

static std::string errorFor(llvm::StringRef bytes) {
  llvm::Expected<int64_t> found = target::findEmbeddedWeights(bytes);
  return found ? "" : llvm::toString(found.takeError());
}

TEST(WeightsSegment, RefusesFilesWithoutTheSection) {
  auto program = llvm::MemoryBuffer::getFile("/proc/self/exe");
  ASSERT_TRUE(program);
  llvm::StringRef bytes = (*program)->getBuffer();
  EXPECT_EQ(errorFor(bytes), "the linked file has no section for weights");
  EXPECT_NE(errorFor(bytes.drop_back(100)), "");
  EXPECT_NE(errorFor("no object"), "");
}
