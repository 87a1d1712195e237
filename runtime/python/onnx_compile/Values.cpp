//===- Values.cpp - Python objects as values that are no tensors *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

namespace {

/// Values made so far; destroyed unless they are taken over.
struct Elements {
  rt::Functions &call;
  std::vector<OMValue *> values;

  ~Elements() {
    for (OMValue *value : values)
      call.omValueDestroy(value);
  }

  /// Returns false with an exception if there is no such value.
  bool add(OMValue *value) {
    if (value)
      values.push_back(value);
    return value;
  }

  /// Whoever gets them destroys them.
  std::vector<OMValue *> take() { return std::move(values); }
};

} // namespace

static OMValue *orNoMemory(OMValue *value) {
  if (!value)
    PyErr_NoMemory();
  return value;
}

/// A tensor over the memory of `object` as an array.
static OMTensor *tensorOver(State &state, Runner &runner, PyObject *object,
                            int64_t type, PyObject *what) {
  PyArray_Descr *descr = dtypeOf(type);
  OMBuffer buffer;
  if (!descr || !takeTensor(runner, object, descr, buffer, what))
    return nullptr;
  OMTensor *tensor = state.call.omTensorCreate(buffer.data, buffer.shape,
                                               buffer.rank, buffer.type);
  if (!tensor)
    PyErr_NoMemory();
  return tensor;
}

/// Adds a value for each object in a tuple of this module's own (or null), so
/// that it does not change meanwhile.
static bool addAll(Elements &elements, State &state, Runner &runner,
                   PyObject *tuple, const OMArgument &facts, PyObject *what) {
  if (!tuple)
    return false;
  runner.held.push_back(tuple);
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
    if (!elements.add(takeValue(state, runner, PyTuple_GetItem(tuple, i),
                                *facts.element, what)))
      return false;
  return true;
}

static OMValue *takeSequence(State &state, Runner &runner, PyObject *object,
                             const OMArgument &facts, PyObject *what) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    wrongType("input '%U': a sequence is a list, not %U", what, object);
    return nullptr;
  }
  Elements elements{state.call, {}};
  if (!addAll(elements, state, runner, PySequence_Tuple(object), facts, what))
    return nullptr;
  std::vector<OMValue *> values = elements.take();
  return orNoMemory(
      state.call.omValueCreateSequence(values.data(), int64_t(values.size())));
}

static OMValue *takeMap(State &state, Runner &runner, PyObject *object,
                        const OMArgument &facts, PyObject *what) {
  if (!PyDict_Check(object)) {
    wrongType("input '%U': a map is a dict, not %U", what, object);
    return nullptr;
  }
  Elements elements{state.call, {}};
  PyObject *keys = PyDict_Keys(object);
  PyObject *list = keys ? PyDict_Values(object) : nullptr;
  PyObject *values = list ? PyList_AsTuple(list) : nullptr;
  Py_XDECREF(list);
  if (keys)
    runner.held.push_back(keys);
  if (!addAll(elements, state, runner, values, facts, what))
    return nullptr;
  OMTensor *tensor = tensorOver(state, runner, keys, facts.key, what);
  if (!tensor)
    return nullptr;
  std::vector<OMValue *> taken = elements.take();
  return orNoMemory(
      state.call.omValueCreateMap(tensor, taken.data(), int64_t(taken.size())));
}

OMValue *python::takeValue(State &state, Runner &runner, PyObject *object,
                           const OMArgument &facts, PyObject *what) {
  switch (facts.kind) {
  case OM_VALUE_SEQUENCE:
    return takeSequence(state, runner, object, facts, what);
  case OM_VALUE_MAP:
    return takeMap(state, runner, object, facts, what);
  case OM_VALUE_OPTIONAL: {
    if (object == Py_None)
      return orNoMemory(state.call.omValueCreateOptional(nullptr));
    OMValue *element = takeValue(state, runner, object, *facts.element, what);
    return element ? orNoMemory(state.call.omValueCreateOptional(element))
                   : nullptr;
  }
  default: {
    OMTensor *tensor = tensorOver(state, runner, object, facts.type, what);
    return tensor ? orNoMemory(state.call.omValueCreateTensor(tensor))
                  : nullptr;
  }
  }
}
