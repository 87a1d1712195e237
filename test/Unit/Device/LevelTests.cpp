//===- LevelTests.cpp - Which code of a model runs on which device --------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <gmock/gmock.h>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

using LevelTest = DeviceTest;

// The last level is for GPUs of another capability.
TEST_F(LevelTest, TheLastLevelWithAnImage) {
  Session run("best");
  Numbers x = randomNumbers(kAddends);
  EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_STREQ(omGetCpu("best"), "sm_80");
}

TEST_F(LevelTest, AnotherLevelWhereThereIsNoDevice) {
  Numbers x = randomNumbers(kAddends);
  settings().devices = 0;
  Session run("either");
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, sumOf(x));
  EXPECT_STREQ(omGetCpu("either"), "base");
}

/// How often the code that runs on a device adds the constant.
int additionsOn(Session &run, int device) {
  EXPECT_EQ(omContextSetDevice(run.context, device), OM_STATUS_OK);
  Numbers x = randomNumbers(kAddends);
  EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  return run.result == sumOf(x) ? 1 : run.result == sumOf(sumOf(x)) ? 2 : -1;
}

TEST_F(LevelTest, EachDeviceRunsTheBestCodeForIt) {
  settings().devices = 2;
  settings().capability = 90;
  settings().others = 80;
  Session run("best");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(additionsOn(run, 1), 2);
    EXPECT_EQ(omContextCheckDevice(run.context), OM_STATUS_OK);
    EXPECT_EQ(additionsOn(run, 0), 1);
  }
}

// The model had been taken to the processor by the first device.
TEST_F(LevelTest, ADeviceThatIsBetterThanTheFirst) {
  settings().devices = 2;
  settings().capability = 75;
  settings().others = 80;
  Session run("either");
  EXPECT_EQ(omContextGetDevice(run.context), -1);
  Numbers x = randomNumbers(kAddends);
  int64_t launches = counters().launches;
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(additionsOn(run, 1), 1);
    EXPECT_EQ(counters().launches - launches, i);
    EXPECT_EQ(omContextGetDevice(run.context), 1);
    // Back to the code that it began with.
    EXPECT_EQ(omContextSetDevice(run.context, 0), OM_STATUS_UNSUPPORTED);
    EXPECT_EQ(omContextGetDevice(run.context), -1);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, sumOf(x));
    EXPECT_EQ(counters().launches - launches, i);
    EXPECT_EQ(alive(), 0);
  }
}

TEST_F(LevelTest, NoDeviceTakesCodeButTheFirst) {
  settings().devices = 2;
  settings().others = 75;
  Session run("either");
  Numbers x = randomNumbers(kAddends);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(additionsOn(run, 0), 1);
    EXPECT_EQ(omContextSetDevice(run.context, 1), OM_STATUS_UNSUPPORTED);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(omContextGetDevice(run.context), -1);
  }
}

TEST_F(LevelTest, NoCodeForTheSecondDevice) {
  settings().devices = 2;
  settings().others = 75;
  Session run("best");
  ASSERT_EQ(omContextSetDevice(run.context, 1), OM_STATUS_OK);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_TARGET);
  EXPECT_THAT(run.message(), HasSubstr("of compute capability 7.5"));
}

// The arena of other code may have another size.
TEST_F(LevelTest, AnArenaOfTheCallerIsGivenUp) {
  settings().devices = 2;
  settings().capability = 90;
  settings().others = 80;
  alignas(64) char arena[64];
  Session run("best");
  ASSERT_EQ(omContextSetArena(run.context, arena, sizeof arena), OM_STATUS_OK);
  EXPECT_EQ(additionsOn(run, 1), 2);
  // Three vectors on the device.
  EXPECT_EQ(omContextGetMemory(run.context), 3 * 4096);
}

/// Statuses of a change of the device and of the stream during a run.
struct Changes {
  OMContext *context;
  OM_STATUS device, stream, memory;
};

TEST_F(LevelTest, NothingChangesDuringARun) {
  settings().devices = 2;
  Session run("add");
  Changes changes = {run.context, OM_STATUS_OK, OM_STATUS_OK, OM_STATUS_OK};
  auto change = [](void *user, OM_LOG_LEVEL, const char *) {
    auto &its = *static_cast<Changes *>(user);
    its.device = omContextSetDevice(its.context, 1);
    its.stream = omContextSetStream(its.context, nullptr);
    its.memory = omContextSetDeviceMemory(its.context, 0);
  };
  omContextSetLog(run.context, change, &changes);
  Numbers x = randomNumbers(kAddends);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_EQ(changes.device, OM_STATUS_INVALID);
  EXPECT_EQ(changes.stream, OM_STATUS_INVALID);
  EXPECT_EQ(changes.memory, OM_STATUS_INVALID);
  EXPECT_EQ(omContextGetDevice(run.context), 0);
}

} // namespace
