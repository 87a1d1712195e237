//===- ContextTests.cpp - Runs in a context -------------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AffineModel.h"
#include "onnxc/rt/model.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using testing::HasSubstr;

namespace {

/// A context of an entry point with one i64 scalar in and out.
struct ScalarContext {
  OMContext *context;
  OMBuffer output = {};

  explicit ScalarContext(const char *entry) : context(omContextCreate(entry)) {}
  ~ScalarContext() { omContextDestroy(context); }

  OM_STATUS run(int64_t x) {
    OMBuffer input = {&x, 8, nullptr, 0, ONNX_TYPE_INT64};
    output = {};
    return omContextRun(context, &input, 1, &output, 1);
  }
  int64_t result() const { return *static_cast<int64_t *>(output.data); }
  std::string message() const { return omContextGetMessage(context); }
};

} // namespace

TEST(Context, OutputsInItsOwnMemory) {
  OMContext *context = omContextCreate(nullptr);
  for (int64_t n : {4, 2, 9}) {
    Affine model(n);
    OMBuffer outputs[2] = {};
    ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
              OM_STATUS_OK)
        << omContextGetMessage(context);
    EXPECT_TRUE(model.matches(outputs[0].data, outputs[1].data));
    EXPECT_EQ(outputs[0].shape[0], n);
    EXPECT_EQ(outputs[0].bytes, n * 16);
    EXPECT_EQ(outputs[0].type, ONNX_TYPE_FLOAT);
  }
  EXPECT_GE(omContextGetMemory(context), 9 * 16);
  omContextDestroy(context);
}

TEST(Context, BuffersMayBeUsedAgainAsTheyAre) {
  OMContext *context = omContextCreate(nullptr);
  OMBuffer outputs[2] = {};
  for (int64_t n : {2, 1, 50}) {
    Affine model(n);
    ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
              OM_STATUS_OK)
        << omContextGetMessage(context);
    EXPECT_TRUE(model.matches(outputs[0].data, outputs[1].data));
  }
  omContextDestroy(context);
}

TEST(Context, OutputsInTheCallersMemory) {
  OMContext *context = omContextCreate("run_main_graph");
  Affine model(3);
  float y[12], s;
  int64_t shape[2] = {};
  OMBuffer outputs[2] = {{y, sizeof y, shape, 2, ONNX_TYPE_UNDEFINED},
                         {&s, sizeof s, nullptr, 0, ONNX_TYPE_UNDEFINED}};
  ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_OK);
  EXPECT_TRUE(model.matches(y, &s));
  EXPECT_EQ(shape[0], 3);
  EXPECT_EQ(outputs[0].type, ONNX_TYPE_FLOAT);
  outputs[0].bytes = 47;
  EXPECT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_INVALID);
  EXPECT_STREQ(omContextGetMessage(context),
               "output 'y' needs 48 bytes and the given buffer has 47");
  outputs[0].bytes = 48;
  outputs[0].rank = 1;
  EXPECT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_INVALID);
  omContextDestroy(context);
}

TEST(Context, OutputsOverlapNoOtherArgument) {
  OMContext *context = omContextCreate(nullptr);
  Affine model(3);
  float y[13];
  int64_t shape[2] = {};
  auto message = [&](OMBuffer first, OMBuffer second, OMBuffer x) {
    OMBuffer inputs[2] = {x, model.buffers()[1]};
    OMBuffer outputs[2] = {first, second};
    EXPECT_EQ(omContextRun(context, inputs, 2, outputs, 2), OM_STATUS_INVALID);
    return std::string(omContextGetMessage(context));
  };
  auto outputAt = [&](float *data, int64_t rank) {
    return OMBuffer{data, 48, shape, rank, ONNX_TYPE_UNDEFINED};
  };
  const OMBuffer x = model.buffers()[0];
  EXPECT_EQ(message(outputAt(model.x.data(), 2), {}, x),
            "output 'y' would overwrite input 'x': their memory overlaps");
  EXPECT_EQ(message({}, outputAt(model.b.data() + 2, 0), x),
            "output 's' would overwrite input 'b': their memory overlaps");
  EXPECT_EQ(message(outputAt(y, 2), outputAt(y + 11, 0), x),
            "output 's' would overwrite output 'y': their memory overlaps");
  // Side by side is fine.
  OMBuffer outputs[2] = {outputAt(y, 2), outputAt(y + 12, 0)};
  ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_OK)
      << omContextGetMessage(context);
  EXPECT_TRUE(model.matches(y, y + 12));
  // An output in the context's memory is not an input of the next run.
  outputs[0] = outputs[1] = {};
  ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_OK);
  EXPECT_EQ(message({}, {}, outputs[0]),
            "output 'y' would overwrite input 'x': their memory overlaps");
  EXPECT_EQ(message({}, outputAt(static_cast<float *>(outputs[0].data), 0), x),
            "output 's' would overwrite output 'y': their memory overlaps");
  // Nor is an input whose aligned copy kernels read.
  std::vector<char> bytes(49);
  OMBuffer odd = x;
  odd.data = bytes.data() + 1;
  EXPECT_EQ(
      message(outputAt(reinterpret_cast<float *>(bytes.data()), 2), {}, odd),
      "output 'y' would overwrite input 'x': their memory overlaps");
  omContextDestroy(context);
}

TEST(Context, TakeOutput) {
  OMContext *context = omContextCreate(nullptr);
  Affine model(3);
  OMBuffer outputs[2] = {};
  EXPECT_EQ(omContextTakeOutput(context, 0), nullptr); // nothing has run
  ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_OK);
  void *y = omContextTakeOutput(context, 0);
  EXPECT_EQ(y, outputs[0].data);
  EXPECT_EQ(omContextTakeOutput(context, 0), nullptr);
  EXPECT_EQ(omContextTakeOutput(context, 2), nullptr);
  EXPECT_EQ(omContextTakeOutput(nullptr, 0), nullptr);
  outputs[0] = outputs[1] = {};
  ASSERT_EQ(omContextRun(context, model.buffers().data(), 2, outputs, 2),
            OM_STATUS_OK);
  EXPECT_NE(outputs[0].data, y);
  EXPECT_TRUE(model.matches(y, outputs[1].data));
  omContextDestroy(context);
  free(y);
}

TEST(Context, WithoutOutputs) {
  OMContext *context = omContextCreate(nullptr);
  Affine model(3);
  EXPECT_EQ(omContextRun(context, model.buffers().data(), 2, nullptr, 0),
            OM_STATUS_OK);
  OMBuffer output = {};
  EXPECT_EQ(omContextRun(context, model.buffers().data(), 2, &output, 1),
            OM_STATUS_INVALID);
  EXPECT_EQ(omContextRun(context, nullptr, 2, nullptr, 0), OM_STATUS_INVALID);
  EXPECT_STREQ(omContextGetMessage(context), "the inputs are null");
  omContextDestroy(context);
}

TEST(Context, UnknownEntryPoint) {
  EXPECT_EQ(omContextCreate("absent"), nullptr);
  EXPECT_THAT(omGetLastError(), HasSubstr("no entry point"));
  EXPECT_EQ(omContextRun(nullptr, nullptr, 0, nullptr, 0), OM_STATUS_INVALID);
  EXPECT_STREQ(omContextGetMessage(nullptr), "the context is null");
  EXPECT_EQ(omContextGetMemory(nullptr), 0);
  omContextDestroy(nullptr);
  omContextSetLog(nullptr, nullptr, nullptr);
}

TEST(Context, BufferSmallerThanItsShape) {
  OMContext *context = omContextCreate(nullptr);
  Affine model(3);
  std::vector<OMBuffer> inputs = model.buffers();
  inputs[0].bytes = 40;
  EXPECT_EQ(omContextRun(context, inputs.data(), 2, nullptr, 0),
            OM_STATUS_INVALID);
  EXPECT_THAT(omContextGetMessage(context),
              HasSubstr("the buffer has 40 bytes, and f32[3, 4] has 48"));
  omContextDestroy(context);
}

TEST(Context, FirstErrorOfTheModelWins) {
  ScalarContext fails("fails");
  for (int code = 1; code <= 7; ++code) {
    EXPECT_EQ(fails.run(code), OM_STATUS(code));
    EXPECT_EQ(fails.message(), "index 7 is out of range");
    EXPECT_STRNE(omStatusName(OM_STATUS(code)), "unknown status");
  }
  EXPECT_STREQ(omStatusName(OM_STATUS_OK), "ok");
  EXPECT_STREQ(omStatusName(OM_STATUS(99)), "unknown status");
}

TEST(Context, OutputThatIsNeverWritten) {
  ScalarContext lost("lost");
  EXPECT_EQ(lost.run(0), OM_STATUS_INTERNAL);
  EXPECT_EQ(lost.message(), "output 'x' was not written");
}

TEST(Context, AbsurdSizesAreErrors) {
  ScalarContext huge("huge");
  EXPECT_EQ(huge.run(INT64_MAX), OM_STATUS_MEMORY);
  EXPECT_EQ(huge.run(-1), OM_STATUS_MEMORY);
  EXPECT_THAT(huge.message(), HasSubstr("a size is negative or too large"));
  EXPECT_EQ(huge.run(100), OM_STATUS_OK);
}

TEST(Context, PoolReusesBlocks) {
  ScalarContext pool("pool");
  ASSERT_EQ(pool.run(100), OM_STATUS_OK);
  EXPECT_EQ(pool.result(), 100);
  int64_t held = omContextGetMemory(pool.context);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(pool.run(100), OM_STATUS_OK);
  EXPECT_EQ(omContextGetMemory(pool.context), held);
}

TEST(Context, StringsOutliveTheRun) {
  OMContext *context = omContextCreate("identity_STRING");
  std::string first = "first", second = "second";
  const char *strings[2] = {first.c_str(), second.c_str()};
  int64_t shape[1] = {2};
  OMBuffer input = {strings, sizeof strings, shape, 1, ONNX_TYPE_STRING};
  OMBuffer output = {};
  ASSERT_EQ(omContextRun(context, &input, 1, &output, 1), OM_STATUS_OK);
  first = second = "gone!!";
  EXPECT_STREQ(static_cast<char **>(output.data)[1], "second");
  char *mine[2];
  int64_t myShape[1];
  OMBuffer given = {mine, sizeof mine, myShape, 1, ONNX_TYPE_STRING};
  ASSERT_EQ(omContextRun(context, &output, 1, &given, 1), OM_STATUS_OK);
  EXPECT_STREQ(mine[0], "first");
  strings[1] = nullptr;
  EXPECT_EQ(omContextRun(context, &input, 1, &output, 1), OM_STATUS_INVALID);
  EXPECT_THAT(omContextGetMessage(context), HasSubstr("string 1 is null"));
  omContextDestroy(context);
}

TEST(Context, SequencesInAndOut) {
  OMContext *split = omContextCreate("sequence");
  OMContext *length = omContextCreate("length");
  float x[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {3, 2};
  OMBuffer input = {x, sizeof x, shape, 2, ONNX_TYPE_FLOAT};
  OMBuffer rows = {}, n = {};
  for (int i = 0; i < 2; ++i) { // the second run destroys the first's sequence
    ASSERT_EQ(omContextRun(split, &input, 1, &rows, 1), OM_STATUS_OK);
    EXPECT_EQ(rows.type, ONNX_TYPE_UNDEFINED);
    EXPECT_EQ(omValueGetSize(static_cast<OMValue *>(rows.data)), 3);
  }
  ASSERT_EQ(omContextRun(length, &rows, 1, &n, 1), OM_STATUS_OK);
  EXPECT_EQ(*static_cast<int64_t *>(n.data), 3);
  // Data that an element is given to own ends with the sequence.
  OMTensor *row =
      omValueGetTensor(omValueGetElement(static_cast<OMValue *>(rows.data), 1));
  EXPECT_EQ(static_cast<float *>(omTensorGetDataPtr(row))[1], 4);
  omTensorSetDataPtr(row, /*owning=*/1, calloc(2, 4), nullptr);
  EXPECT_EQ(omContextRun(length, &input, 1, &n, 1), OM_STATUS_INVALID);
  EXPECT_THAT(omContextGetMessage(length), HasSubstr("is not a tensor"));
  ASSERT_EQ(omContextRun(split, &input, 1, nullptr, 0), OM_STATUS_OK);
  omContextDestroy(length);
  omContextDestroy(split);
}

TEST(Context, ArenaOfTheCaller) {
  alignas(64) static char arena[64 << 10];
  ScalarContext planned("planned");
  int64_t bytes = omContextGetArenaBytes(planned.context);
  EXPECT_EQ(omContextSetArena(planned.context, arena, bytes - 1),
            OM_STATUS_INVALID);
  EXPECT_EQ(planned.message(), "the arena has " + std::to_string(bytes - 1) +
                                   " bytes and " + std::to_string(bytes) +
                                   " are needed");
  EXPECT_EQ(omContextSetArena(planned.context, arena + 1, bytes),
            OM_STATUS_INVALID);
  EXPECT_THAT(planned.message(), HasSubstr("aligned to 64 bytes"));
  EXPECT_EQ(omContextSetArena(nullptr, arena, bytes), OM_STATUS_INVALID);
  EXPECT_EQ(omContextGetArenaBytes(nullptr), -1);

  // More threads later find no scratch there.
  EXPECT_EQ(omContextSetThreads(planned.context, 1), OM_STATUS_OK);
  bytes = omContextGetArenaBytes(planned.context);
  EXPECT_EQ(bytes, 128 + 256);
  memset(arena + bytes, 1, 64);
  EXPECT_EQ(omContextSetArena(planned.context, arena, bytes), OM_STATUS_OK);
  EXPECT_EQ(omContextSetThreads(planned.context, 0), OM_STATUS_OK);
  EXPECT_EQ(planned.run(5), OM_STATUS_OK);
  EXPECT_EQ(planned.result(), 5);
  EXPECT_EQ(std::string(arena + bytes, 64), std::string(64, 1));

  // Back to its own.
  EXPECT_EQ(omContextSetArena(planned.context, nullptr, 0), OM_STATUS_OK);
  memset(arena, 0, sizeof arena);
  EXPECT_EQ(planned.run(6), OM_STATUS_OK);
  EXPECT_EQ(std::string(arena, 512), std::string(512, 0));
}

// How much is needed follows from the inputs.
TEST(Context, ArenaOfUnknownSize) {
  alignas(64) static char arena[64];
  OMContext *context = omContextCreate(nullptr);
  EXPECT_EQ(omContextGetArenaBytes(context), -1);
  ASSERT_EQ(omContextSetArena(context, arena, sizeof arena), OM_STATUS_OK);
  EXPECT_EQ(omContextPrepare(context, nullptr, 0), OM_STATUS_OK);
  for (int64_t n : {16, 17}) {
    Affine model(n);
    OMBuffer outputs[2] = {};
    OM_STATUS status =
        omContextRun(context, model.buffers().data(), 2, outputs, 2);
    EXPECT_EQ(status, n == 16 ? OM_STATUS_OK : OM_STATUS_MEMORY);
  }
  EXPECT_STREQ(omContextGetMessage(context),
               "this run needs an arena of 68 bytes and omContextSetArena left "
               "it 64");
  omContextDestroy(context);
}

TEST(Context, PrepareLooksAtTheCallersOutputs) {
  ScalarContext planned("planned");
  int32_t small;
  OMBuffer output = {&small, 4, nullptr, 0, ONNX_TYPE_INT64};
  EXPECT_EQ(omContextPrepare(planned.context, &output, 1), OM_STATUS_INVALID);
  EXPECT_EQ(planned.message(),
            "output 'x' needs 8 bytes and the given buffer has 4");
  EXPECT_EQ(omContextPrepare(planned.context, nullptr, 0), OM_STATUS_OK);
  EXPECT_EQ(omContextPrepare(nullptr, nullptr, 0), OM_STATUS_INVALID);
  EXPECT_EQ(planned.run(3), OM_STATUS_OK);
}

TEST(Context, Deadline) {
  ScalarContext slow("slow");
  EXPECT_EQ(omContextSetDeadline(slow.context, -1), OM_STATUS_INVALID);
  EXPECT_EQ(omContextSetDeadline(nullptr, 1), OM_STATUS_INVALID);
  EXPECT_EQ(omContextSetDeadline(slow.context, 1000000), OM_STATUS_OK);
  EXPECT_EQ(slow.run(INT64_MAX), OM_STATUS_DEADLINE);
  EXPECT_THAT(slow.message(), HasSubstr("deadline of 1 ms"));
  // Also when the work was distributed in time.
  ScalarContext pool("pool");
  EXPECT_EQ(omContextSetDeadline(pool.context, 1), OM_STATUS_OK);
  EXPECT_EQ(pool.run(100), OM_STATUS_DEADLINE);
  EXPECT_EQ(omContextSetDeadline(slow.context, 0), OM_STATUS_OK);
  EXPECT_EQ(slow.run(1000), OM_STATUS_OK);
  EXPECT_EQ(slow.result(), 1000);
  // No clock reaches this one.
  EXPECT_EQ(omContextSetDeadline(slow.context, INT64_MAX), OM_STATUS_OK);
  EXPECT_EQ(slow.run(1000), OM_STATUS_OK);
}

TEST(Context, Cancel) {
  ScalarContext slow("slow");
  EXPECT_EQ(omContextCancel(nullptr), 0);
  EXPECT_EQ(omContextCancel(slow.context), 0); // no run is going on
  EXPECT_EQ(slow.run(1000), OM_STATUS_OK);
  OM_STATUS status = OM_STATUS_OK;
  std::thread other([&] { status = slow.run(INT64_MAX); });
  // It may not have begun, but one request that finds it is enough.
  while (omContextCancel(slow.context) == 0)
    std::this_thread::yield();
  other.join();
  EXPECT_EQ(status, OM_STATUS_CANCELLED);
  EXPECT_EQ(slow.message(), "the run was cancelled");
  EXPECT_STREQ(omStatusName(status), "cancelled");
  EXPECT_EQ(slow.run(1000), OM_STATUS_OK);
}

TEST(Context, LogIsSilentUnlessAsked) {
  struct Log {
    std::vector<std::string> errors, infos;
  } log;
  ScalarContext fails("fails");
  fails.run(2);
  omContextSetLog(
      fails.context,
      [](void *user, OM_LOG_LEVEL level, const char *message) {
        Log &log = *static_cast<Log *>(user);
        (level == OM_LOG_ERROR ? log.errors : log.infos).push_back(message);
      },
      &log);
  fails.run(2);
  EXPECT_EQ(log.errors, std::vector<std::string>{"index 7 is out of range"});
}

TEST(Context, OneRunAtATime) {
  ScalarContext slow("slow");
  omContextSetDeadline(slow.context, 2000000000);
  std::atomic<bool> started = false;
  omContextSetLog(slow.context, nullptr, nullptr);
  std::thread other([&] {
    started = true;
    slow.run(20000000);
  });
  while (!started)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  int64_t x = 1;
  OMBuffer input = {&x, 8, nullptr, 0, ONNX_TYPE_INT64};
  OM_STATUS status = omContextRun(slow.context, &input, 1, nullptr, 0);
  other.join();
  // Unless the other run was over before this one began.
  EXPECT_TRUE(status == OM_STATUS_INVALID || status == OM_STATUS_OK);
}

// An object of a model may be linked with a runtime of another version.
TEST(Context, ModelsOfOtherRuntimesAreRefused) {
  static OnnxcModel other = {};
  other.abi = ONNXC_RT_ABI + 1;
  onnxc_rt_register(&other);
  EXPECT_EQ(onnxc_rt_run_main_graph(&other, nullptr), nullptr);
  std::string message = " was made for runtime interface " +
                        std::to_string(ONNXC_RT_ABI + 1) +
                        ", and the runtime that it is linked with has " +
                        std::to_string(ONNXC_RT_ABI) +
                        ": compile it again with the onnx-compile of this "
                        "runtime";
  EXPECT_EQ(omGetLastError(), "the model" + message);
  // A name that no other model has may be that of the one without a place here.
  EXPECT_EQ(omGetInput("run_main_graph_refused", 0), nullptr);
  EXPECT_THAT(omGetLastError(),
              HasSubstr(" has no entry point 'run_main_graph_refused'"));
  EXPECT_THAT(omGetLastError(), testing::EndsWith("; another model" + message));
}
