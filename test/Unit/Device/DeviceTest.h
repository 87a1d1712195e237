//===- DeviceTest.h - Runs of the model by hand -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_DEVICE_DEVICETEST_H
#define ONNXC_TEST_UNIT_DEVICE_DEVICETEST_H

#include "DeviceModel.h"

#include "../../Simulator/Counters.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace onnxc::simulator {

using Numbers = std::vector<float>;

template <typename Function>
Function *findInDriver(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *function = driver ? dlsym(driver, name) : nullptr;
  if (!function) {
    std::fprintf(stderr, "no simulated driver: %s\n", dlerror());
    std::abort();
  }
  return reinterpret_cast<Function *>(function);
}
inline Counters &counters() {
  static Counters *known = findInDriver<Counters *()>("simulatorCounters")();
  return *known;
}
inline Settings &settings() {
  static Settings *known = findInDriver<Settings *()>("simulatorSettings")();
  return *known;
}
inline std::string problem() {
  return findInDriver<const char *()>("simulatorProblem")();
}

inline int64_t alive() {
  const Counters &now = counters();
  return now.memory + now.streams + now.modules + now.retains + now.graphs +
         now.events;
}

/// A context of one of the entry points.
class Session {
public:
  explicit Session(const char *entry) : context(omContextCreate(entry)) {}
  ~Session() { omContextDestroy(context); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  OM_STATUS operator()(Numbers input, size_t outputs) {
    int64_t shape = int64_t(input.size()), outputShape = int64_t(outputs);
    result.assign(outputs, -1);
    OMBuffer in = {input.data(), shape * 4, &shape, 1, ONNX_TYPE_FLOAT};
    OMBuffer out = {result.data(), outputShape * 4, &outputShape, 1,
                    ONNX_TYPE_FLOAT};
    return omContextRun(context, &in, 1, &out, 1);
  }
  std::string message() const { return omContextGetMessage(context); }

  OMContext *context;
  Numbers result;
};

inline Numbers randomNumbers(size_t count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-4, 4);
  Numbers numbers(count);
  for (float &number : numbers)
    number = distribution(generator);
  return numbers;
}

inline Numbers sumOf(const Numbers &x) {
  Numbers sum = x;
  for (size_t i = 0; i < x.size(); ++i)
    sum[i] += modelWeight(i);
  return sum;
}

class DeviceTest : public ::testing::Test {
protected:
  DeviceTest() : before(settings()) { settings().failAt = -1; }
  ~DeviceTest() override {
    settings() = before;
    EXPECT_EQ(alive(), 0);
    EXPECT_EQ(findInDriver<int()>("simulatorContextDepth")(), 0);
  }
  Settings before;
};

} // namespace onnxc::simulator

#endif // ONNXC_TEST_UNIT_DEVICE_DEVICETEST_H
