//===- Roofline.cpp - Peak rates of the machine -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Multiply-adds in registers, those of bytes by the processor's instruction for
// sums of their products, and sums of buffers that are read again and again,
// with the widest vectors of the processor. Other programs can only slow these
// down, so the best of some rounds counts.
//
//===----------------------------------------------------------------------===//

#include "Measure/Roofline.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace llvm;
using namespace onnxc::run;

template <typename Element, size_t bytes>
using Lanes = Element __attribute__((vector_size(bytes)));

/// Numbers that the compiler does not know.
static volatile float factor = 0.5f, addend = 1;
static volatile int32_t word = 0x01020304;

/// Makes a result count as used.
template <typename Element>
[[gnu::always_inline]] static inline void keep(Element x) {
  [[maybe_unused]] volatile Element sink = x;
}

/// Multiply-adds that depend on none of the others.
static constexpr int chains = 12;

/// Operations of so many steps.
template <typename Element, size_t bytes>
[[gnu::always_inline]] static inline double multiplyAdd(int64_t steps) {
  using Vector = Lanes<Element, bytes>;
  Vector sums[chains] = {};
  Vector x = Vector{} + Element(factor), y = Vector{} + Element(addend);
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (Vector &sum : sums)
      sum = sum * x + y;
  for (Vector &sum : sums)
    keep(sum[0]);
  return 2.0 * chains * double(bytes / sizeof(Element)) * double(steps);
}

/// Reads a buffer, whose size is a multiple of 1 KiB.
template <size_t bytes>
[[gnu::always_inline]] static inline void readBuffer(const float *data,
                                                     size_t size) {
  using Lanes = ::Lanes<float, bytes>;
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

/// Loops of the widest vectors of a processor.
struct Loops {
  double (*f32)(int64_t steps);
  double (*f64)(int64_t steps);
  double (*i32)(int64_t steps);
  double (*i64)(int64_t steps);
  double (*i8)(int64_t steps);
  void (*readBuffer)(const float *data, size_t size);
};

} // namespace

#define LOOPS_OF(NAME, BYTES, FEATURES)                                        \
  FEATURES static double NAME##F32(int64_t steps) {                            \
    return multiplyAdd<float, BYTES>(steps);                                   \
  }                                                                            \
  FEATURES static double NAME##F64(int64_t steps) {                            \
    return multiplyAdd<double, BYTES>(steps);                                  \
  }                                                                            \
  FEATURES static double NAME##I32(int64_t steps) {                            \
    return multiplyAdd<uint32_t, BYTES>(steps);                                \
  }                                                                            \
  FEATURES static double NAME##I64(int64_t steps) {                            \
    return multiplyAdd<uint64_t, BYTES>(steps);                                \
  }                                                                            \
  FEATURES static void NAME##Read(const float *data, size_t size) {            \
    readBuffer<BYTES>(data, size);                                             \
  }
LOOPS_OF(plain, 16, )
#if defined(__x86_64__)
#define WITH(FEATURES) __attribute__((target(FEATURES)))
LOOPS_OF(avx2, 32, WITH("avx2,fma"))
LOOPS_OF(avx512, 64, WITH("avx512f"))
/// Sums of four products of bytes.
WITH("avx512f,avx512vnni") static double vnniI8(int64_t steps) {
  __m512i sums[chains] = {}, x = _mm512_set1_epi32(word);
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (__m512i &sum : sums)
      sum = _mm512_dpbusd_epi32(sum, x, x);
  for (__m512i &sum : sums)
    keep(_mm512_cvtsi512_si32(sum));
  return 2.0 * chains * 64 * double(steps);
}
/// Sums of two products of words of 16 bits.
WITH("avx2") static double avx2I8(int64_t steps) {
  __m256i sums[chains] = {}, x = _mm256_set1_epi32(word);
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (__m256i &sum : sums)
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(sum, x));
  for (__m256i &sum : sums)
    keep(_mm256_extract_epi32(sum, 0));
  return 2.0 * chains * 16 * double(steps);
}
#undef WITH
#endif
#undef LOOPS_OF

static Loops loopsOfProcessor() {
  Loops loops{plainF32, plainF64, plainI32, plainI64, plainI32, plainRead};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    loops = {avx2F32, avx2F64, avx2I32, avx2I64, avx2I8, avx2Read};
  if (__builtin_cpu_supports("avx512f"))
    loops = {avx512F32, avx512F64, avx512I32, avx512I64, loops.i8, avx512Read};
  if (__builtin_cpu_supports("avx512vnni"))
    loops.i8 = vnniI8;
#endif
  return loops;
}

/// The rate of all threads, the best of some rounds: `work` does a part of its
/// work, given the thread, and returns how much that was.
template <typename Work>
static double bestRate(size_t threads, Work work) {
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 4;
  constexpr std::chrono::duration<double> minTime(4e-3);
  std::vector<std::array<double, rounds>> rates(threads);
  std::barrier<> start{std::ptrdiff_t(threads)};
  auto run = [&](size_t thread) {
    work(thread);
    for (double &rate : rates[thread]) {
      start.arrive_and_wait();
      double done = 0;
      Clock::time_point begin = Clock::now();
      std::chrono::duration<double> time(0);
      while (time < minTime) {
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
  std::pair<const char *, double (*)(int64_t)> kinds[] = {{"f32", loops.f32},
                                                          {"f64", loops.f64},
                                                          {"i32", loops.i32},
                                                          {"i64", loops.i64},
                                                          {"i8", loops.i8}};
  for (auto [type, loop] : kinds)
    roofline.operationsPerSecond[type] =
        bestRate(threads, [loop = loop](size_t) { return loop(20000); });
  // Kernels extend them to f32.
  for (const char *type : {"f16", "bf16"})
    roofline.operationsPerSecond[type] = roofline.operationsPerSecond["f32"];
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

Roofline Roofline::ofDevice(const json::Object *peaks) {
  Roofline roofline;
  const json::Object *rates =
      peaks ? peaks->getObject("gops_by_type") : nullptr;
  if (!rates)
    return roofline;
  for (const auto &[type, rate] : *rates)
    roofline.operationsPerSecond[type.str()] =
        rate.getAsNumber().value_or(0) * 1e9;
  if (std::optional<double> bandwidth = peaks->getNumber("gbytes_per_second"))
    roofline.bandwidths.push_back({SIZE_MAX, *bandwidth * 1e9});
  return roofline;
}

std::optional<double> Roofline::seconds(const Work &work) const {
  if (bandwidths.empty())
    return std::nullopt;
  double sum = 0;
  for (const auto &[type, operations] : work.operations) {
    auto rate = operationsPerSecond.find(type);
    if (rate == operationsPerSecond.end())
      return std::nullopt;
    sum += operations / rate->second;
  }
  auto holds = [&](const Bandwidth &b) {
    return double(b.buffer) >= work.bytes;
  };
  auto found = std::find_if(bandwidths.begin(), bandwidths.end(), holds);
  const Bandwidth &bandwidth =
      found == bandwidths.end() ? bandwidths.back() : *found;
  return std::max(sum, work.bytes / bandwidth.bytesPerSecond);
}

json::Object Roofline::json() const {
  json::Array list;
  for (const Bandwidth &bandwidth : bandwidths)
    list.push_back(
        json::Object{{"buffer_bytes", int64_t(bandwidth.buffer)},
                     {"gbytes_per_second", bandwidth.bytesPerSecond * 1e-9}});
  json::Object rates;
  for (const auto &[type, rate] : operationsPerSecond)
    rates[type] = rate * 1e-9;
  return json::Object{{"gflops", *rates.getNumber("f32")},
                      {"gops_by_type", std::move(rates)},
                      {"bandwidths", std::move(list)}};
}
