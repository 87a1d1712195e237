//===- Machine.cpp - The state of the simulated driver ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace onnxc;
using namespace onnxc::simulator;

Machine &simulator::machine = *new Machine;
thread_local ContextStack simulator::contexts;
thread_local int simulator::captureMode;

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

static int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atoll(text) : otherwise;
}

/// What is printed at the end: counts, and with "sectors" those of accesses.
static bool isAskedFor(const char *what) {
  const char *text = std::getenv("ONNXC_SIMULATOR_COUNTERS");
  return text && std::strcmp(text, what) == 0;
}

Settings simulator::initialSettings() {
  return {fromEnvironment("ONNXC_SIMULATOR_FAIL_AT", -1),
          LaunchFailed,
          uint64_t(fromEnvironment("ONNXC_SIMULATOR_SEED", 1)),
          /*devices=*/1,
          /*capability=*/990,
          /*others=*/0,
          /*version=*/12040,
          /*refused=*/0,
          /*refusesCubins=*/false,
          /*refusesUpdates=*/false,
          /*countsSectors=*/isAskedFor("sectors") || isAskedFor("kernels"),
          fromEnvironment("ONNXC_SIMULATOR_BLOCKS", 0),
          /*captured=*/nullptr,
          /*isNonBlocking=*/false,
          /*endsCapture=*/false};
}

static void printAccesses(const char *whose, const Counters &its) {
  std::fprintf(stderr,
               "simulator: %ssectors %lld of %lld requests, steps %lld of %lld "
               "requests to shared memory\n",
               whose, (long long)its.sectors, (long long)its.requests,
               (long long)its.sharedSteps, (long long)its.sharedRequests);
}

__attribute__((destructor)) static void endMachine() {
  machine.hasEnded = true;
  const Counters &its = machine.counters;
  if (std::getenv("ONNXC_SIMULATOR_COUNTERS"))
    std::fprintf(stderr,
                 "simulator: launches %lld, copies in %lld, copies out %lld, "
                 "allocations %lld, left %lld\n",
                 (long long)its.launches, (long long)its.copiesIn,
                 (long long)its.copiesOut, (long long)its.allocations,
                 (long long)(its.memory + its.streams + its.modules +
                             its.retains + its.graphs + its.events));
  if (isAskedFor("graphs"))
    std::fprintf(
        stderr,
        "simulator: graphs %lld, updates %lld, copies on the device %lld\n",
        (long long)its.graphLaunches, (long long)its.nodeUpdates,
        (long long)its.copiesOn);
  if (isAskedFor("sectors"))
    printAccesses("", its);
  if (isAskedFor("kernels"))
    for (const auto &[name, counters] : machine.ofKernels)
      printAccesses((name + ": ").c_str(), counters);
}

//===----------------------------------------------------------------------===//
// Devices and errors
//===----------------------------------------------------------------------===//

int simulator::deviceOf(const void *context) {
  for (int i = 0; i < machine.settings.devices; ++i)
    if (context == &machine.primary[i])
      return i;
  return -1;
}

int simulator::currentDevice() {
  return contexts.empty() ? -1 : deviceOf(contexts.back());
}

int simulator::stateError(bool needsContext) {
  ++machine.counters.calls;
  int64_t &failAt = machine.settings.failAt;
  if (failAt >= 0 && failAt-- == 0)
    return machine.settings.failWith;
  if (machine.hasEnded)
    return Deinitialized;
  if (machine.process != getpid())
    return NotInitialized;
  if (needsContext && currentDevice() < 0)
    return InvalidContext;
  return needsContext ? machine.sticky : int(Success);
}

int simulator::captureError() {
  constexpr int relaxed = 2;
  return machine.settings.captured && captureMode != relaxed
             ? StreamCaptureUnsupported
             : Success;
}

int simulator::captureErrorOf(void *stream) {
  const void *captured = machine.settings.captured;
  if (!captured)
    return Success;
  if (reinterpret_cast<uintptr_t>(stream) <= 1)
    return machine.settings.isNonBlocking ? Success : StreamCaptureImplicit;
  return stream == captured ? StreamCaptureUnsupported : Success;
}

//===----------------------------------------------------------------------===//
// What tests look up
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

Counters *simulatorCounters() { return &machine.counters; }

Settings *simulatorSettings() { return &machine.settings; }

const char *simulatorProblem() { return machine.problem.c_str(); }

void simulatorRecover() {
  machine.sticky = Success;
  for (Stream &stream : machine.nullStreams)
    stream.tasks.clear();
  for (Stream *stream : machine.streams)
    stream->tasks.clear();
}

int simulatorContextDepth() { return contexts.size(); }

} // extern "C"
#pragma GCC visibility pop
