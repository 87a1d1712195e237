//===- Measure.cpp - Runs that are timed ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Measure.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <thread>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Expected<Measurement::Inputs> Measurement::makeInputs(const Artefact &artefact,
                                                      const Options &options) {
  StringRef dataSet;
  if (!options.dataSets.empty())
    dataSet = options.dataSets.front();
  Expected<InputSet> inputs = run::makeInputs(artefact, options, dataSet);
  if (!inputs)
    return inputs.takeError();
  return std::make_shared<const InputSet>(std::move(*inputs));
}

Expected<Measurement> Measurement::make(const Artefact &artefact,
                                        const Options &options, Inputs inputs) {
  Expected<OMContext *> created = artefact.createContext(options.device);
  if (!created)
    return created.takeError();
  Context context(*created, artefact.omContextDestroy);
  return Measurement(artefact, options, std::move(inputs), std::move(context));
}

Expected<Measurement> Measurement::prepare(const Artefact &artefact,
                                           const Options &options) {
  Expected<Inputs> inputs = makeInputs(artefact, options);
  return inputs ? make(artefact, options, std::move(*inputs))
                : Expected<Measurement>(inputs.takeError());
}

Expected<Measurement> Measurement::another() const {
  return make(artefact, options, inputs);
}

Error Measurement::runOnce() {
  // Fresh buffers: the runtime fills in its own, reused memory.
  llvm::fill(outputs, OMBuffer{});
  if (artefact.omContextRun(context.get(), inputs->buffers().data(),
                            int64_t(inputs->buffers().size()), outputs.data(),
                            int64_t(outputs.size())) != OM_STATUS_OK)
    return inputs->refusal(artefact.omContextGetMessage(context.get()));
  return Error::success();
}

Error Measurement::warmUp() {
  for (int64_t i = 0; i < options.warmup; ++i)
    if (Error error = runOnce())
      return error;
  return Error::success();
}

Expected<std::vector<double>>
Measurement::time(function_ref<void()> afterEach) {
  std::vector<double> times;
  Clock::time_point begin = Clock::now();
  while (options.duration > 0 ? secondsSince(begin) < options.duration
                              : int64_t(times.size()) < options.iterations) {
    Clock::time_point start = Clock::now();
    if (Error error = runOnce())
      return std::move(error);
    times.push_back(secondsSince(start));
    if (afterEach)
      afterEach();
  }
  if (times.empty())
    return failure("nothing was timed: --iterations is 0");
  return times;
}

int64_t Measurement::memory() const {
  return artefact.omContextGetMemory(context.get());
}

/// "model name" of /proc/cpuinfo, else LLVM's name.
static std::string processorName() {
  if (auto file = MemoryBuffer::getFileAsStream("/proc/cpuinfo"))
    for (StringRef line : split((*file)->getBuffer(), '\n'))
      if (line.starts_with("model name"))
        return line.split(':').second.trim().str();
  return sys::getHostCPUName().str();
}

json::Object run::describeMachine() {
  return json::Object{
      {"processor", processorName()},
      {"processors", int64_t(std::thread::hardware_concurrency())}};
}
