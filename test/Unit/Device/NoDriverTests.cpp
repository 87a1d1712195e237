//===- NoDriverTests.cpp - Models with device code without a driver -------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The driver that this program finds is an empty file.
//
//===----------------------------------------------------------------------===//

#include "DeviceModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::MatchesRegex;

static OM_STATUS run(const char *entry, std::string &message) {
  OMContext *context = omContextCreate(entry);
  float x[kAddends] = {}, y[kAddends];
  int64_t shape[] = {kAddends};
  OMBuffer in = {x, sizeof x, shape, 1, ONNX_TYPE_FLOAT};
  OMBuffer out = {y, sizeof y, shape, 1, ONNX_TYPE_FLOAT};
  OM_STATUS status = omContextRun(context, &in, 1, &out, 1);
  message = omContextGetMessage(context);
  omContextDestroy(context);
  return status;
}

TEST(NoDriver, IsAStatus) {
  std::string message;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run("add", message), OM_STATUS_TARGET);
    EXPECT_THAT(message,
                MatchesRegex("no NVIDIA driver: .*libcuda.so.1: file too "
                             "short; a model compiled with --device=cuda,cpu "
                             "runs without, on the processor"));
  }
}

TEST(NoDriver, IsFoundWithoutARun) {
  OMContext *context = omContextCreate("add");
  EXPECT_EQ(omContextCheckDevice(context), OM_STATUS_TARGET);
  EXPECT_THAT(omContextGetMessage(context), MatchesRegex("no NVIDIA driver.*"));
  omContextDestroy(context);
  context = omContextCreate("either");
  EXPECT_EQ(omContextCheckDevice(context), OM_STATUS_OK);
  omContextDestroy(context);
}

TEST(NoDriver, AnotherLevelRuns) {
  std::string message;
  EXPECT_EQ(run("either", message), OM_STATUS_OK) << message;
  EXPECT_STREQ(omGetCpu("either"), "base");
}
