//===- Context.cpp - Contexts of onnxc/Runtime.h ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "device/Code.h"
#include "os/OS.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// Inputs and outputs of the model
//===----------------------------------------------------------------------===//

// The public view of a signature is the descriptor's own table.
static_assert(sizeof(OMArgument) == sizeof(OnnxcArg) &&
              offsetof(OMArgument, kind) == offsetof(OnnxcArg, kind) &&
              offsetof(OMArgument, type) == offsetof(OnnxcArg, type) &&
              offsetof(OMArgument, rank) == offsetof(OnnxcArg, rank) &&
              offsetof(OMArgument, shape) == offsetof(OnnxcArg, dims) &&
              offsetof(OMArgument, symbols) == offsetof(OnnxcArg, symbols) &&
              offsetof(OMArgument, key) == offsetof(OnnxcArg, key) &&
              offsetof(OMArgument, element) == offsetof(OnnxcArg, element));
static_assert(int(OM_VALUE_TENSOR) == int(ONNXC_KIND_TENSOR) &&
              int(OM_VALUE_SEQUENCE) == int(ONNXC_KIND_SEQUENCE) &&
              int(OM_VALUE_MAP) == int(ONNXC_KIND_MAP) &&
              int(OM_VALUE_OPTIONAL) == int(ONNXC_KIND_OPTIONAL));
static_assert(int(OM_STATUS_INVALID) == int(ONNXC_ERR_INVALID) &&
              int(OM_STATUS_VALUE) == int(ONNXC_ERR_VALUE) &&
              int(OM_STATUS_MEMORY) == int(ONNXC_ERR_MEMORY) &&
              int(OM_STATUS_TARGET) == int(ONNXC_ERR_TARGET) &&
              int(OM_STATUS_DEADLINE) == int(ONNXC_ERR_DEADLINE) &&
              int(OM_STATUS_UNSUPPORTED) == int(ONNXC_ERR_UNSUPPORTED) &&
              int(OM_STATUS_INTERNAL) == int(ONNXC_ERR_INTERNAL) &&
              int(OM_STATUS_CANCELLED) == int(ONNXC_ERR_CANCELLED));

int64_t omGetNumInputs(const char *entryPoint) {
  const OnnxcEntry *entry = findEntry(entryPoint).entry;
  return entry ? entry->numInputs : -1;
}

int64_t omGetNumOutputs(const char *entryPoint) {
  const OnnxcEntry *entry = findEntry(entryPoint).entry;
  return entry ? entry->numOutputs : -1;
}

const OMArgument *omGetInput(const char *entryPoint, int64_t index) {
  const OnnxcEntry *entry = findEntry(entryPoint).entry;
  if (!entry || index < 0 || index >= entry->numInputs)
    return nullptr;
  return reinterpret_cast<const OMArgument *>(&entry->inputs[index]);
}

const OMArgument *omGetOutput(const char *entryPoint, int64_t index) {
  const OnnxcEntry *entry = findEntry(entryPoint).entry;
  if (!entry || index < 0 || index >= entry->numOutputs)
    return nullptr;
  return reinterpret_cast<const OMArgument *>(&entry->outputs[index]);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

OMContext *rt::createContext(const OnnxcModel &model, const OnnxcEntry &entry) {
  OMContext *context = static_cast<OMContext *>(calloc(1, sizeof(OMContext)));
  if (!context)
    return nullptr;
  const char *problem; // runs report it
  modelWeights(model, problem);
  context->model = &model;
  context->entry = &entry;
  setLevel(*context, levelOf(model));
  context->inputs = static_cast<OnnxcValue *>(
      calloc(size_t(entry.numInputs) + 1, sizeof(OnnxcValue)));
  context->outputs = static_cast<Output *>(
      calloc(size_t(entry.numOutputs) + 1, sizeof(Output)));
  context->sharedSizes = static_cast<int64_t *>(
      calloc(size_t(entry.numSharedSizes) + 1, sizeof(int64_t)));
  if (context->inputs && context->outputs && context->sharedSizes)
    return context;
  omContextDestroy(context);
  return nullptr;
}

OMContext *omContextCreate(const char *entryPoint) {
  FoundEntry found = findEntry(entryPoint);
  if (!found.entry)
    return nullptr;
  OMContext *context =
      stateOf(*found.model).createContext(*found.model, *found.entry);
  if (!context)
    setLastError("no memory for a context");
  return context;
}

void omContextDestroy(OMContext *context) {
  if (!context)
    return;
  if (context->outputs)
    freeOutputs(*context);
  if (context->deviceContext)
    context->device->runtime->destroyContext(*context);
  context->pool.destroy();
  freeArena(*context);
  free(context->inputs);
  free(context->outputs);
  free(context->tensors);
  free(context->sharedSizes);
  free(context);
}

OM_STATUS omContextRun(OMContext *context, const OMBuffer *inputs,
                       int64_t numInputs, OMBuffer *outputs,
                       int64_t numOutputs) {
  if (!context)
    return OM_STATUS_INVALID;
  return OM_STATUS(stateOf(*context->model)
                       .run(*context, inputs, numInputs, outputs, numOutputs,
                            /*callerOwns=*/false));
}

OM_STATUS omContextPrepare(OMContext *context, const OMBuffer *outputs,
                           int64_t numOutputs) {
  if (!context)
    return OM_STATUS_INVALID;
  return OM_STATUS(
      stateOf(*context->model).prepare(*context, outputs, numOutputs));
}

const char *omContextGetMessage(const OMContext *context) {
  return context ? context->message.text : "the context is null";
}

OM_STATUS omContextSetThreads(OMContext *context, int64_t n) {
  if (!context || n < 0)
    return OM_STATUS_INVALID;
  context->threads = int32_t(n < INT_MAX ? n : INT_MAX);
  return OM_STATUS_OK;
}

OM_STATUS omContextSetDeadline(OMContext *context, int64_t nanoseconds) {
  if (!context || nanoseconds < 0)
    return OM_STATUS_INVALID;
  context->budget = nanoseconds;
  return OM_STATUS_OK;
}

int omContextCancel(OMContext *context) {
  if (!context)
    return 0;
  RunProgress progress = RunProgress::Running;
  return context->progress.compare_exchange_strong(
             progress, RunProgress::Cancelled, std::memory_order_relaxed) ||
         progress == RunProgress::Cancelled;
}

int64_t omContextGetMemory(const OMContext *context) {
  if (!context)
    return 0;
  int64_t bytes = context->pool.heldBytes();
  if (!context->borrowed)
    bytes +=
        context->arenaBytes + scratchStride(*context) * context->scratchWorkers;
  for (int64_t i = 0; i < context->entry->numOutputs; ++i)
    bytes += context->outputs[i].keptBytes + context->outputs[i].characterBytes;
  if (context->device)
    bytes += context->device->runtime->heldBytes(*context);
  return bytes;
}

void omContextSetLog(OMContext *context, OMLogFunction log, void *user) {
  if (!context)
    return;
  context->log = log;
  context->logUser = user;
}

OM_STATUS omSetThreads(int64_t n) {
  if (n < 0)
    return OM_STATUS_INVALID;
  setThreadLimit(int(n < INT_MAX ? n : INT_MAX));
  return OM_STATUS_OK;
}

int64_t omGetThreads(void) { return threadLimit(); }
