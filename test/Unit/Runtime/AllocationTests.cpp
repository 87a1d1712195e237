//===- AllocationTests.cpp - Runs that allocate nothing -------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A program of its own, in which every allocation is counted.
//
//===----------------------------------------------------------------------===//

#include "AffineModel.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}

static std::atomic<int64_t> allocations;

extern "C" {
void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  ++allocations;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

/// Allocations of runs behind the first.
static int64_t allocationsOf(OMContext *context, std::vector<OMBuffer> inputs,
                             std::vector<OMBuffer> outputs) {
  auto run = [&] {
    return omContextRun(context, inputs.data(), int64_t(inputs.size()),
                        outputs.data(), int64_t(outputs.size()));
  };
  EXPECT_EQ(run(), OM_STATUS_OK) << omContextGetMessage(context);
  int64_t before = allocations;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(run(), OM_STATUS_OK);
  return allocations - before;
}

TEST(Allocations, AreCounted) {
  int64_t before = allocations;
  OMContext *context = omContextCreate(nullptr);
  EXPECT_GT(allocations, before);
  omContextDestroy(context);
}

TEST(Allocations, NoneWithMemoryOfTheContext) {
  Affine model(20000);
  OMContext *context = omContextCreate(nullptr);
  EXPECT_EQ(allocationsOf(context, model.buffers(), {{}, {}}), 0);
  omContextDestroy(context);
}

TEST(Allocations, NoneWithMemoryOfTheCaller) {
  Affine model(64);
  std::vector<float> y(64 * 4);
  float s;
  int64_t shape[2];
  OMContext *context = omContextCreate(nullptr);
  EXPECT_EQ(allocationsOf(context, model.buffers(),
                          {{y.data(), 64 * 16, shape, 2, ONNX_TYPE_FLOAT},
                           {&s, sizeof s, nullptr, 0, ONNX_TYPE_FLOAT}}),
            0);
  EXPECT_TRUE(model.matches(y.data(), &s));
  omContextDestroy(context);
}

// Pool objects of many sizes, scratch and workers. The output of "team" has an
// element for each thread that has come, more in one run than in another.
TEST(Allocations, NoneForPoolsAndTeams) {
  int64_t n = 300, rank = 0;
  int64_t y[300], shape[1];
  for (const char *entry : {"pool", "team"}) {
    OMContext *context = omContextCreate(entry);
    EXPECT_EQ(allocationsOf(context, {{&n, 8, nullptr, 0, ONNX_TYPE_INT64}},
                            {{y, sizeof y, shape, rank++, ONNX_TYPE_INT64}}),
              0)
        << entry;
    omContextDestroy(context);
  }
}

// Taking an output away and giving it back is no allocation either.
TEST(Allocations, NoneForOutputsThatComeBack) {
  Affine model(20000);
  std::vector<OMBuffer> inputs = model.buffers(), outputs(2);
  OMContext *context = omContextCreate(nullptr);
  int64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    outputs.assign(2, {});
    ASSERT_EQ(omContextRun(context, inputs.data(), 2, outputs.data(), 2),
              OM_STATUS_OK);
    omReturnOutput(omContextTakeOutput(context, 0), outputs[0].bytes);
    if (i == 0)
      before = allocations;
  }
  EXPECT_EQ(allocations, before);
  omContextDestroy(context);
}
