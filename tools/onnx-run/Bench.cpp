//===- Bench.cpp - onnx-run bench -------------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/ColdStart.h"
#include "Measure/Energy.h"
#include "Measure/Plot.h"
#include "onnxc/Support/ByteCount.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <sys/resource.h>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// The smallest time that at least `percent` of the sorted times do not exceed.
static double percentile(ArrayRef<double> sorted, double percent) {
  // 99.9 % of 1000 are 999, and not a little more.
  double rank = std::ceil(double(sorted.size()) * percent / 100 - 1e-9);
  return sorted[rank > 0 ? size_t(rank) - 1 : 0];
}

/// min, mean, p50, ..., max rather than the order of the object.
static void printMilliseconds(const json::Object &times) {
  SmallVector<StringRef> names;
  for (const auto &[name, value] : times)
    names.push_back(name);
  llvm::sort(names, [&](StringRef a, StringRef b) {
    return std::make_pair(*times.getNumber(a), a) <
           std::make_pair(*times.getNumber(b), b);
  });
  for (StringRef name : names)
    outs() << format("%-6s %10.6f ms\n", name.str().c_str(),
                     *times.getNumber(name));
}

static void printColdStart(const json::Object &report) {
  auto median = [&](StringRef step) {
    return *report.getObject(step)->getNumber("median");
  };
  const json::Object &total = *report.getObject("total");
  outs() << format("cold start: %.4f ms (%.4f to %.4f): load %.4f, context "
                   "%.4f, first run %.4f\n",
                   median("total"), *total.getNumber("min"),
                   *total.getNumber("max"), median("load"), median("context"),
                   median("first_run"));
}

static void printTable(const json::Object &report) {
  const json::Object &machine = *report.getObject("machine");
  outs() << "machine: " << *machine.getString("processor") << ", "
         << *machine.getInteger("processors") << " processors\n"
         << "threads: " << *report.getInteger("threads")
         << ", warm-up: " << *report.getInteger("warmup")
         << ", iterations: " << *report.getInteger("iterations")
         << ", memory of the context: "
         << sizeText(*report.getInteger("context_bytes")) << "\n"
         << "callers: " << *report.getInteger("callers");
  if (std::optional<double> rate = report.getNumber("due_per_second"))
    outs() << format(", due: %.6g runs/s (", *rate)
           << *report.getString("arrivals") << ")";
  outs() << format(", throughput: %.6g runs/s, peak memory of the process: ",
                   *report.getNumber("runs_per_second"))
         << sizeText(*report.getInteger("peak_rss_bytes")) << "\n";
  const json::Object &energy = *report.getObject("energy");
  if (std::optional<StringRef> reason = energy.getString("missing"))
    outs() << "energy: not measured, " << *reason << "\n";
  else
    outs() << format("energy: %.6g J of all programs, %.6g J per run\n",
                     *energy.getNumber("joules"),
                     *energy.getNumber("joules_per_run"));
  if (const json::Object *coldStart = report.getObject("cold_start"))
    printColdStart(*coldStart);
  printMilliseconds(*report.getObject("milliseconds"));
}

static json::Object summarise(ArrayRef<TimedRun> runs, const Options &options) {
  std::vector<double> times;
  double sum = 0;
  for (const TimedRun &run : runs) {
    times.push_back(run.latency());
    sum += run.latency();
  }
  llvm::sort(times);
  json::Object milliseconds{{"min", times.front() * 1e3},
                            {"mean", sum / double(times.size()) * 1e3},
                            {"max", times.back() * 1e3}};
  for (const auto &[text, percent] : options.percentiles)
    milliseconds["p" + text] = percentile(times, percent) * 1e3;
  return milliseconds;
}

static int64_t peakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * 1024;
}

static json::Object makeReport(const Artefact &artefact, const Options &options,
                               ArrayRef<TimedRun> runs) {
  std::vector<int64_t> ofCaller(size_t(options.callers));
  double end = 0;
  for (const TimedRun &run : runs) {
    ++ofCaller[size_t(run.caller)];
    end = std::max(end, run.end);
  }
  json::Object report{{"schema", 1},
                      {"machine", describeMachine()},
                      {"threads", artefact.omGetThreads()},
                      {"warmup", options.warmup},
                      {"iterations", int64_t(runs.size())},
                      {"callers", options.callers},
                      {"caller_iterations", json::Array(ofCaller)},
                      {"runs_per_second", double(runs.size()) / end},
                      {"peak_rss_bytes", peakResidentBytes()},
                      {"milliseconds", summarise(runs, options)}};
  if (options.rate > 0) {
    report["due_per_second"] = options.rate;
    report["arrivals"] = options.fixedArrivals ? "fixed" : "poisson";
  }
  return report;
}

static Error writeFiles(const Options &options, ArrayRef<TimedRun> runs) {
  if (!options.csv.empty())
    if (Error error = writeFile(options.csv,
                                [&](raw_ostream &os) { writeCsv(os, runs); }))
      return error;
  if (options.svg.empty())
    return Error::success();
  std::string title;
  raw_string_ostream text(title);
  text << sys::path::filename(options.model) << ": " << runs.size() << " runs, "
       << options.callers << " caller(s)";
  if (options.rate > 0)
    text << format(", %.6g runs/s due", options.rate);
  return writeFile(options.svg,
                   [&](raw_ostream &os) { writeSvg(os, runs, title); });
}

Error run::bench(const Artefact &artefact, const Options &options,
                 std::optional<json::Object> coldStart) {
  Expected<Measurement> measurement = Measurement::prepare(artefact, options);
  if (!measurement)
    return measurement.takeError();
  if (Error error = measurement->warmUp())
    return error;
  EnergyMeter meter = EnergyMeter::start(options.powercap);
  Expected<std::vector<TimedRun>> runs = timeCallers(*measurement, options);
  if (!runs)
    return runs.takeError();
  json::Object energy = meter.stop(runs->size());
  if (Error error = writeFiles(options, *runs))
    return error;
  json::Object report = makeReport(artefact, options, *runs);
  report["context_bytes"] = measurement->memory();
  report["energy"] = std::move(energy);
  if (coldStart)
    report["cold_start"] = std::move(*coldStart);
  if (options.json)
    outs() << formatv("{0:2}\n", json::Value(std::move(report)));
  else
    printTable(report);
  return Error::success();
}
