//===- Roofline.cpp - Peak rates of the machine -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Multiply-adds in registers, and sums of buffers that are read again and
// again, with the widest vectors of the processor. Other programs can only slow
// these down, so the best of some rounds counts.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <thread>

using namespace llvm;
using namespace onnxc::run;

using Lanes4 = float __attribute__((vector_size(16)));
using Lanes8 = float __attribute__((vector_size(32)));
using Lanes16 = float __attribute__((vector_size(64)));

/// Numbers that the compiler does not know.
static volatile float factor = 0.5f, addend = 1;

/// Makes a result count as used.
[[gnu::always_inline]] static inline void keep(float x) {
  [[maybe_unused]] volatile float sink = x;
}

/// Operations of so many steps.
template <typename Lanes>
[[gnu::always_inline]] static inline double multiplyAdd(int64_t steps) {
  constexpr int count = 12;
  Lanes sums[count] = {};
  Lanes x = Lanes{} + factor, y = Lanes{} + addend;
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (Lanes &sum : sums)
      sum = sum * x + y;
  for (Lanes &sum : sums)
    keep(sum[0]);
  return 2.0 * count * double(sizeof(Lanes) / sizeof(float)) * double(steps);
}

/// Reads a buffer, whose size is a multiple of 1 KiB.
template <typename Lanes>
[[gnu::always_inline]] static inline void readBuffer(const float *data,
                                                     size_t size) {
  constexpr int count = 8;
  auto *lanes = reinterpret_cast<const Lanes *>(data);
  Lanes sums[count] = {};
  for (size_t i = 0; i < size / sizeof(Lanes); i += count)
#pragma clang loop unroll(full)
    for (int j = 0; j < count; ++j)
      sums[j] += lanes[i + j];
  for (Lanes &sum : sums)
    keep(sum[0]);
}

namespace {

struct Loops {
  double (*multiplyAdd)(int64_t steps);
  void (*readBuffer)(const float *data, size_t size);
};

} // namespace

#if defined(__x86_64__)
#define WITH(FEATURES) __attribute__((target(FEATURES)))
WITH("avx512f") static double multiplyAdd512(int64_t steps) {
  return multiplyAdd<Lanes16>(steps);
}
WITH("avx512f") static void readBuffer512(const float *data, size_t size) {
  readBuffer<Lanes16>(data, size);
}
WITH("avx2,fma") static double multiplyAdd256(int64_t steps) {
  return multiplyAdd<Lanes8>(steps);
}
WITH("avx2,fma") static void readBuffer256(const float *data, size_t size) {
  readBuffer<Lanes8>(data, size);
}
#undef WITH
#endif

static Loops loopsOfProcessor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {multiplyAdd512, readBuffer512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {multiplyAdd256, readBuffer256};
#endif
  return {
      [](int64_t steps) { return multiplyAdd<Lanes4>(steps); },
      [](const float *data, size_t size) { readBuffer<Lanes4>(data, size); }};
}

/// The rate of all threads, the best of some rounds: `work` does a part of its
/// work, given the thread, and returns how much that was.
template <typename Work>
static double bestRate(size_t threads, Work work) {
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 4;
  constexpr std::chrono::duration<double> least(4e-3);
  std::vector<std::array<double, rounds>> rates(threads);
  std::barrier<> start{std::ptrdiff_t(threads)};
  auto run = [&](size_t thread) {
    work(thread);
    for (double &rate : rates[thread]) {
      start.arrive_and_wait();
      double done = 0;
      Clock::time_point begin = Clock::now();
      std::chrono::duration<double> time(0);
      while (time < least) {
        done += work(thread);
        time = Clock::now() - begin;
      }
      rate = done / time.count();
    }
  };
  std::vector<std::thread> others;
  for (size_t thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    double sum = 0;
    for (const auto &ofThread : rates)
      sum += ofThread[round];
    best = std::max(best, sum);
  }
  return best;
}

Roofline Roofline::measure(size_t threads) {
  constexpr size_t kib = 1024, largest = 64 * kib * kib;
  Loops loops = loopsOfProcessor();
  Roofline roofline;
  roofline.operationsPerSecond =
      bestRate(threads, [&](size_t) { return loops.multiplyAdd(20000); });
  struct alignas(64) Line {
    float words[16];
  };
  std::vector<std::vector<Line>> buffers(threads);
  for (auto &buffer : buffers)
    buffer.resize(largest / threads / kib * kib / sizeof(Line), Line{{1}});
  for (size_t size = 32 * kib; size <= largest; size *= 8) {
    size_t own = std::max<size_t>(size / threads / kib, 1) * kib;
    double rate = bestRate(threads, [&](size_t thread) {
      loops.readBuffer(buffers[thread].data()->words, own);
      return double(own);
    });
    roofline.bandwidths.push_back({own * threads, rate});
  }
  // A larger buffer is no nearer than a smaller one, whatever was measured.
  for (size_t i = roofline.bandwidths.size() - 1; i-- > 0;)
    roofline.bandwidths[i].bytesPerSecond =
        std::max(roofline.bandwidths[i].bytesPerSecond,
                 roofline.bandwidths[i + 1].bytesPerSecond);
  return roofline;
}

double Roofline::seconds(double operations, double bytes) const {
  auto holds = [&](const Bandwidth &b) { return double(b.buffer) >= bytes; };
  auto found = std::find_if(bandwidths.begin(), bandwidths.end(), holds);
  const Bandwidth &bandwidth =
      found == bandwidths.end() ? bandwidths.back() : *found;
  return std::max(operations / operationsPerSecond,
                  bytes / bandwidth.bytesPerSecond);
}

json::Object Roofline::json() const {
  json::Array list;
  for (const Bandwidth &bandwidth : bandwidths)
    list.push_back(
        json::Object{{"buffer_bytes", int64_t(bandwidth.buffer)},
                     {"gbytes_per_second", bandwidth.bytesPerSecond * 1e-9}});
  return json::Object{{"gflops", operationsPerSecond * 1e-9},
                      {"bandwidths", std::move(list)}};
}
