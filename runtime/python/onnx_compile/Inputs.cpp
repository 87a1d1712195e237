//===- Inputs.cpp - Python objects as inputs of a model ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "onnxc/Values/ElementTypes.h"

#include <cstring>

using namespace onnxc;
using namespace onnxc::python;

void python::wrongType(const char *format, PyObject *what, PyObject *object) {
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (PyObject *name = PyObject_GetAttrString(type, "__name__")) {
    PyErr_Format(PyExc_TypeError, format, what, name);
    Py_DECREF(name);
  }
}

/// Adds which input an error of Python or NumPy is about.
static void nameInput(PyObject *what) {
  if (!PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError) &&
      !PyErr_ExceptionMatches(PyExc_TypeError))
    return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyErr_Format(PyErr_GivenExceptionMatches(type, PyExc_TypeError)
                   ? PyExc_TypeError
                   : PyExc_ValueError,
               "input '%U': %S", what, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

/// The characters of a str or bytes object as UTF-8, which end with NUL; null
/// with an error where they cannot. `held` keeps their owner.
static const char *takeString(PyObject *item, Runner &runner, PyObject *what) {
  Py_ssize_t size = 0;
  const char *text = nullptr;
  if (item && PyUnicode_Check(item)) {
    text = PyUnicode_AsUTF8AndSize(item, &size);
    if (!text && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
      // Bytes that are no UTF-8 come out as surrogates, and may go in again.
      PyErr_Clear();
      item = PyUnicode_AsEncodedString(item, "utf-8", "surrogateescape");
      if (!item) {
        nameInput(what);
        return nullptr;
      }
      runner.held.push_back(item);
    }
  }
  if (!text && item && PyBytes_Check(item)) {
    text = PyBytes_AsString(item);
    size = PyBytes_Size(item);
  }
  if (!text)
    PyErr_Format(PyExc_TypeError,
                 "input '%U': a string tensor holds only str, not %.80R", what,
                 item ? item : Py_None);
  else if (size != Py_ssize_t(std::strlen(text)))
    PyErr_Format(PyExc_ValueError, "input '%U': a string has a NUL character",
                 what);
  else
    return text;
  return nullptr;
}

/// Strings of an array as UTF-8.
static bool takeStrings(PyArrayObject *array, Runner &runner, OMBuffer &buffer,
                        PyObject *what) {
  std::vector<char *> &texts = runner.texts.emplace_back();
  PyObject *objects = PyArray_FromArray(
      array, PyArray_DescrFromType(NPY_OBJECT), NPY_ARRAY_CARRAY_RO);
  if (!objects)
    return false;
  runner.held.push_back(objects);
  PyArrayObject *cells = reinterpret_cast<PyArrayObject *>(objects);
  PyObject **items = static_cast<PyObject **>(PyArray_DATA(cells));
  for (npy_intp i = 0; i < PyArray_SIZE(cells); ++i) {
    const char *text = takeString(items[i], runner, what);
    if (!text)
      return false;
    texts.push_back(const_cast<char *>(text));
  }
  buffer.data = texts.data();
  buffer.bytes = int64_t(texts.size() * sizeof(char *));
  return true;
}

/// ml_dtypes leaves the upper bits of its int4 and int2 zero; the runtime
/// expects the sign there.
static void widenInput(Runner &runner, OMBuffer &buffer, int bits) {
  const char *data = static_cast<const char *>(buffer.data);
  std::vector<char> &widened = runner.widened.emplace_back();
  widened.assign(data, data + buffer.bytes);
  for (char &byte : widened)
    byte = char(static_cast<signed char>(byte << (8 - bits)) >> (8 - bits));
  buffer.data = widened.data();
}

/// NumPy takes any byte but 0 for true, the runtime 1 alone.
static void normalizeBools(Runner &runner, OMBuffer &buffer) {
  const unsigned char *data = static_cast<const unsigned char *>(buffer.data);
  unsigned char bits = 0;
  for (int64_t i = 0; i < buffer.bytes; ++i)
    bits |= data[i];
  if (bits <= 1)
    return;
  std::vector<char> &bools =
      runner.widened.emplace_back(data, data + buffer.bytes);
  for (char &byte : bools)
    byte = byte != 0;
  buffer.data = bools.data();
}

/// Returns true if the elements of `array` are the numbers of `object`, a
/// Python number or list that it was made of, and have lost no fraction or high
/// bits.
static bool holdsNumbersOf(PyArrayObject *array, PyObject *object,
                           PyObject *what) {
  PyObject *given =
      PyArray_FromAny(object, nullptr, 0, 0, NPY_ARRAY_CARRAY_RO, nullptr);
  if (!given)
    return false;
  PyArrayObject *numbers = reinterpret_cast<PyArrayObject *>(given);
  PyArray_Descr *descr = PyArray_DESCR(numbers);
  Py_INCREF(descr);
  PyObject *back = PyArray_CastToType(array, descr, 0);
  bool isNumber = PyArray_ISNUMBER(numbers) || PyArray_ISBOOL(numbers);
  PyObject *equal =
      back && isNumber ? PyObject_RichCompare(back, given, Py_EQ) : nullptr;
  PyObject *all = equal ? PyObject_CallMethod(equal, "all", nullptr) : nullptr;
  bool isSame = all && PyObject_IsTrue(all) == 1;
  if (!isSame && !PyErr_Occurred())
    PyErr_Format(PyExc_ValueError, "input '%U': %R does not fit %S", what,
                 given, PyArray_DESCR(array));
  Py_XDECREF(all);
  Py_XDECREF(equal);
  Py_XDECREF(back);
  Py_DECREF(given);
  return isSame;
}

/// Any object as an array the model can read; a new reference.
static PyArrayObject *toArray(PyObject *object, PyArray_Descr *wanted,
                              PyObject *what) {
  constexpr int flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
  // A Python number or list has no type of its own: it takes the model's.
  PyArray_Descr *descr = nullptr;
  if (PyList_Check(object) || PyTuple_Check(object) || PyFloat_Check(object) ||
      PyLong_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
    descr = wanted;
  PyObject *source = object;
  if (!descr && !PyArray_Check(object) && exportsDlpack(object)) {
    source = fromDlpack(object);
    if (!source)
      return nullptr;
  } else {
    Py_INCREF(source);
  }
  Py_XINCREF(descr);
  PyObject *array = PyArray_CheckFromAny(
      source, descr, 0, 0, descr ? flags | NPY_ARRAY_FORCECAST : flags,
      nullptr);
  Py_DECREF(source);
  if (!array && descr)
    nameInput(what);
  PyArrayObject *result = reinterpret_cast<PyArrayObject *>(array);
  if (result && descr && onnxc::run::isInteger(typeOf(wanted)) &&
      !holdsNumbersOf(result, object, what)) {
    Py_DECREF(array);
    return nullptr;
  }
  return result;
}

bool python::takeTensor(Runner &runner, PyObject *object, PyArray_Descr *wanted,
                        OMBuffer &buffer, PyObject *what) {
  PyArrayObject *array;
  if (PyArray_CheckExact(object) &&
      PyArray_ISCARRAY_RO(reinterpret_cast<PyArrayObject *>(object))) {
    array = reinterpret_cast<PyArrayObject *>(object);
    Py_INCREF(array);
  } else if (!(array = toArray(object, wanted, what))) {
    return false;
  }
  runner.held.push_back(reinterpret_cast<PyObject *>(array));
  PyArray_Descr *descr = PyArray_DESCR(array);
  int type = typeOf(descr);
  if (type == 0) {
    PyErr_Format(PyExc_TypeError, "input '%U': no model takes dtype %R", what,
                 descr);
    return false;
  }
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  buffer = {PyArray_DATA(array), PyArray_NBYTES(array),
            reinterpret_cast<int64_t *>(PyArray_DIMS(array)),
            PyArray_NDIM(array), OM_DATA_TYPE(type)};
  if (type == ONNX_TYPE_STRING && typeOf(wanted) != ONNX_TYPE_STRING) {
    PyErr_Format(PyExc_TypeError,
                 "input '%U': expected an array of %S, not %.80R", what, wanted,
                 object);
    return false;
  }
  if (type == ONNX_TYPE_STRING)
    return takeStrings(array, runner, buffer, what);
  if (type == ONNX_TYPE_INT4)
    widenInput(runner, buffer, 4);
  else if (type == ONNX_TYPE_INT2)
    widenInput(runner, buffer, 2);
  else if (type == ONNX_TYPE_BOOL)
    normalizeBools(runner, buffer);
  return true;
}

static bool takeInput(State &state, Runner &runner, size_t index,
                      PyObject *object) {
  const Argument &argument = state.inputs[index];
  OMBuffer &buffer = runner.inputs[index];
  if (argument.descr && isOnDevice(object)) {
    buffer = {};
    return takeDeviceTensor(runner, object, runner.inTensors[index]);
  }
  if (argument.descr)
    return takeTensor(runner, object, argument.descr, buffer, argument.name);
  OMValue *value =
      takeValue(state, runner, object, *argument.facts, argument.name);
  if (!value)
    return false;
  runner.values.push_back(value);
  buffer = {value, 0, nullptr, 0, ONNX_TYPE_UNDEFINED};
  return true;
}

static bool wrongCount(State &state, Py_ssize_t given) {
  PyObject *names = namesOf(state.inputs);
  if (names)
    PyErr_Format(PyExc_ValueError,
                 "the model takes %zu input%s and was given %zd: its inputs "
                 "are %R, as a list in this order or a dict",
                 state.inputs.size(), state.inputs.size() == 1 ? "" : "s",
                 given, names);
  Py_XDECREF(names);
  return false;
}

static bool missingInput(PyObject *name, PyObject *dict) {
  PyObject *given = PyDict_Keys(dict);
  if (given)
    PyErr_Format(PyExc_ValueError, "input '%U' is missing; given are %R", name,
                 given);
  Py_XDECREF(given);
  return false;
}

static bool takeDict(State &state, Runner &runner, PyObject *dict) {
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    PyObject *name = state.inputs[i].name;
    PyObject *object = PyDict_GetItemWithError(dict, name);
    if (!object)
      return !PyErr_Occurred() && missingInput(name, dict);
    if (!takeInput(state, runner, i, object))
      return false;
  }
  if (size_t(PyDict_Size(dict)) != state.inputs.size())
    return refuseUnknownName(state.inputs, dict,
                             "the model has no input %R; its inputs are %R");
  return true;
}

bool python::takeInputs(State &state, Runner &runner, PyObject *object) {
  if (PyDict_Check(object))
    return takeDict(state, runner, object);
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    if (state.inputs.size() != 1)
      return wrongCount(state, 1);
    return takeInput(state, runner, 0, object);
  }
  Py_ssize_t count = PySequence_Size(object);
  if (size_t(count) != state.inputs.size())
    return wrongCount(state, count);
  bool isList = PyList_Check(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item =
        isList ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
    if (!item || !takeInput(state, runner, size_t(i), item))
      return false;
  }
  return true;
}
