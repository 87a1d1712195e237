//===- Run.cpp - One run of the model, and the hooks it calls ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "device/Code.h"
#include "os/OS.h"

#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// Returned instead of memory where the allocation failed.
alignas(64) static char guard[64];

//===----------------------------------------------------------------------===//
// Memory hooks
//===----------------------------------------------------------------------===//

void rt::failToAllocate(OMContext &context, const char *what, int64_t bytes) {
  if (bytes < 0 || bytes > ONNXC_MAX_TENSOR_BYTES)
    context.fail(ONNXC_ERR_MEMORY, "a size is negative or too large");
  else
    context.fail(ONNXC_ERR_MEMORY, "no memory for %s of %lld bytes", what,
                 (long long)bytes);
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
  failToAllocate(*call, "a value", bytes);
  return guard;
}

void onnxc_rt_release(OnnxcCall *call, void *object) {
  if (object != guard)
    call->pool.release(object);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

int32_t onnxc_rt_poll(OnnxcCall *call) {
  if (call->progress.load(std::memory_order_relaxed) == RunProgress::Cancelled)
    call->fail(ONNXC_ERR_CANCELLED, "the run was cancelled");
  else if (call->deadline != 0 && os::now() >= call->deadline)
    call->fail(ONNXC_ERR_DEADLINE, "the deadline of %.9g ms has passed",
               double(call->budget) / 1e6);
  return onnxc_rt_status(call);
}

/// Takes workers for the rest of the call, unless it has some; returns how many
/// threads there are then, `limit` at most, or 0 without memory.
static int teamFor(OMContext &context, int limit) {
  if (limit == 1)
    return 1;
  // For all that may take part: how many are idle differs from run to run, and
  // a later one must not allocate.
  if (!reserveScratch(context, limit))
    return 0;
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
  if (int32_t status = onnxc_rt_poll(call))
    return status;
  int threads = 1;
  if (tiles > 1) {
    int limit = maxThreads(*call);
    threads = teamFor(*call, tiles < limit ? int(tiles) : limit);
  }
  if (threads == 1)
    fn(frame, 0, 1, nullptr);
  else if (threads > 1)
    runOnTeam(call->team, fn, frame, threads);
  return onnxc_rt_status(call);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static bool targetIsFine(OMContext &context) {
  if (stateOf(*context.model).level >= 0)
    return true;
  Message reason;
  chooseLevel(*context.model, &reason);
  context.fail(ONNXC_ERR_TARGET, "%s", reason.text);
  return false;
}

/// Forgets the last run's outputs; a sequence, map or optional is destroyed.
static void resetOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    Output &output = context.outputs[i];
    output.asked = output.owned = false;
    output.data = output.object = output.deviceOwner = nullptr;
    output.onDevice = false;
    output.deviceData = 0;
    if (context.entry->outputs[i].kind == ONNXC_KIND_TENSOR)
      continue;
    omValueDestroy(static_cast<OMValue *>(output.kept));
    output.kept = nullptr;
  }
}

/// Notes where each output is to go.
static int32_t takeOutputs(OMContext &context, const OMBuffer *outputs,
                           int64_t numOutputs, bool callerOwns) {
  int64_t known = context.entry->numOutputs;
  if (numOutputs != 0 && !outputs)
    return context.fail(ONNXC_ERR_INVALID, "the outputs are null");
  if (numOutputs != 0 && numOutputs != known)
    return context.fail(ONNXC_ERR_INVALID,
                        "the model gives %lld outputs and %lld were requested",
                        (long long)known, (long long)numOutputs);
  for (int64_t i = 0; i < known; ++i) {
    Output &output = context.outputs[i];
    output.mode = callerOwns ? OutputMode::Owned : OutputMode::Context;
    if (numOutputs == 0 || !outputs[i].data ||
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
                        int64_t numOutputs, bool callerOwns) {
  for (int64_t i = 0; !callerOwns && i < context.entry->numOutputs; ++i)
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
    buffer.bytes = output.bytes;
  }
}

/// Copies inputs on the device that the host program reads.
static void fetchInputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numInputs; ++i) {
    OnnxcValue &value = context.inputs[i];
    if (!context.inputsOnDevice[i] || staysOnDevice(context, i))
      continue;
    int64_t bytes = tensorBytes(value.type, value.rank, value.dims);
    void *copy = context.pool.allocate(bytes);
    if (!copy)
      return failToAllocate(context, "an input", bytes);
    context.device->runtime->copyToHost(
        context, copy, reinterpret_cast<uintptr_t>(value.data), bytes);
    value.data = copy;
    context.inputsOnDevice[i] = false;
  }
}

/// Copies outputs that the host program has written to the caller's tensors.
static void storeOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    const Output &output = context.outputs[i];
    if (output.onDevice && output.bytes > 0 &&
        !staysOnDevice(context, context.entry->numInputs + i))
      context.device->runtime->copyToDevice(context, output.deviceData,
                                            output.data, output.bytes);
  }
}

void rt::runEntry(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
                  OMBuffer *outputs, int64_t numOutputs, bool callerOwns) {
  const OnnxcEntry &entry = *context.entry;
  // One that no clock reaches is none.
  if (context.budget == 0 ||
      __builtin_add_overflow(os::now(), context.budget, &context.deadline))
    context.deadline = 0;
  if (!targetIsFine(context) ||
      checkInputs(context, inputs, numInputs) != ONNXC_OK ||
      takeOutputs(context, outputs, numOutputs, callerOwns) != ONNXC_OK ||
      !reserveScratch(context, 1))
    return;
  context.given = inputs;
  if (context.inputsOnDevice != nullptr)
    fetchInputs(context);
  if (context.status.load() != ONNXC_OK)
    return;
  auto *call = static_cast<OnnxcCall *>(&context);
  int32_t code = entry.run(call, context.inputs);
  if (code != ONNXC_OK)
    context.fail(code, "the model failed with code %d", code);
  if (context.device)
    context.device->runtime->endRun(context);
  if (onnxc_rt_poll(call) == ONNXC_OK && finishOutputs(context) == ONNXC_OK)
    storeOutputs(context);
}

void rt::dropOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    Output &output = context.outputs[i];
    if (output.owned)
      free(output.data);
    output.owned = false;
    if (output.deviceOwner)
      context.device->runtime->freeOutput(output.deviceOwner);
    if (context.entry->outputs[i].kind != ONNXC_KIND_TENSOR) {
      omValueDestroy(static_cast<OMValue *>(output.data));
      output.data = nullptr;
    }
  }
}

/// Counts a run that begins (1) or ends (-1).
static void countRun(const OnnxcModel &model, int64_t step) {
  if (model.weightsFile || model.unloadCustom)
    stateOf(model).runs.fetch_add(step, std::memory_order_relaxed);
}

/// The last run's error is forgotten.
bool rt::beginRun(OMContext &context) {
  if (context.busy.exchange(1, std::memory_order_acquire) != 0)
    return false; // the message belongs to the other run
  countRun(*context.model, 1);
  context.status.store(ONNXC_OK, std::memory_order_relaxed);
  context.progress.store(RunProgress::Running, std::memory_order_relaxed);
  context.message.text[0] = 0;
  resetOutputs(context);
  return true;
}

/// Gives the workers back and forgets the inputs; the status.
int32_t rt::endRun(OMContext &context) {
  if (context.team)
    releaseTeam(context.team);
  context.team = nullptr;
  context.given = nullptr;
  int32_t code = context.status.load();
  if (code != ONNXC_OK && context.log)
    context.log(context.logUser, OM_LOG_ERROR, context.message.text);
  context.pool.endCall();
  countRun(*context.model, -1);
  context.progress.store(RunProgress::None, std::memory_order_relaxed);
  context.busy.store(0, std::memory_order_release);
  return code;
}

int32_t rt::prepare(OMContext &context, const OMBuffer *outputs,
                    int64_t numOutputs) {
  if (!beginRun(context))
    return ONNXC_ERR_INVALID;
  int limit = maxThreads(context);
  auto *call = static_cast<OnnxcCall *>(&context);
  if (targetIsFine(context) &&
      takeOutputs(context, outputs, numOutputs, false) == ONNXC_OK &&
      reserveScratch(context, 1)) {
    onnxc_rt_weights(call);
    if (context.entry->arenaBytes > 0)
      onnxc_rt_arena(call);
    for (int64_t i = 0; i < context.entry->numOutputs; ++i)
      prepareOutput(context, i);
    teamFor(context, limit);
    if (context.device)
      context.device->runtime->prepare(context);
  }
  return endRun(context);
}

int32_t rt::run(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
                OMBuffer *outputs, int64_t numOutputs, bool callerOwns) {
  if (!beginRun(context))
    return ONNXC_ERR_INVALID;
  runEntry(context, inputs, numInputs, outputs, numOutputs, callerOwns);
  if (context.status.load() == ONNXC_OK)
    giveOutputs(context, outputs, numOutputs, callerOwns);
  else
    dropOutputs(context);
  return endRun(context);
}
