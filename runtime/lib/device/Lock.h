//===- Lock.h - Mutual exclusion without libpthread -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_LOCK_H
#define ONNXC_RUNTIME_LIB_DEVICE_LOCK_H

#include "os/OS.h"

#include <atomic>

namespace onnxc::rt::device {

/// A lock whose memory is zero at first. Waiting threads sleep: weights are
/// copied under it.
class Lock {
public:
  void acquire() {
    uint32_t seen = Free;
    if (word.compare_exchange_strong(seen, Held, std::memory_order_acquire))
      return;
    while (word.exchange(Contended, std::memory_order_acquire) != Free)
      os::futexWait(reinterpret_cast<uint32_t *>(&word), Contended);
  }

  void release() {
    if (word.exchange(Free, std::memory_order_release) == Contended)
      os::futexWake(reinterpret_cast<uint32_t *>(&word), 1);
  }

private:
  enum : uint32_t { Free, Held, Contended };
  std::atomic<uint32_t> word;
};

/// Holds a lock while it lives.
class Locked {
public:
  explicit Locked(Lock &lock) : lock(lock) { lock.acquire(); }
  ~Locked() { lock.release(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  Lock &lock;
};

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_LOCK_H
