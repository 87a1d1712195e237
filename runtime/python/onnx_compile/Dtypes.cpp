//===- Dtypes.cpp - Element types and dtypes --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

namespace {

/// How an element type is called in Python, by its number. Those after the
/// complex ones are in ml_dtypes.
const char *const dtypeNames[] = {
    nullptr,
    "float32",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "object",
    "bool",
    "float16",
    "float64",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "uint4",
    "int4",
    "float4_e2m1fn",
    "float8_e8m0fnu",
    "uint2",
    "int2",
    "float6_e2m3fn",
    "float6_e3m2fn",
};
constexpr int kNumTypes = sizeof dtypeNames / sizeof dtypeNames[0];
constexpr int kFirstOfMlDtypes = ONNX_TYPE_BFLOAT16;

/// Made when first needed, kept for ever; guarded by the GIL.
PyArray_Descr *dtypes[kNumTypes];

} // namespace

PyArray_Descr *python::dtypeOf(int64_t type) {
  if (type <= 0 || type >= kNumTypes) {
    PyErr_Format(PyExc_TypeError, "the model uses element type %lld",
                 (long long)type);
    return nullptr;
  }
  if (dtypes[type])
    return dtypes[type];
  PyObject *name;
  if (type >= kFirstOfMlDtypes) {
    PyObject *module = PyImport_ImportModule("ml_dtypes");
    if (!module)
      PyErr_Format(PyExc_ImportError,
                   "%s is a type of the package ml_dtypes: pip install "
                   "ml_dtypes",
                   dtypeNames[type]);
    name = module ? PyObject_GetAttrString(module, dtypeNames[type]) : nullptr;
    Py_XDECREF(module);
  } else {
    name = PyUnicode_FromString(dtypeNames[type]);
  }
  if (name && PyArray_DescrConverter(name, &dtypes[type]) != NPY_SUCCEED)
    dtypes[type] = nullptr;
  Py_XDECREF(name);
  return dtypes[type];
}

int python::typeOf(PyArray_Descr *descr) {
  switch (descr->type_num) {
  case NPY_FLOAT:
    return ONNX_TYPE_FLOAT;
  case NPY_DOUBLE:
    return ONNX_TYPE_DOUBLE;
  case NPY_HALF:
    return ONNX_TYPE_FLOAT16;
  case NPY_BOOL:
    return ONNX_TYPE_BOOL;
  case NPY_CFLOAT:
    return ONNX_TYPE_COMPLEX64;
  case NPY_CDOUBLE:
    return ONNX_TYPE_COMPLEX128;
  case NPY_OBJECT:
  case NPY_UNICODE:
  case NPY_STRING:
    return ONNX_TYPE_STRING;
  }
  npy_intp size = PyDataType_ELSIZE(descr);
  if (PyTypeNum_ISINTEGER(descr->type_num)) {
    bool isSigned = PyTypeNum_ISSIGNED(descr->type_num);
    switch (size) {
    case 1:
      return isSigned ? ONNX_TYPE_INT8 : ONNX_TYPE_UINT8;
    case 2:
      return isSigned ? ONNX_TYPE_INT16 : ONNX_TYPE_UINT16;
    case 4:
      return isSigned ? ONNX_TYPE_INT32 : ONNX_TYPE_UINT32;
    case 8:
      return isSigned ? ONNX_TYPE_INT64 : ONNX_TYPE_UINT64;
    }
  }
  for (int type = kFirstOfMlDtypes; type < kNumTypes; ++type)
    if (dtypes[type] && dtypes[type]->type_num == descr->type_num)
      return type;
  return 0;
}
