//===- Callers.cpp - Runs of several threads --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Callers.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// More runs than a report can need, and their memory.
static constexpr int64_t maxRuns = 100'000'000;

/// When the runs of --rate are due. Poisson arrivals are those of many users
/// who do not know of each other.
static Expected<std::vector<double>> dueTimes(const Options &options) {
  double expected = options.duration > 0 ? options.duration * options.rate
                                         : double(options.iterations);
  if (expected > double(maxRuns))
    return failure("--rate: more than %lld runs", (long long)maxRuns);
  std::mt19937_64 random(uint64_t(options.seed));
  std::exponential_distribution<double> gap(options.rate);
  std::vector<double> times;
  double due = 0;
  while (options.duration > 0 ? due < options.duration
                              : int64_t(times.size()) < options.iterations) {
    times.push_back(due);
    due += options.fixedArrivals ? 1 / options.rate : gap(random);
  }
  return times;
}

namespace {

/// The runs that callers share.
class Schedule {
public:
  Schedule(const Options &options, std::vector<double> due)
      : options(options), due(std::move(due)) {}

  void start() { begin = Clock::now(); }
  /// Runs the model until there is nothing left to run.
  Error serve(int64_t caller, Measurement &model, std::vector<TimedRun> &runs);
  /// Lets all callers end.
  void stop() { isStopped = true; }

private:
  double now() const { return Seconds(Clock::now() - begin).count(); }
  void waitUntil(double time) const;
  /// When the next run is due; none if there is none.
  std::optional<double> next();

  const Options &options;
  std::vector<double> due;
  std::atomic<int64_t> taken = 0;
  std::atomic<bool> isStopped = false;
  Clock::time_point begin;
};

} // namespace

std::optional<double> Schedule::next() {
  int64_t number = taken.fetch_add(1, std::memory_order_relaxed);
  double time = now();
  if (isStopped || number >= maxRuns)
    return std::nullopt;
  if (options.rate > 0)
    return number < int64_t(due.size()) ? std::optional(due[size_t(number)])
                                        : std::nullopt;
  bool isOver = options.duration > 0 ? time >= options.duration
                                     : number >= options.iterations;
  return isOver ? std::nullopt : std::optional(time);
}

void Schedule::waitUntil(double time) const {
  // Sleeps end late, by less than this.
  constexpr double sleepError = 2e-4;
  if (double wait = time - now() - sleepError; wait > 0)
    std::this_thread::sleep_for(Seconds(wait));
  while (now() < time)
    std::this_thread::yield();
}

Error Schedule::serve(int64_t caller, Measurement &model,
                      std::vector<TimedRun> &runs) {
  while (std::optional<double> time = next()) {
    // The clock is read as rarely as can be: a run may take as long as that.
    if (options.rate > 0)
      waitUntil(*time);
    if (Error error = model.runOnce())
      return error;
    runs.push_back({caller, *time, now()});
  }
  return Error::success();
}

/// The measurements of the callers but for the first one, warmed up.
static Expected<std::vector<Measurement>> otherCallers(Measurement &first,
                                                       int64_t callers) {
  std::vector<Measurement> others;
  for (int64_t caller = 1; caller < callers; ++caller) {
    Expected<Measurement> other = first.another();
    if (!other)
      return other.takeError();
    if (Error error = other->warmUp())
      return std::move(error);
    others.push_back(std::move(*other));
  }
  return others;
}

/// The runs of all callers in the order in which they were due.
static std::vector<TimedRun>
inOrder(const std::vector<std::vector<TimedRun>> &runs) {
  std::vector<TimedRun> all;
  for (const std::vector<TimedRun> &own : runs)
    all.insert(all.end(), own.begin(), own.end());
  llvm::sort(all, [](const TimedRun &a, const TimedRun &b) {
    return std::tie(a.due, a.end) < std::tie(b.due, b.end);
  });
  return all;
}

Expected<std::vector<TimedRun>> run::timeCallers(Measurement &first,
                                                 const Options &options) {
  std::vector<double> due;
  if (options.rate > 0) {
    Expected<std::vector<double>> times = dueTimes(options);
    if (!times)
      return times.takeError();
    due = std::move(*times);
  }
  Expected<std::vector<Measurement>> others =
      otherCallers(first, options.callers);
  if (!others)
    return others.takeError();
  Schedule schedule(options, std::move(due));
  std::vector<std::vector<TimedRun>> runs(size_t(options.callers));
  Error error = Error::success();
  std::mutex errorMutex;
  std::barrier start{std::ptrdiff_t(options.callers),
                     [&]() noexcept { schedule.start(); }};
  auto call = [&](size_t caller) {
    Measurement &model = caller == 0 ? first : (*others)[caller - 1];
    start.arrive_and_wait();
    if (Error failed = schedule.serve(int64_t(caller), model, runs[caller])) {
      schedule.stop();
      std::lock_guard lock(errorMutex);
      error = joinErrors(std::move(error), std::move(failed));
    }
  };
  std::vector<std::thread> threads;
  for (size_t caller = 1; caller < runs.size(); ++caller)
    threads.emplace_back(call, caller);
  call(0);
  for (std::thread &thread : threads)
    thread.join();
  if (error)
    return std::move(error);
  std::vector<TimedRun> all = inOrder(runs);
  if (all.empty())
    return failure("nothing was timed: --iterations is 0");
  return all;
}
