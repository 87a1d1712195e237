//===- Outputs.cpp - Where outputs are written ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"
#include "OutputBlocks.h"
#include "device/Code.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

/// Returned instead of memory where the allocation failed.
alignas(64) static char guard[64];

/// Whether two ranges of bytes have a byte in common.
static bool overlap(const void *a, int64_t aBytes, const void *b,
                    int64_t bBytes) {
  auto first = reinterpret_cast<uintptr_t>(a);
  auto second = reinterpret_cast<uintptr_t>(b);
  return aBytes > 0 && bBytes > 0 && first < second + uintptr_t(bBytes) &&
         second < first + uintptr_t(aBytes);
}

/// Where an output that has been placed is written, and how many bytes are its
/// own; none of one that the caller owns.
static OMBuffer placeOf(const Output &output) {
  OMBuffer place = {};
  if (output.asked && output.mode == OutputMode::Caller) {
    place.data = output.given.data;
    place.bytes = output.bytes;
  } else if (output.asked && output.mode == OutputMode::Context) {
    place.data = output.kept;
    place.bytes = output.keptBytes;
  }
  return place;
}

/// Kernels may read inputs after they have written outputs, so an output's
/// memory is part of no other argument. False after an error. Addresses of a
/// device and of the host are different.
static bool isAlone(OMContext &context, const OnnxcArg &arg, const void *memory,
                    int64_t bytes) {
  auto refuse = [&](const char *kind, const OnnxcArg &other) {
    context.fail(ONNXC_ERR_INVALID,
                 "output '%.200s' would overwrite %s '%.200s': their memory "
                 "overlaps",
                 arg.name, kind, other.name);
    return false;
  };
  const OnnxcEntry &entry = *context.entry;
  for (int64_t i = 0; context.given && i < entry.numInputs; ++i) {
    const OMBuffer &input = context.given[i];
    if (entry.inputs[i].kind == ONNXC_KIND_TENSOR &&
        overlap(memory, bytes, input.data,
                tensorBytes(input.type, input.rank, input.shape)))
      return refuse("input", entry.inputs[i]);
  }
  for (int64_t i = 0; i < entry.numOutputs; ++i) {
    OMBuffer other = placeOf(context.outputs[i]);
    if (overlap(memory, bytes, other.data, other.bytes))
      return refuse("output", entry.outputs[i]);
  }
  return true;
}

/// The context's own buffer of an output, grown to its bytes; null after an
/// error.
static void *keptBuffer(OMContext &context, const OnnxcArg &arg,
                        Output &output) {
  int64_t bytes = output.bytes;
  if (!isAlone(context, arg, output.kept, output.keptBytes))
    return nullptr;
  if (output.kept && output.keptBytes >= bytes)
    return output.kept;
  free(output.kept);
  output.kept = takeOutputBlock(bytes, output.keptBytes);
  if (output.kept)
    return output.kept;
  output.keptBytes = 0;
  context.fail(ONNXC_ERR_MEMORY, "no memory for output '%s' of %lld bytes",
               arg.name, (long long)bytes);
  return nullptr;
}

/// The caller's buffer if the output fits in it; null after an error.
static void *callersBuffer(OMContext &context, const OnnxcArg &arg,
                           const Output &output, int64_t bytes) {
  if (output.given.rank < output.rank || (output.rank && !output.given.shape)) {
    context.fail(ONNXC_ERR_INVALID,
                 "output '%s' has rank %d: the given shape is too short",
                 arg.name, output.rank);
    return nullptr;
  }
  if (output.given.bytes < bytes) {
    context.fail(ONNXC_ERR_INVALID,
                 "output '%s' needs %lld bytes and the given buffer has %lld",
                 arg.name, (long long)bytes, (long long)output.given.bytes);
    return nullptr;
  }
  return isAlone(context, arg, output.given.data, bytes) ? output.given.data
                                                         : nullptr;
}

/// An output on the device: its address there for hooks, or memory of the host,
/// from which it is copied after the run.
static void *placeOnDevice(OMContext &context, const OnnxcArg &arg,
                           Output &output) {
  if (output.mode == OutputMode::Caller) {
    if (!callersBuffer(context, arg, output, output.bytes))
      return nullptr;
  } else if (!(output.deviceData = context.device->runtime->allocateOutput(
                   context, output.bytes, output.deviceOwner))) {
    return nullptr;
  }
  int64_t argument = context.entry->numInputs + (&output - context.outputs);
  return staysOnDevice(context, argument)
             ? reinterpret_cast<void *>(output.deviceData)
             : keptBuffer(context, arg, output);
}

static void *placeOutput(OMContext &context, const OnnxcArg &arg,
                         Output &output) {
  int64_t bytes = output.bytes;
  void *memory = nullptr;
  if (output.onDevice)
    return placeOnDevice(context, arg, output);
  if (output.mode == OutputMode::Caller)
    return callersBuffer(context, arg, output, bytes);
  if (arg.type == ONNX_TYPE_STRING && output.mode == OutputMode::Owned)
    memory = context.pool.allocate(bytes); // copied by finishOutputs
  else if (output.mode == OutputMode::Owned)
    output.owned = (memory = takeOutputBlock(bytes, output.capacity));
  else
    memory = keptBuffer(context, arg, output);
  if (!memory)
    context.fail(ONNXC_ERR_MEMORY, "no memory for output '%s' of %lld bytes",
                 arg.name, (long long)bytes);
  return memory;
}

void *onnxc_rt_output(OnnxcCall *call, int32_t index, int32_t rank,
                      const int64_t *dims) {
  const OnnxcArg &arg = call->entry->outputs[index];
  Output &output = call->outputs[index];
  if (output.asked || rank < 0 || rank > kMaxRank ||
      arg.kind != ONNXC_KIND_TENSOR) {
    call->fail(ONNXC_ERR_INTERNAL, "output '%s' %s", arg.name,
               output.asked                    ? "was requested twice"
               : arg.kind != ONNXC_KIND_TENSOR ? "is not a tensor"
                                               : "has a rank above 64");
    return guard;
  }
  int64_t bytes = tensorBytes(arg.type, rank, dims);
  if (bytes < 0) {
    call->fail(ONNXC_ERR_MEMORY, "output '%s': a size is negative or too large",
               arg.name);
    return guard;
  }
  output.rank = rank;
  output.bytes = bytes;
  for (int32_t i = 0; i < rank; ++i)
    output.dims[i] = dims[i];
  void *memory = placeOutput(*call, arg, output);
  if (!memory)
    return guard;
  output.asked = true;
  output.data = memory;
  return memory;
}

void rt::prepareOutput(OMContext &context, int64_t index) {
  const OnnxcArg &arg = context.entry->outputs[index];
  if (arg.kind != ONNXC_KIND_TENSOR || arg.rank < 0)
    return;
  for (int64_t i = 0; i < arg.rank; ++i)
    if (arg.dims[i] < 0)
      return;
  onnxc_rt_output(static_cast<OnnxcCall *>(&context), int32_t(index),
                  int32_t(arg.rank), arg.dims);
}

void **onnxc_rt_output_object(OnnxcCall *call, int32_t index) {
  Output &output = call->outputs[index];
  if (output.asked)
    call->fail(ONNXC_ERR_INTERNAL, "output '%s' was requested twice",
               call->entry->outputs[index].name);
  return &output.object;
}

//===----------------------------------------------------------------------===//
// After the run
//===----------------------------------------------------------------------===//

void rt::copyStrings(char *const *from, char **to, int64_t count, char *at) {
  for (int64_t i = 0; i < count; ++i) {
    char *end = stpcpy(at, from[i]);
    to[i] = at;
    at = end + 1;
  }
}

/// The strings generated code left are the run's: copies outlive it. An owned
/// over tensor is one block of pointers and characters.
static int32_t keepStrings(OMContext &context, const OnnxcArg &arg,
                           Output &output) {
  char **strings = static_cast<char **>(output.data);
  int64_t bytes = output.bytes;
  int64_t count = bytes / int64_t(sizeof(char *)), characters = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!strings[i])
      return context.fail(ONNXC_ERR_INTERNAL, "output '%s' has a null string",
                          arg.name);
    characters += int64_t(strlen(strings[i])) + 1;
  }
  if (output.mode == OutputMode::Owned) {
    char **block = static_cast<char **>(allocateAligned(bytes + characters));
    output.data = block;
    output.owned = block;
    output.capacity = 0;
    if (!block)
      return context.fail(ONNXC_ERR_MEMORY, "no memory for output '%s'",
                          arg.name);
    copyStrings(strings, block, count, reinterpret_cast<char *>(block + count));
    return ONNXC_OK;
  }
  // The old characters may be inputs of this run, so they go only now.
  char *fresh = static_cast<char *>(allocateAligned(characters));
  if (!fresh)
    return context.fail(ONNXC_ERR_MEMORY, "no memory for output '%s'",
                        arg.name);
  copyStrings(strings, strings, count, fresh);
  free(output.characters);
  output.characters = fresh;
  output.characterBytes = characters;
  return ONNXC_OK;
}

/// Converts outputs given as objects to the caller's form.
static int32_t finishObject(OnnxcCall *call, int32_t index) {
  Output &output = call->outputs[index];
  const Object *object = static_cast<Object *>(output.object);
  if (call->entry->outputs[index].kind != ONNXC_KIND_TENSOR) {
    output.asked = true;
    output.data = makeValue(call, object);
    return call->status;
  }
  const TensorObject &tensor = *static_cast<const TensorObject *>(object);
  void *memory =
      onnxc_rt_output(call, index, int32_t(tensor.rank), tensor.dims);
  int64_t bytes = viewOf(tensor).bytes();
  if (call->status == ONNXC_OK && bytes > 0)
    memcpy(memory, tensor.data, size_t(bytes));
  return call->status;
}

int32_t rt::finishOutputs(OMContext &context) {
  const OnnxcEntry &entry = *context.entry;
  for (int64_t i = 0; i < entry.numOutputs; ++i) {
    const OnnxcArg &arg = entry.outputs[i];
    Output &output = context.outputs[i];
    if (output.object)
      if (int32_t error =
              finishObject(static_cast<OnnxcCall *>(&context), int32_t(i)))
        return error;
    if (!output.asked)
      return context.fail(ONNXC_ERR_INTERNAL, "output '%s' was not written",
                          arg.name);
    if (arg.kind == ONNXC_KIND_TENSOR && arg.type == ONNX_TYPE_STRING)
      if (int32_t error = keepStrings(context, arg, output))
        return error;
  }
  return ONNXC_OK;
}

void *omContextTakeOutput(OMContext *context, int64_t index) {
  if (!context || index < 0 || index >= context->entry->numOutputs)
    return nullptr;
  const OnnxcArg &arg = context->entry->outputs[index];
  Output &output = context->outputs[index];
  if (arg.kind != ONNXC_KIND_TENSOR || arg.type == ONNX_TYPE_STRING ||
      !output.asked || output.mode != OutputMode::Context)
    return nullptr;
  void *memory = output.kept;
  output.kept = nullptr;
  output.keptBytes = 0;
  return memory;
}

void omReturnOutput(void *memory, int64_t bytes) {
  if (memory)
    giveOutputBlock(memory, bytes);
}

void rt::freeOutputs(OMContext &context) {
  for (int64_t i = 0; i < context.entry->numOutputs; ++i) {
    if (context.entry->outputs[i].kind == ONNXC_KIND_TENSOR)
      free(context.outputs[i].kept);
    else
      omValueDestroy(static_cast<OMValue *>(context.outputs[i].kept));
    free(context.outputs[i].characters);
  }
}
