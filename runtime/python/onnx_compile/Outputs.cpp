//===- Outputs.cpp - Outputs of a model as Python objects -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <cstring>

using namespace onnxc;
using namespace onnxc::python;

/// A new array for an output of known shape; `list` gets it.
static bool prepareArray(const Argument &argument, OMBuffer &buffer,
                         PyObject *list, size_t index) {
  Py_INCREF(argument.descr);
  PyObject *array = PyArray_NewFromDescr(
      &PyArray_Type, argument.descr, int(argument.facts->rank),
      reinterpret_cast<const npy_intp *>(argument.facts->shape), nullptr,
      nullptr, 0, nullptr);
  if (!array)
    return false;
  PyList_SetItem(list, Py_ssize_t(index), array);
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  buffer = {PyArray_DATA(typed), argument.bytes,
            reinterpret_cast<int64_t *>(PyArray_DIMS(typed)),
            argument.facts->rank, ONNX_TYPE_UNDEFINED};
  return true;
}

bool python::prepareOutputs(State &state, Runner &runner, PyObject *list,
                            PyObject *out) {
  if (out && !checkOutCount(state, out))
    return false;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const Argument &argument = state.outputs[i];
    runner.outputs[i] = {};
    runner.prepared[i] = true;
    PyObject *object = out ? outOf(state, out, i) : nullptr;
    if (object) {
      if (!takeOut(state, runner, list, i, object))
        return false;
    } else if (PyErr_Occurred()) {
      return false;
    } else if (runner.tensorDevice >= 0) {
      continue; // on the device
    } else if (argument.isStatic && argument.bytes < kLargeOutput) {
      if (!prepareArray(argument, runner.outputs[i], list, i))
        return false;
    } else {
      runner.prepared[i] = false;
    }
  }
  return true;
}

static PyObject *decoded(const char *string) {
  return PyUnicode_DecodeUTF8(string, Py_ssize_t(strlen(string)),
                              "surrogateescape");
}

static PyObject *stringArray(char *const *strings, int rank,
                             const int64_t *shape) {
  PyObject *array = PyArray_SimpleNew(
      rank, reinterpret_cast<const npy_intp *>(shape), NPY_OBJECT);
  if (!array)
    return nullptr;
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  PyObject **items = static_cast<PyObject **>(PyArray_DATA(typed));
  for (npy_intp i = 0; i < PyArray_SIZE(typed); ++i) {
    PyObject *item = decoded(strings[i]);
    if (!item) {
      Py_DECREF(array);
      return nullptr;
    }
    Py_XDECREF(items[i]);
    items[i] = item;
  }
  return array;
}

/// A new array with a copy of the elements.
static PyObject *copiedArray(int64_t type, int rank, const int64_t *shape,
                             const void *data, int64_t bytes) {
  if (type == ONNX_TYPE_STRING)
    return stringArray(static_cast<char *const *>(data), rank, shape);
  PyArray_Descr *descr = dtypeOf(type);
  if (!descr)
    return nullptr;
  Py_INCREF(descr);
  PyObject *array = PyArray_NewFromDescr(
      &PyArray_Type, descr, rank, reinterpret_cast<const npy_intp *>(shape),
      nullptr, nullptr, 0, nullptr);
  if (array && bytes > 0)
    memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)), data,
           size_t(bytes));
  return array;
}

namespace {
/// The owner of the memory of an array. The library may not be unloaded before.
struct OutputOwner {
  std::shared_ptr<void> library;
  decltype(&omReturnOutput) giveBack;
  void *memory;
  int64_t bytes;

  ~OutputOwner() { giveBack(memory, bytes); }
};
} // namespace

/// A large output's memory becomes the array's.
static PyObject *takenArray(State &state, Runner &runner, size_t index) {
  const OMBuffer &buffer = runner.outputs[index];
  const rt::Functions &call = state.call;
  void *memory = call.omContextTakeOutput && call.omReturnOutput
                     ? call.omContextTakeOutput(runner.context, int64_t(index))
                     : nullptr;
  if (!memory)
    return copiedArray(buffer.type, int(buffer.rank), buffer.shape, buffer.data,
                       buffer.bytes);
  std::unique_ptr<OutputOwner> contents(new OutputOwner{
      state.library, call.omReturnOutput, memory, buffer.bytes});
  PyObject *owner =
      PyCapsule_New(contents.get(), nullptr, [](PyObject *capsule) {
        delete static_cast<OutputOwner *>(
            PyCapsule_GetPointer(capsule, nullptr));
      });
  if (!owner)
    return nullptr;
  (void)contents.release(); // the capsule owns it
  PyArray_Descr *descr = state.outputs[index].descr;
  Py_INCREF(descr);
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, int(buffer.rank),
                           reinterpret_cast<const npy_intp *>(buffer.shape),
                           nullptr, memory, NPY_ARRAY_CARRAY, nullptr);
  if (!array) {
    Py_DECREF(owner);
    return nullptr;
  }
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array), owner);
  return array;
}

/// An element as an object of Python: a number, a string.
static PyObject *scalar(int64_t type, const void *data) {
  switch (type) {
  case ONNX_TYPE_FLOAT:
    return PyFloat_FromDouble(double(*static_cast<const float *>(data)));
  case ONNX_TYPE_DOUBLE:
    return PyFloat_FromDouble(*static_cast<const double *>(data));
  case ONNX_TYPE_INT64:
    return PyLong_FromLongLong(*static_cast<const int64_t *>(data));
  case ONNX_TYPE_STRING:
    return decoded(*static_cast<char *const *>(data));
  default: {
    PyArray_Descr *descr = dtypeOf(type);
    PyObject *array =
        descr ? copiedArray(type, 0, nullptr, data, PyDataType_ELSIZE(descr))
              : nullptr;
    PyObject *item =
        array ? PyObject_CallMethod(array, "item", nullptr) : nullptr;
    Py_XDECREF(array);
    return item;
  }
  }
}

static PyObject *fromValue(State &state, const OMValue *value);

/// A dict. Values without dimensions are numbers and strings.
static PyObject *fromMap(State &state, const OMValue *value) {
  rt::Functions &call = state.call;
  OMTensor *keys = call.omValueGetKey(value);
  int64_t size = call.omValueGetSize(value),
          keyType = call.omTensorGetDataType(keys);
  int64_t keyBytes = size ? call.omTensorGetBufferSize(keys) / size : 0;
  const char *keyData = static_cast<char *>(call.omTensorGetDataPtr(keys));
  PyObject *dict = PyDict_New();
  for (int64_t i = 0; dict && i < size; ++i) {
    const OMValue *element = call.omValueGetElement(value, i);
    OMTensor *tensor = call.omValueGetTensor(element);
    PyObject *key = scalar(keyType, keyData + i * keyBytes);
    PyObject *item = tensor && call.omTensorGetRank(tensor) == 0
                         ? scalar(call.omTensorGetDataType(tensor),
                                  call.omTensorGetDataPtr(tensor))
                         : fromValue(state, element);
    if (!key || !item || PyDict_SetItem(dict, key, item) != 0)
      Py_CLEAR(dict);
    Py_XDECREF(key);
    Py_XDECREF(item);
  }
  return dict;
}

/// Sequences become lists, maps dicts, an empty optional None.
static PyObject *fromValue(State &state, const OMValue *value) {
  rt::Functions &call = state.call;
  if (OMTensor *tensor = call.omValueGetTensor(value))
    return copiedArray(
        call.omTensorGetDataType(tensor), int(call.omTensorGetRank(tensor)),
        call.omTensorGetShape(tensor), call.omTensorGetDataPtr(tensor),
        call.omTensorGetBufferSize(tensor));
  int64_t size = call.omValueGetSize(value);
  if (call.omValueGetKind(value) == OM_VALUE_OPTIONAL) {
    if (size == 0)
      Py_RETURN_NONE;
    return fromValue(state, call.omValueGetElement(value, 0));
  }
  if (call.omValueGetKey(value))
    return fromMap(state, value);
  PyObject *list = PyList_New(Py_ssize_t(size));
  for (int64_t i = 0; list && i < size; ++i) {
    PyObject *element = fromValue(state, call.omValueGetElement(value, i));
    if (!element)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, Py_ssize_t(i), element);
  }
  return list;
}

bool python::fillOutputs(State &state, Runner &runner, PyObject *list) {
  if (!checkOut(state, runner))
    return false;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const OMBuffer &buffer = runner.outputs[i];
    if (runner.prepared[i])
      continue;
    PyObject *object;
    if (!state.outputs[i].descr)
      object = fromValue(state, static_cast<OMValue *>(buffer.data));
    else if (buffer.bytes >= kLargeOutput && buffer.type != ONNX_TYPE_STRING)
      object = takenArray(state, runner, i);
    else
      object = copiedArray(buffer.type, int(buffer.rank), buffer.shape,
                           buffer.data, buffer.bytes);
    if (!object)
      return false;
    PyList_SetItem(list, Py_ssize_t(i), object);
  }
  return true;
}
