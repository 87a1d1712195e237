//===- CustomCall.cpp - Outputs of a user's operator ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Answers of a library are checked before they are used.
//
//===----------------------------------------------------------------------===//

#include "CustomCall.h"

#include <stdarg.h>
#include <stdio.h>

using namespace onnxc;
using namespace onnxc::rt;

void rt::fillStrides(int64_t rank, const int64_t *dims, int64_t *strides) {
  uint64_t stride = 1;
  for (int64_t d = rank - 1; d >= 0; stride *= uint64_t(dims[d--]))
    strides[d] = int64_t(stride);
}

int32_t rt::fail(CustomCall &call, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return call.run->fail(ONNXC_ERR_VALUE, "%.60s.%.60s: %s", call.custom->domain,
                        call.custom->name, text);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Returns false, with an error, if an output cannot have these sizes. Negative
/// sizes are not known yet.
static bool checkSizes(CustomCall &call, int64_t index, int64_t rank,
                       const int64_t *dims) {
  const CustomResult &output = call.results[index];
  if (rank < 0 || rank > kMaxRank || (rank > 0 && !dims)) {
    fail(call, "output %lld cannot have rank %lld", (long long)index,
         (long long)rank);
    return false;
  }
  bool hasRank = output.value->type != ONNX_TYPE_UNDEFINED;
  if (hasRank && rank != output.value->rank) {
    fail(call,
         "output %lld has rank %lld, but the model was compiled for rank %d",
         (long long)index, (long long)rank, output.value->rank);
    return false;
  }
  for (int64_t d = 0; d < rank; ++d) {
    int64_t known = hasRank ? output.value->dims[d] : -1;
    if (output.isSized)
      known = output.dims[d];
    if (known < 0 || dims[d] < 0 || known == dims[d])
      continue;
    fail(call, "output %lld has size %lld in dimension %lld, but %s %lld",
         (long long)index, (long long)dims[d], (long long)d,
         output.isSized ? "'infer' has reported" : "the model was compiled for",
         (long long)known);
    return false;
  }
  return true;
}

/// Strings that are not set are empty.
static void clearStrings(const CustomCall &call, int64_t index, bool onlyNull) {
  const OMCustomTensor &view = call.outputViews[index];
  if (view.type != ONNX_TYPE_STRING)
    return;
  const char **strings = static_cast<const char **>(view.data);
  for (int64_t i = 0, count = omCustomCount(&view); i < count; ++i)
    if (!onlyNull || !strings[i])
      strings[i] = "";
}

bool rt::allocateOutput(CustomCall &call, int64_t index, int64_t rank,
                        const int64_t *dims) {
  CustomResult &output = call.results[index];
  OMCustomTensor &view = call.outputViews[index];
  int64_t bytes = tensorBytes(view.type, rank, dims);
  if (bytes < 0) {
    fail(call, "output %lld has a negative size or is too large",
         (long long)index);
    return false;
  }
  output.rank = rank;
  for (int64_t d = 0; d < rank; ++d)
    output.dims[d] = dims[d];
  fillStrides(rank, dims, output.strides);
  if (output.value->type == ONNX_TYPE_UNDEFINED) {
    output.object = makeTensor(call.run, view.type, rank, dims);
    view.data = output.object ? output.object->data : nullptr;
  } else {
    view.data = onnxc_rt_alloc(call.run, bytes);
  }
  if (call.run->status != ONNXC_OK)
    return false;
  view.rank = rank;
  output.isAllocated = true;
  clearStrings(call, index, /*onlyNull=*/false);
  return true;
}

/// Converts elements that the library has written to the form that generated
/// code expects.
static void tidyElements(const OMCustomTensor &view) {
  int signedBits = view.type == ONNX_TYPE_INT4   ? 4
                   : view.type == ONNX_TYPE_INT2 ? 2
                                                 : 0;
  int bits =
      view.type == ONNX_TYPE_UINT4 || view.type == ONNX_TYPE_FLOAT4E2M1 ? 4
      : view.type == ONNX_TYPE_UINT2                                    ? 2
      : view.type == ONNX_TYPE_FLOAT6E2M3 || view.type == ONNX_TYPE_FLOAT6E3M2
          ? 6
          : signedBits;
  if (bits == 0 && view.type != ONNX_TYPE_BOOL)
    return;
  uint8_t *bytes = static_cast<uint8_t *>(view.data);
  unsigned mask = (1u << bits) - 1, sign = signedBits ? 1u << (bits - 1) : 0;
  for (int64_t i = 0, count = omCustomCount(&view); i < count; ++i)
    bytes[i] =
        bits == 0 ? bytes[i] != 0 : uint8_t(((bytes[i] & mask) ^ sign) - sign);
}

int32_t rt::giveOutputs(CustomCall &call) {
  for (int64_t i = 0; i < call.numOutputs; ++i) {
    CustomResult &output = call.results[i];
    if (!output.value)
      continue;
    if (!output.isAllocated)
      return fail(call, "'compute' has not allocated output %lld",
                  (long long)i);
    clearStrings(call, i, /*onlyNull=*/true);
    tidyElements(call.outputViews[i]);
    if (output.object) {
      give(*output.value, output.object);
      continue;
    }
    output.value->data = call.outputViews[i].data;
    for (int64_t d = 0; d < output.rank; ++d)
      output.value->dims[d] = output.dims[d];
  }
  return call.run->status;
}

//===----------------------------------------------------------------------===//
// Callbacks of the library
//===----------------------------------------------------------------------===//

namespace {

CustomCall &callOf(OMCustomCall *call) {
  return *static_cast<CustomCall *>(call);
}

int onFail(OMCustomCall *call, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(callOf(call), "%s", text);
  return -1;
}

/// Returns false, with an error, for an output that is not there.
bool isOutput(CustomCall &call, int64_t index) {
  if (index >= 0 && index < call.numOutputs && call.results[index].value)
    return true;
  fail(call, "there is no output %lld", (long long)index);
  return false;
}

int onSetOutput(OMCustomCall *given, int64_t index, int64_t type, int64_t rank,
                const int64_t *dims) {
  CustomCall &call = callOf(given);
  // An absent one may be set: `infer` need not check.
  if (index >= 0 && index < call.numOutputs && !call.results[index].value)
    return 0;
  if (call.phase != CustomPhase::Infer)
    return onFail(given, "setOutput is for 'infer' only");
  if (!isOutput(call, index))
    return -1;
  if (type != 0 && type != call.outputViews[index].type)
    return onFail(given,
                  "output %lld has elements of type %s, but the model was "
                  "compiled for %s",
                  (long long)index, typeName(type),
                  typeName(call.outputViews[index].type));
  if (rank == -1)
    return 0;
  if (!checkSizes(call, index, rank, dims))
    return -1;
  CustomResult &output = call.results[index];
  output.isSized = true;
  output.rank = rank;
  for (int64_t d = 0; d < rank; ++d) {
    output.dims[d] = dims[d];
    output.isSized &= dims[d] >= 0;
  }
  return 0;
}

void *onAllocate(OMCustomCall *given, int64_t index, int64_t rank,
                 const int64_t *dims) {
  CustomCall &call = callOf(given);
  if (call.phase != CustomPhase::Compute) {
    fail(call, "allocate is for 'compute' only");
    return nullptr;
  }
  if (!isOutput(call, index) || !checkSizes(call, index, rank, dims))
    return nullptr;
  if (call.results[index].isSized)
    return call.outputViews[index].data;
  if (call.results[index].isAllocated) {
    fail(call, "'compute' allocates output %lld twice", (long long)index);
    return nullptr;
  }
  return allocateOutput(call, index, rank, dims) ? call.outputViews[index].data
                                                 : nullptr;
}

void *onMemory(OMCustomCall *given, int64_t bytes) {
  CustomCall &call = callOf(given);
  void *memory = onnxc_rt_alloc(call.run, bytes);
  return call.run->status == ONNXC_OK ? memory : nullptr;
}

/// Work that the threads of a team share.
struct Share {
  void (*body)(void *user, int64_t begin, int64_t end);
  void *user;
  int64_t count;
};

void runShare(void *frame, int32_t thread, int32_t threads, void *) {
  const Share &share = *static_cast<const Share *>(frame);
  int64_t each = share.count / threads, more = share.count % threads;
  int64_t begin = each * thread + (thread < more ? thread : more);
  int64_t end = begin + each + (thread < more);
  if (begin < end)
    share.body(share.user, begin, end);
}

void onParallel(OMCustomCall *given, int64_t count,
                void (*body)(void *, int64_t, int64_t), void *user) {
  CustomCall &call = callOf(given);
  Share share = {body, user, count};
  if (call.phase != CustomPhase::Compute)
    fail(call, "parallel is for 'compute' only");
  else if (count > 0)
    onnxc_rt_parallel_region(call.run, runShare, &share, count);
}

} // namespace

void CustomCall::setCallbacks() {
  fail = onFail;
  setOutput = onSetOutput;
  allocate = onAllocate;
  memory = onMemory;
  parallel = onParallel;
}
