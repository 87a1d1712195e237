//===- Check.cpp - Inputs against the signature -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// A tensor type as signatures write it: f32[batch, 3, ?].
struct TypeText {
  char text[256];
  size_t length = 0;

  void add(const char *part) {
    size_t n = strlen(part);
    n = n < sizeof text - 1 - length ? n : sizeof text - 1 - length;
    memcpy(text + length, part, n);
    length += n;
    text[length] = 0;
  }
  void addNumber(int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    add(digits);
  }
};
} // namespace

static TypeText typeText(const OnnxcArg &arg) {
  TypeText text;
  text.add(typeName(arg.type));
  if (arg.rank < 0) {
    text.add("[...]");
    return text;
  }
  text.add("[");
  for (int64_t i = 0; i < arg.rank; ++i) {
    text.add(i ? ", " : "");
    if (arg.dims[i] >= 0)
      text.addNumber(arg.dims[i]);
    else
      text.add(arg.symbols && arg.symbols[i] ? arg.symbols[i] : "?");
  }
  text.add("]");
  return text;
}

static TypeText typeText(const OMBuffer &buffer) {
  TypeText text;
  text.add(typeName(buffer.type));
  text.add("[");
  for (int64_t i = 0; i < buffer.rank; ++i) {
    text.add(i ? ", " : "");
    text.addNumber(buffer.shape[i]);
  }
  text.add("]");
  return text;
}

static int32_t mismatch(OMContext &context, int64_t index, const char *reason,
                        const OMBuffer &buffer) {
  const OnnxcArg &arg = context.entry->inputs[index];
  return context.fail(ONNXC_ERR_INVALID,
                      "input '%s' (number %lld): %s: the model takes %s and "
                      "was given %s",
                      arg.name, (long long)index, reason, typeText(arg).text,
                      typeText(buffer).text);
}

//===----------------------------------------------------------------------===//
// Shared sizes
//===----------------------------------------------------------------------===//

/// `size` is that of the input's dimension `dim`, `expected` what dimensions
/// before it have, or -1 if it is the first.
static int32_t checkSharedSize(OMContext &context, int64_t index, int64_t dim,
                               int64_t &expected, const OMBuffer &buffer) {
  int64_t size = buffer.shape[dim];
  if (expected < 0)
    expected = size;
  if (expected == size)
    return ONNXC_OK;
  char reason[160];
  snprintf(reason, sizeof reason,
           "dimension %lld is %lld, but '%.60s' is %lld elsewhere",
           (long long)dim, (long long)size,
           context.entry->inputs[index].symbols[dim], (long long)expected);
  return mismatch(context, index, reason, buffer);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Sets `bytes` to those of the shape. `shared` has a number for each dimension
/// of the input, as OnnxcEntry.sharedSizes has them, or is null.
static int32_t checkShape(OMContext &context, int64_t index,
                          const OMBuffer &buffer, const int64_t *shared,
                          int64_t &bytes) {
  const OnnxcArg &arg = context.entry->inputs[index];
  if (buffer.rank < 0 || buffer.rank > kMaxRank)
    return context.fail(ONNXC_ERR_INVALID,
                        "input '%s' (number %lld): the rank is %lld, and is 0 "
                        "to %d",
                        arg.name, (long long)index, (long long)buffer.rank,
                        kMaxRank);
  if (buffer.rank > 0 && !buffer.shape)
    return context.fail(ONNXC_ERR_INVALID,
                        "input '%s' (number %lld): the shape is null", arg.name,
                        (long long)index);
  if (arg.rank >= 0 && buffer.rank != arg.rank)
    return mismatch(context, index, "wrong rank", buffer);
  bytes = tensorBytes(arg.type, buffer.rank, buffer.shape);
  if (bytes < 0)
    return mismatch(context, index, "a size is negative or too large", buffer);
  for (int64_t d = 0; d < arg.rank; ++d) {
    if (arg.dims[d] >= 0 && buffer.shape[d] != arg.dims[d])
      return mismatch(context, index, "wrong shape", buffer);
    if (!shared || shared[d] < 0)
      continue;
    int64_t &expected = context.sharedSizes[shared[d]];
    if (checkSharedSize(context, index, d, expected, buffer) != ONNXC_OK)
      return context.status;
  }
  return ONNXC_OK;
}

/// The buffer must have the bytes of its shape.
static int32_t checkMemory(OMContext &context, int64_t index,
                           const OMBuffer &buffer, int64_t bytes) {
  const OnnxcArg &arg = context.entry->inputs[index];
  if (!buffer.data && bytes > 0)
    return context.fail(ONNXC_ERR_INVALID,
                        "input '%s' (number %lld): the data is null, and %s "
                        "has %lld bytes",
                        arg.name, (long long)index, typeText(buffer).text,
                        (long long)bytes);
  if (buffer.bytes < bytes)
    return context.fail(ONNXC_ERR_INVALID,
                        "input '%s' (number %lld): the buffer has %lld bytes, "
                        "and %s has %lld",
                        arg.name, (long long)index, (long long)buffer.bytes,
                        typeText(buffer).text, (long long)bytes);
  return ONNXC_OK;
}

/// Every element of a string tensor must be a string.
static int32_t checkStrings(OMContext &context, int64_t index,
                            const OMBuffer &buffer, int64_t bytes) {
  const OnnxcArg &arg = context.entry->inputs[index];
  const char *const *strings = static_cast<const char *const *>(buffer.data);
  for (int64_t i = 0; i < bytes / int64_t(sizeof(char *)); ++i)
    if (!strings[i])
      return context.fail(ONNXC_ERR_INVALID,
                          "input '%s' (number %lld): string %lld is null",
                          arg.name, (long long)index, (long long)i);
  return ONNXC_OK;
}

static int32_t checkInput(OMContext &context, int64_t index,
                          const OMBuffer &buffer, const int64_t *shared) {
  const OnnxcArg &arg = context.entry->inputs[index];
  OnnxcValue &value = context.inputs[index];
  if (arg.kind != ONNXC_KIND_TENSOR) {
    if (buffer.type != ONNX_TYPE_UNDEFINED || !buffer.data)
      return context.fail(ONNXC_ERR_INVALID,
                          "input '%s' (number %lld) is not a tensor: pass an "
                          "OMValue with type ONNX_TYPE_UNDEFINED",
                          arg.name, (long long)index);
    Object *object = takeValue(static_cast<OnnxcCall *>(&context),
                               static_cast<OMValue *>(buffer.data), arg, index);
    value = {object, nullptr, 0, ONNX_TYPE_UNDEFINED};
    return context.status;
  }
  if (buffer.type == ONNX_TYPE_UNDEFINED)
    return context.fail(ONNXC_ERR_INVALID,
                        "input '%s' (number %lld): the model takes %s and was "
                        "given no tensor, or one without an element type",
                        arg.name, (long long)index, typeText(arg).text);
  int64_t bytes;
  if (int32_t error = checkShape(context, index, buffer, shared, bytes))
    return error;
  if (buffer.type != arg.type)
    return mismatch(context, index, "wrong element type", buffer);
  if (int32_t error = checkMemory(context, index, buffer, bytes))
    return error;
  if (arg.type == ONNX_TYPE_STRING)
    if (int32_t error = checkStrings(context, index, buffer, bytes))
      return error;
  value = {buffer.data, buffer.shape, int32_t(buffer.rank),
           int32_t(buffer.type)};
  return ONNXC_OK;
}

/// Moves the data of an input to where its elements are aligned.
static int32_t alignInput(OMContext &context, OnnxcValue &value) {
  int64_t element = elementBytes(value.type);
  int64_t align = element < 8 ? element : 8;
  if (align == 0 || uintptr_t(value.data) % uintptr_t(align) == 0)
    return ONNXC_OK;
  int64_t bytes = tensorBytes(value.type, value.rank, value.dims);
  void *copy = context.pool.allocate(bytes);
  if (!copy)
    return context.fail(ONNXC_ERR_MEMORY, "no memory to align an input");
  memcpy(copy, value.data, size_t(bytes));
  value.data = copy;
  return ONNXC_OK;
}

int32_t rt::checkInputs(OMContext &context, const OMBuffer *inputs,
                        int64_t numInputs) {
  const OnnxcEntry &entry = *context.entry;
  if (numInputs != entry.numInputs)
    return context.fail(ONNXC_ERR_INVALID,
                        "the model takes %lld input%s and was given %lld",
                        (long long)entry.numInputs,
                        entry.numInputs == 1 ? "" : "s", (long long)numInputs);
  if (numInputs > 0 && !inputs)
    return context.fail(ONNXC_ERR_INVALID, "the inputs are null");
  for (int64_t i = 0; i < entry.numSharedSizes; ++i)
    context.sharedSizes[i] = -1;
  const int64_t *shared = entry.sharedSizes;
  for (int64_t i = 0; i < numInputs; ++i) {
    if (int32_t error = checkInput(context, i, inputs[i], shared))
      return error;
    bool isOnDevice = context.inputsOnDevice && context.inputsOnDevice[i];
    if (int32_t error = isOnDevice ? 0 : alignInput(context, context.inputs[i]))
      return error;
    if (shared && entry.inputs[i].rank > 0)
      shared += entry.inputs[i].rank;
  }
  return ONNXC_OK;
}
