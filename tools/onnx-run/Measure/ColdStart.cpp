//===- ColdStart.cpp - From loading to the first result ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/ColdStart.h"

#include "Measure/Measure.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <chrono>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// Seconds of the steps.
using Steps = std::array<double, 3>;
static constexpr const char *stepNames[] = {"load", "context", "first_run"};
static constexpr int processes = 10;

static double secondsSince(std::chrono::steady_clock::time_point &begin) {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - begin).count();
  begin = now;
  return seconds;
}

/// Loads and runs it in this process. Making the inputs does not count.
static Expected<Steps> startOnce(const Options &options) {
  Steps steps;
  auto time = std::chrono::steady_clock::now();
  Expected<std::unique_ptr<Artefact>> artefact =
      Artefact::load(options.model, options.entry);
  if (!artefact)
    return artefact.takeError();
  steps[0] = secondsSince(time);
  if (options.threads)
    (*artefact)->omSetThreads(options.threads);
  Expected<Measurement::Inputs> inputs =
      Measurement::makeInputs(**artefact, options);
  if (!inputs)
    return inputs.takeError();
  secondsSince(time);
  Expected<Measurement> model =
      Measurement::make(**artefact, options, std::move(*inputs));
  if (!model)
    return model.takeError();
  steps[1] = secondsSince(time);
  if (Error error = model->runOnce())
    return std::move(error);
  steps[2] = secondsSince(time);
  return steps;
}

/// In the child: writes the steps, or fails after telling why.
[[noreturn]] static void serveParent(int pipe, const Options &options) {
  Expected<Steps> steps = startOnce(options);
  if (!steps)
    logAllUnhandledErrors(steps.takeError(), errs(), "onnx-run: error: ");
  else if (write(pipe, steps->data(), sizeof(Steps)) == sizeof(Steps))
    _exit(0);
  _exit(1);
}

static Expected<Steps> startInChild(const Options &options) {
  int ends[2];
  if (pipe(ends) != 0)
    return failure("cannot make a pipe: %s", sys::StrError().c_str());
  pid_t child = fork();
  if (child == 0)
    serveParent(ends[1], options);
  close(ends[1]);
  Steps steps;
  ssize_t size = child > 0 ? read(ends[0], steps.data(), sizeof(Steps)) : 0;
  close(ends[0]);
  if (child > 0)
    waitpid(child, nullptr, 0);
  if (size != sizeof(Steps))
    return failure("--cold-start: a process failed before its first result");
  return steps;
}

static json::Object summarise(std::vector<double> seconds) {
  llvm::sort(seconds);
  return json::Object{{"min", seconds.front() * 1e3},
                      {"median", seconds[seconds.size() / 2] * 1e3},
                      {"max", seconds.back() * 1e3}};
}

Expected<json::Object> run::timeColdStarts(const Options &options) {
  std::array<std::vector<double>, 3> steps;
  std::vector<double> totals;
  outs().flush();
  Options quiet = options;
  for (int process = 0; process < processes; ++process) {
    Expected<Steps> seconds = startInChild(quiet);
    if (!seconds)
      return seconds.takeError();
    quiet.quiet = true;
    double total = 0;
    for (auto [all, one] : zip_equal(steps, *seconds)) {
      all.push_back(one);
      total += one;
    }
    totals.push_back(total);
  }
  json::Object report{{"processes", processes},
                      {"total", summarise(std::move(totals))}};
  for (auto [name, seconds] : zip_equal(stepNames, steps))
    report[name] = summarise(seconds);
  return report;
}
