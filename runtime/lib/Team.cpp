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

#include "Waiting.h"
#include "os/OS.h"

#include <atomic>
#include <iterator>
#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// The rounding mode and flush-to-zero bits of a thread: workers take over
/// those of the caller, or results would depend on who computes a tile.
static uint64_t floatingMode() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(mode));
  return mode;
#elif defined(__riscv)
  uint64_t mode;
  __asm__ __volatile__("frrm %0" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

static void setFloatingMode(uint64_t mode) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(unsigned(mode));
#elif defined(__aarch64__)
  __asm__ __volatile__("msr fpcr, %0" : : "r"(mode));
#elif defined(__riscv)
  __asm__ __volatile__("fsrm %0" : : "r"(mode));
#endif
}

/// Belongs to the first worker of the team, so that it outlives the call and a
/// slow worker may still read the barrier it is leaving.
struct onnxc::rt::Team {
  OnnxcParallelRegionFn fn;
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
  WorkerHandshake handshake;
  std::atomic<uint32_t> ends; // 1: once woken, end
  Team *team;                 // the team to join once admitted
  int32_t tid;
  os::Thread thread;
  alignas(64) Team ownTeam;
};

/// Run time of a parallel region, and how often in a row no worker has joined.
struct RegionStatistics {
  std::atomic<OnnxcParallelRegionFn> fn;
  std::atomic<int64_t> nanoseconds;
  std::atomic<uint32_t> misses, calls;
};

struct Pool {
  std::atomic<uint64_t> idle[kMaxWorkers / 64];
  std::atomic<int32_t> started;
  std::atomic<uint32_t> starting; // 1 while a thread adds workers
  RegionStatistics statistics[64];
  Worker workers[kMaxWorkers];
};

} // namespace

static std::atomic<Pool *> thePool;
static std::atomic<bool> poolRefused;
static std::atomic<int> limitSet;
static std::atomic<int> processorsKnown;
/// False if a test pretends that there are more processors: workers then share
/// them, and are waited for.
static std::atomic<bool> processorsAreReal{true};

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
  processorsAreReal.store(count == 0, std::memory_order_relaxed);
  processorsKnown.store(count, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

static void *workerMain(void *argument) {
  Worker &self = *static_cast<Worker *>(argument);
  for (;;) {
    self.wake.wait();
    if (self.ends.load(std::memory_order_acquire))
      return nullptr;
    if (!self.handshake.join())
      continue;
    Team *team = self.team;
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

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// A caller that has not run for so long was preempted,
/// perhaps by a worker, which then cannot run beside it.
constexpr int64_t kPreemptedNanoseconds = 20000;
/// The spin timeouts in nanoseconds: of a region that has not run before, the
/// smallest and the largest one.
constexpr int64_t kInitialSpinTimeout = 100000, kMinSpinTimeout = 20000,
                  kMaxSpinTimeout = 2000000;
/// The full timeout is used again every so many calls without workers.
constexpr uint32_t kCallsBetweenTrials = 16;

static RegionStatistics &statisticsOf(Pool &pool, OnnxcParallelRegionFn fn) {
  auto address = reinterpret_cast<uintptr_t>(fn);
  RegionStatistics &region =
      pool.statistics[(address >> 4) % std::size(pool.statistics)];
  if (region.fn.exchange(fn, std::memory_order_relaxed) != fn) {
    region.nanoseconds.store(8 * kInitialSpinTimeout,
                             std::memory_order_relaxed);
    region.misses.store(0, std::memory_order_relaxed);
    region.calls.store(0, std::memory_order_relaxed);
  }
  return region;
}

/// Damped, as other processes delay some runs.
static void noteTime(RegionStatistics &region, int64_t nanoseconds) {
  int64_t known = region.nanoseconds.load(std::memory_order_relaxed);
  if (nanoseconds > known)
    nanoseconds = known + (nanoseconds - known) / 8;
  region.nanoseconds.store(nanoseconds, std::memory_order_relaxed);
}

/// Spin timeout for workers: an eighth of the region's time, halved each
/// time that none has joined.
static int64_t spinTimeoutOf(RegionStatistics &region) {
  int64_t share = region.nanoseconds.load(std::memory_order_relaxed) / 8;
  int64_t timeout = share < kMinSpinTimeout   ? kMinSpinTimeout
                    : share > kMaxSpinTimeout ? kMaxSpinTimeout
                                              : share;
  uint32_t misses = region.misses.load(std::memory_order_relaxed);
  bool isTrial = region.calls.fetch_add(1, std::memory_order_relaxed) %
                     kCallsBetweenTrials ==
                 0;
  return isTrial ? timeout : timeout >> (misses < 3 ? misses : 3);
}

/// Waits until all workers are ready, at most `timeout`. False if this thread
/// itself was preempted meanwhile.
static bool waitUntilReady(Pool &pool, const Team &team, int workers,
                           int64_t timeout) {
  int ready = 0;
  auto areAll = [&] {
    while (ready < workers &&
           pool.workers[team.member[ready]].handshake.isReady())
      ++ready;
    return ready == workers;
  };
  int64_t last = os::now();
  for (int64_t end = last + timeout; last < end;) {
    for (int i = 0; i < 16; ++i) {
      if (areAll())
        return os::now() - last < kPreemptedNanoseconds;
      pause();
    }
    int64_t now = os::now();
    if (now - last > kPreemptedNanoseconds)
      return false;
    last = now;
  }
  return true;
}

/// Admits the workers that run now, and no others: a thread that waits for a
/// processor would keep all others waiting at each barrier. Returns the number
/// of threads, this one included.
static int gatherWorkers(Pool &pool, Team &team, int workers,
                         RegionStatistics &region) {
  int64_t timeout = spinTimeoutOf(region);
  for (int i = 0; i < workers; ++i) {
    Worker &worker = pool.workers[team.member[i]];
    worker.team = &team;
    worker.handshake.request();
    worker.wake.post();
  }
  bool isRunning = waitUntilReady(pool, team, workers, timeout);
  Worker *ready[kMaxWorkers];
  int count = 0;
  for (int i = 0; i < workers; ++i) {
    Worker &worker = pool.workers[team.member[i]];
    if (isRunning && worker.handshake.isReady())
      ready[count++] = &worker;
    else
      worker.handshake.cancel();
  }
  region.misses.store(
      count > 0 ? 0 : region.misses.load(std::memory_order_relaxed) + 1,
      std::memory_order_relaxed);
  team.nthreads = uint32_t(count + 1);
  team.running.store(uint32_t(count), std::memory_order_relaxed);
  for (int i = 0; i < count; ++i) {
    ready[i]->tid = i + 1;
    ready[i]->handshake.admit();
  }
  return count + 1;
}

/// Admits all workers, whether they run or not.
static int callWorkers(Pool &pool, Team &team, int workers) {
  team.nthreads = uint32_t(workers + 1);
  team.running.store(uint32_t(workers), std::memory_order_relaxed);
  for (int i = 0; i < workers; ++i) {
    Worker &worker = pool.workers[team.member[i]];
    worker.team = &team;
    worker.tid = i + 1;
    worker.handshake.admit();
    worker.wake.post();
  }
  return workers + 1;
}

void rt::runOnTeam(Team *team, OnnxcParallelRegionFn fn, void *frame,
                   int nthreads) {
  Pool &pool = *thePool.load(std::memory_order_relaxed);
  team->fn = fn;
  team->frame = frame;
  team->floatingMode = floatingMode();
  RegionStatistics &region = statisticsOf(pool, fn);
  int threads = processorsAreReal.load(std::memory_order_relaxed)
                    ? gatherWorkers(pool, *team, nthreads - 1, region)
                    : callWorkers(pool, *team, nthreads - 1);
  int64_t begin = os::now();
  fn(frame, 0, threads, threads > 1 ? team : nullptr);
  if (threads > 1)
    team->finished.wait();
  noteTime(region, os::now() - begin);
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

int32_t onnxc_rt_barrier(OnnxcCall *call, void *opaque) {
  auto isOver = [=] { return onnxc_rt_status(call) != ONNXC_OK; };
  Team *team = static_cast<Team *>(opaque);
  return team ? team->barrier.arriveAndWait(team->nthreads, isOver) : isOver();
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
        worker.ends.store(1, std::memory_order_release);
        worker.wake.post();
        os::joinThread(worker.thread);
      }
  }
  if (left > 0)
    return;
  thePool.store(nullptr, std::memory_order_relaxed);
  os::freePages(pool, sizeof(Pool));
}
