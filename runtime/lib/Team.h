//===- Team.h - Worker threads and how calls take them ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Every artefact has one pool of worker threads, started when first needed.
// A call takes the workers that are idle at that moment, perhaps none, in one
// atomic step per 64 of them; it never waits for a worker, so that calls
// cannot block each other. It gives them back when it ends.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_TEAM_H
#define ONNXC_RUNTIME_LIB_TEAM_H

#include "onnxc/rt/hooks.h"

#include <stddef.h>
#include <stdint.h>

namespace onnxc::rt {

/// The workers a call holds, and the state they share while a region runs.
struct Team;

/// Most workers of a pool.
constexpr int kMaxWorkers = 256;

/// Takes up to `wanted` idle workers, starting threads if the pool has fewer.
/// Null if none is idle: the call runs alone. `started` is the number of
/// threads created for it.
Team *acquireTeam(int wanted, int &started);
/// Workers in the team, without the caller.
int teamWorkers(const Team *team);
/// Runs fn on the first nthreads - 1 workers and on this thread.
void runOnTeam(Team *team, OnnxcParallelRegionFn fn, void *frame, int nthreads);
/// Returns the workers to the pool.
void releaseTeam(Team *team);

/// Most threads of a call, the caller's included: the number that was set, else
/// the environment, else the processors; never more than the processors.
int threadLimit();
/// 0 returns to the default.
void setThreadLimit(int limit);

/// Sets the number of processors to `count`; 0 queries the system again. Tests
/// only: the pool must be idle.
void overrideProcessorCount(int count);
/// Stops all idle workers and frees the pool. Runs when the artefact is
/// unloaded.
void shutDownPool();

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_TEAM_H
