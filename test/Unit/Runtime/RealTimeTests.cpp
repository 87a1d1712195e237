//===- RealTimeTests.cpp - Runs that may be part of a control cycle -------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A program of its own, with RealtimeSanitizer in the runtime: from a function
// that is [[clang::nonblocking]] it ends the process at a heap call, a lock, or
// a system call that may wait.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace {

/// A context with one thread, all memory of which is the caller's.
struct Cycle {
  alignas(64) char arena[64 << 10];
  int64_t x = 7, y = 0;
  OMBuffer input = {&x, 8, nullptr, 0, ONNX_TYPE_INT64};
  OMBuffer output = {&y, 8, nullptr, 0, ONNX_TYPE_INT64};
  OMContext *context = omContextCreate("planned");

  Cycle() {
    omContextSetThreads(context, 1);
    EXPECT_EQ(omContextSetArena(context, arena, sizeof arena), OM_STATUS_OK);
    EXPECT_EQ(omContextPrepare(context, &output, 1), OM_STATUS_OK);
  }
  ~Cycle() { omContextDestroy(context); }

  OM_STATUS run() [[clang::nonblocking]] {
    return omContextRun(context, &input, 1, &output, 1);
  }
};

void *volatile kept;
void allocate() [[clang::nonblocking]] { kept = std::malloc(100); }

TEST(RealTime, Run) {
  Cycle cycle;
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(cycle.run(), OM_STATUS_OK);
  EXPECT_EQ(cycle.y, 7);
}

TEST(RealTime, RunWithDeadline) {
  Cycle cycle;
  ASSERT_EQ(omContextSetDeadline(cycle.context, int64_t(1) << 40),
            OM_STATUS_OK);
  EXPECT_EQ(cycle.run(), OM_STATUS_OK);
}

// An error is a message in the context.
TEST(RealTime, RefusedRun) {
  Cycle cycle;
  cycle.input.type = ONNX_TYPE_FLOAT;
  EXPECT_EQ(cycle.run(), OM_STATUS_INVALID);
  EXPECT_STRNE(omContextGetMessage(cycle.context), "");
}

// The sanitizer sees what the runtime would do.
TEST(RealTimeDeathTest, HeapIsSeen) {
  EXPECT_DEATH(allocate(), "RealtimeSanitizer: unsafe-library-call");
}

} // namespace
