//===- Counters.h - Counts and settings of the simulated driver -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Tests look the two functions up in the libcuda.so.1 that the runtime has
// loaded. The environment has the same settings for programs:
// ONNXC_SIMULATOR_FAIL_AT, ONNXC_SIMULATOR_SEED, and with
// ONNXC_SIMULATOR_COUNTERS a line of counts when the program ends; if it is
// "sectors", a second one of accesses to memory, and if it is "kernels", one
// for each kernel. ONNXC_SIMULATOR_BLOCKS=N leaves all but N blocks of each
// launch out, for counts: results are not those of the kernel then.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_COUNTERS_H
#define ONNXC_TEST_SIMULATOR_COUNTERS_H

#include <cstdint>

namespace onnxc::simulator {

struct Counters {
  int64_t calls;    ///< of functions that may fail
  int64_t launches; ///< of kernels, as they run
  int64_t copiesIn, bytesIn;
  int64_t copiesOut, bytesOut;
  int64_t copiesOn, bytesOn; ///< between two places on the device
  int64_t graphLaunches;     ///< whose kernels count as launches, too
  int64_t nodeUpdates;       ///< of arguments in graphs
  int64_t graphEdges;        ///< dependencies of nodes, as they are added
  int64_t allocations;
  // What is alive.
  int64_t memory; ///< number of allocations
  int64_t streams, modules, retains, graphs;
  /// Requests of warps to device memory, the sectors of 32 bytes of these, and
  /// the steps that requests to shared memory take, by conflicts of banks.
  int64_t requests, sectors;
  int64_t sharedRequests, sharedSteps;
  int64_t events; ///< that are alive
};

struct Settings {
  int64_t failAt;  ///< the call, counted from now as 0, that fails; -1: none
  int failWith;    ///< its error
  uint64_t seed;   ///< of the order of blocks, warps and nodes
  int devices;     ///< how many there are, 8 at most
  int capability;  ///< 10 * major + minor
  int others;      ///< that of devices but the first; 0: the same
  int version;     ///< of the driver
  int64_t refused; ///< this many next modules are refused
  /// As a driver that is older than the toolkit which cubins are of.
  bool refusesCubins;
  bool refusesUpdates; ///< of nodes in graphs
  bool countsSectors;
  int64_t blocks; ///< of a launch that run at most; 0: all
  /// A stream that the program captures in the global mode; null: none.
  const void *captured;
  bool isNonBlocking; ///< that stream, of which the default one reports nothing
  bool endsCapture;   ///< set where a call has invalidated the capture
};

} // namespace onnxc::simulator

extern "C" {
/// Reset by nothing but the caller.
onnxc::simulator::Counters *simulatorCounters();
onnxc::simulator::Settings *simulatorSettings();
/// Why the last kernel has failed.
const char *simulatorProblem();
/// Lets the device work again after a kernel has failed.
void simulatorRecover();
/// How many contexts the thread has pushed.
int simulatorContextDepth();
}

#endif // ONNXC_TEST_SIMULATOR_COUNTERS_H
