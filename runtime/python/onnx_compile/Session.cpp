//===- Session.cpp - The Python extension onnx_compile._session -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One type, Session: a loaded artefact and one entry point. Written on the C
// API of Python and NumPy, because the time of a small model's call is the
// time of this file: contiguous arrays of the right type go to the model as
// they are, and outputs of known shape are written straight into new arrays.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include "onnxc/Runtime.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

namespace {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

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

/// A borrowed dtype; null with an exception.
PyArray_Descr *dtypeOf(int64_t type) {
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

/// The element type of an array; 0 if the model can have none such.
int typeOf(PyArray_Descr *descr) {
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

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// The functions of the artefact.
struct Functions {
  decltype(&omContextCreate) contextCreate;
  decltype(&omContextDestroy) contextDestroy;
  decltype(&omContextRun) contextRun;
  decltype(&omContextTakeOutput) contextTakeOutput;
  decltype(&omContextGetMessage) contextGetMessage;
  decltype(&omGetInput) getInput;
  decltype(&omGetNumInputs) getNumInputs;
  decltype(&omGetOutput) getOutput;
  decltype(&omGetNumOutputs) getNumOutputs;
  decltype(&omGetLastError) getLastError;
  decltype(&omQueryEntryPoints) queryEntryPoints;
  decltype(&omInputSignature) inputSignature;
  decltype(&omOutputSignature) outputSignature;
  decltype(&omCompilationInfo) compilationInfo;
  decltype(&omSetThreads) setThreads;
  decltype(&omGetThreads) getThreads;
  decltype(&omValueGetKind) valueGetKind;
  decltype(&omValueGetSize) valueGetSize;
  decltype(&omValueGetElement) valueGetElement;
  decltype(&omValueGetKey) valueGetKey;
  decltype(&omValueGetTensor) valueGetTensor;
  decltype(&omTensorGetDataPtr) tensorGetDataPtr;
  decltype(&omTensorGetDataType) tensorGetDataType;
  decltype(&omTensorGetRank) tensorGetRank;
  decltype(&omTensorGetShape) tensorGetShape;
  decltype(&omTensorGetBufferSize) tensorGetBufferSize;
};

/// What one run uses. Runs in several threads use several.
struct Runner {
  OMContext *context;
  std::vector<OMBuffer> inputs, outputs;
  std::vector<PyObject *> held;           ///< arrays the buffers point into
  std::vector<std::vector<char *>> texts; ///< data of string inputs
  std::vector<std::vector<char>> widened; ///< data of int4 and int2 inputs
};

struct Argument {
  const OMArgument *facts;
  PyObject *name;
  PyArray_Descr *descr; ///< null for values that are no tensors
  bool isStatic;        ///< numbers of known shape
  int64_t bytes;        ///< if static
};

struct State {
  void *library = nullptr;
  Functions call;
  std::string entry;
  std::vector<Argument> inputs, outputs;
  std::vector<std::unique_ptr<Runner>> idle;
};

struct Session {
  PyObject_HEAD State *state;
};

PyObject *exceptionOf(OM_STATUS status) {
  switch (status) {
  case OM_STATUS_INVALID:
  case OM_STATUS_VALUE:
    return PyExc_ValueError;
  case OM_STATUS_MEMORY:
    return PyExc_MemoryError;
  case OM_STATUS_DEADLINE:
    return PyExc_TimeoutError;
  default:
    return PyExc_RuntimeError;
  }
}

bool resolve(State &state) {
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(state.library, name);
    if (!address)
      missing = name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
  Functions &call = state.call;
  find(call.contextCreate, "omContextCreate");
  find(call.contextDestroy, "omContextDestroy");
  find(call.contextRun, "omContextRun");
  find(call.contextTakeOutput, "omContextTakeOutput");
  find(call.contextGetMessage, "omContextGetMessage");
  find(call.getInput, "omGetInput");
  find(call.getNumInputs, "omGetNumInputs");
  find(call.getOutput, "omGetOutput");
  find(call.getNumOutputs, "omGetNumOutputs");
  find(call.getLastError, "omGetLastError");
  find(call.queryEntryPoints, "omQueryEntryPoints");
  find(call.inputSignature, "omInputSignature");
  find(call.outputSignature, "omOutputSignature");
  find(call.compilationInfo, "omCompilationInfo");
  find(call.setThreads, "omSetThreads");
  find(call.getThreads, "omGetThreads");
  find(call.valueGetKind, "omValueGetKind");
  find(call.valueGetSize, "omValueGetSize");
  find(call.valueGetElement, "omValueGetElement");
  find(call.valueGetKey, "omValueGetKey");
  find(call.valueGetTensor, "omValueGetTensor");
  find(call.tensorGetDataPtr, "omTensorGetDataPtr");
  find(call.tensorGetDataType, "omTensorGetDataType");
  find(call.tensorGetRank, "omTensorGetRank");
  find(call.tensorGetShape, "omTensorGetShape");
  find(call.tensorGetBufferSize, "omTensorGetBufferSize");
  if (missing)
    PyErr_Format(PyExc_ImportError,
                 "this is no compiled model: it does not define %s", missing);
  return !missing;
}

/// Facts about an input or output, looked up once.
bool describe(const OMArgument *facts, std::vector<Argument> &arguments) {
  Argument argument = {facts, PyUnicode_InternFromString(facts->name), nullptr,
                       facts->kind == OM_VALUE_TENSOR && facts->rank >= 0 &&
                           facts->rank <= NPY_MAXDIMS_LEGACY_ITERS &&
                           facts->type != ONNX_TYPE_STRING,
                       0};
  if (!argument.name)
    return false;
  arguments.push_back(argument);
  if (facts->kind != OM_VALUE_TENSOR)
    return true;
  Argument &added = arguments.back();
  added.descr = dtypeOf(facts->type);
  if (!added.descr)
    return false;
  added.bytes = PyDataType_ELSIZE(added.descr);
  for (int64_t i = 0; i < facts->rank; ++i) {
    added.isStatic &= facts->shape[i] >= 0;
    added.bytes *= facts->shape[i];
  }
  return true;
}

void destroyRunner(State &state, Runner &runner) {
  if (runner.context)
    state.call.contextDestroy(runner.context);
}

/// An idle runner or a new one; null with an exception.
std::unique_ptr<Runner> borrowRunner(State &state) {
  std::unique_ptr<Runner> runner;
  if (!state.idle.empty()) {
    runner = std::move(state.idle.back());
    state.idle.pop_back();
    return runner;
  }
  runner = std::make_unique<Runner>();
  runner->context = state.call.contextCreate(state.entry.c_str());
  if (!runner->context) {
    PyErr_SetString(PyExc_MemoryError, state.call.getLastError());
    return nullptr;
  }
  runner->inputs.resize(state.inputs.size());
  runner->outputs.resize(state.outputs.size());
  runner->texts.resize(state.inputs.size());
  runner->widened.resize(state.inputs.size());
  runner->held.reserve(state.inputs.size() + state.outputs.size());
  return runner;
}

void returnRunner(State &state, std::unique_ptr<Runner> runner) {
  for (PyObject *object : runner->held)
    Py_DECREF(object);
  runner->held.clear();
  state.idle.push_back(std::move(runner));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Strings of an array as UTF-8. The characters belong to Python strings that
/// `held` keeps.
bool takeStrings(PyArrayObject *array, Runner &runner, size_t index) {
  std::vector<char *> &texts = runner.texts[index];
  texts.clear();
  PyObject *objects = PyArray_FromArray(
      array, PyArray_DescrFromType(NPY_OBJECT), NPY_ARRAY_CARRAY_RO);
  if (!objects)
    return false;
  runner.held.push_back(objects);
  PyArrayObject *cells = reinterpret_cast<PyArrayObject *>(objects);
  PyObject **items = static_cast<PyObject **>(PyArray_DATA(cells));
  for (npy_intp i = 0; i < PyArray_SIZE(cells); ++i) {
    PyObject *item = items[i];
    const char *text = nullptr;
    if (item && PyBytes_Check(item))
      text = PyBytes_AS_STRING(item);
    else if (item && PyUnicode_Check(item))
      text = PyUnicode_AsUTF8(item);
    else
      PyErr_SetString(PyExc_TypeError, "a string tensor holds only str");
    if (!text)
      return false;
    texts.push_back(const_cast<char *>(text));
  }
  runner.inputs[index].data = texts.data();
  runner.inputs[index].bytes = int64_t(texts.size() * sizeof(char *));
  return true;
}

/// ml_dtypes leaves the upper bits of its int4 and int2 zero; the runtime wants
/// the sign there.
void widenInput(Runner &runner, size_t index, int bits) {
  OMBuffer &buffer = runner.inputs[index];
  const char *data = static_cast<const char *>(buffer.data);
  std::vector<char> &widened = runner.widened[index];
  widened.assign(data, data + buffer.bytes);
  for (char &byte : widened)
    byte = char(static_cast<signed char>(byte << (8 - bits)) >> (8 - bits));
  buffer.data = widened.data();
}

/// Any object as an array the model can read; a new reference.
PyArrayObject *toArray(PyObject *object, const Argument &argument) {
  constexpr int flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
  // A Python number or list has no type of its own: it takes the model's.
  PyArray_Descr *descr = nullptr;
  if (PyList_Check(object) || PyTuple_Check(object) || PyFloat_Check(object) ||
      PyLong_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
    descr = argument.descr;
  bool exports = PyArray_Check(object) || PyObject_CheckBuffer(object) ||
                 PyObject_HasAttrString(object, "__array__");
  PyObject *source = object;
  if (!descr && !exports && PyObject_HasAttrString(object, "__dlpack__")) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    source = numpy ? PyObject_CallMethod(numpy, "from_dlpack", "O", object)
                   : nullptr;
    Py_XDECREF(numpy);
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
  return reinterpret_cast<PyArrayObject *>(array);
}

bool takeInput(State &state, Runner &runner, size_t index, PyObject *object) {
  const Argument &argument = state.inputs[index];
  OMBuffer &buffer = runner.inputs[index];
  if (!argument.descr) {
    PyErr_Format(PyExc_NotImplementedError,
                 "input '%U' is no tensor: use the C API", argument.name);
    return false;
  }
  PyArrayObject *array;
  if (PyArray_CheckExact(object) &&
      PyArray_ISCARRAY_RO(reinterpret_cast<PyArrayObject *>(object))) {
    array = reinterpret_cast<PyArrayObject *>(object);
    Py_INCREF(array);
  } else if (!(array = toArray(object, argument))) {
    return false;
  }
  runner.held.push_back(reinterpret_cast<PyObject *>(array));
  PyArray_Descr *descr = PyArray_DESCR(array);
  int type =
      descr == argument.descr ? int(argument.facts->type) : typeOf(descr);
  if (type == 0) {
    PyErr_Format(PyExc_TypeError, "input '%U': no model takes dtype %R",
                 argument.name, descr);
    return false;
  }
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  buffer = {PyArray_DATA(array), PyArray_NBYTES(array),
            reinterpret_cast<int64_t *>(PyArray_DIMS(array)),
            PyArray_NDIM(array), OM_DATA_TYPE(type)};
  if (type == ONNX_TYPE_STRING)
    return takeStrings(array, runner, index);
  if (type == ONNX_TYPE_INT4)
    widenInput(runner, index, 4);
  else if (type == ONNX_TYPE_INT2)
    widenInput(runner, index, 2);
  return true;
}

bool wrongCount(State &state, Py_ssize_t given) {
  PyErr_Format(PyExc_ValueError, "the model takes %zu inputs and was given %zd",
               state.inputs.size(), given);
  return false;
}

bool takeDict(State &state, Runner &runner, PyObject *dict) {
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    PyObject *object = PyDict_GetItemWithError(dict, state.inputs[i].name);
    if (!object) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "input '%U' is missing",
                     state.inputs[i].name);
      return false;
    }
    if (!takeInput(state, runner, i, object))
      return false;
  }
  if (size_t(PyDict_Size(dict)) != state.inputs.size())
    return wrongCount(state, PyDict_Size(dict));
  return true;
}

/// One array, a list of them, or a dict by name.
bool takeInputs(State &state, Runner &runner, PyObject *object) {
  if (PyDict_Check(object))
    return takeDict(state, runner, object);
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    if (state.inputs.size() != 1)
      return wrongCount(state, 1);
    return takeInput(state, runner, 0, object);
  }
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (size_t(count) != state.inputs.size())
    return wrongCount(state, count);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!takeInput(state, runner, size_t(i),
                   PySequence_Fast_GET_ITEM(object, i)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Arrays for outputs of known shape; the others are left to the runtime.
bool prepareOutputs(State &state, Runner &runner, PyObject *list) {
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const Argument &argument = state.outputs[i];
    runner.outputs[i] = {};
    if (!argument.isStatic)
      continue;
    Py_INCREF(argument.descr);
    PyObject *array = PyArray_NewFromDescr(
        &PyArray_Type, argument.descr, int(argument.facts->rank),
        reinterpret_cast<const npy_intp *>(argument.facts->shape), nullptr,
        nullptr, 0, nullptr);
    if (!array)
      return false;
    PyList_SET_ITEM(list, Py_ssize_t(i), array);
    PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
    runner.outputs[i] = {PyArray_DATA(typed), argument.bytes,
                         reinterpret_cast<int64_t *>(PyArray_DIMS(typed)),
                         argument.facts->rank, ONNX_TYPE_UNDEFINED};
  }
  return true;
}

PyObject *stringArray(char *const *strings, int rank, const int64_t *shape) {
  PyObject *array = PyArray_SimpleNew(
      rank, reinterpret_cast<const npy_intp *>(shape), NPY_OBJECT);
  if (!array)
    return nullptr;
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  PyObject **items = static_cast<PyObject **>(PyArray_DATA(typed));
  for (npy_intp i = 0; i < PyArray_SIZE(typed); ++i) {
    PyObject *item = PyUnicode_DecodeUTF8(
        strings[i], Py_ssize_t(strlen(strings[i])), "surrogateescape");
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
PyObject *copiedArray(int64_t type, int rank, const int64_t *shape,
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

/// A large output's memory becomes the array's.
PyObject *takenArray(State &state, Runner &runner, size_t index) {
  const OMBuffer &buffer = runner.outputs[index];
  void *memory = state.call.contextTakeOutput(runner.context, int64_t(index));
  if (!memory)
    return copiedArray(buffer.type, int(buffer.rank), buffer.shape, buffer.data,
                       buffer.bytes);
  PyObject *owner = PyCapsule_New(memory, nullptr, [](PyObject *capsule) {
    free(PyCapsule_GetPointer(capsule, nullptr));
  });
  if (!owner) {
    free(memory);
    return nullptr;
  }
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

/// Sequences become lists, maps dicts, an empty optional None.
PyObject *fromValue(State &state, const OMValue *value) {
  Functions &call = state.call;
  if (OMTensor *tensor = call.valueGetTensor(value))
    return copiedArray(
        call.tensorGetDataType(tensor), int(call.tensorGetRank(tensor)),
        call.tensorGetShape(tensor), call.tensorGetDataPtr(tensor),
        call.tensorGetBufferSize(tensor));
  int64_t size = call.valueGetSize(value);
  if (call.valueGetKind(value) == OM_VALUE_OPTIONAL) {
    if (size == 0)
      Py_RETURN_NONE;
    return fromValue(state, call.valueGetElement(value, 0));
  }
  PyObject *list = PyList_New(Py_ssize_t(size));
  for (int64_t i = 0; list && i < size; ++i) {
    PyObject *element = fromValue(state, call.valueGetElement(value, i));
    if (!element)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, Py_ssize_t(i), element);
  }
  OMTensor *keyTensor = call.valueGetKey(value);
  if (!list || !keyTensor)
    return list;
  PyObject *keys = copiedArray(call.tensorGetDataType(keyTensor), 1, &size,
                               call.tensorGetDataPtr(keyTensor),
                               call.tensorGetBufferSize(keyTensor));
  PyObject *keyList =
      keys ? PyObject_CallMethod(keys, "tolist", nullptr) : nullptr;
  PyObject *dict = keyList ? PyDict_New() : nullptr;
  for (Py_ssize_t i = 0; dict && i < size; ++i)
    if (PyDict_SetItem(dict, PyList_GET_ITEM(keyList, i),
                       PyList_GET_ITEM(list, i)) != 0)
      Py_CLEAR(dict);
  Py_XDECREF(keyList);
  Py_XDECREF(keys);
  Py_DECREF(list);
  return dict;
}

bool fillOutputs(State &state, Runner &runner, PyObject *list) {
  constexpr int64_t large = 1 << 16;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const OMBuffer &buffer = runner.outputs[i];
    if (state.outputs[i].isStatic)
      continue;
    PyObject *object;
    if (!state.outputs[i].descr)
      object = fromValue(state, static_cast<OMValue *>(buffer.data));
    else if (buffer.bytes >= large && buffer.type != ONNX_TYPE_STRING)
      object = takenArray(state, runner, i);
    else
      object = copiedArray(buffer.type, int(buffer.rank), buffer.shape,
                           buffer.data, buffer.bytes);
    if (!object)
      return false;
    PyList_SET_ITEM(list, Py_ssize_t(i), object);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// Fills `list` with the outputs; false with an exception.
bool runWith(State &state, Runner &runner, PyObject *inputs, PyObject *list) {
  if (!takeInputs(state, runner, inputs) ||
      !prepareOutputs(state, runner, list))
    return false;
  OM_STATUS status;
  Py_BEGIN_ALLOW_THREADS;
  status = state.call.contextRun(
      runner.context, runner.inputs.data(), int64_t(runner.inputs.size()),
      runner.outputs.data(), int64_t(runner.outputs.size()));
  Py_END_ALLOW_THREADS;
  if (status != OM_STATUS_OK) {
    PyErr_SetString(exceptionOf(status),
                    state.call.contextGetMessage(runner.context));
    return false;
  }
  return fillOutputs(state, runner, list);
}

PyObject *sessionRun(PyObject *self, PyObject *inputs) {
  State &state = *reinterpret_cast<Session *>(self)->state;
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return nullptr;
  PyObject *list = PyList_New(Py_ssize_t(state.outputs.size()));
  if (list && !runWith(state, *runner, inputs, list))
    Py_CLEAR(list);
  returnRunner(state, std::move(runner));
  return list;
}

PyObject *textOrNone(const char *text) {
  if (!text)
    Py_RETURN_NONE;
  return PyUnicode_FromString(text);
}

State &stateOf(PyObject *self) {
  return *reinterpret_cast<Session *>(self)->state;
}

PyObject *sessionInputSignature(PyObject *self, PyObject *) {
  State &state = stateOf(self);
  return textOrNone(state.call.inputSignature(state.entry.c_str()));
}

PyObject *sessionOutputSignature(PyObject *self, PyObject *) {
  State &state = stateOf(self);
  return textOrNone(state.call.outputSignature(state.entry.c_str()));
}

PyObject *sessionCompilationInfo(PyObject *self, PyObject *) {
  return textOrNone(stateOf(self).call.compilationInfo());
}

PyObject *sessionEntryPoints(PyObject *self, PyObject *) {
  int64_t count = 0;
  const char *const *names = stateOf(self).call.queryEntryPoints(&count);
  PyObject *list = PyList_New(Py_ssize_t(count));
  for (int64_t i = 0; list && i < count; ++i) {
    PyObject *name = PyUnicode_FromString(names[i]);
    if (!name)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, Py_ssize_t(i), name);
  }
  return list;
}

PyObject *namesOf(const std::vector<Argument> &arguments) {
  PyObject *list = PyList_New(Py_ssize_t(arguments.size()));
  for (size_t i = 0; list && i < arguments.size(); ++i) {
    Py_INCREF(arguments[i].name);
    PyList_SET_ITEM(list, Py_ssize_t(i), arguments[i].name);
  }
  return list;
}

PyObject *sessionInputNames(PyObject *self, void *) {
  return namesOf(stateOf(self).inputs);
}

PyObject *sessionOutputNames(PyObject *self, void *) {
  return namesOf(stateOf(self).outputs);
}

PyObject *sessionThreads(PyObject *self, void *) {
  return PyLong_FromLongLong(stateOf(self).call.getThreads());
}

int sessionSetThreads(PyObject *self, PyObject *value, void *) {
  long long threads = value ? PyLong_AsLongLong(value) : -1;
  if (threads < 0 || stateOf(self).call.setThreads(threads) != OM_STATUS_OK) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "threads is a count; 0: all");
    return -1;
  }
  return 0;
}

bool openSession(State &state, const char *path, const char *entry) {
  state.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!state.library) {
    PyErr_SetString(PyExc_ImportError, dlerror());
    return false;
  }
  if (!resolve(state))
    return false;
  state.entry = entry;
  int64_t numInputs = state.call.getNumInputs(entry);
  if (numInputs < 0) {
    PyErr_Format(PyExc_ValueError, "the model has no entry point '%s'", entry);
    return false;
  }
  for (int64_t i = 0; i < numInputs; ++i)
    if (!describe(state.call.getInput(entry, i), state.inputs))
      return false;
  for (int64_t i = 0; i < state.call.getNumOutputs(entry); ++i)
    if (!describe(state.call.getOutput(entry, i), state.outputs))
      return false;
  return true;
}

PyObject *sessionNew(PyTypeObject *type, PyObject *arguments, PyObject *named) {
  static const char *keywords[] = {"path", "entry", nullptr};
  PyObject *path;
  const char *entry = "run_main_graph";
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "O&|s",
                                   const_cast<char **>(keywords),
                                   PyUnicode_FSConverter, &path, &entry))
    return nullptr;
  PyObject *self = type->tp_alloc(type, 0);
  if (self) {
    State *state = new State;
    reinterpret_cast<Session *>(self)->state = state;
    if (!openSession(*state, PyBytes_AS_STRING(path), entry))
      Py_CLEAR(self);
  }
  Py_DECREF(path);
  return self;
}

void sessionDealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (State *state = reinterpret_cast<Session *>(self)->state) {
    for (std::unique_ptr<Runner> &runner : state->idle)
      destroyRunner(*state, *runner);
    for (auto *arguments : {&state->inputs, &state->outputs})
      for (Argument &argument : *arguments)
        Py_DECREF(argument.name);
    if (state->library)
      dlclose(state->library);
    delete state;
  }
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"run", sessionRun, METH_O,
     "run(inputs): one array, a list of them, or a dict by name. Returns the "
     "list of outputs. Other threads run meanwhile."},
    {"input_signature", sessionInputSignature, METH_NOARGS,
     "The inputs as JSON text."},
    {"output_signature", sessionOutputSignature, METH_NOARGS,
     "The outputs as JSON text."},
    {"compilation_info", sessionCompilationInfo, METH_NOARGS,
     "How the model was compiled, as JSON text."},
    {"entry_points", sessionEntryPoints, METH_NOARGS,
     "The names of all entry points."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"input_names", sessionInputNames, nullptr, "Names of the inputs.",
     nullptr},
    {"output_names", sessionOutputNames, nullptr, "Names of the outputs.",
     nullptr},
    {"threads", sessionThreads, sessionSetThreads,
     "Most threads of a run of this model, in all its sessions.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(sessionNew)},
    {Py_tp_dealloc, reinterpret_cast<void *>(sessionDealloc)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char *>("A loaded model and one entry point.")},
    {0, nullptr}};

PyType_Spec spec = {"onnx_compile._session.Session", sizeof(Session), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "onnx_compile._session",
                      "Loaded models.",
                      -1,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

} // namespace

PyMODINIT_FUNC PyInit__session() {
  import_array();
  PyObject *self = PyModule_Create(&module);
  if (!self)
    return nullptr;
  PyObject *type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObject(self, "Session", type) != 0) {
    Py_XDECREF(type);
    Py_DECREF(self);
    return nullptr;
  }
  return self;
}
