//===- Waiting.h - How threads wait for each other --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// All zeros is the state in which nothing has happened yet.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_WAITING_H
#define ONNXC_RUNTIME_WAITING_H

#include "os/OS.h"

#include <atomic>
#include <limits.h>

namespace onnxc::rt {

/// How long to spin before sleeping: about the cost of being woken.
inline constexpr int64_t kSpinNanoseconds = 10000;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// Spins until `done` holds; false after kSpinNanoseconds.
template <typename Predicate>
bool spin(Predicate done) {
  for (int i = 0; i < 64; ++i) {
    if (done())
      return true;
    pause();
  }
  for (int64_t end = os::now() + kSpinNanoseconds; os::now() < end;)
    for (int i = 0; i < 16; ++i) {
      if (done())
        return true;
      pause();
    }
  return done();
}

/// One waits, others post. Spins first, then sleeps.
class Event {
public:
  void wait() {
    if (!spin([&] { return word.load(std::memory_order_acquire) == Posted; })) {
      uint32_t expected = Nothing;
      if (word.compare_exchange_strong(expected, Sleeping))
        while (word.load(std::memory_order_acquire) == Sleeping)
          os::futexWait(address(), Sleeping);
    }
    word.store(Nothing, std::memory_order_relaxed);
  }

  void post() {
    if (word.exchange(Posted, std::memory_order_acq_rel) == Sleeping)
      os::futexWake(address(), 1);
  }

private:
  enum : uint32_t { Nothing = 0, Posted = 1, Sleeping = 2 };
  uint32_t *address() { return reinterpret_cast<uint32_t *>(&word); }

  std::atomic<uint32_t> word;
};

/// All threads of a region meet. The last to arrive moves the phase on.
class Barrier {
public:
  void arriveAndWait(uint32_t threads) {
    uint32_t current = phase.load(std::memory_order_relaxed);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived.store(0, std::memory_order_relaxed);
      phase.store(current + 1, std::memory_order_seq_cst);
      if (sleepers.load(std::memory_order_seq_cst) != 0)
        os::futexWake(address(), INT_MAX);
      return;
    }
    auto moved = [&] {
      return phase.load(std::memory_order_acquire) != current;
    };
    if (spin(moved))
      return;
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (!moved())
      os::futexWait(address(), current);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }

private:
  uint32_t *address() { return reinterpret_cast<uint32_t *>(&phase); }

  alignas(64) std::atomic<uint32_t> arrived;
  alignas(64) std::atomic<uint32_t> phase;
  std::atomic<uint32_t> sleepers;
};

/// The handshake by which a worker joins a region. The caller requests, the
/// worker reports ready, and the caller admits it or cancels the request.
class WorkerHandshake {
public:
  void request() { word.store(Requested, std::memory_order_release); }
  /// Also without a request; the worker may join later.
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

#endif // ONNXC_RUNTIME_WAITING_H
