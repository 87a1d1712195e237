//===- Run.cpp - One run of the model, and the hooks it calls ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "os/OS.h"

#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// Handed out instead of memory that could not be had.
alignas(64) static char guard[64];

//===----------------------------------------------------------------------===//
// Memory hooks
//===----------------------------------------------------------------------===//

/// Fails for want of memory for `what`; memory that may be written.
static void *failToAllocate(OnnxcCall *call, const char *what, int64_t bytes) {
  if (bytes > ONNXC_MAX_TENSOR_BYTES)
    call->fail(ONNXC_ERR_MEMORY, "a size is negative or too large");
  else
    call->fail(ONNXC_ERR_MEMORY, "no memory for %s of %lld bytes", what,
               (long long)bytes);
  return guard;
}

void *onnxc_rt_arena_reserve(OnnxcCall *call, int64_t bytes) {
  if (call->arena && call->arenaBytes >= bytes)
    return call->arena;
  free(call->arena);
  call->arena = allocateAligned(bytes);
  call->arenaBytes = call->arena ? bytes : 0;
  if (!call->arena)
    return failToAllocate(call, "an arena", bytes);
  call->info("arena of %lld bytes", (long long)bytes);
  return call->arena;
}

void *onnxc_rt_arena(OnnxcCall *call) {
  return onnxc_rt_arena_reserve(call, call->entry->arenaBytes);
}

const void *onnxc_rt_weights(OnnxcCall *call) {
  const char *problem;
  const void *weights = modelWeights(*call->model, problem);
  if (!problem)
    return weights;
  call->fail(ONNXC_ERR_INVALID, "the weights file '%s' %s",
             call->model->weightsFile, problem);
  return guard;
}

void *onnxc_rt_alloc(OnnxcCall *call, int64_t bytes) {
  if (void *object = call->pool.allocate(bytes))
    return object;
  return failToAllocate(call, "a value", bytes);
}

void onnxc_rt_release(OnnxcCall *call, void *object) {
  if (object != guard)
    call->pool.release(object);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void *onnxc_rt_scratch(OnnxcCall *call, int32_t tid) {
  return static_cast<char *>(call->scratch) + call->scratchStride * tid;
}

/// Scratch for `workers` threads, made before they start.
static bool reserveScratch(OMContext &context, int32_t workers) {
  if (context.scratchStride == 0 || context.scratchWorkers >= workers)
    return true;
  free(context.scratch);
  int64_t bytes;
  context.scratch = multiply(context.scratchStride, workers, bytes)
                        ? allocateAligned(bytes)
                        : nullptr;
  context.scratchWorkers = context.scratch ? workers : 0;
  if (context.scratch)
    return true;
  context.fail(ONNXC_ERR_MEMORY, "no memory for the scratch of %d threads",
               workers);
  return false;
}

bool rt::mustEnd(OMContext &context) {
  if (context.status.load(std::memory_order_relaxed) != ONNXC_OK)
    return true;
  if (context.cancelled.load(std::memory_order_relaxed) != 0) {
    context.fail(ONNXC_ERR_CANCELLED, "the run was cancelled");
    return true;
  }
  if (context.deadline == 0 || os::now() < context.deadline)
    return false;
  context.fail(ONNXC_ERR_DEADLINE, "the deadline of %lld ns has passed",
               (long long)context.budget);
  return true;
}

int32_t onnxc_rt_poll(OnnxcCall *call) { return mustEnd(*call); }

/// The most threads that a region of so many tiles may run on.
static int maxThreadsFor(const OMContext &context, int64_t tiles) {
  int limit = threadLimit();
  if (context.threads > 0 && context.threads < limit)
    limit = context.threads;
  if (tiles < limit)
    limit = int(tiles);
  return limit < 1 ? 1 : limit;
}

/// Takes workers for the rest of the call, unless it has some; returns how many
/// threads there are then, `limit` at most.
static int teamFor(OMContext &context, int limit) {
  if (limit == 1)
    return 1;
  if (!context.team) {
    int started;
    context.team = acquireTeam(limit - 1, started);
    if (started > 0)
      context.info("%d worker threads started", started);
  }
  int members = teamWorkers(context.team) + 1;
  return members < limit ? members : limit;
}

int32_t onnxc_rt_parallel_region(OnnxcCall *call, OnnxcParallelRegionFn fn,
                                 void *frame, int64_t tiles) {
  if (mustEnd(*call))
    return onnxc_rt_status(call);
  int limit = maxThreadsFor(*call, tiles);
  // For all that may take part: how many are idle differs from run to run, and
  // a later one must not allocate.
  if (!reserveScratch(*call, limit))
    return onnxc_rt_status(call);
  int threads = teamFor(*call, limit);
  if (threads == 1)
    fn(frame, 0, 1, nullptr);
  else
    runOnTeam(call->team, fn, frame, threads);
  return onnxc_rt_status(call);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static bool targetIsFine(OMContext &context) {
  const OnnxcModel &model = *context.model;
  std::atomic<int> &targetState = stateOf(model).targetState;
  if (targetState.load(std::memory_order_relaxed) == 1)
    return true;
  char missing[64];
  if (checkTarget(model.targetFeatures, missing, sizeof missing)) {
    targetState.store(1, std::memory_order_relaxed);
    return true;
  }
  context.fail(ONNXC_ERR_TARGET,
               "the model was compiled for a processor with '%s', which this "
               "one does not have; compile it with --cpu=generic",
               missing);
  return false;
}

/// Forgets the last run's outputs; a sequence, map or optional is destroyed.
static void resetOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    Output &output = context.outputs[i];
    output.asked = output.handed = false;
    output.data = output.object = nullptr;
    if (context.entry->outputs[i].kind == ONNXC_KIND_TENSOR)
      continue;
    omValueDestroy(static_cast<OMValue *>(output.kept));
    output.kept = nullptr;
  }
}

/// Notes where each output is to go.
static int32_t takeOutputs(OMContext &context, OMBuffer *outputs,
                           int64_t numOutputs, bool handOver) {
  int64_t known = context.entry->numOutputs;
  if (numOutputs != 0 && (numOutputs != known || !outputs))
    return context.fail(ONNXC_ERR_INVALID,
                        "the model gives %lld outputs and %lld were asked for",
                        (long long)known, (long long)numOutputs);
  for (int64_t i = 0; i < known; ++i) {
    Output &output = context.outputs[i];
    output.mode = handOver ? OutputMode::Handed : OutputMode::Context;
    if (numOutputs == 0 || !outputs[i].data || handOver ||
        outputs[i].data == output.kept || // as the last run filled it in

        context.entry->outputs[i].kind != ONNXC_KIND_TENSOR)
      continue;
    output.mode = OutputMode::Caller;
    output.given = outputs[i];
  }
  return ONNXC_OK;
}

/// Reports the outputs to the caller.
static void giveOutputs(OMContext &context, OMBuffer *outputs,
                        int64_t numOutputs, bool handOver) {
  for (int64_t i = 0; !handOver && i < context.entry->numOutputs; ++i)
    if (context.entry->outputs[i].kind != ONNXC_KIND_TENSOR)
      context.outputs[i].kept = context.outputs[i].data;
  for (int64_t i = 0; i < numOutputs; ++i) {
    Output &output = context.outputs[i];
    const OnnxcArg &arg = context.entry->outputs[i];
    OMBuffer &buffer = outputs[i];
    buffer.data = output.data;
    buffer.rank = output.rank;
    buffer.type = OM_DATA_TYPE(
        arg.kind == ONNXC_KIND_TENSOR ? arg.type : ONNX_TYPE_UNDEFINED);
    if (output.mode == OutputMode::Caller) {
      for (int32_t d = 0; d < output.rank; ++d)
        buffer.shape[d] = output.dims[d];
      continue;
    }
    buffer.shape = output.dims;
    buffer.bytes = tensorBytes(buffer.type, output.rank, output.dims);
  }
}

static void runEntry(OMContext &context, const OMBuffer *inputs,
                     int64_t numInputs, OMBuffer *outputs, int64_t numOutputs,
                     bool handOver) {
  const OnnxcEntry &entry = *context.entry;
  context.deadline = context.budget > 0 ? os::now() + context.budget : 0;
  context.scratchStride = (entry.scratchBytes + 63) / 64 * 64;
  if (!targetIsFine(context) ||
      checkInputs(context, inputs, numInputs) != ONNXC_OK ||
      takeOutputs(context, outputs, numOutputs, handOver) != ONNXC_OK ||
      !reserveScratch(context, 1))
    return;
  int32_t code = entry.run(static_cast<OnnxcCall *>(&context), context.inputs);
  if (code != ONNXC_OK)
    context.fail(code, "the model failed with code %d", code);
  if (!mustEnd(context))
    finishOutputs(context);
}

/// After an error, outputs made so far are nobody's.
static void dropOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    Output &output = context.outputs[i];
    if (output.handed)
      free(output.data);
    output.handed = false;
    if (context.entry->outputs[i].kind != ONNXC_KIND_TENSOR) {
      omValueDestroy(static_cast<OMValue *>(output.data));
      output.data = nullptr;
    }
  }
}

int32_t rt::run(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
                OMBuffer *outputs, int64_t numOutputs, bool handOver) {
  if (context.busy.exchange(1, std::memory_order_acquire) != 0)
    return ONNXC_ERR_INVALID; // its message belongs to the other run
  context.status.store(ONNXC_OK, std::memory_order_relaxed);
  context.cancelled.store(0, std::memory_order_relaxed);
  context.message.text[0] = 0;
  resetOutputs(context);
  runEntry(context, inputs, numInputs, outputs, numOutputs, handOver);
  if (context.team) {
    releaseTeam(context.team);
    context.team = nullptr;
  }
  int32_t code = context.status.load();
  if (code == ONNXC_OK)
    giveOutputs(context, outputs, numOutputs, handOver);
  else
    dropOutputs(context);
  if (code != ONNXC_OK && context.log)
    context.log(context.logUser, OM_LOG_ERROR, context.message.text);
  context.pool.endCall();
  context.busy.store(0, std::memory_order_release);
  return code;
}
