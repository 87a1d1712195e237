//===- Custom.cpp - Operators that a user's library computes ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Implements onnxc/CustomOp.h in the runtime. A library is not trusted, and may
// be another one than when the model was compiled: its declarations are
// checked, as are its results (CustomCall.cpp).
//
//===----------------------------------------------------------------------===//

#include "CustomCall.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

namespace {

/// Returns true if a node with these types is one of the operator, as when it
/// was compiled if the library is the same.
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

/// Stands for a state that is null: null is that of a node without one yet.
char nullState;

/// Makes the node's state if no run has; false after an error.
bool createState(CustomCall &call, const OMCustomOp &op) {
  OnnxcCustomState &shared = *call.custom->state;
  if (!op.create)
    return true;
  void *known = __atomic_load_n(&shared.state, __ATOMIC_ACQUIRE);
  if (!known) {
    void *made = nullptr;
    call.phase = CustomPhase::Create;
    int code = op.create(&call, &made);
    if (code != 0)
      fail(call, "'create' fails with code %d", code);
    if (call.run->status != ONNXC_OK)
      return false;
    void *kept = made ? made : &nullState;
    // No run waits for another: a forked child would wait for ever.
    if (__atomic_compare_exchange_n(&shared.state, &known, kept, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      known = kept;
    else if (op.destroy)
      op.destroy(made); // another run was faster
  }
  call.state = known == &nullState ? nullptr : known;
  return true;
}

/// The inputs as passed to the library, and the outputs.
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
  call.phase = CustomPhase::Infer;
  int code = op.infer ? op.infer(&call) : 0;
  if (code != 0)
    fail(call, "'infer' fails with code %d", code);
  for (int64_t i = 0; i < call.numOutputs; ++i)
    if (call.run->status == ONNXC_OK && call.results[i].isSized)
      allocateOutput(call, i, call.results[i].rank, call.results[i].dims);
  if (call.run->status != ONNXC_OK)
    return call.run->status;
  call.phase = CustomPhase::Compute;
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
  const OnnxcCustomNode &node = run->model->customNodes[params[0]];
  int64_t ranks = 0;
  for (int32_t i = 0; i < nin; ++i)
    ranks += tensorOf(ins[i], 0).rank;
  // Views of inputs and outputs, the facts about outputs, strides.
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
  call.setCallbacks();
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

void onnxc_custom_unload(const OnnxcModel *model) {
  for (int64_t i = 0; i < model->numCustomNodes; ++i) {
    OnnxcCustomState &shared = *model->customNodes[i].state;
    if (shared.state && shared.op->destroy)
      shared.op->destroy(shared.state == &nullState ? nullptr : shared.state);
    shared.state = nullptr;
  }
}
