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
  // A model for the processor says so itself.
  call.omContextSetDevice(runner.context, runner.device);
  call.omContextSetStream(runner.context,
                          reinterpret_cast<void *>(runner.stream));
  status = call.omContextRunDLPack(runner.context, inputs.data(),
                                   int64_t(inputs.size()), made.data(),
                                   int64_t(made.size()));
  Py_END_ALLOW_THREADS;
  for (size_t i = 0; status == OM_STATUS_OK && i < made.size(); ++i)
    if (!outputs[i])
      if (PyObject *object = deviceOutput(state, made[i]))
        PyList_SetItem(list, Py_ssize_t(i), object);
  return status == OM_STATUS_OK && !PyErr_Occurred();
}
