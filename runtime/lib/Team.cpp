//===- Team.cpp - Worker threads and how calls take them --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// All state of the pool is in pages that the system zeroes in a forked child,
// and all zeros is a valid empty pool: a child has no workers, and starts its
// own. Where the system cannot do that there is no pool, and calls run alone.
//
//===----------------------------------------------------------------------===//

#include "Team.h"

#include "os/OS.h"

#include <atomic>
#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// How long to spin before sleeping: about the cost of being woken.
constexpr int64_t kSpinNanoseconds = 10000;

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// Spins until `done` holds; false after kSpinNanoseconds.
template <typename Predicate>
static bool spin(Predicate done) {
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

/// The rounding mode and flush-to-zero bits of a thread: workers take over
/// those of the caller, or results would depend on who computes a tile.
static uint64_t floatingMode() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  return __builtin_aarch64_get_fpcr64();
#else
  return 0;
#endif
}

static void setFloatingMode(uint64_t mode) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(unsigned(mode));
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr64(mode);
#endif
}

namespace {

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

} // namespace

/// Belongs to the first worker of the team, so that it outlives the call and a
/// slow worker may still look at the barrier it is leaving.
struct onnxc::rt::Team {
  OnnxcRegionFn fn;
  void *frame;
  uint64_t floatingMode;
  uint32_t nthreads;
  int32_t workers;
  uint64_t members[kMaxWorkers / 64];
  uint16_t member[kMaxWorkers]; // numbers of the workers, ascending
  Barrier barrier;
  alignas(64) std::atomic<uint32_t> running;
  Event finished;
};

namespace {

struct alignas(64) Worker {
  Event wake;
  Team *team; // what to do once woken; null: end
  int32_t tid;
  os::Thread thread;
  alignas(64) Team ownTeam;
};

struct Pool {
  std::atomic<uint64_t> idle[kMaxWorkers / 64];
  std::atomic<int32_t> started;
  std::atomic<uint32_t> starting; // 1 while a thread adds workers
  Worker workers[kMaxWorkers];
};

} // namespace

static std::atomic<Pool *> thePool;
static std::atomic<bool> poolRefused;
static std::atomic<int> limitSet;
static std::atomic<int> processorsKnown;

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static int processors() {
  int count = processorsKnown.load(std::memory_order_relaxed);
  if (count == 0) {
    count = os::processorCount();
    processorsKnown.store(count, std::memory_order_relaxed);
  }
  return count;
}

/// OM_NUM_THREADS; 0 if it is unset or no positive number.
static int environmentLimit() {
  const char *text = getenv("OM_NUM_THREADS");
  int value = 0;
  for (; text && *text >= '0' && *text <= '9' && value < 100000; ++text)
    value = value * 10 + (*text - '0');
  return text && *text == 0 ? value : 0;
}

int rt::threadLimit() {
  int limit = limitSet.load(std::memory_order_relaxed);
  if (limit == 0) {
    limit = environmentLimit();
    limit = limit == 0 ? INT_MAX : limit;
    limitSet.store(limit, std::memory_order_relaxed);
  }
  return limit < processors() ? limit : processors();
}

void rt::setThreadLimit(int limit) {
  limitSet.store(limit, std::memory_order_relaxed);
}

void rt::overrideProcessorCount(int count) {
  processorsKnown.store(count, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

static void *workerMain(void *argument) {
  Worker &self = *static_cast<Worker *>(argument);
  for (;;) {
    self.wake.wait();
    Team *team = self.team;
    if (!team)
      return nullptr;
    setFloatingMode(team->floatingMode);
    team->fn(team->frame, self.tid, int32_t(team->nthreads), team);
    if (team->running.fetch_sub(1, std::memory_order_acq_rel) == 1)
      team->finished.post();
  }
}

static Pool *getPool() {
  Pool *pool = thePool.load(std::memory_order_acquire);
  if (pool || poolRefused.load(std::memory_order_relaxed))
    return pool;
  Pool *fresh = static_cast<Pool *>(os::allocateWipedOnFork(sizeof(Pool)));
  if (!fresh) {
    poolRefused.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  if (thePool.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel))
    return fresh;
  os::freePages(fresh, sizeof(Pool));
  return pool;
}

static std::atomic<uint64_t> &idleWord(Pool &pool, int worker) {
  return pool.idle[worker / 64];
}

/// Brings the pool to `count` workers, unless another call is doing so.
/// Returns how many were started.
static int growPool(Pool &pool, int count) {
  count = count < kMaxWorkers ? count : kMaxWorkers;
  if (pool.started.load(std::memory_order_relaxed) >= count)
    return 0;
  if (pool.starting.exchange(1, std::memory_order_acquire) != 0)
    return 0;
  int before = pool.started.load(std::memory_order_relaxed);
  int now = before;
  for (; now < count; ++now) {
    Worker &worker = pool.workers[now];
    if (!os::startThread(worker.thread, workerMain, &worker))
      break;
    idleWord(pool, now).fetch_or(uint64_t(1) << (now % 64),
                                 std::memory_order_release);
  }
  pool.started.store(now, std::memory_order_relaxed);
  pool.starting.store(0, std::memory_order_release);
  return now - before;
}

/// Takes at most `wanted` bits out of `idle`, the lowest first.
static uint64_t takeIdle(std::atomic<uint64_t> &idle, int wanted) {
  uint64_t seen = idle.load(std::memory_order_relaxed);
  for (;;) {
    uint64_t taken = 0, rest = seen;
    for (int i = 0; i < wanted && rest; ++i) {
      taken |= rest & -rest;
      rest &= rest - 1;
    }
    if (!taken)
      return 0;
    if (idle.compare_exchange_weak(seen, seen & ~taken,
                                   std::memory_order_acq_rel))
      return taken;
  }
}

Team *rt::acquireTeam(int wanted, int &started) {
  started = 0;
  int available = processors() - 1;
  wanted = wanted < available ? wanted : available;
  Pool *pool = wanted > 0 ? getPool() : nullptr;
  if (!pool)
    return nullptr;
  started = growPool(*pool, wanted);
  Team *team = nullptr;
  for (int word = 0; word < kMaxWorkers / 64 && wanted > 0; ++word) {
    uint64_t taken = takeIdle(pool->idle[word], wanted);
    if (taken && !team) {
      team = &pool->workers[word * 64 + __builtin_ctzll(taken)].ownTeam;
      team->workers = 0;
      for (uint64_t &bits : team->members)
        bits = 0;
    }
    if (!taken)
      continue;
    team->members[word] = taken;
    for (; taken; taken &= taken - 1, --wanted)
      team->member[team->workers++] =
          uint16_t(word * 64 + __builtin_ctzll(taken));
  }
  return team;
}

int rt::teamWorkers(const Team *team) { return team ? team->workers : 0; }

void rt::runOnTeam(Team *team, OnnxcRegionFn fn, void *frame, int nthreads) {
  Pool &pool = *thePool.load(std::memory_order_relaxed);
  team->fn = fn;
  team->frame = frame;
  team->floatingMode = floatingMode();
  team->nthreads = uint32_t(nthreads);
  team->running.store(uint32_t(nthreads - 1), std::memory_order_relaxed);
  for (int i = 1; i < nthreads; ++i) {
    Worker &worker = pool.workers[team->member[i - 1]];
    worker.team = team;
    worker.tid = i;
    worker.wake.post();
  }
  fn(frame, 0, nthreads, team);
  team->finished.wait();
}

void rt::releaseTeam(Team *team) {
  Pool &pool = *thePool.load(std::memory_order_relaxed);
  // The team itself is free for others as soon as its first worker is.
  uint64_t members[kMaxWorkers / 64];
  for (int word = 0; word < kMaxWorkers / 64; ++word)
    members[word] = team->members[word];
  for (int word = 0; word < kMaxWorkers / 64; ++word)
    if (members[word])
      pool.idle[word].fetch_or(members[word], std::memory_order_release);
}

void onnxc_rt_barrier(void *opaque) {
  if (Team *team = static_cast<Team *>(opaque))
    team->barrier.arriveAndWait(team->nthreads);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void rt::shutDownPool() {
  Pool *pool = thePool.load(std::memory_order_acquire);
  if (!pool)
    return;
  int left = pool->started.load(std::memory_order_relaxed);
  // A worker that is still in a call when the process ends is left alone.
  for (int64_t end = os::now() + 100000000; left > 0 && os::now() < end;) {
    for (int word = 0; word < kMaxWorkers / 64; ++word)
      for (uint64_t taken = takeIdle(pool->idle[word], 64); taken;
           taken &= taken - 1, --left) {
        Worker &worker = pool->workers[word * 64 + __builtin_ctzll(taken)];
        worker.team = nullptr;
        worker.wake.post();
        os::joinThread(worker.thread);
      }
  }
  if (left > 0)
    return;
  thePool.store(nullptr, std::memory_order_relaxed);
  os::freePages(pool, sizeof(Pool));
}
