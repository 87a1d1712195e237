//===- LaunchTimes.h - Times of launches ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_LAUNCHTIMES_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_LAUNCHTIMES_H

#include "Measure/Roofline.h"
#include "NodeTable.h"

#include <tuple>

namespace onnxc::run {

/// Adds up the times of launches, by thread and on a device, from the events
/// that an artefact compiled with --profile says.
class LaunchTimes {
public:
  LaunchTimes(const NodeTable &table, size_t threads);

  /// Takes the events, as OMLaunchObserver; `user` is this.
  static void observe(void *user, int32_t thread, int32_t launch);
  /// Takes the times of launches of a device, as OMDeviceObserver.
  static void observeDevice(void *user, int32_t launch, double begin,
                            double milliseconds);
  /// Takes the sizes of launches, as OMSizeObserver.
  static void observeSize(void *user, int32_t launch, int32_t size,
                          int64_t value);

  /// Counts the sizes that were observed in a run.
  void countWork();
  /// Forgets the times that were observed before.
  void start();
  /// Begins a run whose events count.
  void beginRun();
  /// Counts the events since then.
  void endRun();
  /// Determines the rate of the counter, after the last run.
  void stop();

  /// The report of `runs` runs whose events were counted, of `milliseconds` on
  /// average, beside the machine's rates.
  llvm::json::Object report(int64_t runs, double milliseconds,
                            const Roofline &roofline) const;
  static void print(const llvm::json::Object &report, int64_t top);
  /// The times in launches and of waiting, of each thread and the device.
  static void printThreads(const llvm::json::Object &report);
  /// The events of the last run, as Chrome's tracing and Perfetto read them.
  llvm::json::Object trace() const;

private:
  struct Event {
    uint64_t ticks;
    int32_t launch;
  };
  struct Sum {
    uint64_t ticks = 0;
    int64_t calls = 0;
  };
  /// Each is written by one thread.
  struct alignas(64) Thread {
    std::vector<Event> events, lastRun;
    std::vector<Sum> sums;
    uint64_t waiting = 0;
  };

  /// A launch of a device, in milliseconds from the first one of the run.
  struct DeviceEvent {
    int32_t launch;
    double begin, milliseconds;
  };
  struct DeviceSum {
    double milliseconds = 0;
    int64_t calls = 0;
  };

  /// The work of all calls of a launch.
  struct WorkSum {
    Work work;
    int64_t calls = 0;
    std::vector<int64_t> sizes; ///< of the next call, as far as they are known
  };

  void count(Thread &thread, bool isAlone);
  std::optional<Work> meanWork(size_t launch) const;
  /// The roofline of the device if the launch has run there, else `host`.
  const Roofline &rooflineOf(size_t launch, const Roofline &host) const;
  llvm::json::Array launchRows(int64_t runs, double milliseconds,
                               const Roofline &roofline) const;
  llvm::json::Array nodeRows(const llvm::json::Array &launches,
                             const Roofline &roofline) const;
  llvm::json::Array threadRows(int64_t runs, double milliseconds) const;
  void traceDevice(llvm::json::Array &events) const;

  const NodeTable &table;
  Roofline deviceRoofline;
  std::vector<Thread> threads;
  std::vector<DeviceEvent> deviceEvents, lastDeviceRun;
  std::vector<DeviceSum> deviceSums;
  /// Launches, positions and sizes of the run, which one thread reports.
  std::vector<std::tuple<int32_t, int32_t, int64_t>> sizeEvents;
  std::vector<WorkSum> works;
  uint64_t firstTicks = 0, runBegin = 0, lastRunBegin = 0;
  double seconds = 0; ///< the clock when the counter was at firstTicks
  double millisecondsPerTick = 0;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_LAUNCHTIMES_H
