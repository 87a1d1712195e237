//===- Bench.cpp - onnx-run bench -------------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// The smallest time that at least `percent` of the sorted times do not exceed.
static double percentile(ArrayRef<double> sorted, unsigned percent) {
  size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[rank > 0 ? rank - 1 : 0];
}

static void printTable(const json::Object &report) {
  const json::Object &machine = *report.getObject("machine");
  outs() << "machine: " << *machine.getString("processor") << ", "
         << *machine.getInteger("processors") << " processors\n"
         << "threads: " << *report.getInteger("threads")
         << ", warm-up: " << *report.getInteger("warmup")
         << ", iterations: " << *report.getInteger("iterations")
         << ", memory of the context: " << *report.getInteger("context_bytes")
         << " bytes\n";
  const json::Object &times = *report.getObject("milliseconds");
  SmallVector<StringRef> names;
  for (const auto &[name, value] : times)
    names.push_back(name);
  // min, mean, p50, ..., max rather than the map's order.
  llvm::sort(names, [&](StringRef a, StringRef b) {
    return std::make_pair(*times.getNumber(a), a) <
           std::make_pair(*times.getNumber(b), b);
  });
  for (StringRef name : names)
    outs() << format("%-6s %10.4f ms\n", name.str().c_str(),
                     *times.getNumber(name));
}

Error run::bench(const Artefact &artefact, const Options &options) {
  Expected<Measurement> measurement = Measurement::prepare(artefact, options);
  if (!measurement)
    return measurement.takeError();
  if (Error error = measurement->warmUp())
    return error;
  Expected<std::vector<double>> times = measurement->time();
  if (!times)
    return times.takeError();
  llvm::sort(*times);
  double sum = 0;
  for (double time : *times)
    sum += time;
  json::Object milliseconds{{"min", times->front() * 1e3},
                            {"mean", sum / double(times->size()) * 1e3},
                            {"max", times->back() * 1e3}};
  for (unsigned percent : options.percentiles)
    milliseconds["p" + std::to_string(percent)] =
        percentile(*times, percent) * 1e3;
  json::Object report{{"schema", 1},
                      {"machine", describeMachine()},
                      {"threads", artefact.omGetThreads()},
                      {"warmup", options.warmup},
                      {"iterations", int64_t(times->size())},
                      {"context_bytes", measurement->memory()},
                      {"milliseconds", std::move(milliseconds)}};
  if (options.json)
    outs() << formatv("{0:2}\n", json::Value(std::move(report)));
  else
    printTable(report);
  return Error::success();
}
