//===- ContractionBench.cpp - Matrix products and the FMA peak -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Compiles MatMul with constant weights in this process, runs it on one thread
// and reports its rate as a fraction of what the core reaches with FMAs alone.
// Runs of the product and of the FMA loop alternate, so that both see the same
// frequencies; the counters come from the shortest run of each.
//
//===----------------------------------------------------------------------===//

#include "Peak.h"
#include "onnxc/Compile.h"
#include "onnxc/Runtime.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <limits>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

using namespace onnxc::bench;

//===----------------------------------------------------------------------===//
// The model, as bytes of a protobuf message
//===----------------------------------------------------------------------===//

static void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 128; value >>= 7)
    out += char(value | 128);
  out += char(value);
}

static std::string number(unsigned field, uint64_t value) {
  std::string out;
  appendVarint(out, field << 3);
  appendVarint(out, value);
  return out;
}

static std::string text(unsigned field, const std::string &bytes) {
  std::string out;
  appendVarint(out, field << 3 | 2);
  appendVarint(out, bytes.size());
  return out + bytes;
}

static std::vector<float> randomFloats(int64_t count) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(engine);
  return values;
}

/// ValueInfoProto of an f32 matrix.
static std::string matrixInfo(const char *name, int64_t rows, int64_t columns) {
  std::string shape = text(1, number(1, uint64_t(rows))) +
                      text(1, number(1, uint64_t(columns)));
  return text(1, name) + text(2, text(1, number(1, 1) + text(2, shape)));
}

/// ModelProto of y = x * w with x : m x k, w : k x n.
static std::string matMulModel(int64_t m, int64_t n, int64_t k) {
  std::vector<float> values = randomFloats(k * n);
  std::string raw(reinterpret_cast<const char *>(values.data()),
                  values.size() * sizeof(float));
  std::string weights = number(1, uint64_t(k)) + number(1, uint64_t(n)) +
                        number(2, 1) + text(8, "w") + text(9, raw);
  std::string node =
      text(1, "x") + text(1, "w") + text(2, "y") + text(4, "MatMul");
  std::string graph = text(1, node) + text(2, "product") + text(5, weights) +
                      text(11, matrixInfo("x", m, k)) +
                      text(12, matrixInfo("y", m, n));
  return number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, 17));
}

//===----------------------------------------------------------------------===//
// The compiled model
//===----------------------------------------------------------------------===//

namespace {

/// A loaded artefact with a context of one thread.
class Product {
public:
  Product(int64_t m, int64_t n, int64_t k)
      : x(randomFloats(m * k)), y(m * n), xShape{m, k}, yShape{m, n} {
    error = load(matMulModel(m, n, k));
  }
  ~Product() {
    if (context)
      destroy(context);
    if (library)
      dlclose(library);
  }

  bool run() {
    OMBuffer in = {x.data(), int64_t(x.size() * 4), xShape, 2, ONNX_TYPE_FLOAT};
    OMBuffer out = {y.data(), int64_t(y.size() * 4), yShape, 2,
                    ONNX_TYPE_FLOAT};
    return runContext(context, &in, 1, &out, 1) == OM_STATUS_OK;
  }

  std::string error;

private:
  std::string load(const std::string &model);
  template <typename Function>
  bool find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  std::vector<float> x, y;
  int64_t xShape[2], yShape[2];
  void *library = nullptr;
  OMContext *context = nullptr;
  decltype(&omContextRun) runContext = nullptr;
  decltype(&omContextDestroy) destroy = nullptr;
};

} // namespace

/// Compiles and loads; what went wrong, or "".
std::string Product::load(const std::string &model) {
  char folder[] = "/tmp/bench-contraction-XXXXXX";
  if (!mkdtemp(folder))
    return "no temporary folder";
  std::string path = std::string(folder) + "/product.so";
  OMCompiler *compiler = omCompilerCreate();
  omCompilerSetOption(compiler, "runtime-dir", ONNXC_RUNTIME_DIR);
  omCompilerSetOption(compiler, "output", path.c_str());
  OM_COMPILE_STATUS status =
      omCompilerCompileMemory(compiler, model.data(), model.size(), "product");
  std::string messages = omCompilerGetMessages(compiler);
  omCompilerDestroy(compiler);
  if (status == OM_COMPILE_OK)
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  rmdir(folder);
  if (!library)
    return "cannot compile or load the product: " + messages;
  decltype(&omContextCreate) create;
  decltype(&omContextSetThreads) setThreads;
  if (!find(create, "omContextCreate") ||
      !find(setThreads, "omContextSetThreads") ||
      !find(runContext, "omContextRun") || !find(destroy, "omContextDestroy"))
    return "the artefact lacks a function";
  context = create(nullptr);
  if (!context || setThreads(context, 1) != OM_STATUS_OK || !run())
    return "the product does not run";
  return "";
}

//===----------------------------------------------------------------------===//
// The benchmark
//===----------------------------------------------------------------------===//

template <typename Work>
static double secondsOf(Work work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

static void measureMatMul(benchmark::State &state, int64_t m, int64_t n,
                          int64_t k) {
  if (!hasFusedMultiplyAdd())
    return state.SkipWithError("the processor has no FMA");
  Product product(m, n, k);
  if (!product.error.empty())
    return state.SkipWithError(product.error.c_str());

  double operations = 2.0 * double(m) * double(n) * double(k);
  // Long enough for the clock, short enough to fit between interruptions.
  constexpr int64_t rounds = 100000;
  double peakOperations = runRegisterFMAs(rounds);
  double best = std::numeric_limits<double>::max(), bestPeak = best;
  for (auto _ : state) {
    double peak = secondsOf([&] { runRegisterFMAs(rounds); });
    double time = secondsOf([&] { product.run(); });
    state.SetIterationTime(time);
    best = std::min(best, time);
    bestPeak = std::min(bestPeak, peak);
  }
  state.counters["GFLOP/s"] = operations / best * 1e-9;
  state.counters["peak"] = peakOperations / bestPeak * 1e-9;
  state.counters["fraction"] = operations / best / (peakOperations / bestPeak);
}

int main(int argc, char **argv) {
  benchmark::RegisterBenchmark("MatMul/128x768x768", measureMatMul, 128, 768,
                               768)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("MatMul/512x512x512", measureMatMul, 512, 512,
                               512)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
