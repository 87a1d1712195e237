//===- RunTests.cpp - run_main_graph and queries --------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AffineModel.h"
#include "OutputBlocks.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace onnxc;
using testing::HasSubstr;

namespace {

std::string failure(OMTensorList *in, int expectedErrno) {
  errno = 0;
  EXPECT_EQ(run_main_graph(in), nullptr);
  EXPECT_EQ(errno, expectedErrno);
  omTensorListDestroy(in);
  return omGetLastError();
}

OMTensor *tensorOf(std::vector<int64_t> shape,
                   OM_DATA_TYPE type = ONNX_TYPE_FLOAT) {
  OMTensor *tensor =
      omTensorCreateEmpty(shape.data(), int64_t(shape.size()), type);
  memset(omTensorGetDataPtr(tensor), 0, size_t(omTensorGetBufferSize(tensor)));
  return tensor;
}

OMTensorList *listOf(std::vector<OMTensor *> tensors) {
  return omTensorListCreate(tensors.data(), int64_t(tensors.size()));
}

} // namespace

TEST(RunMainGraph, ComputesAnyBatch) {
  for (int64_t n : {1, 3, 0, 1000, 2})
    EXPECT_TRUE(Affine(n).runsRight()) << n;
}

TEST(RunMainGraph, TellsShapesAndTypes) {
  OMTensorList *in = Affine(5).list(), *out = run_main_graph(in);
  OMTensor *y = omTensorListGetOmtByIndex(out, 0);
  EXPECT_EQ(omTensorGetShape(y)[0], 5);
  EXPECT_EQ(omTensorGetDataType(y), ONNX_TYPE_FLOAT);
  EXPECT_EQ(omTensorGetRank(omTensorListGetOmtByIndex(out, 1)), 0);
  EXPECT_EQ(uintptr_t(omTensorGetDataPtr(y)) % 64, 0u);
  omTensorListDestroy(out);
  omTensorListDestroy(in);
}

TEST(RunMainGraph, TakesStridedInputs) {
  Affine model(3);
  std::vector<float> transposed(12);
  for (int i = 0; i < 12; ++i)
    transposed[i % 4 * 3 + i / 4] = model.x[i];
  OMTensorList *in = model.list();
  OMTensor *x = omTensorListGetOmtByIndex(in, 0);
  int64_t strides[2] = {1, 3};
  omTensorSetDataPtr(x, 0, transposed.data(), nullptr);
  omTensorSetStrides(x, strides);
  OMTensorList *out = run_main_graph(in);
  ASSERT_NE(out, nullptr) << omGetLastError();
  EXPECT_TRUE(
      model.matches(omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 0)),
                    omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 1))));
  omTensorListDestroy(out);
  omTensorListDestroy(in);
}

TEST(RunMainGraph, TakesUnalignedInputs) {
  Affine model(2);
  std::vector<char> bytes(model.x.size() * 4 + 1);
  memcpy(bytes.data() + 1, model.x.data(), model.x.size() * 4);
  OMTensorList *in = model.list();
  omTensorSetDataPtr(omTensorListGetOmtByIndex(in, 0), 0, bytes.data() + 1,
                     nullptr);
  OMTensorList *out = run_main_graph(in);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(memcmp(omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 0)),
                   model.y.data(), model.y.size() * 4),
            0);
  omTensorListDestroy(out);
  omTensorListDestroy(in);
}

TEST(RunMainGraph, RefusesWrongInputs) {
  EXPECT_EQ(failure(nullptr, EINVAL), "the list of inputs is null");
  EXPECT_EQ(failure(listOf({}), EINVAL),
            "the model takes 2 inputs and was given 0");
  EXPECT_THAT(failure(listOf({tensorOf({3}), tensorOf({3})}), EINVAL),
              HasSubstr("input 'x' (number 0): wrong rank: the model takes "
                        "f32[batch, 4] and was given f32[3]"));
  EXPECT_THAT(failure(listOf({tensorOf({3, 5}), tensorOf({3})}), EINVAL),
              HasSubstr("wrong shape: the model takes f32[batch, 4] and was "
                        "given f32[3, 5]"));
  EXPECT_THAT(failure(listOf({tensorOf({3, 4}), tensorOf({2})}), EINVAL),
              HasSubstr("input 'b' (number 1): dimension 0 is 2, but 'batch' "
                        "is 3 elsewhere"));
  EXPECT_THAT(
      failure(listOf({tensorOf({3, 4}, ONNX_TYPE_INT32), tensorOf({3})}),
              EINVAL),
      HasSubstr("wrong element type: the model takes f32[batch, 4] and "
                "was given i32[3, 4]"));
  EXPECT_THAT(failure(listOf({nullptr, tensorOf({3})}), EINVAL),
              HasSubstr("input 'x' (number 0)"));
  OMTensor *empty = tensorOf({3, 4});
  omTensorSetDataPtr(empty, 0, nullptr, nullptr);
  EXPECT_THAT(failure(listOf({empty, tensorOf({3})}), EINVAL),
              HasSubstr("input 'x' (number 0): the data is null, and f32[3, 4] "
                        "has 48 bytes"));
}

TEST(RunMainGraph, IsReentrant) {
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i)
        right += Affine(1 + (t * 31 + i) % 50).runsRight();
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, 8 * 200);
}

TEST(RunMainGraph, ErrorsAreOfTheirThread) {
  failure(listOf({}), EINVAL);
  std::thread([] { EXPECT_STREQ(omGetLastError(), ""); }).join();
  EXPECT_STRNE(omGetLastError(), "");
}

// A thread has no error of an earlier one whose stack it was given.
TEST(RunMainGraph, ErrorsEndWithTheirThread) {
  for (int i = 0; i < 3; ++i)
    std::thread([] {
      EXPECT_STREQ(omGetLastError(), "");
      failure(nullptr, EINVAL);
      EXPECT_STRNE(omGetLastError(), "");
    }).join();
}

// Children have none of the threads that failed when they were forked, and must
// not wait for one.
TEST(RunMainGraph, MayForkWhileThreadsFail) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> failing;
  for (int i = 0; i < 3; ++i)
    failing.emplace_back([&] {
      while (!stop)
        run_main_graph(nullptr);
    });
  int wrong = 0;
  for (int i = 0; i < 150 && wrong == 0; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(300); // what hangs is killed
      bool isClean = !*omGetLastError();
      run_main_graph(nullptr);
      _exit(isClean && strstr(omGetLastError(), "is null") ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    wrong += status != 0;
  }
  stop = true;
  for (std::thread &thread : failing)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RunMainGraph, SurvivesFork) {
  EXPECT_TRUE(Affine(100).runsRight()); // starts workers
  pid_t child = fork();
  if (child == 0)
    _exit(Affine(100).runsRight() && Affine(64).runsRight() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(Affine(100).runsRight());
}

// Fresh pages cost more than writing to them.
TEST(RunMainGraph, UsesTheMemoryOfOutputsAgain) {
  Affine model(100000);
  auto runOnce = [&] {
    OMTensorList *in = model.list(), *out = run_main_graph(in);
    omTensorListDestroy(in);
    return out;
  };
  auto dataOf = [](OMTensorList *out) {
    return omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 0));
  };
  rt::freeOutputBlocks();
  OMTensorList *out = runOnce();
  const void *first = dataOf(out);
  omTensorListDestroy(out);
  EXPECT_EQ(rt::keptOutputBytes(), 1600000);
  out = runOnce();
  EXPECT_EQ(dataOf(out), first);
  EXPECT_EQ(rt::keptOutputBytes(), 0);
  // What the program frees itself, or replaces, is not the runtime's any more.
  OMTensor *tensor = omTensorListGetOmtByIndex(out, 0);
  omTensorSetOwning(tensor, 0);
  free(omTensorGetAllocatedPtr(tensor));
  omTensorListDestroy(out);
  float other[4] = {};
  out = runOnce();
  omTensorSetDataPtr(omTensorListGetOmtByIndex(out, 0), 0, other, nullptr);
  omTensorListDestroy(out);
  EXPECT_EQ(rt::keptOutputBytes(), 1600000);
  rt::freeOutputBlocks();
}

TEST(RunMainGraph, KeepsLittleMemoryOfOutputs) {
  std::vector<void *> blocks;
  int64_t capacity;
  rt::freeOutputBlocks();
  for (int i = 0; i < 20; ++i)
    blocks.push_back(rt::takeOutputBlock(100000 + i, capacity));
  for (int i = 0; i < 20; ++i)
    omReturnOutput(blocks[i], 100000 + i);
  EXPECT_GE(rt::keptOutputBytes(), 8 * 100000);
  EXPECT_LE(rt::keptOutputBytes(), 8 * 100020);
  // One of another size class takes the place of some of them.
  void *huge = rt::takeOutputBlock(rt::kMaxOutputBytes, capacity);
  ASSERT_NE(huge, nullptr);
  omReturnOutput(huge, rt::kMaxOutputBytes);
  EXPECT_EQ(rt::keptOutputBytes(), rt::kMaxOutputBytes);
  void *small = rt::takeOutputBlock(100000, capacity);
  EXPECT_EQ(capacity, 100000);
  omReturnOutput(small, capacity);
  EXPECT_LE(rt::keptOutputBytes(), rt::kMaxOutputBytes);
  void *larger = rt::takeOutputBlock(rt::kMaxOutputBytes + 1, capacity);
  omReturnOutput(larger, rt::kMaxOutputBytes + 1);
  EXPECT_LE(rt::keptOutputBytes(), rt::kMaxOutputBytes);
  rt::freeOutputBlocks();
  EXPECT_EQ(rt::keptOutputBytes(), 0);
}

TEST(RunMainGraph, ThreadsShareTheMemoryOfOutputs) {
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        right += Affine(5000 + (t * 31 + i) % 5 * 5000).runsRight();
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, 4 * 50);
  EXPECT_LE(rt::keptOutputBytes(), rt::kMaxOutputBytes);
}

TEST(Queries, EntryPoints) {
  int64_t count = 0;
  const char *const *names = omQueryEntryPoints(&count);
  EXPECT_STREQ(names[0], "run_main_graph");
  EXPECT_GT(count, 1);
  EXPECT_EQ(names[count], nullptr);
  EXPECT_EQ(omQueryEntryPoints(nullptr), names);
}

TEST(Queries, Signatures) {
  EXPECT_THAT(omInputSignature("run_main_graph"), HasSubstr("\"f32\""));
  EXPECT_THAT(omOutputSignature("run_main_graph"), HasSubstr("\"s\""));
  EXPECT_EQ(omInputSignature("absent"), nullptr);
  EXPECT_EQ(omOutputSignature("absent"), nullptr);
  EXPECT_THAT(omCompilationInfo(), HasSubstr("by hand"));
  EXPECT_STREQ(omGetRuntimeAPIVersion(), "1.0.0");
}

TEST(Queries, Arguments) {
  EXPECT_EQ(omGetNumInputs(nullptr), 2);
  EXPECT_EQ(omGetNumOutputs("run_main_graph"), 2);
  EXPECT_EQ(omGetNumInputs("absent"), -1);
  EXPECT_EQ(omGetNumOutputs("absent"), -1);
  const OMArgument *x = omGetInput(nullptr, 0);
  EXPECT_STREQ(x->name, "x");
  EXPECT_EQ(x->kind, OM_VALUE_TENSOR);
  EXPECT_EQ(x->rank, 2);
  EXPECT_EQ(x->shape[0], -1);
  EXPECT_STREQ(x->symbols[0], "batch");
  EXPECT_STREQ(omGetOutput(nullptr, 1)->name, "s");
  EXPECT_EQ(omGetInput(nullptr, 2), nullptr);
  EXPECT_EQ(omGetOutput(nullptr, -1), nullptr);
}
