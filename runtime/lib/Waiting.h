//===- Waiting.h - How threads wait for each other --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// All zeros is the state in which nothing has happened yet.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_WAITING_H
#define ONNXC_RUNTIME_LIB_WAITING_H

#include "os/OS.h"

#include <atomic>
#include <limits.h>

namespace onnxc::rt {

/// How long to poll at least, and at most, before sleeping.
inline constexpr int64_t kMinSpin = 10000, kMaxSpin = 64000;
/// The number of consecutive sleeps in which no thread waited for a processor
/// after which processors are taken to be idle.
inline constexpr uint32_t kUndelayedSleeps = 64;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// Spins until `done` holds; false after `nanoseconds`.
template <typename Predicate>
bool spin(Predicate done, int64_t nanoseconds = kMinSpin) {
  for (int i = 0; i < 64; ++i) {
    if (done())
      return true;
    pause();
  }
  for (int64_t end = os::now() + nanoseconds; os::now() < end;)
    for (int i = 0; i < 16; ++i) {
      if (done())
        return true;
      pause();
    }
  return done();
}

/// The spin timeout of the threads that sleep on one word: twice the time that
/// waking one of them takes. Who is woken arrives that late at the next
/// barrier, where the others, if they slept, would have to be woken in turn.
/// Where threads wait for a processor, spinning takes it from them: then it is
/// the least.
class SpinTimeout {
public:
  int64_t nanoseconds() const {
    if (undelayed.load(std::memory_order_relaxed) < kUndelayedSleeps)
      return kMinSpin;
    int64_t twice = 2 * latency.load(std::memory_order_relaxed);
    return twice < kMinSpin ? kMinSpin : twice > kMaxSpin ? kMaxSpin : twice;
  }

  /// A thread slept `nanoseconds`, the last `wakeUp` of them after it was
  /// woken. Where either is long, a thread was kept from running.
  void noteSleep(int64_t nanoseconds, int64_t wakeUp) {
    bool isDelayed = wakeUp > kMaxSpin || nanoseconds > 4 * kMaxSpin;
    uint32_t count = undelayed.load(std::memory_order_relaxed);
    undelayed.store(isDelayed                  ? 0
                    : count < kUndelayedSleeps ? count + 1
                                               : count,
                    std::memory_order_relaxed);
    int64_t known = latency.load(std::memory_order_relaxed);
    if (!isDelayed)
      latency.store(known + (wakeUp - known) / 4, std::memory_order_relaxed);
  }

  /// Sleeps on `word`, which is `expected`, while `isWaiting` holds.
  template <typename Predicate>
  void sleepWhile(Predicate isWaiting, uint32_t *word, uint32_t expected) {
    int64_t begin = os::now();
    while (isWaiting())
      os::futexWait(word, expected);
    int64_t end = os::now(), woken = wokenAt.load(std::memory_order_relaxed);
    if (woken > begin)
      noteSleep(end - begin, end - woken);
  }

  /// Wakes up to `count` threads that sleep on `word`.
  void wake(uint32_t *word, int count) {
    wokenAt.store(os::now(), std::memory_order_relaxed);
    os::futexWake(word, count);
  }

private:
  std::atomic<int64_t> latency, wokenAt;
  std::atomic<uint32_t> undelayed; // sleeps since the last delayed one
};

/// One waits, others post. Spins first, then sleeps.
class Event {
public:
  void wait() {
    auto isPosted = [&] {
      return word.load(std::memory_order_acquire) == Posted;
    };
    if (!spin(isPosted, timeout.nanoseconds())) {
      uint32_t expected = Nothing;
      if (word.compare_exchange_strong(expected, Sleeping))
        timeout.sleepWhile([&] { return !isPosted(); }, address(), Sleeping);
    }
    word.store(Nothing, std::memory_order_relaxed);
  }

  void post() {
    if (word.exchange(Posted, std::memory_order_acq_rel) == Sleeping)
      timeout.wake(address(), 1);
  }

private:
  enum : uint32_t { Nothing = 0, Posted = 1, Sleeping = 2 };
  uint32_t *address() { return reinterpret_cast<uint32_t *>(&word); }

  std::atomic<uint32_t> word;
  SpinTimeout timeout;
};

/// All threads of a region meet. The last to arrive moves the phase on. Its
/// lowest bit says whether the region is over: threads that asked for
/// themselves could differ, and some would wait at the next barrier for others.
class Barrier {
public:
  /// The result of `isOver` when all have arrived.
  template <typename Predicate>
  bool arriveAndWait(uint32_t threads, Predicate isOver) {
    uint32_t current = phase.load(std::memory_order_relaxed);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived.store(0, std::memory_order_relaxed);
      bool over = isOver();
      phase.store(((current | 1) + 1) | over, std::memory_order_seq_cst);
      if (sleepers.load(std::memory_order_seq_cst) != 0)
        timeout.wake(address(), INT_MAX);
      return over;
    }
    uint32_t seen = current;
    auto moved = [&] {
      seen = phase.load(std::memory_order_acquire);
      return seen != current;
    };
    if (!spin(moved, timeout.nanoseconds())) {
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      timeout.sleepWhile([&] { return !moved(); }, address(), current);
      sleepers.fetch_sub(1, std::memory_order_relaxed);
    }
    return seen & 1;
  }

private:
  uint32_t *address() { return reinterpret_cast<uint32_t *>(&phase); }

  alignas(64) std::atomic<uint32_t> arrived;
  alignas(64) std::atomic<uint32_t> phase;
  std::atomic<uint32_t> sleepers;
  SpinTimeout timeout;
};

/// The handshake by which a worker joins a region. The caller requests, the
/// worker reports ready, and the caller admits it or cancels the request.
class WorkerHandshake {
public:
  void request() { word.store(Requested, std::memory_order_release); }
  /// Admits the worker, also without a request; it may join later.
  void admit() {
    if (word.exchange(Admitted, std::memory_order_acq_rel) == Sleeping)
      os::futexWake(address(), 1);
  }
  bool isReady() const { return word.load(std::memory_order_acquire) >= Ready; }
  void cancel() {
    if (word.exchange(Nothing, std::memory_order_acq_rel) == Sleeping)
      os::futexWake(address(), 1);
  }

  /// The worker's side: false if there is no request, or it was cancelled.
  bool join() {
    uint32_t seen = Requested;
    if (!word.compare_exchange_strong(seen, Ready) && seen != Admitted)
      return false;
    spin([&] { return word.load(std::memory_order_acquire) != Ready; });
    seen = Ready;
    if (word.compare_exchange_strong(seen, Sleeping))
      while (word.load(std::memory_order_acquire) == Sleeping)
        os::futexWait(address(), Sleeping);
    seen = Admitted;
    return word.compare_exchange_strong(seen, Nothing);
  }

private:
  enum : uint32_t { Nothing, Requested, Admitted, Ready, Sleeping };
  uint32_t *address() { return reinterpret_cast<uint32_t *>(&word); }

  std::atomic<uint32_t> word;
};

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_WAITING_H
