//===- RuntimeFuzzer.cpp - Calls of the C API from random bytes -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Inputs of any rank, shape, type and size, of which the memory is as large as
// `bytes` says: a run succeeds, or fails with a message.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

/// The fake model's entry points that are right for any input.
const char *const entries[] = {
    "run_main_graph", "identity_FLOAT", "identity_INT4", "sequence",   "length",
    "same_rows",      "same_some",      "same_map",      "same_tensor"};

/// A buffer with the memory that it points at.
struct Input {
  std::vector<int64_t> shape;
  std::vector<char> memory;
  OMBuffer buffer = {};
};

} // namespace

static int64_t drawSize(FuzzedDataProvider &bytes) {
  static const int64_t borders[] = {0,         -1,        INT64_MAX, INT64_MIN,
                                    1ll << 31, 1ll << 40, 1ll << 62};
  return bytes.ConsumeProbability<float>() < 0.8f
             ? bytes.ConsumeIntegralInRange<int64_t>(0, 9)
             : bytes.PickValueInArray(borders);
}

static Input drawInput(FuzzedDataProvider &bytes) {
  Input input;
  size_t rank = bytes.ConsumeIntegralInRange<size_t>(0, 4);
  int64_t elements = 1;
  bool overflows = false;
  for (size_t i = 0; i < rank; ++i) {
    input.shape.push_back(drawSize(bytes));
    overflows |=
        __builtin_mul_overflow(elements, input.shape.back(), &elements);
  }
  bool isModest = !overflows && elements >= 0 && elements < 10000;
  auto type = bytes.ConsumeProbability<float>() < 0.7f
                  ? ONNX_TYPE_FLOAT
                  : OM_DATA_TYPE(bytes.ConsumeIntegralInRange<int>(0, 31));
  // Pointers to strings and objects cannot be random.
  bool isPointer = type == ONNX_TYPE_STRING || type == ONNX_TYPE_UNDEFINED;
  size_t honest = isModest ? size_t(elements) * 16 : 64;
  input.memory.resize(isPointer ? 0 : honest);
  int64_t claimed = bytes.ConsumeBool() ? int64_t(input.memory.size())
                                        : bytes.ConsumeIntegralInRange<int64_t>(
                                              0, int64_t(input.memory.size()));
  bool isNull = isPointer || bytes.ConsumeProbability<float>() < 0.05f;
  input.buffer = {
      isNull ? nullptr : input.memory.data(), isNull ? 0 : claimed,
      bytes.ConsumeProbability<float>() < 0.05f ? nullptr : input.shape.data(),
      int64_t(rank), type};
  return input;
}

/// Runs in a context of its own, with outputs of the runtime or of the caller.
static void runContext(FuzzedDataProvider &bytes, const char *entry) {
  std::unique_ptr<OMContext, void (*)(OMContext *)> context(
      omContextCreate(entry), omContextDestroy);
  if (!context)
    return;
  omContextSetThreads(context.get(), 1);
  std::vector<Input> inputs(bytes.ConsumeIntegralInRange<size_t>(0, 3));
  std::vector<OMBuffer> buffers;
  for (Input &input : inputs) {
    input = drawInput(bytes);
    buffers.push_back(input.buffer);
  }
  int64_t shape[4] = {};
  char memory[64];
  std::vector<OMBuffer> outputs(bytes.ConsumeIntegralInRange<size_t>(0, 3));
  if (!outputs.empty() && bytes.ConsumeBool())
    outputs[0] = {memory, bytes.ConsumeIntegralInRange<int64_t>(0, 64), shape,
                  bytes.ConsumeIntegralInRange<int64_t>(0, 4), ONNX_TYPE_FLOAT};
  OM_STATUS status =
      omContextRun(context.get(), buffers.data(), int64_t(buffers.size()),
                   outputs.data(), int64_t(outputs.size()));
  if ((status == OM_STATUS_OK) != (*omContextGetMessage(context.get()) == 0))
    std::abort();
}

/// The established API: lists of tensors with strides.
static void runList(FuzzedDataProvider &bytes) {
  std::vector<Input> inputs(bytes.ConsumeIntegralInRange<size_t>(0, 3));
  std::vector<OMTensor *> tensors;
  for (Input &input : inputs) {
    input = drawInput(bytes);
    // The list has no position for a number of bytes: the shape must be true.
    if (input.memory.size() < 16 || input.buffer.bytes == 0)
      input.shape.assign(input.shape.size(), 0);
    for (int64_t &size : input.shape)
      size = size < 0 || size > 9 ? 0 : size;
    tensors.push_back(omTensorCreate(input.memory.data(), input.shape.data(),
                                     input.buffer.rank, input.buffer.type));
  }
  OMTensorList *list =
      omTensorListCreate(tensors.data(), int64_t(tensors.size()));
  OMTensorList *outputs = run_main_graph(list);
  if (!outputs && !*omGetLastError())
    std::abort();
  omTensorListDestroy(outputs);
  omTensorListDestroy(list);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzedDataProvider bytes(data, size);
  size_t entry = bytes.ConsumeIntegralInRange<size_t>(0, std::size(entries));
  if (entry == std::size(entries))
    runList(bytes);
  else
    runContext(bytes, entries[entry]);
  return 0;
}
