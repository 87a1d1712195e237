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

/// Allocations of runs after the first.
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

/// One number in and out.
struct Scalar {
  int64_t x = 7, y = 0;
  OMBuffer input = {&x, 8, nullptr, 0, ONNX_TYPE_INT64};
  OMBuffer output = {&y, 8, nullptr, 0, ONNX_TYPE_INT64};
};

// Also the first run, where all sizes are known.
TEST(Allocations, NoneAfterPrepare) {
  Scalar scalar;
  OMContext *context = omContextCreate("planned");
  ASSERT_EQ(omContextPrepare(context, nullptr, 0), OM_STATUS_OK);
  int64_t before = allocations;
  OMBuffer output = {};
  EXPECT_EQ(omContextRun(context, &scalar.input, 1, &output, 1), OM_STATUS_OK);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(*static_cast<int64_t *>(output.data), 7);
  omContextDestroy(context);
}

// Neither does it allocate when all memory is the caller's.
TEST(Allocations, NoneWithArenaAndOutputsOfTheCaller) {
  Scalar scalar;
  OMContext *context = omContextCreate("planned");
  alignas(64) static char arena[64 << 10];
  int64_t bytes = omContextGetArenaBytes(context);
  ASSERT_GE(bytes, 256 + 128);
  ASSERT_LE(bytes, int64_t(sizeof arena));
  ASSERT_EQ(omContextSetArena(context, arena, bytes), OM_STATUS_OK);
  ASSERT_EQ(omContextPrepare(context, &scalar.output, 1), OM_STATUS_OK);
  int64_t before = allocations; // starting threads allocates
  EXPECT_EQ(omContextRun(context, &scalar.input, 1, &scalar.output, 1),
            OM_STATUS_OK);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(scalar.y, 7);
  EXPECT_EQ(omContextGetMemory(context), 0);
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
