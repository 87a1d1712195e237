//===- Facts.cpp - Names and types of inputs and outputs --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

PyObject *onnxc::python::textOrNone(const char *text) {
  if (!text)
    Py_RETURN_NONE;
  return PyUnicode_FromString(text);
}

PyObject *onnxc::python::namesOf(const std::vector<Argument> &arguments) {
  PyObject *list = PyList_New(Py_ssize_t(arguments.size()));
  for (size_t i = 0; list && i < arguments.size(); ++i) {
    Py_INCREF(arguments[i].name);
    PyList_SetItem(list, Py_ssize_t(i), arguments[i].name);
  }
  return list;
}

bool onnxc::python::refuseUnknownName(const std::vector<Argument> &arguments,
                                      PyObject *dict, const char *format) {
  PyObject *names = namesOf(arguments);
  PyObject *key, *value;
  for (Py_ssize_t at = 0; names && PyDict_Next(dict, &at, &key, &value);) {
    int isKnown = PySequence_Contains(names, key);
    if (isKnown == 0)
      PyErr_Format(PyExc_ValueError, format, key, names);
    if (isKnown != 1)
      break;
  }
  Py_XDECREF(names);
  return false;
}

/// (name, kind, type, shape, type of the keys, element) of an argument. A shape
/// is a tuple of sizes, names, and None; None where the rank is unknown.
static PyObject *factsOf(const OMArgument *facts) {
  if (!facts)
    Py_RETURN_NONE;
  PyObject *shape = facts->rank < 0 ? nullptr : PyTuple_New(facts->rank);
  for (int64_t i = 0; shape && i < facts->rank; ++i) {
    const char *symbol = facts->symbols ? facts->symbols[i] : nullptr;
    PyObject *size = facts->shape[i] >= 0
                         ? PyLong_FromLongLong(facts->shape[i])
                         : textOrNone(symbol && *symbol ? symbol : nullptr);
    if (!size)
      Py_CLEAR(shape);
    else
      PyTuple_SetItem(shape, i, size);
  }
  if (PyErr_Occurred())
    return nullptr;
  return Py_BuildValue("zLLNLN", facts->name, (long long)facts->kind,
                       (long long)facts->type,
                       shape ? shape : textOrNone(nullptr),
                       (long long)facts->key, factsOf(facts->element));
}

PyObject *onnxc::python::factsOf(const std::vector<Argument> &arguments) {
  PyObject *list = PyList_New(0);
  for (const Argument &argument : arguments) {
    PyObject *facts = list ? factsOf(argument.facts) : nullptr;
    if (list && (!facts || PyList_Append(list, facts) != 0))
      Py_CLEAR(list);
    Py_XDECREF(facts);
  }
  return list;
}
