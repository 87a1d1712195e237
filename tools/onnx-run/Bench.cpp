//===- Bench.cpp - onnx-run bench -------------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <thread>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

using Clock = std::chrono::steady_clock;

static double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// "model name" of /proc/cpuinfo, else LLVM's name.
static std::string processorName() {
  if (auto file = MemoryBuffer::getFileAsStream("/proc/cpuinfo"))
    for (StringRef line : split((*file)->getBuffer(), '\n'))
      if (line.starts_with("model name"))
        return line.split(':').second.trim().str();
  return sys::getHostCPUName().str();
}

/// Seconds of each timed run.
static Expected<std::vector<double>> measure(const Artefact &artefact,
                                             OMContext *context,
                                             const InputSet &inputs,
                                             const Options &options) {
  std::vector<OMBuffer> outputs(artefact.outputs().size());
  std::vector<double> times;
  auto once = [&] {
    // Fresh buffers: the runtime fills in its own, reused memory.
    llvm::fill(outputs, OMBuffer{});
    return artefact.omContextRun(context, inputs.buffers().data(),
                                 int64_t(inputs.buffers().size()),
                                 outputs.data(),
                                 int64_t(outputs.size())) == OM_STATUS_OK;
  };
  for (int64_t i = 0; i < options.warmup; ++i)
    if (!once())
      return failure("%s", artefact.omContextGetMessage(context));
  Clock::time_point begin = Clock::now();
  while (options.duration > 0 ? seconds(Clock::now() - begin) < options.duration
                              : int64_t(times.size()) < options.iterations) {
    Clock::time_point start = Clock::now();
    if (!once())
      return failure("%s", artefact.omContextGetMessage(context));
    times.push_back(seconds(Clock::now() - start));
  }
  return times;
}

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
  Expected<InputSet> inputs = makeInputs(artefact, options);
  if (!inputs)
    return inputs.takeError();
  OMContext *context = artefact.omContextCreate(artefact.entry().c_str());
  if (!context)
    return failure("%s", artefact.omGetLastError());
  Expected<std::vector<double>> times =
      measure(artefact, context, *inputs, options);
  int64_t memory = artefact.omContextGetMemory(context);
  artefact.omContextDestroy(context);
  if (!times)
    return times.takeError();
  if (times->empty())
    return failure("nothing was timed: --iterations is 0");

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
  json::Object report{
      {"schema", 1},
      {"machine", json::Object{{"processor", processorName()},
                               {"processors",
                                int64_t(std::thread::hardware_concurrency())}}},
      {"threads", artefact.omGetThreads()},
      {"warmup", options.warmup},
      {"iterations", int64_t(times->size())},
      {"context_bytes", memory},
      {"milliseconds", std::move(milliseconds)}};
  if (options.json)
    outs() << formatv("{0:2}\n", json::Value(std::move(report)));
  else
    printTable(report);
  return Error::success();
}
