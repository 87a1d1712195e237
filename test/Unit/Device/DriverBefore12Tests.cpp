//===- DriverBefore12Tests.cpp - Models with a driver before CUDA 12.0 ----===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

using namespace onnxc::simulator;

namespace {

TEST_F(DeviceTest, CodeWithMapsOfTensorsIsRefused) {
  Session run("add");
  settings().version = 11080;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_TARGET);
    EXPECT_EQ(run.message(),
              "the model copies tensors by cuTensorMapEncodeTiled, for which "
              "the NVIDIA driver is too old: it is one for CUDA 11.8, and 12.0 "
              "is needed (--device=cuda:sm_80 does without)");
  }
  EXPECT_EQ(omContextCheckDevice(run.context), OM_STATUS_TARGET);
}

TEST_F(DeviceTest, TheProcessorRunsInItsPlace) {
  Session run("either");
  Numbers x = randomNumbers(kAddends);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, sumOf(x));
  EXPECT_STREQ(omGetCpu("either"), "base");
}

TEST_F(DeviceTest, OtherCodeOfTheGPURunsInItsPlace) {
  settings().capability = 90;
  Session run("best");
  Numbers x = randomNumbers(kAddends);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, sumOf(sumOf(x)));
  EXPECT_STREQ(omGetCpu("best"), "sm_80");
  EXPECT_EQ(counters().graphLaunches, 2);
}

} // namespace
