//===- TimeTests.cpp - Times of launches by events of the device ----------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A block takes one microsecond of the simulated clock.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "onnxc/Profile.h"

#include <gmock/gmock.h>

using namespace onnxc::simulator;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::FloatEq;
using testing::HasSubstr;

namespace {

struct Time {
  int32_t launch;
  float begin, milliseconds;
};

void observe(void *user, int32_t launch, double begin, double milliseconds) {
  static_cast<std::vector<Time> *>(user)->push_back(
      {launch, float(begin), float(milliseconds)});
}

/// The times of a run, which gives the same as one that nothing observes.
std::vector<Time> timesOf(Session &run, size_t count) {
  Numbers x = randomNumbers(count);
  EXPECT_EQ(run(x, count), OM_STATUS_OK) << run.message();
  Numbers expected = run.result;
  std::vector<Time> times;
  omContextSetDeviceObserver(run.context, observe, &times);
  EXPECT_EQ(run(x, count), OM_STATUS_OK) << run.message();
  omContextSetDeviceObserver(run.context, nullptr, nullptr);
  EXPECT_EQ(run.result, expected);
  return times;
}

TEST_F(DeviceTest, EachLaunchHasATime) {
  Session run("chain");
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(timesOf(run, 1000),
                ElementsAre(FieldsAre(3, FloatEq(0), FloatEq(0.016f)),
                            FieldsAre(5, FloatEq(0.016f), FloatEq(0.016f))));
}

// One graph with events and one without.
TEST_F(DeviceTest, ObservedRunsHaveAGraphOfTheirOwn) {
  Session run("chain");
  for (int i = 0; i < 3; ++i)
    timesOf(run, 1000);
  EXPECT_EQ(counters().graphs, 2 * 2);
  EXPECT_EQ(counters().events, 1 + 3);
}

// From the largest, so that the arena stays where it is.
TEST_F(DeviceTest, TimedGraphsTakeThePlaceOfNoOthers) {
  Session run("chain");
  for (size_t blocks = 6; blocks > 0; --blocks)
    timesOf(run, 64 * blocks);
  for (size_t blocks = 6; blocks > 0; --blocks) {
    int64_t before = counters().graphLaunches;
    Numbers x = randomNumbers(64 * blocks);
    EXPECT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message();
    EXPECT_EQ(counters().graphLaunches - before, 1) << blocks;
  }
}

TEST_F(DeviceTest, SizesOfTheSameBlocksShareTimedGraphs) {
  Session run("chain");
  timesOf(run, 300);
  int64_t updates = counters().nodeUpdates;
  EXPECT_EQ(timesOf(run, 310).size(), 2u);
  EXPECT_GT(counters().nodeUpdates, updates);
  EXPECT_EQ(counters().events, 1 + 3);
}

// More parts than a context keeps graphs for.
TEST_F(DeviceTest, TimesCountFromTheFirstLaunchOfTheRun) {
  Session run("steps");
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::vector<Time> times = timesOf(run, 1000);
    ASSERT_EQ(times.size(), size_t(kSteps));
    int begin = 0;
    for (int i = 0; i < kSteps; begin += ++i)
      EXPECT_THAT(times[size_t(i)], FieldsAre(i, FloatEq(float(begin) / 1000),
                                              FloatEq(float(i + 1) / 1000)));
  }
}

// The updates alone have another way.
TEST_F(DeviceTest, EveryCallForTimesFailsInTurn) {
  bool hasFailed = true;
  int withoutFailure = 0;
  for (int64_t call = 0; hasFailed; ++call) {
    Session run("chain");
    std::vector<Time> times;
    omContextSetDeviceObserver(run.context, observe, &times);
    settings().failWith = 2;
    settings().failAt = call;
    int failures = 0;
    for (size_t count : {300, 310}) {
      bool fails = run(randomNumbers(count), count) != OM_STATUS_OK;
      failures += fails;
      if (fails)
        EXPECT_THAT(run.message(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"))
            << call;
    }
    hasFailed = settings().failAt < 0;
    settings().failAt = -1;
    EXPECT_LE(failures, hasFailed) << call;
    withoutFailure += hasFailed && failures == 0;
    times.clear();
    EXPECT_EQ(run(randomNumbers(300), 300), OM_STATUS_OK) << run.message();
    EXPECT_EQ(times.size(), 2u);
  }
  EXPECT_EQ(withoutFailure, 2);
}

} // namespace
