//===- DeviceTests.cpp - Models with device code on a simulated device ----===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST_F(DeviceTest, AddsAConstant) {
  Session run("add");
  for (unsigned seed = 0; seed < 4; ++seed) {
    Numbers x = randomNumbers(kAddends, seed);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, sumOf(x));
  }
}

TEST_F(DeviceTest, SoftmaxInRandomOrders) {
  Session run("softmax");
  Numbers x = randomNumbers(kRows * kColumns);
  for (uint64_t seed = 1; seed < 6; ++seed) {
    settings().seed = seed;
    ASSERT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message() << problem();
    for (size_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (size_t i = 0; i < kColumns; ++i)
        sum += std::exp(double(x[row * kColumns + i]));
      for (size_t i = 0; i < kColumns; ++i)
        EXPECT_NEAR(run.result[row * kColumns + i],
                    std::exp(double(x[row * kColumns + i])) / sum, 1e-6);
    }
  }
}

/// Sectors of device memory for each request, and steps of shared memory.
struct Traffic {
  double sectors, steps;
};

Traffic transpose(const char *entry) {
  Session run(entry);
  Numbers x(kSide * kSide);
  std::iota(x.begin(), x.end(), 0.0f);
  settings().countsSectors = true;
  Counters before = counters();
  EXPECT_EQ(run(x, x.size()), OM_STATUS_OK) << run.message() << problem();
  Numbers expected(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    expected[i % kSide * kSide + i / kSide] = x[i];
  EXPECT_EQ(run.result, expected);
  const Counters &now = counters();
  auto per = [](int64_t count, int64_t requests) {
    return requests ? double(count) / double(requests) : 0;
  };
  return {per(now.sectors - before.sectors, now.requests - before.requests),
          per(now.sharedSteps - before.sharedSteps,
              now.sharedRequests - before.sharedRequests)};
}

TEST_F(DeviceTest, TransposesByTiles) {
  Traffic traffic = transpose("transpose");
  EXPECT_EQ(traffic.sectors, 4); // 32 floats in a row
  EXPECT_EQ(traffic.steps, 1);   // rows of 33 words have no conflicts
}

TEST_F(DeviceTest, SectorsOfStridedStores) {
  // Loads of 4 sectors, stores of 32.
  EXPECT_EQ(transpose("transpose_directly").sectors, 18);
}

TEST_F(DeviceTest, ArenaGrowsWithTheInput) {
  Session run("dynamic");
  for (size_t count : {100, 5000, 0, 300}) {
    Numbers x = randomNumbers(count);
    ASSERT_EQ(run(x, count), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, x);
  }
}

TEST_F(DeviceTest, ReleasedBlocksAreUsedAgain) {
  Session run("blocks");
  for (size_t count : {100, 5000, 0, 300}) {
    Numbers x = randomNumbers(count);
    ASSERT_EQ(run(x, count), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, x);
    // Constants, the error words, and the three blocks that are used at a time.
    EXPECT_EQ(counters().memory, 2 + 3);
  }
}

TEST_F(DeviceTest, BlocksAreFreedAfterTheLaunchesThatUseThem) {
  Session run("outgrown");
  for (size_t count : {100, 5000}) {
    Numbers x = randomNumbers(count);
    ASSERT_EQ(run(x, count), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, x);
  }
}

//===----------------------------------------------------------------------===//
// What is done once
//===----------------------------------------------------------------------===//

TEST_F(DeviceTest, ConstantsAreCopiedOnce) {
  Counters before = counters();
  Numbers x = randomNumbers(kAddends);
  Session first("add"), second("add");
  for (Session *run : {&first, &second, &first})
    ASSERT_EQ((*run)(x, kAddends), OM_STATUS_OK) << run->message();
  const Counters &now = counters();
  EXPECT_EQ(now.launches - before.launches, 3);
  EXPECT_EQ(now.copiesIn - before.copiesIn, 3 + 1);
  EXPECT_EQ(now.bytesIn - before.bytesIn, int64_t(4 * 4 * kAddends));
  EXPECT_EQ(now.copiesOut - before.copiesOut, 2 * 3); // with the error words
  EXPECT_EQ(now.modules, 1);
  // Constants; an arena and the error words of each context.
  EXPECT_EQ(now.memory, 1 + 2 * 2);
}

TEST_F(DeviceTest, PreparationCopiesTheConstants) {
  Session run("add");
  ASSERT_EQ(omContextPrepare(run.context, nullptr, 0), OM_STATUS_OK)
      << run.message();
  Counters before = counters();
  ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
  EXPECT_EQ(counters().copiesIn - before.copiesIn, 1);
  EXPECT_EQ(counters().modules, 1);
}

TEST_F(DeviceTest, TheLastContextFreesTheConstants) {
  for (int i = 0; i < 3; ++i) {
    Session run("add");
    ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
    EXPECT_GT(alive(), 0);
  }
  EXPECT_EQ(alive(), 0);
}

TEST_F(DeviceTest, ContextsOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (unsigned i = 0; i < 5; ++i) {
        Session run("add");
        Numbers x = randomNumbers(kAddends, 10 * t + i);
        ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
        EXPECT_EQ(run.result, sumOf(x));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DeviceTest, AContextOnOneThreadAfterTheOther) {
  Session run("chain");
  for (unsigned i = 0; i < 4; ++i)
    std::thread([&run, i] {
      Numbers x = randomNumbers(kAddends, i);
      ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
      EXPECT_EQ(run.result, sumOf(sumOf(x)));
    }).join();
}

//===----------------------------------------------------------------------===//
// Mistakes of kernels
//===----------------------------------------------------------------------===//

/// The status of an entry point whose kernel fails.
OM_STATUS runFaulty(const char *entry, std::string &message) {
  Session run(entry);
  OM_STATUS status = run(randomNumbers(kThreads), kThreads);
  message = run.message();
  findInDriver<void()>("simulatorRecover")();
  return status;
}

TEST_F(DeviceTest, RacesAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("race", message), OM_STATUS_INTERNAL);
  EXPECT_EQ(message, "node 'the race': cuStreamSynchronize: "
                     "CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)");
  EXPECT_THAT(problem(), HasSubstr("race with thread"));
}

TEST_F(DeviceTest, MissedBarriersAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("missing_barrier", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("waits at a barrier, but thread 5 has "
                                   "ended"));
}

TEST_F(DeviceTest, StoresBeyondAllocationsAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("beyond", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("a store of 4 bytes at byte 256 of device "
                                   "memory of 256 bytes"));
}

TEST_F(DeviceTest, MisalignedVectorsAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("misaligned", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("an access of 16 bytes at an address that "
                                   "is not a multiple of them"));
}

TEST_F(DeviceTest, WarpgroupsMultiplyMatrices) {
  Session run("warpgroup");
  ASSERT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_OK) << problem();
  for (size_t i = 0; i < kThreads; ++i)
    EXPECT_EQ(run.result[i], float(16 + i % 4));
}

TEST_F(DeviceTest, WarpgroupsMultiplyRowsInRegisters) {
  Session run("warpgroup_rows");
  ASSERT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_OK) << problem();
  for (size_t i = 0; i < kThreads; ++i) {
    size_t row = i / 16 + i % 4 / 2 * 8, column = i / 4 % 4 * 2 + i % 2,
           left = 16 * row + column;
    EXPECT_EQ(run.result[i], float(i % 4 + left + 2 * (left + 8)));
  }
}

TEST_F(DeviceTest, ReadsOfWarpgroupsWithoutFencesAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("missing_proxy_fence", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("wrote without fence.proxy.async"));
  EXPECT_EQ(runFaulty("missing_fence", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("wgmma without wgmma.fence after what wrote "
                                   "its sums"));
}

TEST_F(DeviceTest, ProductsInFlightReadWhatIsThereWhenTheyEnd) {
  Numbers x = randomNumbers(kThreads);
  Session run("in_flight"), early("written_in_flight");
  ASSERT_EQ(run(x, kThreads), OM_STATUS_OK) << problem();
  ASSERT_EQ(early(x, kThreads), OM_STATUS_OK) << problem();
  // 16 products of 1, and 16 of 2.
  EXPECT_EQ(run.result, Numbers(kThreads, 16 + 64));
  EXPECT_EQ(early.result, Numbers(kThreads, 64 + 64));
}

TEST_F(DeviceTest, LaunchesAskForSharedMemory) {
  Session run("reverse");
  Numbers expected(kThreads);
  for (size_t i = 0; i < kThreads; ++i)
    expected[i] = float(kThreads - 1 - i);
  // The later ones are graphs.
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_OK)
        << run.message() << problem();
    EXPECT_EQ(run.result, expected);
  }
}

TEST_F(DeviceTest, AccessesBeyondTheSharedMemoryOfLaunchesAreFound) {
  std::string message;
  EXPECT_EQ(runFaulty("reverse_beyond", message), OM_STATUS_INTERNAL);
  EXPECT_THAT(problem(), HasSubstr("beyond the shared memory of the launch"));
}

/// Calls a function of the driver, all of whose arguments are given.
template <typename... Arguments>
int callDriver(const char *name, Arguments... arguments) {
  return findInDriver<int(Arguments...)>(name)(arguments...);
}

/// The driver refuses launches that ask for more than their kernel has been
/// allowed, and to allow what no GPU has.
TEST_F(DeviceTest, SharedMemoryOfLaunchesIsAllowedFirst) {
  Session run("add"); // which initialises the driver
  ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
  std::ifstream file(ONNXC_TEST_IMAGE, std::ios::binary);
  std::vector<char> image(std::istreambuf_iterator<char>(file), {});
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  uint64_t y = 0;
  callDriver("cuDevicePrimaryCtxRetain", &context, 0);
  callDriver("cuCtxPushCurrent_v2", context);
  const void *code = image.data();
  int *options = nullptr;
  void **values = nullptr, *stream = nullptr;
  callDriver("cuModuleLoadDataEx", &module, code, 0u, options, values);
  callDriver("cuModuleGetFunction", &kernel, module, "reverse");
  callDriver("cuMemAlloc_v2", &y, kThreads * sizeof(float));
  auto launch = [&](unsigned bytes) {
    uint64_t words[] = {y, bytes};
    void *arguments[] = {&words[0], &words[1]}, **extra = nullptr;
    return callDriver("cuLaunchKernel", kernel, 1u, 1u, 1u, unsigned(kThreads),
                      1u, 1u, bytes, stream, &arguments[0], extra);
  };
  constexpr int success = 0, invalidValue = 1, maxDynamicSharedBytes = 8;
  EXPECT_EQ(launch(48 << 10), success);
  EXPECT_EQ(launch(kSharedBytes), invalidValue);
  auto allow = [&](int bytes) {
    return callDriver("cuFuncSetAttribute", kernel, maxDynamicSharedBytes,
                      bytes);
  };
  EXPECT_EQ(allow(228 << 10), invalidValue);
  EXPECT_EQ(allow(kSharedBytes), success);
  EXPECT_EQ(launch(kSharedBytes), success);
  EXPECT_EQ(callDriver("cuStreamSynchronize", stream), success) << problem();
  callDriver("cuMemFree_v2", y);
  callDriver("cuModuleUnload", module);
  callDriver("cuCtxPopCurrent_v2", &context);
  callDriver("cuDevicePrimaryCtxRelease_v2", 0);
}

TEST_F(DeviceTest, SharedMemoryBeginsAsNaN) {
  Session run("uninitialised");
  ASSERT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_OK);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_TRUE(std::isnan(run.result[i]));
}

TEST_F(DeviceTest, HostCodeCannotReadDeviceMemory) {
  EXPECT_EXIT(Session("peek")(randomNumbers(kThreads), kThreads),
              testing::KilledBySignal(SIGSEGV), "");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(DeviceTest, KernelsReportErrors) {
  Session run("report");
  Numbers x(kThreads, -1);
  x[1] = 7;
  EXPECT_EQ(run(x, kThreads), OM_STATUS_VALUE);
  EXPECT_EQ(run.message(), "node 'b': an index is out of range: 7 for "
                           "dimension 1 of size 5");
  x[0] = 9; // of an earlier row, though it is reported later
  EXPECT_EQ(run(x, kThreads), OM_STATUS_MEMORY);
  EXPECT_EQ(run.message(), "node 'a': too much: 9 and 5");
  x[0] = x[1] = -1; // none
  EXPECT_EQ(run(x, kThreads), OM_STATUS_OK) << run.message();
}

TEST_F(DeviceTest, EveryCallFailsInTurn) {
  Numbers x = randomNumbers(kAddends);
  for (int error : {2 /*out of memory*/, 719 /*launch failed*/}) {
    OM_STATUS status = OM_STATUS_INTERNAL;
    int64_t call = 0;
    for (; status != OM_STATUS_OK; ++call) {
      Session run("add");
      settings().failWith = error;
      settings().failAt = call;
      status = run(x, kAddends);
      bool hasFailed = settings().failAt < 0;
      settings().failAt = -1;
      EXPECT_EQ(status != OM_STATUS_OK, hasFailed) << call;
      if (hasFailed) {
        EXPECT_THAT(run.message(),
                    HasSubstr(error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                                         : "CUDA_ERROR_LAUNCH_FAILED"))
            << call;
      }
      // The context recovers.
      EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << call << run.message();
      EXPECT_EQ(run.result, sumOf(x));
    }
    EXPECT_GT(call, 15);
  }
}

TEST_F(DeviceTest, MemoryOfTheDeviceIsShort) {
  Session run("huge");
  EXPECT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_MEMORY);
  EXPECT_THAT(run.message(), HasSubstr("a block of 70368744177664 bytes"));
}

TEST_F(DeviceTest, ContextsCountTheirMemoryOnTheDevice) {
  Session run("blocks");
  EXPECT_EQ(omContextGetMemory(run.context), 0);
  ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
  // Input and output, and blocks of once and three times their size.
  EXPECT_GE(omContextGetMemory(run.context), int64_t(6 * kAddends * 4));
}

// Three blocks at a time, and the words of errors beside them.
TEST_F(DeviceTest, MemoryIsLimited) {
  Session run("blocks");
  Numbers x = randomNumbers(kAddends);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  int64_t needed = omContextGetMemory(run.context);
  omContextDestroy(run.context);
  run.context = omContextCreate("blocks");
  ASSERT_EQ(omContextSetDeviceMemory(run.context, needed - 1), OM_STATUS_OK);
  EXPECT_EQ(run(x, kAddends), OM_STATUS_MEMORY);
  EXPECT_THAT(run.message(),
              HasSubstr("more than the limit of " + std::to_string(needed - 1) +
                        " bytes leaves"));
  EXPECT_LT(omContextGetMemory(run.context), needed);
  ASSERT_EQ(omContextSetDeviceMemory(run.context, needed), OM_STATUS_OK);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, x);
  EXPECT_EQ(omContextGetMemory(run.context), needed);
  EXPECT_EQ(omContextSetDeviceMemory(run.context, -1), OM_STATUS_INVALID);
}

// Whatever the sizes of earlier runs: a block of one of them that served a
// smaller need would leave too little.
TEST_F(DeviceTest, MemoryOfEarlierRunsMakesWay) {
  Session first("blocks"), run("blocks");
  Numbers most = randomNumbers(5000);
  ASSERT_EQ(first(most, most.size()), OM_STATUS_OK) << first.message();
  ASSERT_EQ(
      omContextSetDeviceMemory(run.context, omContextGetMemory(first.context)),
      OM_STATUS_OK);
  for (size_t count : {4000, 5000, 100, 4000, 300, 5000}) {
    Numbers x = randomNumbers(count);
    ASSERT_EQ(run(x, count), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, x);
  }
}

// Blocks of earlier runs with just the sizes that a run needs count, too.
TEST_F(DeviceTest, ALimitAppliesToMemoryThatIsThere) {
  Session run("blocks");
  Numbers x = randomNumbers(kAddends);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  for (int64_t limit : std::initializer_list<int64_t>{1, kAddends * 4}) {
    ASSERT_EQ(omContextSetDeviceMemory(run.context, limit), OM_STATUS_OK);
    EXPECT_EQ(run(x, kAddends), OM_STATUS_MEMORY) << limit;
    EXPECT_THAT(run.message(), HasSubstr("more than the limit of"));
    ASSERT_EQ(omContextSetDeviceMemory(run.context, 0), OM_STATUS_OK);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
  }
}

TEST_F(DeviceTest, ALimitFreesWhatIsAboveIt) {
  Session first("blocks"), run("blocks");
  Numbers few = randomNumbers(100), many = randomNumbers(5000);
  ASSERT_EQ(first(few, few.size()), OM_STATUS_OK) << first.message();
  int64_t needed = omContextGetMemory(first.context);
  ASSERT_EQ(omContextSetDeviceMemory(run.context, 1 << 20), OM_STATUS_OK);
  ASSERT_EQ(run(few, few.size()), OM_STATUS_OK) << run.message();
  ASSERT_EQ(run(many, many.size()), OM_STATUS_OK) << run.message();
  ASSERT_GT(omContextGetMemory(run.context), needed);
  ASSERT_EQ(omContextSetDeviceMemory(run.context, needed), OM_STATUS_OK);
  ASSERT_EQ(run(few, few.size()), OM_STATUS_OK) << run.message();
  EXPECT_EQ(run.result, few);
  EXPECT_LE(omContextGetMemory(run.context), needed);
}

// Sizes that alternate need no memory of the driver after the first of each.
TEST_F(DeviceTest, ALimitKeepsBlocksThatItHasRoomFor) {
  Session run("blocks");
  ASSERT_EQ(omContextSetDeviceMemory(run.context, 1 << 20), OM_STATUS_OK);
  int64_t allocations = 0;
  for (int i = 0; i < 3; ++i) {
    for (size_t count : {100, 5000, 300}) {
      Numbers x = randomNumbers(count);
      ASSERT_EQ(run(x, count), OM_STATUS_OK) << run.message();
      EXPECT_EQ(run.result, x);
    }
    if (i == 0)
      allocations = counters().allocations;
  }
  EXPECT_EQ(counters().allocations, allocations);
}

TEST_F(DeviceTest, DeadlinesEndRuns) {
  Session run("slow");
  omContextSetDeadline(run.context, 1000000);
  EXPECT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_DEADLINE);
  omContextSetDeadline(run.context, 0);
  EXPECT_EQ(run(randomNumbers(kThreads), kThreads), OM_STATUS_OK);
}

// What the stream has runs to its end, which is part of a long run.
TEST_F(DeviceTest, DeadlinesEndRunsThatNeverWait) {
  Session run("long");
  int64_t before = counters().launches;
  omContextSetDeadline(run.context, 5000000);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_DEADLINE);
  EXPECT_LE(counters().launches - before, 256);
}

TEST_F(DeviceTest, CancellationEndsRunsThatNeverWait) {
  Session run("long");
  ASSERT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
  // The first part has come again, and is launched.
  omContextSetLog(
      run.context,
      [](void *context, OM_LOG_LEVEL, const char *) {
        omContextCancel(static_cast<OMContext *>(context));
      },
      run.context);
  int64_t before = counters().launches;
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_CANCELLED);
  EXPECT_LE(counters().launches - before, 256);
  omContextSetLog(run.context, nullptr, nullptr);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_OK);
}

TEST_F(DeviceTest, AForkedChild) {
  Session run("add");
  Numbers x = randomNumbers(kAddends);
  ASSERT_EQ(run(x, kAddends), OM_STATUS_OK);
  pid_t child = fork();
  if (child == 0) {
    bool isRefused = run(x, kAddends) == OM_STATUS_TARGET &&
                     run.message().find("forked") != std::string::npos;
    Session other("add");
    isRefused &= other(x, kAddends) == OM_STATUS_TARGET &&
                 other.message().find("spawn") != std::string::npos;
    omContextDestroy(other.context);
    omContextDestroy(run.context);
    _exit(isRefused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
}

} // namespace
