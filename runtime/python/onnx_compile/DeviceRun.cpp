//===- DeviceRun.cpp - Runs with tensors on a GPU ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

/// A tensor over a buffer of the host; one without an element type where DLPack
/// has none.
static DLManagedTensorVersioned tensorOver(const OMBuffer &buffer,
                                           int64_t type) {
  const rt::DLTypeRow *row = rt::findDLType(type);
  DLDataType dtype = row ? DLDataType{row->code, row->bits, 1} : DLDataType();
  return {{1, 0},
          nullptr,
          nullptr,
          0,
          {buffer.data,
           {kDLCPU, 0},
           int32_t(buffer.rank),
           dtype,
           buffer.shape,
           nullptr,
           0}};
}

/// All arguments as tensors.
static std::vector<DLManagedTensorVersioned *>
tensorsOf(std::vector<DLManagedTensorVersioned> &tensors,
          const std::vector<OMBuffer> &buffers,
          const std::vector<Argument> &arguments) {
  std::vector<DLManagedTensorVersioned *> list;
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool isOnDevice = tensors[i].version.major != 0;
    if (!isOnDevice && buffers[i].data)
      tensors[i] = tensorOver(buffers[i], arguments[i].facts->type);
    list.push_back(isOnDevice || buffers[i].data ? &tensors[i] : nullptr);
  }
  return list;
}

OM_STATUS python::setContextDevice(State &state, Runner &runner,
                                   int64_t number) {
  OM_STATUS status = OM_STATUS_UNSUPPORTED;
  if (state.call.omContextSetDevice)
    status = state.call.omContextSetDevice(runner.context, number);
  // Where the GPU takes no code, the processor runs the model, or no GPU does.
  if (status == OM_STATUS_OK || status == OM_STATUS_UNSUPPORTED)
    runner.contextDevice = number;
  return status;
}

int64_t python::runDeviceOf(const State &state, const Runner &runner) {
  return state.call.omContextGetDevice
             ? state.call.omContextGetDevice(runner.context)
             : -1;
}

PyObject *python::deviceOf(const State &state) {
  if (state.runDevice < 0)
    Py_RETURN_NONE;
  return PyLong_FromLongLong(state.runDevice);
}

int python::setDevice(State &state, PyObject *value) {
  long long number = value ? PyLong_AsLongLong(value) : -1;
  if (PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError,
                   "device is the number of a GPU, 0 that of a new session, "
                   "but got %R",
                   value);
    return -1;
  }
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return -1;
  OM_STATUS status;
  Py_BEGIN_ALLOW_THREADS;
  status = setContextDevice(state, *runner, number);
  Py_END_ALLOW_THREADS;
  // A session that began on the processor gets back there.
  bool isBack = number == 0 && state.defaultDevice != 0;
  bool isTaken =
      status == OM_STATUS_OK || (status == OM_STATUS_UNSUPPORTED && isBack);
  if (isTaken) {
    state.defaultDevice = number;
    state.runDevice = runDeviceOf(state, *runner);
  }
  returnRunner(state, std::move(runner));
  if (isTaken)
    return 0;
  if (status == OM_STATUS_INVALID)
    PyErr_SetString(PyExc_ValueError, "device is the number of a GPU");
  else
    PyErr_Format(PyExc_ValueError,
                 "the model runs on the processor: there is no GPU %lld that "
                 "takes code of it",
                 number);
  return -1;
}

bool python::runOnDevice(State &state, Runner &runner, PyObject *list,
                         OM_STATUS &status) {
  rt::Functions &call = state.call;
  status = OM_STATUS_UNSUPPORTED;
  if (!call.omContextRunDLPack) {
    PyErr_SetString(
        PyExc_NotImplementedError,
        rt::explainLack(state.library.get(), "the model", "omContextRunDLPack")
            .c_str());
    return false;
  }
  auto inputs = tensorsOf(runner.inTensors, runner.inputs, state.inputs);
  auto outputs = tensorsOf(runner.outTensors, runner.outputs, state.outputs);
  std::vector<DLManagedTensorVersioned *> made = outputs;
  Py_BEGIN_ALLOW_THREADS;
  // A model for the processor says so where a tensor is on a GPU.
  if (runner.contextDevice != runner.tensorDevice)
    setContextDevice(state, runner, runner.tensorDevice);
  call.omContextSetStream(runner.context,
                          reinterpret_cast<void *>(runner.stream));
  status = call.omContextRunDLPack(runner.context, inputs.data(),
                                   int64_t(inputs.size()), made.data(),
                                   int64_t(made.size()));
  // The stream may be gone before the context has a run again.
  call.omContextSetStream(runner.context, nullptr);
  Py_END_ALLOW_THREADS;
  for (size_t i = 0; status == OM_STATUS_OK && i < made.size(); ++i)
    if (!outputs[i])
      if (PyObject *object = deviceOutput(state, made[i]))
        PyList_SetItem(list, Py_ssize_t(i), object);
  return status == OM_STATUS_OK && !PyErr_Occurred();
}
