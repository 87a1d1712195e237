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

#define ONNXC_PYTHON_IMPORTS_NUMPY
#include "Session.h"

#include <algorithm>
#include <dlfcn.h>

using namespace onnxc;
using namespace onnxc::python;

namespace {

struct Session {
  PyObject_HEAD State *state;
};

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

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

bool resolve(State &state, const char *path) {
  const char *missing = state.call.resolve(state.library.get());
  if (missing)
    PyErr_SetString(
        PyExc_ImportError,
        rt::explainLack(state.library.get(), path, missing).c_str());
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

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void destroyRunner(State &state, Runner &runner) {
  if (runner.context)
    state.call.omContextDestroy(runner.context);
}

} // namespace

std::unique_ptr<Runner> python::borrowRunner(State &state) {
  std::unique_ptr<Runner> runner;
  if (!state.idle.empty()) {
    runner = std::move(state.idle.back());
    state.idle.pop_back();
    return runner;
  }
  runner = std::make_unique<Runner>();
  runner->context = state.call.omContextCreate(state.entry.c_str());
  if (!runner->context) {
    PyErr_SetString(PyExc_MemoryError, state.call.omGetLastError());
    return nullptr;
  }
  runner->inputs.resize(state.inputs.size());
  runner->outputs.resize(state.outputs.size());
  runner->inTensors.resize(state.inputs.size());
  runner->outTensors.resize(state.outputs.size());
  runner->prepared.resize(state.outputs.size());
  runner->held.reserve(state.inputs.size() + state.outputs.size());
  return runner;
}

void python::returnRunner(State &state, std::unique_ptr<Runner> runner) {
  // Deleters of tensors may be Python.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (PyObject *object : runner->held)
    Py_DECREF(object);
  PyErr_Restore(type, value, traceback);
  for (OMValue *value : runner->values)
    state.call.omValueDestroy(value);
  runner->held.clear();
  runner->values.clear();
  runner->texts.clear();
  runner->widened.clear();
  if (runner->tensorDevice >= 0) {
    std::fill(runner->inTensors.begin(), runner->inTensors.end(),
              DLManagedTensorVersioned());
    std::fill(runner->outTensors.begin(), runner->outTensors.end(),
              DLManagedTensorVersioned());
    runner->tensorDevice = -1;
  }
  runner->outShapes.clear();
  runner->outArrays.clear();
  state.idle.push_back(std::move(runner));
}

namespace {

/// The arguments of run().
struct RunArguments {
  PyObject *inputs = nullptr;
  PyObject *out = nullptr;
  PyObject *tag = nullptr; ///< of _cancel()
  int64_t deadline = 0;    ///< in nanoseconds; 0: none
  uintptr_t stream = kLegacyStream;
};

/// Seconds as the nanoseconds of a deadline, at least 1; false with an
/// exception.
bool takeDeadline(PyObject *object, int64_t &nanoseconds) {
  if (object == Py_None)
    return true;
  double seconds = PyFloat_AsDouble(object);
  if (PyErr_Occurred())
    return false;
  if (!(seconds > 0)) {
    PyErr_SetString(PyExc_ValueError,
                    "deadline is a number of seconds above 0; None: no limit");
    return false;
  }
  // Beyond 292 years there is none.
  double limit = seconds * 1e9;
  nanoseconds = limit < 0x1p63 ? std::max<int64_t>(int64_t(limit), 1) : 0;
  return true;
}

/// Returns false with an exception.
bool takeStream(PyObject *object, uintptr_t &stream) {
  if (object != Py_None)
    stream = uintptr_t(PyLong_AsUnsignedLongLong(object));
  if (stream == 0 && !PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError,
                    "stream is the handle of a CUDA stream; the default one is "
                    "1, or None");
  return !PyErr_Occurred();
}

/// run(inputs, *, deadline=None, out=None, stream=None), called without a tuple
/// or dict.
bool parseRun(PyObject *const *values, Py_ssize_t count, PyObject *names,
              RunArguments &arguments) {
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (count > 1)
    PyErr_Format(PyExc_TypeError,
                 "run() takes one argument, the inputs, but %zd were given",
                 count);
  arguments.inputs = count == 1 ? values[0] : nullptr;
  for (Py_ssize_t i = 0; i < named && !PyErr_Occurred(); ++i) {
    PyObject *name = PyTuple_GetItem(names, i), *value = values[count + i];
    if (PyUnicode_CompareWithASCIIString(name, "deadline") == 0)
      takeDeadline(value, arguments.deadline);
    else if (PyUnicode_CompareWithASCIIString(name, "out") == 0)
      arguments.out = value == Py_None ? nullptr : value;
    else if (PyUnicode_CompareWithASCIIString(name, "stream") == 0)
      takeStream(value, arguments.stream);
    else if (PyUnicode_CompareWithASCIIString(name, "tag") == 0)
      arguments.tag = value;
    else if (PyUnicode_CompareWithASCIIString(name, "inputs") == 0 &&
             !arguments.inputs)
      arguments.inputs = value;
    else
      PyErr_Format(PyExc_TypeError, "run() has no other argument '%U'", name);
  }
  if (!arguments.inputs && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "run() needs the inputs");
  return !PyErr_Occurred();
}

/// Fills `list` with the outputs; false with an exception.
bool runWith(State &state, Runner &runner, const RunArguments &arguments,
             PyObject *list) {
  state.call.omContextSetDeadline(runner.context, arguments.deadline);
  runner.stream = arguments.stream;
  if (!takeInputs(state, runner, arguments.inputs) ||
      !prepareOutputs(state, runner, list, arguments.out))
    return false;
  OM_STATUS status;
  state.running.push_back({runner.context, arguments.tag});
  if (runner.tensorDevice >= 0) {
    runOnDevice(state, runner, list, status);
  } else {
    int64_t device = state.defaultDevice;
    Py_BEGIN_ALLOW_THREADS;
    if (runner.contextDevice != device)
      setContextDevice(state, runner, device);
    status = state.call.omContextRun(
        runner.context, runner.inputs.data(), int64_t(runner.inputs.size()),
        runner.outputs.data(), int64_t(runner.outputs.size()));
    Py_END_ALLOW_THREADS;
  }
  state.running.erase(
      std::find_if(state.running.begin(), state.running.end(),
                   [&](auto &run) { return run.first == runner.context; }));
  if (status != OM_STATUS_OK && !PyErr_Occurred())
    PyErr_SetString(exceptionOf(status),
                    state.call.omContextGetMessage(runner.context));
  if (PyErr_Occurred() || runner.tensorDevice >= 0)
    return !PyErr_Occurred();
  return fillOutputs(state, runner, list);
}

PyObject *sessionRun(PyObject *self, PyObject *const *values, Py_ssize_t count,
                     PyObject *names) {
  RunArguments arguments;
  if (!parseRun(values, count, names, arguments))
    return nullptr;
  State &state = *reinterpret_cast<Session *>(self)->state;
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return nullptr;
  PyObject *list = PyList_New(Py_ssize_t(state.outputs.size()));
  if (list && !runWith(state, *runner, arguments, list))
    Py_CLEAR(list);
  returnRunner(state, std::move(runner));
  return list;
}

State &stateOf(PyObject *self) {
  return *reinterpret_cast<Session *>(self)->state;
}

/// Ends the runs with this tag; how many there are.
PyObject *sessionCancel(PyObject *self, PyObject *tag) {
  State &state = stateOf(self);
  if (!state.call.omContextCancel) {
    PyErr_SetString(
        PyExc_NotImplementedError,
        rt::explainLack(state.library.get(), "the model", "omContextCancel")
            .c_str());
    return nullptr;
  }
  long count = 0;
  for (auto [context, other] : state.running)
    if (other == tag) {
      state.call.omContextCancel(context);
      ++count;
    }
  return PyLong_FromLong(count);
}

PyObject *sessionInputSignature(PyObject *self, PyObject *) {
  State &state = stateOf(self);
  return textOrNone(state.call.omInputSignature(state.entry.c_str()));
}

PyObject *sessionOutputSignature(PyObject *self, PyObject *) {
  State &state = stateOf(self);
  return textOrNone(state.call.omOutputSignature(state.entry.c_str()));
}

PyObject *sessionCompilationInfo(PyObject *self, PyObject *) {
  return textOrNone(stateOf(self).call.omCompilationInfo());
}

PyObject *sessionEntryPoints(PyObject *self, PyObject *) {
  int64_t count = 0;
  const char *const *names = stateOf(self).call.omQueryEntryPoints(&count);
  PyObject *list = PyList_New(Py_ssize_t(count));
  for (int64_t i = 0; list && i < count; ++i) {
    PyObject *name = PyUnicode_FromString(names[i]);
    if (!name)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, Py_ssize_t(i), name);
  }
  return list;
}

PyObject *sessionInputFacts(PyObject *self, void *) {
  return factsOf(stateOf(self).inputs);
}

PyObject *sessionOutputFacts(PyObject *self, void *) {
  return factsOf(stateOf(self).outputs);
}

PyObject *sessionInputNames(PyObject *self, void *) {
  return namesOf(stateOf(self).inputs);
}

PyObject *sessionOutputNames(PyObject *self, void *) {
  return namesOf(stateOf(self).outputs);
}

PyObject *sessionThreads(PyObject *self, void *) {
  return PyLong_FromLongLong(stateOf(self).call.omGetThreads());
}

int sessionSetThreads(PyObject *self, PyObject *value, void *) {
  long long threads = value ? PyLong_AsLongLong(value) : -1;
  if (threads < 0 || stateOf(self).call.omSetThreads(threads) != OM_STATUS_OK) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "threads is a count; 0: all");
    return -1;
  }
  return 0;
}

PyObject *sessionDevice(PyObject *self, void *) {
  return deviceOf(stateOf(self));
}

int sessionSetDevice(PyObject *self, PyObject *value, void *) {
  return setDevice(stateOf(self), value);
}

bool openSession(State &state, const char *path, const char *entry) {
  std::string message;
  void *library = rt::loadArtefact(path, message);
  if (!library) {
    PyErr_SetString(PyExc_ImportError, message.c_str());
    return false;
  }
  state.library.reset(library, dlclose);
  if (!resolve(state, path))
    return false;
  state.entry = entry;
  int64_t numInputs = state.call.omGetNumInputs(entry);
  if (numInputs < 0) {
    PyErr_SetString(PyExc_ValueError, state.call.omGetLastError());
    return false;
  }
  if (state.call.omGetCpu && !state.call.omGetCpu(entry)) {
    PyErr_SetString(exceptionOf(OM_STATUS_TARGET), state.call.omGetLastError());
    return false;
  }
  for (int64_t i = 0; i < numInputs; ++i)
    if (!describe(state.call.omGetInput(entry, i), state.inputs))
      return false;
  for (int64_t i = 0; i < state.call.omGetNumOutputs(entry); ++i)
    if (!describe(state.call.omGetOutput(entry, i), state.outputs))
      return false;
  // A context maps the file of the weights, which may be replaced later.
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return false;
  state.runDevice = runDeviceOf(state, *runner);
  state.idle.push_back(std::move(runner));
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
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self) {
    State *state = new State;
    reinterpret_cast<Session *>(self)->state = state;
    if (!openSession(*state, PyBytes_AsString(path), entry))
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
    delete state;
  }
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"run",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(sessionRun)),
     METH_FASTCALL | METH_KEYWORDS,
     "run(inputs, *, deadline=None, out=None, stream=None): inputs are one "
     "array, a list of them, or a dict by name. Returns the list of outputs, "
     "which are new arrays. TypeError or ValueError: inputs or `out` do not "
     "fit, or the model refuses the data; MemoryError; RuntimeError otherwise. "
     "A run that takes longer than `deadline` seconds raises TimeoutError. "
     "`out` "
     "has arrays that outputs are written to, in the same forms. Tensors may "
     "be on a GPU, if the model runs on it; the other outputs are there, too, "
     "and the run takes part in the order of the CUDA `stream`, by default the "
     "one of all threads. Other threads run meanwhile."},
    {"_cancel", sessionCancel, METH_O,
     "_cancel(tag): ends the runs with this tag, and returns how many there "
     "are."},
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
    {"_input_facts", sessionInputFacts, nullptr, nullptr, nullptr},
    {"_output_facts", sessionOutputFacts, nullptr, nullptr, nullptr},
    {"threads", sessionThreads, sessionSetThreads,
     "Most threads of a run of this model, in all its sessions.", nullptr},
    {"device", sessionDevice, sessionSetDevice,
     "Number of the GPU that runs without tensors on one take place on; None "
     "if they are on the processor. 0 is always that of a new session.",
     nullptr},
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

PyMethodDef functions[] = {
    {"dlpack", toDlpack, METH_VARARGS,
     "dlpack(array, versioned): the array as a capsule of DLPack."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "onnx_compile._session",
                      "Loaded models.",
                      -1,
                      functions,
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
