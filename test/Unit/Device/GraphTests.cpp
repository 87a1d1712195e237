//===- GraphTests.cpp - CUDA graphs of runs on a simulated device ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <gmock/gmock.h>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

Numbers twiceSumOf(const Numbers &x) {
  Numbers sum = x;
  for (size_t i = 0; i < x.size(); ++i)
    sum[i] = sum[i] + modelWeight(i) + modelWeight(i);
  return sum;
}

/// What a run adds to the counters; its result is right.
Counters countsOf(Session &run, size_t count, unsigned seed) {
  Counters before = counters();
  Numbers x = randomNumbers(count, seed);
  EXPECT_EQ(run(x, count), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, twiceSumOf(x));
  const Counters &now = counters();
  Counters added = {};
  added.launches = now.launches - before.launches;
  added.graphLaunches = now.graphLaunches - before.graphLaunches;
  added.nodeUpdates = now.nodeUpdates - before.nodeUpdates;
  return added;
}

TEST_F(DeviceTest, TheSecondRunIsAGraph) {
  Session run("chain");
  for (unsigned i = 0; i < 4; ++i) {
    Counters counts = countsOf(run, kAddends, i);
    EXPECT_EQ(counts.launches, 2);
    EXPECT_EQ(counts.graphLaunches, i == 0 ? 0 : 1);
    EXPECT_EQ(counts.nodeUpdates, 0);
  }
}

TEST_F(DeviceTest, OneLaunchIsNoGraph) {
  Session run("add");
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
  EXPECT_EQ(counters().graphs, 0);
}

// The key is the number of blocks: sizes with the same one share a graph, whose
// nodes get other arguments.
TEST_F(DeviceTest, SizesOfTheSameBlocksShareAGraph) {
  Session run("chain");
  EXPECT_EQ(countsOf(run, 300, 1).graphLaunches, 0);
  EXPECT_EQ(countsOf(run, 300, 2).nodeUpdates, 0);
  Counters counts = countsOf(run, 310, 3);
  EXPECT_EQ(counts.graphLaunches, 1);
  EXPECT_EQ(counts.nodeUpdates, 2);
  EXPECT_EQ(countsOf(run, 310, 4).nodeUpdates, 0);
}

// From the largest, so that the arena stays where it is.
TEST_F(DeviceTest, TheLastEightSizesHaveGraphs) {
  Session run("chain");
  auto graphsOf = [&](size_t blocks) {
    return countsOf(run, 64 * blocks, 1).graphLaunches;
  };
  for (size_t blocks = 9; blocks > 0; --blocks)
    EXPECT_EQ(graphsOf(blocks), 0);
  for (size_t blocks = 8; blocks > 0; --blocks)
    EXPECT_EQ(graphsOf(blocks), 1);
  EXPECT_EQ(counters().graphs, 2 * 8);
  EXPECT_EQ(graphsOf(9), 0); // in place of 8, used longest ago
  EXPECT_EQ(counters().graphs, 2 * 7);
  EXPECT_EQ(graphsOf(7), 1);
  EXPECT_EQ(graphsOf(8), 0);
}

TEST_F(DeviceTest, ContextsHaveGraphsOfTheirOwn) {
  Session first("chain"), second("chain");
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(countsOf(first, kAddends, i).graphLaunches, i == 0 ? 0 : 1);
    EXPECT_EQ(countsOf(second, kAddends, i).graphLaunches, i == 0 ? 0 : 1);
  }
  EXPECT_EQ(counters().graphs, 4);
}

// Of launches that nothing orders any may be first, whichever the seed draws.
TEST_F(DeviceTest, LaunchesWaitForThoseWhoseBuffersConflict) {
  Session run("branches");
  int64_t edges = counters().graphEdges;
  for (unsigned i = 0; i < 40; ++i) {
    Numbers x = randomNumbers(kAddends, i), expected = x;
    for (size_t k = 0; k < x.size(); ++k) {
      float sum = x[k] + modelWeight(k);
      expected[k] = ((sum + sum) + (x[k] + x[k])) + (x[k] + x[k]);
    }
    ASSERT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, expected) << i;
  }
  // None of those that follow from others.
  EXPECT_EQ(counters().graphEdges - edges, 8);
}

TEST_F(DeviceTest, LaunchesDoNotWaitForThoseOfOtherParts) {
  Session run("parts");
  int64_t edges = counters().graphEdges;
  for (unsigned i = 0; i < 2; ++i)
    ASSERT_EQ(run(randomNumbers(kAddends, i), kAddends), OM_STATUS_OK)
        << run.message();
  EXPECT_EQ(counters().graphEdges - edges, 7);
}

TEST_F(DeviceTest, BuffersThatBeginToConflictMakeAnotherGraph) {
  Session run("moving");
  int64_t edges = counters().graphEdges;
  auto runWith = [&](float first, unsigned seed) {
    Numbers x = randomNumbers(kAddends, seed), expected = x;
    x[0] = first;
    for (size_t k = 0; k < x.size(); ++k)
      expected[k] = x[k] + x[k];
    ASSERT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, expected) << seed;
  };
  for (unsigned i = 0; i < 3; ++i)
    runWith(1, i);
  EXPECT_EQ(counters().graphEdges - edges, 0);
  for (unsigned i = 0; i < 40; ++i)
    runWith(-1, i);
  EXPECT_EQ(counters().graphEdges - edges, 1);
  // One dependency too many is none too few.
  runWith(1, 7);
  EXPECT_EQ(counters().graphEdges - edges, 1);
  EXPECT_EQ(counters().graphs, 2);
}

TEST_F(DeviceTest, CopiesOnTheDeviceAreNodes) {
  Session run("copying");
  int64_t edges = counters().graphEdges;
  for (unsigned i = 0; i < 20; ++i) {
    size_t count = i < 10 ? 300 : 310;
    int64_t copies = counters().copiesOn;
    Counters counts = countsOf(run, count, i);
    EXPECT_EQ(counters().copiesOn - copies, 1);
    EXPECT_EQ(counts.graphLaunches, i == 0 ? 0 : 1);
    EXPECT_EQ(counts.nodeUpdates, i == 10 ? 4 : 0);
  }
  // The copy waits for the first launch, and the two others for the copy.
  EXPECT_EQ(counters().graphEdges - edges, 3);
}

TEST_F(DeviceTest, RefusedUpdatesMakeAnotherGraph) {
  Session run("copying");
  settings().refusesUpdates = true;
  for (unsigned i = 0; i < 10; ++i) {
    Counters counts = countsOf(run, i % 2 ? 310 : 300, i);
    EXPECT_EQ(counts.graphLaunches, i == 0 ? 0 : 1);
    EXPECT_EQ(counts.launches, 3);
    EXPECT_EQ(counts.nodeUpdates, 0);
  }
  EXPECT_EQ(counters().graphs, 2);
  settings().refusesUpdates = false;
  EXPECT_EQ(countsOf(run, 300, 1).nodeUpdates, 4);
}

// The updates alone have another way.
TEST_F(DeviceTest, EveryCallForGraphsFailsInTurn) {
  for (int error : {2 /*out of memory*/, 719 /*launch failed*/}) {
    bool hasFailed = true;
    int64_t call = 0;
    int withoutFailure = 0;
    for (; hasFailed; ++call) {
      Session run("copying");
      countsOf(run, 300, 1);
      settings().failWith = error;
      settings().failAt = call;
      int failures = 0;
      for (size_t count : {300, 310, 310}) {
        Numbers x = randomNumbers(count);
        bool fails = run(x, count) != OM_STATUS_OK;
        failures += fails;
        if (fails)
          EXPECT_THAT(run.message(),
                      HasSubstr(error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                                           : "CUDA_ERROR_LAUNCH_FAILED"))
              << call;
        else
          EXPECT_EQ(run.result, twiceSumOf(x)) << call;
      }
      hasFailed = settings().failAt < 0;
      settings().failAt = -1;
      EXPECT_LE(failures, hasFailed) << call;
      withoutFailure += hasFailed && failures == 0;
      countsOf(run, 300, 2); // the context recovers
    }
    EXPECT_GT(call, 20);
    EXPECT_EQ(withoutFailure, 4);
  }
}

} // namespace
