//===- CustomTests.cpp - Operators of a library of the user's ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The node of test/Runtime/FakeModel.c, also under the sanitizers.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime.h"
#include "gtest/gtest.h"

#include <string>
#include <thread>
#include <vector>

namespace {

struct Numbers {
  OMContext *context = omContextCreate("custom");
  OMBuffer output = {};

  ~Numbers() { omContextDestroy(context); }

  OM_STATUS run(int64_t n) {
    OMBuffer input = {&n, sizeof n, nullptr, 0, ONNX_TYPE_INT64};
    output = {};
    return omContextRun(context, &input, 1, &output, 1);
  }
  std::string message(int64_t n) {
    EXPECT_EQ(run(n), OM_STATUS_VALUE);
    return omContextGetMessage(context);
  }
};

TEST(Custom, AllocatesAndComputesOnAllThreads) {
  Numbers numbers;
  for (int64_t n : {0, 1, 1000}) {
    ASSERT_EQ(numbers.run(n), OM_STATUS_OK);
    ASSERT_EQ(numbers.output.shape[0], n);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(static_cast<int64_t *>(numbers.output.data)[i], 2 * i);
  }
}

TEST(Custom, ErrorsNameTheNode) {
  Numbers numbers;
  EXPECT_EQ(numbers.message(13),
            "node 'node': fake.Numbers: thirteen is not wanted");
  EXPECT_EQ(numbers.message(14), "node 'node': fake.Numbers: there is no "
                                 "output 1");
  EXPECT_EQ(numbers.message(15),
            "node 'node': fake.Numbers: 'compute' fails with code 15");
  EXPECT_EQ(numbers.message(-1), "node 'node': fake.Numbers: output 0 has a "
                                 "negative size or is too large");
  EXPECT_EQ(numbers.message(int64_t(1) << 61),
            "node 'node': fake.Numbers: output 0 has a negative size or is too "
            "large");
  EXPECT_EQ(numbers.run(3), OM_STATUS_OK);
}

TEST(Custom, FirstRunsMayMeet) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      Numbers numbers;
      for (int64_t n = 16; n < 40; ++n)
        EXPECT_EQ(numbers.run(n), OM_STATUS_OK);
      EXPECT_EQ(static_cast<int64_t *>(numbers.output.data)[38], 76);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
