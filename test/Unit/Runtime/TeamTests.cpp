//===- TeamTests.cpp - Workers, barriers and admission --------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "MemoryPool.h"
#include "Team.h"
#include "Waiting.h"
#include "os/OS.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace onnxc;
using namespace onnxc::rt;
namespace fs = std::filesystem;

#if __has_feature(thread_sanitizer)
// The tests fork on purpose, and the child starts threads.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace {

/// More workers than this machine may have processors, for the time of a test.
struct Team4 : testing::Test {
  Team4() {
    shutDownPool();
    overrideProcessorCount(4);
    setThreadLimit(4);
  }
  ~Team4() override {
    shutDownPool();
    overrideProcessorCount(0);
    setThreadLimit(0);
  }
};

/// A run without a model, for regions that a test starts itself.
struct Call {
  OMContext *context = omContextCreate("team");
  Call() { context->progress = onnxc::rt::RunProgress::Running; }
  ~Call() { omContextDestroy(context); }
  OnnxcCall *get() const { return static_cast<OnnxcCall *>(context); }
};

/// How many threads the entry point `team` ran on, at most `maxThreads`.
int64_t teamSize(OMContext *context, int64_t maxThreads) {
  OMBuffer input = {&maxThreads, 8, nullptr, 0, ONNX_TYPE_INT64}, output = {};
  if (omContextRun(context, &input, 1, &output, 1) != OM_STATUS_OK)
    return -1;
  for (int64_t i = 0; i < output.shape[0]; ++i) // 2 * tid
    if (static_cast<int64_t *>(output.data)[i] != 2 * i)
      return -2;
  return output.shape[0];
}

} // namespace

TEST(Team, ThreadsHandleSignalsOfTheCLibrary) {
  // The C library unblocks its own signals when the first thread starts.
  std::thread([] {}).join();
  uint64_t blocked = 0;
  os::Thread thread;
  ASSERT_TRUE(os::startThread(
      thread,
      [](void *set) -> void * {
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, set, sizeof blocked);
        return nullptr;
      },
      &blocked));
  os::joinThread(thread);
  auto isBlocked = [&](int signal) { return blocked >> (signal - 1) & 1; };
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGRTMAX})
    EXPECT_TRUE(isBlocked(signal)) << signal;
  // setuid() waits until each thread has handled 33.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, 32, 33, 34})
    EXPECT_FALSE(isBlocked(signal)) << signal;
}

TEST_F(Team4, RegionUsesWhatItMay) {
  OMContext *context = omContextCreate("team");
  EXPECT_EQ(teamSize(context, 1), 1);
  EXPECT_EQ(teamSize(context, 2), 2);
  EXPECT_EQ(teamSize(context, 100), 4);
  EXPECT_EQ(omContextSetThreads(context, 3), OM_STATUS_OK);
  EXPECT_EQ(teamSize(context, 100), 3);
  EXPECT_EQ(omContextSetThreads(context, 0), OM_STATUS_OK);
  EXPECT_EQ(teamSize(context, 100), 4);
  EXPECT_EQ(omContextSetThreads(context, -1), OM_STATUS_INVALID);
  EXPECT_EQ(omContextSetThreads(nullptr, 1), OM_STATUS_INVALID);
  omContextDestroy(context);
}

TEST_F(Team4, LimitOfTheArtefact) {
  OMContext *context = omContextCreate("team");
  EXPECT_EQ(omSetThreads(2), OM_STATUS_OK);
  EXPECT_EQ(omGetThreads(), 2);
  EXPECT_EQ(teamSize(context, 100), 2);
  EXPECT_EQ(omSetThreads(1000), OM_STATUS_OK);
  EXPECT_EQ(omGetThreads(), 4); // never more than the processors
  EXPECT_EQ(omSetThreads(-1), OM_STATUS_INVALID);
  EXPECT_EQ(omSetThreads(0), OM_STATUS_OK);
  omContextDestroy(context);
}

TEST_F(Team4, EnvironmentSetsTheLimit) {
  setenv("OM_NUM_THREADS", "3", 1);
  setThreadLimit(0);
  EXPECT_EQ(omGetThreads(), 3);
  setenv("OM_NUM_THREADS", "many", 1);
  setThreadLimit(0);
  EXPECT_EQ(omGetThreads(), 4);
  unsetenv("OM_NUM_THREADS");
}

TEST_F(Team4, AdmissionNeverHandsAWorkerOutTwice) {
  int started;
  Team *first = acquireTeam(2, started);
  EXPECT_EQ(started, 2);
  EXPECT_EQ(teamWorkers(first), 2);
  Team *second = acquireTeam(3, started);
  EXPECT_EQ(teamWorkers(second), 1);
  EXPECT_EQ(acquireTeam(3, started), nullptr); // alone
  EXPECT_EQ(teamWorkers(nullptr), 0);
  releaseTeam(first);
  Team *third = acquireTeam(3, started);
  EXPECT_EQ(teamWorkers(third), 2);
  EXPECT_EQ(started, 0);
  releaseTeam(second);
  releaseTeam(third);
}

TEST_F(Team4, BarrierSeparatesPhases) {
  struct Frame {
    Call call;
    std::atomic<int> arrived{0};
    std::atomic<int> wrong{0};
  } frame;
  int started;
  Team *team = acquireTeam(3, started);
  ASSERT_EQ(teamWorkers(team), 3);
  runOnTeam(
      team,
      [](void *opaque, int32_t tid, int32_t nthreads, void *team) {
        Frame &frame = *static_cast<Frame *>(opaque);
        for (int phase = 1; phase <= 1000; ++phase) {
          frame.arrived.fetch_add(1, std::memory_order_relaxed);
          if (tid == phase % 97) // someone is late, and the others sleep
            usleep(100);
          onnxc_rt_barrier(frame.call.get(), team);
          if (frame.arrived.load(std::memory_order_relaxed) != phase * nthreads)
            ++frame.wrong;
          onnxc_rt_barrier(frame.call.get(), team);
        }
      },
      &frame, 4);
  releaseTeam(team);
  EXPECT_EQ(frame.arrived, 4000);
  EXPECT_EQ(frame.wrong, 0);
}

// One thread finds that the run is to end, before or while others decide: all
// leave at the same barrier, and none waits for one that has left.
TEST_F(Team4, AllLeaveAtTheSameBarrier) {
  struct Frame {
    Call call;
    int last;
    int rounds[4];
  };
  int started;
  Team *team = acquireTeam(3, started);
  ASSERT_EQ(teamWorkers(team), 3);
  for (int last = 0; last < 200; ++last) {
    Frame frame;
    frame.last = last;
    runOnTeam(
        team,
        [](void *opaque, int32_t tid, int32_t, void *team) {
          Frame &frame = *static_cast<Frame *>(opaque);
          int &round = frame.rounds[tid];
          for (round = 0; round < 1000; ++round) {
            if (round == frame.last && tid == frame.last % 4)
              omContextCancel(frame.call.context);
            onnxc_rt_poll(frame.call.get());
            if (onnxc_rt_barrier(frame.call.get(), team))
              break;
          }
        },
        &frame, 4);
    EXPECT_EQ(frame.rounds[0], last);
    for (int rounds : frame.rounds)
      EXPECT_EQ(rounds, frame.rounds[0]);
  }
  releaseTeam(team);
}

TEST(Team, RegionsGoOnWithThoseWhoRun) {
  // As many as there are processors, which others may want as well: however
  // many come, each region is whole, and they are there for the next one.
  struct Frame {
    Call call;
    std::atomic<int> threads{0}, sum{0}, wrong{0};
  };
  shutDownPool();
  int started;
  for (int call = 0; call < 200; ++call) {
    Team *team = acquireTeam(3, started);
    if (!team)
      break; // one processor
    for (int region = 0; region < 5; ++region) {
      Frame frame;
      runOnTeam(
          team,
          [](void *opaque, int32_t tid, int32_t nthreads, void *team) {
            Frame &frame = *static_cast<Frame *>(opaque);
            frame.wrong += (nthreads > 1) != (team != nullptr);
            frame.threads += 1;
            onnxc_rt_barrier(frame.call.get(), team);
            frame.wrong += frame.threads != nthreads;
            frame.sum += 12 * (tid + 1) / nthreads - 12 * tid / nthreads;
          },
          &frame, teamWorkers(team) + 1);
      EXPECT_EQ(frame.sum, 12);
      EXPECT_EQ(frame.wrong, 0);
      if (call % 50 == 0) // long enough for all to fall asleep
        usleep(200);
    }
    releaseTeam(team);
  }
  shutDownPool();
}

TEST_F(Team4, WorkersTakeOverTheRoundingMode) {
  struct Frame {
    std::atomic<int> upward{0};
  } frame;
  std::fesetround(FE_UPWARD);
  int started;
  Team *team = acquireTeam(3, started);
  runOnTeam(
      team,
      [](void *opaque, int32_t, int32_t, void *) {
#if defined(__x86_64__)
        static_cast<Frame *>(opaque)->upward +=
            (__builtin_ia32_stmxcsr() & 0x6000) == 0x4000;
#else
        static_cast<Frame *>(opaque)->upward += std::fegetround() == FE_UPWARD;
#endif
      },
      &frame, 4);
  releaseTeam(team);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(frame.upward, 4);
}

TEST_F(Team4, EightCallersShareThreeWorkers) {
  std::atomic<int> wrong = 0;
  std::atomic<int64_t> threads = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      OMContext *context = omContextCreate("team");
      for (int i = 0; i < 30; ++i) {
        int64_t size = teamSize(context, 4);
        wrong += size < 1 || size > 4;
        threads += size;
      }
      omContextDestroy(context);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(threads, 8 * 30);
}

TEST_F(Team4, ChildOfAForkHasItsOwnWorkers) {
  OMContext *context = omContextCreate("team");
  ASSERT_EQ(teamSize(context, 4), 4);
  pid_t child = fork();
  if (child == 0)
    _exit(teamSize(context, 4) == 4 && teamSize(context, 4) == 4 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(teamSize(context, 4), 4);
  omContextDestroy(context);
}

TEST_F(Team4, PoolStopsAndStartsAgain) {
  OMContext *context = omContextCreate("team");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(teamSize(context, 4), 4);
    shutDownPool();
  }
  omContextDestroy(context);
}

/// Notes enough sleeps of threads that run as soon as they are woken.
void sleepUndelayed(SpinTimeout &timeout, int64_t wakeUp) {
  for (uint32_t i = 0; i < kUndelayedSleeps; ++i)
    timeout.noteSleep(40000, wakeUp);
}

TEST(SpinTimeout, FollowsTheTimeThatWakingTakes) {
  SpinTimeout timeout{};
  EXPECT_EQ(timeout.nanoseconds(), kMinSpin);
  sleepUndelayed(timeout, 25000);
  EXPECT_NEAR(timeout.nanoseconds(), 50000, 100);
  sleepUndelayed(timeout, kMaxSpin);
  EXPECT_EQ(timeout.nanoseconds(), kMaxSpin);
  sleepUndelayed(timeout, 1000);
  EXPECT_EQ(timeout.nanoseconds(), kMinSpin);
}

TEST(SpinTimeout, IsShortWhereThreadsWaitForAProcessor) {
  // The sleeper itself, or the thread that was to wake it.
  for (int64_t wakeUp : {3000000, 3000}) {
    SpinTimeout timeout{};
    sleepUndelayed(timeout, 25000);
    timeout.noteSleep(3010000, wakeUp);
    EXPECT_EQ(timeout.nanoseconds(), kMinSpin);
    timeout.noteSleep(40000, 25000);
    EXPECT_EQ(timeout.nanoseconds(), kMinSpin);
    sleepUndelayed(timeout, 25000);
    EXPECT_NEAR(timeout.nanoseconds(), 50000, 100);
  }
}

TEST(Processors, StayWithinTheAffinityMask) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_LE(os::processorCount(), CPU_COUNT(&all));
  EXPECT_GE(os::processorCount(), 1);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(os::processorCount(), 1);
  sched_setaffinity(0, sizeof all, &all);
}

/// A folder of cgroup files that goes away with the test.
class Groups : public testing::Test {
protected:
  Groups() {
    std::string name = (fs::temp_directory_path() / "onnxc-XXXXXX").string();
    root = mkdtemp(name.data());
  }
  ~Groups() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  int processors(const std::string &groups) {
    write("groups", groups);
    return os::cgroupProcessors((root / "groups").c_str(), root.c_str());
  }

  fs::path root;
};

TEST_F(Groups, Version2TakesTheSmallestOnTheWayUp) {
  write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), INT_MAX);
  write("a/cpu.max", "350000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 4); // rounded up
  write("a/b/cpu.max", "100000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 1);
  write("a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 4);
  EXPECT_EQ(processors("0::/\n"), INT_MAX);
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(processors("0::/\n"), 2);
}

TEST_F(Groups, Version1HasAControllersFolder) {
  write("cpu/c/cpu.cfs_quota_us", "-1\n");
  write("cpu/c/cpu.cfs_period_us", "100000\n");
  std::string groups = "5:memory:/m\n4:cpu,cpuacct:/c\n";
  EXPECT_EQ(processors(groups), INT_MAX);
  write("cpu/c/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(processors(groups), 3);
}

TEST_F(Groups, NonsenseIsNoQuota) {
  EXPECT_EQ(processors(""), INT_MAX);
  EXPECT_EQ(processors("no colons\n:\n0::"), INT_MAX);
  EXPECT_EQ(processors("0::/absent\n"), INT_MAX);
  write("z/cpu.max", "0 0");
  EXPECT_EQ(processors("0::/z"), INT_MAX);
}

//===----------------------------------------------------------------------===//
// The memory pool
//===----------------------------------------------------------------------===//

TEST(MemoryPool, BlocksAreAlignedAndSeparate) {
  MemoryPool pool;
  std::vector<std::pair<char *, int64_t>> blocks;
  for (int64_t bytes = 0; bytes < 3000; bytes += 37) {
    char *block = static_cast<char *>(pool.allocate(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(uintptr_t(block) % 64, 0u);
    memset(block, int(bytes % 251), size_t(bytes));
    blocks.push_back({block, bytes});
  }
  for (auto [block, bytes] : blocks)
    for (int64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(block[i], char(bytes % 251));
  pool.destroy();
  EXPECT_EQ(pool.heldBytes(), 0);
}

TEST(MemoryPool, ClassesHoldWhatTheyPromise) {
  MemoryPool pool;
  for (int shift = 0; shift < 30; ++shift)
    for (int64_t bytes : {(int64_t(1) << shift) - 1, int64_t(1) << shift,
                          (int64_t(1) << shift) + 1}) {
      int64_t before = pool.heldBytes();
      pool.release(pool.allocate(bytes));
      int64_t grown = pool.heldBytes() - before;
      if (grown) { // a new class: at most a quarter more than asked for
        EXPECT_GE(grown, bytes);
        EXPECT_LE(grown, std::max<int64_t>(64, bytes + bytes / 4 + 1));
      }
    }
  pool.destroy();
}

TEST(MemoryPool, ReleasedBlocksComeBack) {
  MemoryPool pool;
  void *first = pool.allocate(1000);
  pool.release(first);
  EXPECT_EQ(pool.allocate(1001), first);
  pool.release(nullptr);
  pool.destroy();
}

TEST(MemoryPool, EndOfCallReleasesAndTrims) {
  MemoryPool pool;
  for (int i = 0; i < 10; ++i)
    pool.allocate(10 << 20);
  pool.endCall();
  EXPECT_GE(pool.heldBytes(), 10 * (10 << 20)); // the same call may come again
  pool.allocate(100);
  pool.endCall();
  EXPECT_LT(pool.heldBytes(), 10 << 20);
  pool.destroy();
}

TEST(MemoryPool, BlocksOfEachCallStay) {
  // Of every size one at a time: far more than is live at once, and yet nothing
  // that the next call does not need.
  MemoryPool pool;
  auto call = [&] {
    std::vector<void *> blocks;
    for (int64_t bytes = 1 << 10; bytes < (64 << 20); bytes *= 2) {
      blocks.push_back(pool.allocate(bytes));
      pool.release(blocks.back());
    }
    pool.endCall();
    return blocks;
  };
  std::vector<void *> first = call();
  int64_t held = pool.heldBytes();
  EXPECT_EQ(call(), first);
  EXPECT_EQ(pool.heldBytes(), held);
  // What has a little less than the size of a block takes it.
  void *block = pool.allocate((1 << 20) - (1 << 18));
  EXPECT_NE(std::find(first.begin(), first.end(), block), first.end());
  pool.destroy();
  EXPECT_EQ(pool.heldBytes(), 0);
}

TEST(MemoryPool, RandomUse) {
  MemoryPool pool;
  std::mt19937 random(1);
  std::vector<std::pair<char *, char>> live;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 || live.empty()) {
      char *block = static_cast<char *>(pool.allocate(1 + random() % 5000));
      *block = char(i);
      live.push_back({block, char(i)});
    } else {
      size_t k = random() % live.size();
      ASSERT_EQ(*live[k].first, live[k].second);
      pool.release(live[k].first);
      live[k] = live.back();
      live.pop_back();
    }
  }
  pool.destroy();
}
