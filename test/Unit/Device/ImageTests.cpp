//===- ImageTests.cpp - Which code of a model a device takes --------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <gmock/gmock.h>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

OM_STATUS runAdd(std::string &message) {
  Session run("add");
  Numbers x = randomNumbers(kAddends);
  OM_STATUS status = run(x, kAddends);
  message = run.message();
  return status;
}

TEST_F(DeviceTest, NoDevice) {
  std::string message;
  settings().devices = 0;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_EQ(message, "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides "
                     "it; a model compiled with --device=cuda,cpu runs "
                     "without, on the processor");
}

TEST_F(DeviceTest, NoImage) {
  std::string message;
  settings().capability = 75;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_EQ(message,
            "the model has no code for Simulated device of compute capability "
            "7.5 with a driver for CUDA 12.4: it has code of sm_990, PTX of "
            "sm_80, cubin of sm_90a, cubin of sm_80, cubin of sm_87 "
            "(--device=cuda:sm_75 adds code)");
}

TEST_F(DeviceTest, PTXForALaterDevice) {
  std::string message;
  settings().capability = 120;
  EXPECT_EQ(runAdd(message), OM_STATUS_OK) << message;
  settings().version = 11080; // the PTX needs 12.0
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_THAT(message, HasSubstr("with a driver for CUDA 11.8"));
}

TEST_F(DeviceTest, AnImageThatTheDriverRefuses) {
  std::string message;
  settings().refused = 1; // PTX takes its place
  EXPECT_EQ(runAdd(message), OM_STATUS_OK) << message;
  settings().refused = 2;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  std::string refused = "by cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE "
                        "(device kernel image is invalid) refused as asked for";
  EXPECT_EQ(message, "the driver refuses code of sm_990 " + refused +
                         "; PTX of sm_80 " + refused);
}

// A cubin of the same capability, one of the same generation, PTX.
TEST_F(DeviceTest, CubinsAreTriedBeforePTX) {
  settings().capability = 87;
  std::string message;
  for (int64_t refused = 0; refused < 3; ++refused) {
    settings().refused = refused;
    EXPECT_EQ(runAdd(message), OM_STATUS_OK) << refused << message;
    EXPECT_EQ(settings().refused, 0);
  }
  settings().refused = 3;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_THAT(message, testing::ContainsRegex("cubin of sm_87 .*; cubin of "
                                              "sm_80 .*; PTX of sm_80 "));
  // A later generation takes none of them, an earlier device none of a later.
  settings().capability = 90;
  settings().refused = 2;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_THAT(message, HasSubstr("refuses cubin of sm_90a"));
  EXPECT_THAT(message, testing::Not(HasSubstr("sm_87")));
  settings().capability = 86;
  settings().refused = 2;
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_THAT(message, HasSubstr("refuses cubin of sm_80"));
  EXPECT_THAT(message, testing::Not(HasSubstr("sm_87")));
}

TEST_F(DeviceTest, ADriverThatIsTooOldForCubins) {
  std::string message;
  settings().refusesCubins = true;
  for (int capability : {80, 87, 90, 120}) {
    settings().capability = capability;
    EXPECT_EQ(runAdd(message), OM_STATUS_OK) << capability << message;
  }
  settings().capability = 90;
  settings().refused = 1; // PTX, too
  EXPECT_EQ(runAdd(message), OM_STATUS_TARGET);
  EXPECT_EQ(message,
            "the driver refuses cubin of sm_90a by cuModuleLoadDataEx: "
            "CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is available for "
            "execution on the device); PTX of sm_80 by cuModuleLoadDataEx: "
            "CUDA_ERROR_INVALID_IMAGE (device kernel image is invalid) refused "
            "as asked for");
}

} // namespace
