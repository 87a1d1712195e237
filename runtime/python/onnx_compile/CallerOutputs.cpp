//===- CallerOutputs.cpp - run(x, out=...) ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Outputs that are written to arrays of the caller.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

static bool wrongOut(PyObject *name, const char *text, PyObject *object) {
  PyErr_Format(PyExc_TypeError, "out of '%U' %s, but is %R", name, text,
               object);
  return false;
}

/// The object as an array that holds all its elements in order; a new
/// reference.
static PyArrayObject *writableArray(const Argument &argument,
                                    PyObject *object) {
  PyObject *array = object;
  if (!PyArray_Check(object) && exportsDlpack(object))
    array = fromDlpack(object);
  else
    Py_INCREF(object);
  if (!array)
    return nullptr;
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  if (!PyArray_Check(array))
    wrongOut(argument.name, "must be an array", object);
  else if (typeOf(PyArray_DESCR(typed)) != argument.facts->type)
    PyErr_Format(PyExc_TypeError, "out of '%U' must be of %S, but is of %S",
                 argument.name, argument.descr, PyArray_DESCR(typed));
  else if (PyArray_ISBYTESWAPPED(typed))
    PyErr_Format(PyExc_ValueError,
                 "out of '%U' must have the byte order of this machine, but is "
                 "%R",
                 argument.name, PyArray_DESCR(typed));
  else if (!PyArray_ISCARRAY(typed))
    PyErr_Format(PyExc_ValueError,
                 "out of '%U' must be contiguous, in row-major order, aligned "
                 "and writable",
                 argument.name);
  else
    return typed;
  Py_DECREF(array);
  return nullptr;
}

bool python::takeOut(State &state, Runner &runner, PyObject *list, size_t index,
                     PyObject *object) {
  const Argument &argument = state.outputs[index];
  if (!argument.descr || argument.facts->type == ONNX_TYPE_STRING)
    return wrongOut(argument.name,
                    "must be None, as it is not a tensor of numbers", object);
  if (isOnDevice(object)) {
    Py_INCREF(object);
    PyList_SetItem(list, Py_ssize_t(index), object);
    return takeDeviceTensor(runner, object, runner.outTensors[index]);
  }
  PyArrayObject *array = writableArray(argument, object);
  if (!array)
    return false;
  runner.held.push_back(reinterpret_cast<PyObject *>(array));
  Py_INCREF(object);
  PyList_SetItem(list, Py_ssize_t(index), object);
  // The run writes the shape: not to that of the array.
  std::vector<int64_t> &shape = runner.outShapes.emplace_back();
  shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  runner.outputs[index] = {PyArray_DATA(array), PyArray_NBYTES(array),
                           shape.data(), PyArray_NDIM(array),
                           ONNX_TYPE_UNDEFINED};
  runner.outArrays.push_back({array, index});
  return true;
}

bool python::checkOut(State &state, Runner &runner) {
  for (auto [array, index] : runner.outArrays) {
    const OMBuffer &buffer = runner.outputs[index];
    bool isSame =
        buffer.rank == PyArray_NDIM(array) &&
        PyArray_CompareLists(reinterpret_cast<npy_intp *>(buffer.shape),
                             PyArray_DIMS(array), int(buffer.rank));
    if (isSame)
      continue;
    PyObject *shape = PyList_New(0);
    for (int64_t i = 0; shape && i < buffer.rank; ++i) {
      PyObject *size = PyLong_FromLongLong(buffer.shape[i]);
      if (!size || PyList_Append(shape, size) != 0)
        Py_CLEAR(shape);
      Py_XDECREF(size);
    }
    if (shape)
      PyErr_Format(PyExc_ValueError,
                   "output '%U' has shape %R, and its out another one",
                   state.outputs[index].name, shape);
    Py_XDECREF(shape);
    return false;
  }
  return true;
}

PyObject *python::outOf(const State &state, PyObject *out, size_t index) {
  PyObject *object = out;
  if (PyDict_Check(out))
    object = PyDict_GetItemWithError(out, state.outputs[index].name);
  else if (PyList_Check(out))
    object = PyList_GetItem(out, Py_ssize_t(index));
  else if (PyTuple_Check(out))
    object = PyTuple_GetItem(out, Py_ssize_t(index));
  return object == Py_None ? nullptr : object;
}

bool python::checkOutCount(const State &state, PyObject *out) {
  size_t count = state.outputs.size();
  if (PyDict_Check(out)) {
    size_t known = 0;
    for (const Argument &argument : state.outputs)
      known += PyDict_GetItemWithError(out, argument.name) != nullptr;
    if (!PyErr_Occurred() && known != size_t(PyDict_Size(out)))
      refuseUnknownName(state.outputs, out,
                        "out has %R, but the model has no such output; its "
                        "outputs are %R");
    return !PyErr_Occurred();
  }
  bool isMany = PyList_Check(out) || PyTuple_Check(out);
  Py_ssize_t given = isMany ? PySequence_Size(out) : 1;
  if (size_t(given) == count)
    return true;
  PyErr_Format(PyExc_ValueError,
               "the model gives %zu outputs and out has %zd; a dict may name "
               "some of them",
               count, given);
  return false;
}
