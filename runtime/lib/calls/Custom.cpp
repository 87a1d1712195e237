//===- Custom.cpp - Operators that a user's library computes ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The other side of onnxc/CustomOp.h. A library is somebody else's code, and
// may be another one than when the model was compiled: what it declares and
// what it answers is checked before anything is computed with it.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

namespace {

/// What is known of one output.
struct CustomResult {
  OnnxcValue *value; ///< where it goes; null if it is absent
  bool isSized;      ///< `infer` has said all sizes
  bool isAllocated;
  TensorObject *object; ///< of unknown rank: what it goes into
  int64_t rank;
  int64_t dims[kMaxRank], strides[kMaxRank];
};

enum class Phase { Create, Infer, Compute };

/// One call, as the library sees it and behind that.
struct CustomCall : OMCustomCall {
  OnnxcCall *run;
  const OnnxcCustomNode *custom;
  Phase phase;
  OMCustomTensor *outputViews;
  CustomResult *results;
};

/// Row-major, in elements. Where some size is 0 the others may be anything.
void fillStrides(int64_t rank, const int64_t *dims, int64_t *strides) {
  uint64_t stride = 1;
  for (int64_t d = rank - 1; d >= 0; stride *= uint64_t(dims[d--]))
    strides[d] = int64_t(stride);
}

CustomCall &callOf(OMCustomCall *call) {
  return *static_cast<CustomCall *>(call);
}

/// Ends the run with a message behind the operator's name.
__attribute__((format(printf, 2, 3))) int32_t fail(CustomCall &call,
                                                   const char *format, ...) {
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

/// False, with an error, if an output cannot have these sizes. Those that are
/// negative are not known yet.
bool checkSizes(CustomCall &call, int64_t index, int64_t rank,
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
         output.isSized ? "'infer' has said" : "the model was compiled for",
         (long long)known);
    return false;
  }
  return true;
}

/// Strings that nobody sets are empty.
void clearStrings(const CustomCall &call, int64_t index, bool onlyNull) {
  const OMCustomTensor &view = call.outputViews[index];
  if (view.type != ONNX_TYPE_STRING)
    return;
  const char **strings = static_cast<const char **>(view.data);
  for (int64_t i = 0, count = omCustomCount(&view); i < count; ++i)
    if (!onlyNull || !strings[i])
      strings[i] = "";
}

/// Makes the memory of an output whose sizes have been checked.
bool allocateOutput(CustomCall &call, int64_t index, int64_t rank,
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

/// Elements as generated code expects them, whatever the library has written.
void tidyElements(const OMCustomTensor &view) {
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

/// Hands the outputs over to the model.
int32_t giveOutputs(CustomCall &call) {
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
// What the library calls
//===----------------------------------------------------------------------===//

int onFail(OMCustomCall *call, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(callOf(call), "%s", text);
  return -1;
}

/// False, with an error, for an output that is not there.
bool isOutput(CustomCall &call, int64_t index) {
  if (index >= 0 && index < call.numOutputs && call.results[index].value)
    return true;
  fail(call, "there is no output %lld", (long long)index);
  return false;
}

int onSetOutput(OMCustomCall *given, int64_t index, int64_t type, int64_t rank,
                const int64_t *dims) {
  CustomCall &call = callOf(given);
  // An absent one may be told about: `infer` need not look.
  if (index >= 0 && index < call.numOutputs && !call.results[index].value)
    return 0;
  if (call.phase != Phase::Infer)
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
  if (call.phase != Phase::Compute) {
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
  if (call.phase != Phase::Compute)
    fail(call, "parallel is for 'compute' only");
  else if (count > 0)
    onnxc_rt_region(call.run, runShare, &share, count);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// Would a node with these types be one of the operator? As when it was
/// compiled, if the library is the same.
bool fits(const OMCustomParameter *parameters, int64_t declared,
          const int64_t *types, int64_t count) {
  bool repeats =
      declared > 0 && parameters[declared - 1].kind == OM_PARAMETER_VARIADIC;
  if (repeats ? count < declared - 1 : count != declared)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    const OMCustomParameter &parameter =
        parameters[i < declared ? i : declared - 1];
    if (types[i] != 0 && parameter.types != 0 &&
        !(parameter.types & OM_TYPE_BIT(types[i])))
      return false;
    if (types[i] == 0 && parameter.kind == OM_PARAMETER_SINGLE)
      return false;
  }
  return true;
}

bool isOperator(const OMCustomOp *op, const OnnxcCustomNode &node) {
  return op && op->size >= sizeof(OMCustomOp) && op->compute &&
         strcmp(op->name, node.name) == 0 &&
         strcmp(op->domain, node.domain) == 0 &&
         op->sinceVersion == node.version &&
         fits(op->inputs, op->numInputs, node.inputTypes, node.numInputs) &&
         fits(op->outputs, op->numOutputs, node.outputTypes, node.numOutputs);
}

/// The operator in the library that is there now; null after an error.
const OMCustomOp *findOp(CustomCall &call) {
  const OnnxcCustomNode &node = *call.custom;
  const OMCustomOp *known = __atomic_load_n(&node.state->op, __ATOMIC_ACQUIRE);
  if (known)
    return known;
  const OMCustomLibrary *library = node.library();
  if (!library || library->size < sizeof(OMCustomLibrary) ||
      library->version != OM_CUSTOM_VERSION) {
    fail(call,
         "its library is made for version %lld of onnxc/CustomOp.h, but the "
         "model for version %d",
         library ? (long long)library->version : 0, OM_CUSTOM_VERSION);
    return nullptr;
  }
  for (int64_t i = 0; i < library->numOps; ++i)
    if (isOperator(library->ops[i], node)) {
      __atomic_store_n(&node.state->op, library->ops[i], __ATOMIC_RELEASE);
      return library->ops[i];
    }
  fail(call,
       "the library '%.60s' does not have the operator that the model was "
       "compiled with",
       library->name ? library->name : "");
  return nullptr;
}

enum { kNone, kBusy, kReady };

/// Makes the node's state if no run has; false after an error.
bool createState(CustomCall &call, const OMCustomOp &op) {
  OnnxcCustomState &shared = *call.custom->state;
  if (!op.create)
    return true;
  if (__atomic_load_n(&shared.isCreated, __ATOMIC_ACQUIRE) != kReady) {
    void *made = nullptr;
    call.phase = Phase::Create;
    int code = op.create(&call, &made);
    if (code != 0)
      fail(call, "'create' fails with code %d", code);
    if (call.run->status != ONNXC_OK)
      return false;
    int64_t none = kNone;
    if (__atomic_compare_exchange_n(&shared.isCreated, &none, kBusy, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      shared.state = made;
      __atomic_store_n(&shared.isCreated, kReady, __ATOMIC_RELEASE);
    } else if (op.destroy) {
      op.destroy(made); // another run was faster
    }
    while (__atomic_load_n(&shared.isCreated, __ATOMIC_ACQUIRE) != kReady)
      sched_yield();
  }
  call.state = shared.state;
  return true;
}

/// What the library is given of the inputs, and where the outputs go.
void fillViews(CustomCall &call, OnnxcValue *outs, const OnnxcValue *ins,
               OMCustomTensor *inputs, int64_t *strides) {
  const OnnxcCustomNode &node = *call.custom;
  for (int64_t i = 0; i < node.numInputs; ++i) {
    inputs[i] = {};
    if (node.inputTypes[i] == 0)
      continue;
    TensorView view = tensorOf(*ins++, node.inputTypes[i]);
    inputs[i] = {const_cast<void *>(view.data), view.dims, strides, view.rank,
                 view.type};
    fillStrides(view.rank, view.dims, strides);
    strides += view.rank;
  }
  for (int64_t i = 0; i < node.numOutputs; ++i) {
    CustomResult &output = call.results[i];
    output.value = node.outputTypes[i] ? outs++ : nullptr;
    output.isSized = output.isAllocated = false;
    output.object = nullptr;
    call.outputViews[i] = {nullptr, output.dims, output.strides, -1,
                           node.outputTypes[i]};
  }
  call.inputs = inputs;
  call.outputs = call.outputViews;
}

int32_t runOp(CustomCall &call, const OMCustomOp &op) {
  if (!createState(call, op))
    return call.run->status;
  call.phase = Phase::Infer;
  int code = op.infer ? op.infer(&call) : 0;
  if (code != 0)
    fail(call, "'infer' fails with code %d", code);
  for (int64_t i = 0; i < call.numOutputs; ++i)
    if (call.run->status == ONNXC_OK && call.results[i].isSized)
      allocateOutput(call, i, call.results[i].rank, call.results[i].dims);
  if (call.run->status != ONNXC_OK)
    return call.run->status;
  call.phase = Phase::Compute;
  code = op.compute(&call);
  if (code != 0)
    fail(call, "'compute' fails with code %d", code);
  return call.run->status == ONNXC_OK ? giveOutputs(call)
                                      : int32_t(call.run->status);
}

} // namespace

int32_t onnxc_call_custom(OnnxcCall *run, int32_t, OnnxcValue *outs,
                          int32_t nin, const OnnxcValue *ins,
                          const int64_t *params) {
  const OnnxcCustomNode &node = onnxc_model.customNodes[params[0]];
  int64_t ranks = 0;
  for (int32_t i = 0; i < nin; ++i)
    ranks += tensorOf(ins[i], 0).rank;
  // Views of inputs and outputs, what is known of these, strides.
  int64_t views =
      (node.numInputs + node.numOutputs) * int64_t(sizeof(OMCustomTensor));
  int64_t results = node.numOutputs * int64_t(sizeof(CustomResult));
  char *block = static_cast<char *>(
      onnxc_rt_alloc(run, views + results + ranks * int64_t(sizeof(int64_t))));
  if (run->status != ONNXC_OK)
    return run->status;
  CustomCall call = {};
  call.size = sizeof(OMCustomCall);
  call.node = node.node;
  call.numInputs = node.numInputs;
  call.numOutputs = node.numOutputs;
  call.numAttributes = node.numAttributes;
  call.attributes = node.attributes;
  call.fail = onFail;
  call.setOutput = onSetOutput;
  call.allocate = onAllocate;
  call.memory = onMemory;
  call.parallel = onParallel;
  call.run = run;
  call.custom = &node;
  auto *inputs = reinterpret_cast<OMCustomTensor *>(block);
  call.outputViews = inputs + node.numInputs;
  call.results = reinterpret_cast<CustomResult *>(block + views);
  fillViews(call, outs, ins, inputs,
            reinterpret_cast<int64_t *>(block + views + results));
  const OMCustomOp *op = findOp(call);
  if (op)
    runOp(call, *op);
  onnxc_rt_release(run, block);
  return run->status;
}

void onnxc_custom_unload(void) {
  for (int64_t i = 0; i < onnxc_model.numCustomNodes; ++i) {
    OnnxcCustomState &shared = *onnxc_model.customNodes[i].state;
    if (shared.isCreated == kReady && shared.op->destroy)
      shared.op->destroy(shared.state);
    shared.isCreated = kNone;
  }
}
