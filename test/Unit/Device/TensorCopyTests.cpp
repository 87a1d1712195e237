//===- TensorCopyTests.cpp - Copies of boxes of tensors -------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

constexpr size_t kBox = 128, kTensor = 96;

/// What the box has of a tensor that begins at the end of `x` but 128 elements:
/// lines outside of it are zero.
Numbers boxOf(const Numbers &x) {
  Numbers box(x.end() - kBox, x.end());
  std::fill(box.begin() + kTensor, box.end(), 0.0f);
  return box;
}

/// The problem of a kernel that fails.
std::string problemOf(const char *entry) {
  Session run(entry);
  EXPECT_EQ(run(randomNumbers(kBox), kBox), OM_STATUS_INTERNAL);
  std::string found = problem();
  findInDriver<void()>("simulatorRecover")();
  return found;
}

TEST_F(DeviceTest, BoxesAreZeroOutsideOfTheTensor) {
  Session run("boxes");
  Numbers x = randomNumbers(kBox);
  ASSERT_EQ(run(x, kBox), OM_STATUS_OK) << run.message() << problem();
  EXPECT_EQ(run.result, boxOf(x));
}

TEST_F(DeviceTest, SizesOfMapsAreParametersOfTheLaunch) {
  Session run("sized_boxes");
  Numbers x = randomNumbers(kBox);
  ASSERT_EQ(run(x, kBox), OM_STATUS_OK) << run.message() << problem();
  EXPECT_EQ(run.result, boxOf(x));
}

TEST_F(DeviceTest, SizesThatCoordinatesDoNotReachAreRefused) {
  Session run("far_boxes");
  EXPECT_EQ(run(randomNumbers(kBox), kBox), OM_STATUS_UNSUPPORTED);
  EXPECT_THAT(run.message(), HasSubstr("a dimension of 2147483648 elements"));
}

// A graph whose kernels get another address gets another map.
TEST_F(DeviceTest, MapsOfGraphsFollowTheTensor) {
  Session run("boxes");
  for (size_t more : {0, 0, 4, 8, 8, 0}) {
    Numbers x = randomNumbers(kBox + more, unsigned(more));
    ASSERT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message() << problem();
    Numbers expected = boxOf(x);
    run.result.resize(kBox);
    EXPECT_EQ(run.result, expected) << more;
  }
  EXPECT_GT(counters().nodeUpdates, 0);
}

TEST_F(DeviceTest, TheDriverRefusesTheMapOfATensorThatIsNotAligned) {
  Session run("boxes");
  EXPECT_EQ(run(randomNumbers(kBox + 1), kBox + 1), OM_STATUS_INTERNAL);
  EXPECT_THAT(run.message(), HasSubstr("cuTensorMapEncodeTiled"));
}

TEST_F(DeviceTest, EveryCallForMapsFailsInTurn) {
  Numbers x = randomNumbers(kBox);
  std::string messages;
  bool hasFailed = true;
  for (int64_t call = 0; hasFailed; ++call) {
    Session run("boxes");
    settings().failWith = 2; // out of memory
    settings().failAt = call;
    OM_STATUS status = run(x, kBox);
    hasFailed = settings().failAt < 0;
    settings().failAt = -1;
    EXPECT_EQ(status != OM_STATUS_OK, hasFailed) << call;
    messages += run.message();
    // The context recovers.
    EXPECT_EQ(run(x, kBox), OM_STATUS_OK) << call << run.message();
    EXPECT_EQ(run.result, boxOf(x));
  }
  EXPECT_THAT(messages, HasSubstr("cuTensorMapEncodeTiled"));
}

TEST_F(DeviceTest, UnknownMapsAreRefused) {
  for (const char *entry : {"unknown_element", "unknown_line", "unknown_rank",
                            "unknown_address", "unknown_size"}) {
    Session run(entry);
    EXPECT_EQ(run(randomNumbers(kBox), kBox), OM_STATUS_INTERNAL) << entry;
    EXPECT_THAT(run.message(), HasSubstr("map 0 of kernel 'boxes' is unknown"));
  }
}

TEST_F(DeviceTest, BlocksOfAClusterCopyToEachOther) {
  for (uint64_t seed : {1, 2, 3, 4}) {
    settings().seed = seed;
    Session run("cluster_boxes");
    Numbers x = randomNumbers(2 * kBox);
    ASSERT_EQ(run(x, 2 * kBox), OM_STATUS_OK) << run.message() << problem();
    Numbers expected = boxOf(x), both = expected;
    both.insert(both.end(), expected.begin(), expected.end());
    EXPECT_EQ(run.result, both);
  }
}

TEST_F(DeviceTest, AWarpCopiesBoxesForOthers) {
  for (uint64_t seed : {1, 2, 3, 4}) {
    settings().seed = seed;
    Session run("produced_boxes");
    Numbers x = randomNumbers(kBox);
    ASSERT_EQ(run(x, kBox), OM_STATUS_OK) << run.message() << problem();
    EXPECT_EQ(run.result, boxOf(x));
  }
}

TEST_F(DeviceTest, CopiesToBytesThatOthersReadAreFound) {
  EXPECT_THAT(problemOf("early_arrival"), HasSubstr("of shared memory"));
  EXPECT_THAT(problemOf("missing_arrival"), HasSubstr("race with thread"));
}

TEST_F(DeviceTest, GridsOfNoWholeClustersAreRefused) {
  Session run("part_of_a_cluster");
  EXPECT_EQ(run(randomNumbers(kBox), kBox), OM_STATUS_INTERNAL);
  EXPECT_THAT(run.message(), HasSubstr("cuLaunchKernel"));
}

TEST_F(DeviceTest, CopiesToBlocksThatDoNotKnowTheirBarriersAreFound) {
  EXPECT_THAT(problemOf("unfenced_cluster"),
              HasSubstr("without fence.mbarrier_init"));
  EXPECT_THAT(problemOf("early_cluster"),
              HasSubstr("a barrier that has not been made"));
}

TEST_F(DeviceTest, BlocksThatEndTooEarlyAreFound) {
  EXPECT_THAT(problemOf("leaving_block"),
              HasSubstr("ends while copies of tensors are under way"));
  EXPECT_THAT(problemOf("ended_block"),
              HasSubstr("of block 1 of the cluster, which has ended"));
  EXPECT_THAT(problemOf("missing_block"),
              HasSubstr("waits for all threads of its cluster"));
}

TEST_F(DeviceTest, BlocksOfAClusterReadFromEachOther) {
  for (uint64_t seed : {1, 2, 3, 4}) {
    settings().seed = seed;
    Session run("cluster_sums");
    Numbers x = randomNumbers(kBox);
    ASSERT_EQ(run(x, kBox), OM_STATUS_OK) << run.message() << problem();
    Numbers expected;
    for (float number : x)
      expected.push_back(number + 2 * number);
    EXPECT_EQ(run.result, expected);
  }
}

TEST_F(DeviceTest, ReadsThatNothingOrdersInAClusterAreFound) {
  EXPECT_THAT(problemOf("kept_sums"), HasSubstr("has not released"));
  EXPECT_THAT(problemOf("early_sums"), HasSubstr("race with thread"));
  EXPECT_THAT(problemOf("leaving_sums"),
              HasSubstr("of the cluster, which has ended"));
}

TEST_F(DeviceTest, ReadsOfBoxesThatNobodyWaitsForAreFound) {
  EXPECT_THAT(problemOf("early_box"),
              HasSubstr("of shared memory while it is copied"));
}

TEST_F(DeviceTest, BytesThatNeverComeAreFound) {
  EXPECT_THAT(problemOf("short_box"),
              HasSubstr("of which 512 bytes come and 516 are expected"));
}

TEST_F(DeviceTest, CopiesToBarriersWithoutFencesAreFound) {
  EXPECT_THAT(problemOf("unfenced_box"),
              HasSubstr("without fence.proxy.async"));
}

} // namespace
