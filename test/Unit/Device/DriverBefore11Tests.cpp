//===- DriverBefore11Tests.cpp - Models with a driver before CUDA 11.4 ----===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "onnxc/Profile.h"

using namespace onnxc::simulator;

namespace {

TEST_F(DeviceTest, EachKernelIsLaunched) {
  Session run("best");
  for (unsigned i = 0; i < 3; ++i) {
    Numbers x = randomNumbers(kAddends, i);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, sumOf(sumOf(x)));
  }
  EXPECT_EQ(counters().launches, 6);
  EXPECT_EQ(counters().graphLaunches, 0);
}

TEST_F(DeviceTest, TimesOfLaunchesAreRefused) {
  Session run("best");
  auto observe = [](void *, int32_t, double, double) {};
  omContextSetDeviceObserver(run.context, observe, nullptr);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_TARGET);
  EXPECT_EQ(run.message(),
            "times of launches need a driver of CUDA 11.4 or later");
  omContextSetDeviceObserver(run.context, nullptr, nullptr);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK)
      << run.message();
}

} // namespace
