//===- Compiler.cpp - The Python extension onnx_compile._compiler -*- C++
//-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One function over onnxc/Compile.h. A module of its own, because it brings the
// whole compiler along, which running a model does not need.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "onnxc/Compile.h"

#include <string>
#include <vector>

namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

/// A list of pairs of str; false with an exception.
bool readOptions(PyObject *list, Options &options) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const char *key, *value;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "ss", &key, &value))
      return false;
    options.emplace_back(key, value);
  }
  return true;
}

OM_COMPILE_STATUS compileWith(OMCompiler *compiler, const Options &options,
                              const char *path, const Py_buffer &bytes) {
  for (const auto &[key, value] : options)
    if (OM_COMPILE_STATUS status =
            omCompilerSetOption(compiler, key.c_str(), value.c_str()))
      return status;
  OM_COMPILE_STATUS status;
  Py_BEGIN_ALLOW_THREADS;
  status = path ? omCompilerCompileFile(compiler, path)
                : omCompilerCompileMemory(compiler, bytes.buf,
                                          size_t(bytes.len), "model");
  Py_END_ALLOW_THREADS;
  return status;
}

/// compile(path or None, bytes, options) -> (status, messages, output)
PyObject *compile(PyObject *, PyObject *arguments) {
  const char *path;
  Py_buffer bytes;
  PyObject *list;
  if (!PyArg_ParseTuple(arguments, "zy*O!", &path, &bytes, &PyList_Type, &list))
    return nullptr;
  Options options;
  OMCompiler *compiler = omCompilerCreate();
  PyObject *result = nullptr;
  if (!compiler) {
    PyErr_NoMemory();
  } else if (readOptions(list, options)) {
    OM_COMPILE_STATUS status = compileWith(compiler, options, path, bytes);
    const char *output = omCompilerGetOutput(compiler);
    result = Py_BuildValue(
        "(iNs)", int(status),
        PyUnicode_DecodeFSDefault(omCompilerGetMessages(compiler)),
        output ? output : "");
  }
  omCompilerDestroy(compiler);
  PyBuffer_Release(&bytes);
  return result;
}

PyMethodDef methods[] = {
    {"compile", compile, METH_VARARGS,
     "compile(path or None, bytes, [(option, value), ...]) -> "
     "(status, messages, output)"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "onnx_compile._compiler",
                      "The compiler.",
                      -1,
                      methods,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

} // namespace

PyMODINIT_FUNC PyInit__compiler() { return PyModule_Create(&module); }
