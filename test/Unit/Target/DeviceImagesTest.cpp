//===- DeviceImagesTest.cpp - Images of the kernels of a level --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/NVPTX/DeviceImages.h"

#include "gtest/gtest.h"

using onnxc::target::driverOf;

namespace {

TEST(DeviceImagesTest, DriversReadThePTXThatCameWithThem) {
  EXPECT_EQ(driverOf("//\n.version 7.0\n.target sm_80\n"), 11000);
  EXPECT_EQ(driverOf(".version 8.0\n.target sm_90a\n"), 12000);
  EXPECT_EQ(driverOf(".version 7.8\n"), 11080);
  EXPECT_EQ(driverOf(".version 8.4\n"), 12040);
  EXPECT_EQ(driverOf(".version 8.5\n"), 12050);
  // No version came with CUDA 12.6.
  EXPECT_EQ(driverOf(".version 8.6\n"), 12070);
  EXPECT_EQ(driverOf(".version 8.7\n"), 12080);
  EXPECT_EQ(driverOf(".version 8.8\n"), 12090);
  EXPECT_EQ(driverOf(".version 9.0\n"), 13000);
  EXPECT_EQ(driverOf(".version 8.9\n"), 0);
  EXPECT_EQ(driverOf(".version 99.0\n"), 0);
  EXPECT_EQ(driverOf(".version 8\n"), 0);
  EXPECT_EQ(driverOf(".target sm_80\n"), 0);
  EXPECT_EQ(driverOf(""), 0);
}

} // namespace
