//===- LaunchTimes.cpp - Times of launches ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The counter of the processor is read, which takes a third of the time of
// clock_gettime; how fast it counts is measured over all runs.
//
//===----------------------------------------------------------------------===//

#include "Measure/LaunchTimes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <functional>
#include <map>

using namespace llvm;
using namespace onnxc::run;

static double clockSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static uint64_t readTicks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return uint64_t(clockSeconds() * 1e9);
#endif
}

namespace {
struct Clocks {
  double seconds;
  uint64_t ticks;
};
} // namespace

/// Both clocks at one time: those rounds do not count in which the thread lost
/// the processor between them.
static Clocks readClocks() {
  Clocks best = {};
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < 16; ++round) {
    uint64_t before = readTicks();
    double seconds = clockSeconds();
    uint64_t between = readTicks() - before;
    if (between < least)
      best = {seconds, before + between / 2};
    least = std::min(least, between);
  }
  return best;
}

LaunchTimes::LaunchTimes(const NodeTable &table, size_t count)
    : table(table), deviceRoofline(Roofline::ofDevice(table.getPeaks())),
      threads(count), deviceSums(table.getLaunches().size()),
      works(table.getLaunches().size()) {
  for (Thread &thread : threads) {
    thread.events.reserve(4 * table.getLaunches().size() + 1024);
    thread.sums.resize(table.getLaunches().size());
  }
}

void LaunchTimes::observe(void *user, int32_t thread, int32_t launch) {
  auto &times = *static_cast<LaunchTimes *>(user);
  if (size_t(thread) < times.threads.size())
    times.threads[size_t(thread)].events.push_back({readTicks(), launch});
}

void LaunchTimes::observeDevice(void *user, int32_t launch, double begin,
                                double milliseconds) {
  auto &times = *static_cast<LaunchTimes *>(user);
  if (size_t(launch) < times.deviceSums.size())
    times.deviceEvents.push_back({launch, begin, milliseconds});
}

void LaunchTimes::observeSize(void *user, int32_t launch, int32_t size,
                              int64_t value) {
  auto &times = *static_cast<LaunchTimes *>(user);
  times.sizeEvents.emplace_back(launch, size, value);
}

void LaunchTimes::start() {
  for (Thread &thread : threads) {
    thread.events.clear();
    thread.sums.assign(thread.sums.size(), Sum());
    thread.waiting = 0;
  }
  deviceEvents.clear();
  deviceSums.assign(deviceSums.size(), DeviceSum());
  Clocks now = readClocks();
  seconds = now.seconds;
  firstTicks = now.ticks;
}

void LaunchTimes::beginRun() { runBegin = readTicks(); }

/// A thread between two launches of one parallel region waits for others, if
/// there are any.
void LaunchTimes::count(Thread &thread, bool isAlone) {
  ArrayRef<Launch> launches = table.getLaunches();
  uint64_t begin = 0, lastEnd = 0;
  int32_t open = -1, last = -1;
  for (const Event &event : thread.events) {
    if (event.launch >= 0) {
      open = size_t(event.launch) < launches.size() ? event.launch : -1;
      begin = event.ticks;
      if (!isAlone && last >= 0 && open > last &&
          launches[size_t(open)].region >= 0 &&
          launches[size_t(open)].region == launches[size_t(last)].region)
        thread.waiting += begin - lastEnd;
      continue;
    }
    if (open != ~event.launch)
      continue;
    Sum &sum = thread.sums[size_t(open)];
    sum.ticks += event.ticks - begin;
    ++sum.calls;
    last = open;
    lastEnd = event.ticks;
    open = -1;
  }
}

/// The last size of a call completes it.
void LaunchTimes::countWork() {
  ArrayRef<Launch> launches = table.getLaunches();
  for (auto [number, position, value] : sizeEvents) {
    if (size_t(number) >= works.size())
      continue;
    WorkSum &sum = works[size_t(number)];
    const Launch &launch = launches[size_t(number)];
    sum.sizes.resize(launch.numSizes);
    if (size_t(position) < sum.sizes.size())
      sum.sizes[size_t(position)] = value;
    if (size_t(position) + 1 != sum.sizes.size())
      continue;
    std::optional<Work> work = launch.workOf(sum.sizes);
    if (!work)
      continue;
    ++sum.calls;
    sum.work.bytes += work->bytes;
    for (const auto &[type, operations] : work->operations)
      sum.work.operations[type] += operations;
  }
  sizeEvents.clear();
}

/// The mean over the calls where sizes are dynamic.
std::optional<Work> LaunchTimes::meanWork(size_t launch) const {
  const Launch &entry = table.getLaunches()[launch];
  const WorkSum &sum = works[launch];
  if (entry.numSizes == 0)
    return entry.workOf({});
  if (sum.calls == 0)
    return std::nullopt;
  Work mean = sum.work;
  mean.bytes /= double(sum.calls);
  for (auto &[type, operations] : mean.operations)
    operations /= double(sum.calls);
  return mean;
}

void LaunchTimes::endRun() {
  auto took = [](const Thread &thread) { return !thread.events.empty(); };
  bool isAlone = count_if(threads, took) < 2;
  for (Thread &thread : threads) {
    count(thread, isAlone);
    std::swap(thread.events, thread.lastRun);
    thread.events.clear();
  }
  for (const DeviceEvent &event : deviceEvents) {
    deviceSums[size_t(event.launch)].milliseconds += event.milliseconds;
    ++deviceSums[size_t(event.launch)].calls;
  }
  std::swap(deviceEvents, lastDeviceRun);
  deviceEvents.clear();
  lastRunBegin = runBegin;
}

void LaunchTimes::stop() {
  Clocks now = readClocks();
  uint64_t ticks = now.ticks - firstTicks;
  millisecondsPerTick =
      ticks ? (now.seconds - seconds) * 1e3 / double(ticks) : 0;
}

namespace {

/// Work of launches in a run.
struct RunWork {
  double operations = 0, bytes = 0;
  double minSeconds = 0; ///< by the machine's rates
  bool isKnown = true, hasMin = true;

  /// Adds `calls` of a launch.
  void add(const std::optional<Work> &work, double calls,
           const Roofline &roofline) {
    if (!work)
      return void(isKnown = false);
    for (const auto &[type, count] : work->operations)
      operations += calls * count;
    bytes += calls * work->bytes;
    std::optional<double> seconds = roofline.seconds(*work);
    hasMin &= seconds.has_value();
    minSeconds += calls * seconds.value_or(0);
  }

  /// Writes its rates in a time to a row.
  void addTo(json::Object &row, double milliseconds) const {
    if (!isKnown || milliseconds <= 0)
      return;
    double seconds = milliseconds * 1e-3;
    row["operations"] = operations;
    row["bytes"] = bytes;
    row["gflops"] = operations / seconds * 1e-9;
    row["gbytes_per_second"] = bytes / seconds * 1e-9;
    if (hasMin)
      row["roofline_share"] = minSeconds / seconds;
  }
};

} // namespace

const Roofline &LaunchTimes::rooflineOf(size_t launch,
                                        const Roofline &host) const {
  return deviceSums[launch].calls > 0 ? deviceRoofline : host;
}

/// The time of a launch is that of the device, or of the thread that took
/// longest.
json::Array LaunchTimes::launchRows(int64_t runs, double milliseconds,
                                    const Roofline &roofline) const {
  double scale = millisecondsPerTick / double(runs);
  std::multimap<double, json::Object, std::greater<>> rows;
  for (auto [number, launch] : enumerate(table.getLaunches())) {
    json::Array byThread;
    double longest = 0;
    int64_t calls = 0;
    for (const Thread &thread : threads) {
      double time = double(thread.sums[number].ticks) * scale;
      byThread.push_back(time);
      longest = std::max(longest, time);
      calls = std::max(calls, thread.sums[number].calls);
    }
    const DeviceSum &onDevice = deviceSums[number];
    if (onDevice.calls > 0) {
      longest = onDevice.milliseconds / double(runs);
      calls = onDevice.calls;
    }
    if (calls == 0)
      continue;
    double perRun = double(calls) / double(runs);
    json::Object row{{"launch", int64_t(number)},
                     {"function", launch.function},
                     {"nodes", table.json(launch.nodes)},
                     {"calls", perRun},
                     {"milliseconds", longest},
                     {"share", longest / milliseconds},
                     {"on_device", onDevice.calls > 0},
                     {"thread_milliseconds", std::move(byThread)}};
    RunWork work;
    work.add(meanWork(number), perRun, rooflineOf(number, roofline));
    work.addTo(row, longest);
    rows.emplace(longest, std::move(row));
  }
  json::Array sorted;
  for (auto &[time, row] : rows)
    sorted.push_back(std::move(row));
  return sorted;
}

/// A node has the time of all launches that it is part of.
json::Array LaunchTimes::nodeRows(const json::Array &launches,
                                  const Roofline &roofline) const {
  std::vector<double> times(table.getNumNodes());
  std::vector<RunWork> sums(times.size());
  std::vector<json::Array> numbers(times.size());
  for (const json::Value &value : launches) {
    const json::Object &row = *value.getAsObject();
    int64_t launch = *row.getInteger("launch");
    const Launch &entry = table.getLaunches()[size_t(launch)];
    for (size_t node : entry.nodes) {
      times[node] += *row.getNumber("milliseconds");
      sums[node].add(meanWork(size_t(launch)), *row.getNumber("calls"),
                     rooflineOf(size_t(launch), roofline));
      numbers[node].push_back(launch);
    }
  }
  std::multimap<double, size_t, std::greater<>> order;
  for (size_t node = 0; node < times.size(); ++node)
    if (!numbers[node].empty())
      order.emplace(times[node], node);
  json::Array rows;
  for (auto [time, node] : order) {
    json::Object row = table.nodeJson(node);
    row["milliseconds"] = time;
    row["launches"] = std::move(numbers[node]);
    sums[node].addTo(row, time);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Array LaunchTimes::threadRows(int64_t runs, double milliseconds) const {
  double scale = millisecondsPerTick / double(runs);
  json::Array rows;
  for (const Thread &thread : threads) {
    uint64_t ticks = 0;
    for (const Sum &sum : thread.sums)
      ticks += sum.ticks;
    double busy = double(ticks) * scale;
    double waiting = double(thread.waiting) * scale;
    rows.push_back(
        json::Object{{"launches", busy},
                     {"waiting", waiting},
                     {"other", std::max(0.0, milliseconds - busy - waiting)}});
  }
  return rows;
}

json::Object LaunchTimes::report(int64_t runs, double milliseconds,
                                 const Roofline &roofline) const {
  json::Array launches = launchRows(runs, milliseconds, roofline);
  json::Array nodes = nodeRows(launches, roofline);
  json::Object report{{"launches", std::move(launches)},
                      {"roofline", roofline.json()},
                      {"nodes", std::move(nodes)},
                      {"thread_times", threadRows(runs, milliseconds)}};
  double onDevice = 0;
  for (const DeviceSum &sum : deviceSums)
    onDevice += sum.milliseconds / double(runs);
  if (!table.getPeaks())
    return report;
  report["device_roofline"] = json::Object(*table.getPeaks());
  report["device_times"] =
      json::Object{{"launches", onDevice},
                   {"other", std::max(0.0, milliseconds - onDevice)}};
  return report;
}

/// A number of a row, or a dash if it has none.
static std::string numberText(const json::Object &row, StringRef name,
                              double scale, const char *unit = "") {
  std::optional<double> number = row.getNumber(name);
  return number ? formatv("{0:f1}{1}", *number * scale, unit).str() : "-";
}

void LaunchTimes::printThreads(const json::Object &report) {
  outs() << "\nthread  in launches     waiting       other  (ms)\n";
  for (auto [number, value] : enumerate(*report.getArray("thread_times"))) {
    const json::Object &row = *value.getAsObject();
    outs() << format("%6zu  %11.6f %11.6f %11.6f\n", number,
                     *row.getNumber("launches"), *row.getNumber("waiting"),
                     *row.getNumber("other"));
  }
  if (const json::Object *device = report.getObject("device_times"))
    outs() << format("device  %11.6f           - %11.6f\n",
                     *device->getNumber("launches"),
                     *device->getNumber("other"));
}

void LaunchTimes::print(const json::Object &report, int64_t top) {
  outs() << "\n        ms   share  GFLOP/s    GB/s  of peak  function and "
            "nodes\n";
  for (const json::Value &value : *report.getArray("launches")) {
    if (top-- == 0)
      break;
    const json::Object &row = *value.getAsObject();
    outs() << format("%10.6f  %5.1f%%  ", *row.getNumber("milliseconds"),
                     *row.getNumber("share") * 100)
           << right_justify(numberText(row, "gflops", 1), 7)
           << right_justify(numberText(row, "gbytes_per_second", 1), 8)
           << right_justify(numberText(row, "roofline_share", 100, "%"), 9)
           << "  " << *row.getString("function") << nodesText(row) << "\n";
  }
  printThreads(report);
}

/// A launch of a trace, in the row of a thread or the device, in microseconds.
static json::Object traceEvent(const NodeTable &table, int32_t number,
                               int64_t row, double begin, double duration) {
  const Launch &launch = table.getLaunches()[size_t(number)];
  return json::Object{{"name", launch.nodes.empty() ? launch.function
                                                    : table.text(launch.nodes)},
                      {"ph", "X"},
                      {"pid", 0},
                      {"tid", row},
                      {"ts", begin},
                      {"dur", duration},
                      {"args", json::Object{{"function", launch.function},
                                            {"launch", number}}}};
}

/// The device is a row after the threads.
void LaunchTimes::traceDevice(json::Array &events) const {
  if (lastDeviceRun.empty())
    return;
  auto row = int64_t(threads.size());
  events.push_back(json::Object{{"name", "thread_name"},
                                {"ph", "M"},
                                {"pid", 0},
                                {"tid", row},
                                {"args", json::Object{{"name", "device"}}}});
  for (const DeviceEvent &event : lastDeviceRun)
    events.push_back(traceEvent(table, event.launch, row, event.begin * 1e3,
                                event.milliseconds * 1e3));
}

json::Object LaunchTimes::trace() const {
  double microseconds = millisecondsPerTick * 1e3;
  json::Array events;
  for (auto [number, thread] : enumerate(threads)) {
    uint64_t begin = 0;
    int32_t open = -1;
    for (const Event &event : thread.lastRun) {
      if (event.launch >= 0) {
        open = event.launch;
        begin = event.ticks;
        continue;
      }
      if (open != ~event.launch || size_t(open) >= table.getLaunches().size())
        continue;
      events.push_back(traceEvent(table, open, int64_t(number),
                                  double(begin - lastRunBegin) * microseconds,
                                  double(event.ticks - begin) * microseconds));
    }
  }
  traceDevice(events);
  return json::Object{{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ns"}};
}
