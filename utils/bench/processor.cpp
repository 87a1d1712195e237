//===- processor.cpp - Costs of this processor -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Measures numbers of lib/Target/ProcessorTable.cpp, in cycles of a chain of
// dependent additions, at the best of several repetitions:
//
//   clang++-22 -O2 -march=native -pthread utils/bench/processor.cpp
//   chrt -f 50 ./a.out
//
// Real-time priority keeps other processes off the processor, but not off the
// caches that it shares with others.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr int64_t repetitions = 40;

#ifdef __AVX512F__
constexpr int64_t vectorBytes = 64;
#elif defined(__AVX__)
constexpr int64_t vectorBytes = 32;
#else
constexpr int64_t vectorBytes = 16;
#endif
using Vector = float __attribute__((vector_size(vectorBytes)));

/// Seconds of the fastest call.
double best(const std::function<void()> &call) {
  double seconds = 1e9;
  for (int64_t i = 0; i < repetitions; ++i) {
    auto start = std::chrono::steady_clock::now();
    call();
    seconds = std::min(seconds, std::chrono::duration<double>(
                                    std::chrono::steady_clock::now() - start)
                                    .count());
  }
  return seconds;
}

/// Seconds of one addition that waits for the one before.
double cycleSeconds() {
  constexpr int64_t additions = 1 << 20;
  return best([] {
           int64_t sum = 0;
           for (int64_t i = 0; i < additions; ++i) {
             sum += i;
             __asm__ volatile("" : "+r"(sum));
           }
         }) /
         additions;
}

/// Bytes in a cycle that one core reads, or copies, of so many.
double bytesPerCycle(int64_t bytes, bool copies, double cycle) {
  int64_t vectors = bytes / vectorBytes / (copies ? 2 : 1);
  std::vector<Vector> from(vectors), to(copies ? vectors : 0);
  int64_t rounds = std::max<int64_t>((8 << 20) / bytes, 1);
  double seconds =
      best([rounds, vectors, copies, in = from.data(), out = to.data()] {
        for (int64_t round = 0; round < rounds; ++round)
#pragma clang loop unroll_count(16)
          for (int64_t i = 0; i < vectors; ++i) {
            Vector value = in[i];
            if (copies)
              out[i] = value;
            __asm__ volatile("" : : "v"(value));
          }
      });
  return double(rounds * vectors * vectorBytes * (copies ? 2 : 1)) / seconds *
         cycle;
}

/// Cycles until another thread has seen a word, for which it polls, or sleeps;
/// the median.
double handoverCycles(bool sleeps, double cycle) {
  using Clock = std::chrono::steady_clock;
  constexpr uint32_t rounds = 200;
  std::atomic<uint32_t> word{0};
  std::vector<Clock::time_point> seen(rounds + 1);
  std::thread other([&] {
    for (uint32_t i = 1; i <= rounds; ++i) {
      for (uint32_t now; (now = word.load()) != i;)
        if (sleeps)
          word.wait(now);
      seen[i] = Clock::now();
    }
  });
  std::vector<double> seconds;
  for (uint32_t i = 1; i <= rounds; ++i) {
    // Long enough to fall asleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    auto start = Clock::now();
    word.store(i);
    if (sleeps)
      word.notify_all();
    // It has seen the word before the next one comes.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    seconds.push_back(std::chrono::duration<double>(seen[i] - start).count());
  }
  other.join();
  std::sort(seconds.begin(), seconds.end());
  return seconds[rounds / 2] / cycle;
}

} // namespace

int main() {
  double cycle = cycleSeconds();
  std::printf("clock: %.2f GHz\n", 1e-9 / cycle);
  struct Level {
    const char *name;
    int64_t bytes;
  };
  for (Level level :
       {Level{"l2", 512 << 10}, {"l3", 8 << 20}, {"memory", 256 << 20}})
    std::printf("%s_bytes_per_cycle: %.1f read, %.1f copied\n", level.name,
                bytesPerCycle(level.bytes, false, cycle),
                bytesPerCycle(level.bytes, true, cycle));
  std::printf("handover: %.0f cycles to a thread that sleeps, %.0f to one that "
              "polls\n",
              handoverCycles(true, cycle), handoverCycles(false, cycle));
}
