//===- Profile.cpp - onnx-run profile ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An artefact compiled with --profile reports when its launches begin and end.
// Of others the thread that calls the model is sampled: kernels are functions
// of their own with names, and the artefact has the nodes they come from.
//
//===----------------------------------------------------------------------===//

#include "Measure/LaunchTimes.h"
#include "Measure/Measure.h"
#include "Measure/ProfileThreads.h"
#include "Measure/Sampler.h"

#include "onnxc/Profile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {

/// Whose code it is.
enum class Part { Kernel, Host, Runtime, Library };

struct Function {
  uintptr_t begin = 0, end = 0;
  std::string name;
  Part part = Part::Runtime;
};

/// The functions of a loaded artefact.
class Functions {
public:
  static Expected<Functions> of(const Artefact &artefact, StringRef path);
  /// The one with this instruction; a library, if it is none of the artefact.
  Function find(uintptr_t address) const;

private:
  std::vector<Function> sorted;
};

/// Samples by function.
struct Row {
  std::string name;
  Part part;
  int64_t samples = 0;
};

} // namespace

static StringRef nameOf(Part part) {
  switch (part) {
  case Part::Kernel:
    return "kernel";
  case Part::Host:
    return "host";
  case Part::Runtime:
    return "runtime";
  case Part::Library:
    return "library";
  }
  llvm_unreachable("no part");
}

static Part partOf(StringRef symbol) {
  if (symbol.starts_with("kernel_"))
    return Part::Kernel;
  bool isHost =
      symbol.starts_with("parallel_region.") ||
      (symbol.starts_with("onnxc_") && !symbol.starts_with("onnxc_rt_") &&
       !symbol.starts_with("onnxc_call_"));
  return isHost ? Part::Host : Part::Runtime;
}

/// The demangled name without its parameters.
static std::string shortName(StringRef symbol) {
  std::string name = demangle(symbol);
  StringRef rest = name;
  rest.consume_front("(anonymous namespace)::");
  return rest.split('(').first.str();
}

Expected<Functions> Functions::of(const Artefact &artefact, StringRef path) {
  Dl_info loaded;
  if (!dladdr(reinterpret_cast<void *>(artefact.omContextRun), &loaded))
    return failure("cannot find where %s is loaded", path.str().c_str());
  auto base = reinterpret_cast<uintptr_t>(loaded.dli_fbase);
  auto file = object::ObjectFile::createObjectFile(path);
  if (!file)
    return file.takeError();
  Functions functions;
  for (object::ELFSymbolRef symbol : file->getBinary()->symbols()) {
    Expected<uint64_t> address = symbol.getAddress();
    Expected<StringRef> name = symbol.getName();
    if (symbol.getELFType() == ELF::STT_FUNC && address && name && *address)
      functions.sorted.push_back({base + *address,
                                  base + *address + symbol.getSize(),
                                  shortName(*name), partOf(*name)});
    consumeError(address.takeError());
    consumeError(name.takeError());
  }
  llvm::sort(functions.sorted, [](const Function &a, const Function &b) {
    return a.begin < b.begin;
  });
  return functions;
}

Function Functions::find(uintptr_t address) const {
  auto next = llvm::upper_bound(
      sorted, address,
      [](uintptr_t address, const Function &f) { return address < f.begin; });
  if (next != sorted.begin() && address < std::prev(next)->end)
    return *std::prev(next);
  Dl_info loaded;
  if (!dladdr(reinterpret_cast<void *>(address), &loaded) || !loaded.dli_fname)
    return {0, 0, "unknown", Part::Library};
  std::string name = sys::path::filename(loaded.dli_fname).str();
  if (loaded.dli_sname)
    name += ": " + shortName(loaded.dli_sname);
  return {0, 0, name, Part::Library};
}

/// Functions, those with most samples first.
static std::vector<Row> countSamples(const Functions &functions) {
  std::vector<Row> rows;
  StringMap<size_t> numbers;
  for (uintptr_t address : Sampler::addresses()) {
    Function function = functions.find(address);
    size_t number =
        numbers.try_emplace(function.name, rows.size()).first->second;
    if (number == rows.size())
      rows.push_back({function.name, function.part});
    ++rows[number].samples;
  }
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return a.samples != b.samples ? a.samples > b.samples : a.name < b.name;
  });
  return rows;
}

/// What all reports have.
static json::Object makeHeader(const Artefact &artefact,
                               ArrayRef<double> times) {
  double mean = 0;
  for (double time : times)
    mean += time * 1e3 / double(times.size());
  return json::Object{{"schema", 1},
                      {"machine", describeMachine()},
                      {"threads", artefact.omGetThreads()},
                      {"iterations", int64_t(times.size())},
                      {"milliseconds", mean},
                      {"min_milliseconds", *min_element(times) * 1e3}};
}

static json::Object makeReport(const Artefact &artefact, ArrayRef<Row> rows,
                               ArrayRef<double> times, const NodeTable &table) {
  int64_t samples = Sampler::addresses().size();
  json::Object report = makeHeader(artefact, times);
  double mean = *report.getNumber("milliseconds");
  json::Array functions;
  std::map<StringRef, double> parts;
  for (const Row &row : rows) {
    double share = double(row.samples) / double(samples);
    parts[nameOf(row.part)] += share;
    functions.push_back(
        json::Object{{"name", row.name},
                     {"part", nameOf(row.part)},
                     {"share", share},
                     {"milliseconds", share * mean},
                     {"nodes", table.json(table.nodesOf(row.name))}});
  }
  json::Object shares;
  for (auto [name, share] : parts)
    shares[name] = share;
  report["samples"] = samples;
  report["shares"] = std::move(shares);
  report["functions"] = std::move(functions);
  return report;
}

static void printHeader(const json::Object &report) {
  outs() << format("%.6f ms per run, %lld runs, %lld thread(s)",
                   *report.getNumber("milliseconds"),
                   *report.getInteger("iterations"),
                   *report.getInteger("threads"));
}

static void printFunctions(const json::Object &report, int64_t top) {
  printHeader(report);
  outs() << ", " << *report.getInteger("samples") << " samples"
         << "\n\n        ms   share  part     function\n";
  for (const json::Value &value : *report.getArray("functions")) {
    if (top-- == 0)
      break;
    const json::Object &row = *value.getAsObject();
    outs() << format("%10.6f  %5.1f%%  ", *row.getNumber("milliseconds"),
                     *row.getNumber("share") * 100)
           << left_justify(*row.getString("part"), 9) << *row.getString("name")
           << nodesText(row) << "\n";
  }
}

/// Samples the functions of the artefact.
static Expected<json::Object> profileFunctions(const Artefact &artefact,
                                               const Options &options,
                                               const NodeTable &table) {
  Expected<Functions> functions = Functions::of(artefact, options.model);
  if (!functions)
    return functions.takeError();
  Expected<Measurement> measurement = Measurement::prepare(artefact, options);
  if (!measurement)
    return measurement.takeError();
  if (Error error = measurement->warmUp())
    return std::move(error);
  Expected<Sampler> sampler = Sampler::start();
  if (!sampler)
    return sampler.takeError();
  Expected<std::vector<double>> times = measurement->time();
  sampler->stop();
  if (!times)
    return times.takeError();
  if (Sampler::addresses().empty())
    return failure(
        "the runs were too short for a sample; use a longer --duration");
  return makeReport(artefact, countSamples(*functions), *times, table);
}

namespace {

/// The observers of a context.
struct Observers {
  OMContext *context;
  decltype(omContextSetLaunchObserver) *setLaunches;
  /// Null in artefacts without it.
  decltype(omContextSetSizeObserver) *setSizes;
  decltype(omContextSetDeviceObserver) *setDevice;
  LaunchTimes &times;

  void observeLaunches(bool on) const {
    setLaunches(context, on ? LaunchTimes::observe : nullptr, &times);
    if (setDevice)
      setDevice(context, on ? LaunchTimes::observeDevice : nullptr, &times);
    if (on)
      times.beginRun();
  }
  void observeSizes(bool on) const {
    if (setSizes)
      setSizes(context, on ? LaunchTimes::observeSize : nullptr, &times);
  }
};

} // namespace

/// The number of runs out of which one is observed so that all of them take at
/// most 1 % longer, measured by runs in turns.
static Expected<size_t> chooseStride(Measurement &measurement,
                                     const Options &options,
                                     const Observers &observers) {
  using Clock = std::chrono::steady_clock;
  auto secondsSince = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr double maxCost = 0.01, maxSeconds = 0.05;
  constexpr double minObserved = 16;
  double shortest[2] = {INFINITY, INFINITY};
  for (Clock::time_point begin = Clock::now();
       secondsSince(begin) < maxSeconds;)
    for (bool on : {false, true}) {
      observers.observeLaunches(on);
      Clock::time_point start = Clock::now();
      if (Error error = measurement.runOnce())
        return std::move(error);
      shortest[on] = std::min(shortest[on], secondsSince(start));
      observers.times.endRun();
    }
  double runs = options.duration > 0 ? options.duration / shortest[1]
                                     : double(options.iterations);
  double stride = std::ceil((shortest[1] / shortest[0] - 1) / maxCost);
  return size_t(std::max(1.0, std::min(stride, runs / minObserved)));
}

/// Times runs, of which every `stride`-th one is observed.
static Expected<std::vector<double>> timeObserved(Measurement &measurement,
                                                  const Observers &observers,
                                                  size_t stride) {
  LaunchTimes &launches = observers.times;
  launches.start();
  observers.observeLaunches(true);
  size_t runs = 0;
  bool isObserved = true;
  Expected<std::vector<double>> times = measurement.time([&] {
    bool isNext = ++runs % stride == 0;
    if (isObserved)
      launches.endRun();
    if (isObserved || isNext)
      observers.observeLaunches(isNext);
    isObserved = isNext;
  });
  launches.stop();
  return times;
}

/// The report on runs that took `times`, of which every `stride`-th one was
/// observed.
static json::Object reportLaunches(const Artefact &artefact,
                                   LaunchTimes &launches,
                                   const std::vector<double> &times,
                                   size_t stride) {
  double observedSeconds = 0, observed = 0;
  for (size_t run = 0; run < times.size(); run += stride, ++observed)
    observedSeconds += times[run];
  double milliseconds = observedSeconds * 1e3 / observed;
  json::Object report = makeHeader(artefact, times);
  report["observed_runs"] = int64_t(observed);
  report["observed_milliseconds"] = milliseconds;
  auto threads = size_t(artefact.omGetThreads());
  json::Object rows = launches.report(int64_t(observed), milliseconds,
                                      Roofline::measure(threads));
  for (auto &[key, value] : rows)
    report[key] = std::move(value);
  return report;
}

/// Takes the times of launches.
static Expected<json::Object>
profileLaunches(const Artefact &artefact, const Options &options,
                const NodeTable &table,
                decltype(omContextSetLaunchObserver) *observe) {
  Expected<Measurement> measurement = Measurement::prepare(artefact, options);
  if (!measurement)
    return measurement.takeError();
  LaunchTimes launches(table, size_t(artefact.omGetThreads()));
  Observers observers{measurement->getContext(), observe,
                      artefact.find<decltype(omContextSetSizeObserver)>(
                          "omContextSetSizeObserver"),
                      artefact.find<decltype(omContextSetDeviceObserver)>(
                          "omContextSetDeviceObserver"),
                      launches};
  // All runs have the same sizes.
  observers.observeSizes(true);
  if (Error error = measurement->runOnce())
    return std::move(error);
  observers.observeSizes(false);
  launches.countWork();
  if (Error error = measurement->warmUp())
    return std::move(error);
  Expected<size_t> stride = chooseStride(*measurement, options, observers);
  if (!stride)
    return stride.takeError();
  Expected<std::vector<double>> times =
      timeObserved(*measurement, observers, *stride);
  if (!times)
    return times.takeError();
  json::Object report = reportLaunches(artefact, launches, *times, *stride);
  if (!options.trace.empty())
    if (Error error = writeFile(options.trace, [&](raw_ostream &os) {
          os << json::Value(launches.trace()) << "\n";
        }))
      return std::move(error);
  return report;
}

static void print(const json::Object &report, int64_t top) {
  if (report.getArray("functions"))
    return printFunctions(report, top);
  printHeader(report);
  outs() << "\n";
  LaunchTimes::print(report, top);
}

Error run::profile(const Artefact &artefact, const Options &options) {
  // Whether code for a device runs here is known when there is a context.
  Expected<OMContext *> context = artefact.createContext(options.device);
  if (!context)
    return context.takeError();
  artefact.omContextDestroy(*context);
  const char *cpu = artefact.omGetCpu(artefact.entry().c_str());
  Expected<NodeTable> table = NodeTable::read(options.model, cpu ? cpu : "");
  if (!table)
    return table.takeError();
  auto *observe = artefact.find<decltype(omContextSetLaunchObserver)>(
      "omContextSetLaunchObserver");
  bool hasLaunches = observe && !table->getLaunches().empty();
  if (!hasLaunches && !options.trace.empty())
    return failure("--trace: %s does not report its launches; compile the "
                   "model with --profile and without --strip",
                   options.model.c_str());
  json::Array reports;
  for (int64_t threads : options.threadCounts) {
    if (threads)
      artefact.omSetThreads(threads);
    Expected<json::Object> report =
        hasLaunches ? profileLaunches(artefact, options, *table, observe)
                    : profileFunctions(artefact, options, *table);
    if (!report)
      return report.takeError();
    reports.push_back(std::move(*report));
  }
  bool isOne = reports.size() == 1;
  if (options.json)
    outs() << formatv(
        "{0:2}\n",
        isOne ? std::move(reports.front())
              : json::Value(json::Object{{"schema", 1},
                                         {"profiles", std::move(reports)}}));
  else if (isOne)
    print(*reports.front().getAsObject(), options.top);
  else
    printThreadCounts(reports, options.top);
  return Error::success();
}
