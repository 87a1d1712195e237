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

void python::chooseDevice(State &state, Runner &runner, int64_t number) {
  // A model for the processor has none, and says so where a tensor is on one.
  if (runner.chosen != number)
    state.call.omContextSetDevice(runner.context, number);
  runner.chosen = number;
}

PyObject *python::deviceOf(State &state) {
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return nullptr;
  int64_t number = -1;
  if (state.call.omContextGetDevice) {
    chooseDevice(state, *runner, state.device);
    number = state.call.omContextGetDevice(runner->context);
  }
  returnRunner(state, std::move(runner));
  if (number < 0)
    Py_RETURN_NONE;
  return PyLong_FromLongLong(number);
}

int python::setDevice(State &state, PyObject *value) {
  long long number = value ? PyLong_AsLongLong(value) : -1;
  if (PyErr_Occurred())
    return -1;
  std::unique_ptr<Runner> runner = borrowRunner(state);
  if (!runner)
    return -1;
  OM_STATUS status = OM_STATUS_UNSUPPORTED;
  if (state.call.omContextSetDevice)
    status = state.call.omContextSetDevice(runner->context, number);
  if (status == OM_STATUS_OK)
    state.device = runner->chosen = number;
  returnRunner(state, std::move(runner));
  if (status == OM_STATUS_OK)
    return 0;
  PyErr_SetString(PyExc_ValueError,
                  status == OM_STATUS_INVALID
                      ? "device is the number of a GPU"
                      : "the model runs on the processor: it has no device");
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
  chooseDevice(state, runner, runner.device);
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
