//===- Session.h - A loaded artefact, and arrays to and from it -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of the extension onnx_compile._session. Functions that fail leave a
// Python exception, as those of Python's C API do.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_PYTHON_ONNX_COMPILE_SESSION_H
#define ONNXC_RUNTIME_PYTHON_ONNX_COMPILE_SESSION_H

// The stable ABI: one build serves Python 3.10 and all that follow.
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL onnxc_session_numpy
#ifndef ONNXC_PYTHON_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "onnxc/rt/Functions.h"
#include "onnxc/rt/dlpack.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace onnxc::python {

/// The NumPy dtype of an element type, borrowed; null with an exception.
PyArray_Descr *dtypeOf(int64_t type);
/// The element type of a dtype; 0 if no model has it.
int typeOf(PyArray_Descr *descr);

/// A text, or None for a null pointer.
PyObject *textOrNone(const char *text);

/// The default stream of CUDA, where it has a number (CU_STREAM_LEGACY).
constexpr uintptr_t kLegacyStream = 1;

/// The state of one run. Concurrent runs use several.
struct Runner {
  OMContext *context;
  std::vector<OMBuffer> inputs, outputs;
  std::vector<char> prepared; ///< outputs with arrays before the run
  std::deque<std::vector<int64_t>> outShapes; ///< of arrays of the caller
  std::vector<std::pair<PyArrayObject *, size_t>> outArrays; ///< and outputs
  std::vector<PyObject *> held;          ///< arrays the buffers point into
  std::vector<OMValue *> values;         ///< inputs that are no tensors
  std::deque<std::vector<char *>> texts; ///< data of string tensors
  std::deque<std::vector<char>> widened; ///< data of int4 and int2 tensors
  /// The tensors of a run with tensors on a device, in place of their buffers,
  /// which are empty; and their device, -1 in other runs.
  std::vector<DLManagedTensorVersioned> inTensors, outTensors;
  int64_t tensorDevice = -1;
  uintptr_t stream = kLegacyStream; ///< of that device
  int64_t contextDevice = 0;        ///< of omContextSetDevice
};

struct Argument {
  const OMArgument *facts;
  PyObject *name;
  PyArray_Descr *descr; ///< null for values that are no tensors
  bool isStatic;        ///< numbers of known shape
  int64_t bytes;        ///< if static
};

/// Outputs at least this large are memory of the runtime, which uses it again
/// when their arrays are gone; the others are arrays of NumPy's from the start.
constexpr int64_t kLargeOutput = 1 << 16;

/// The names of arguments, and tuples of what is known of each.
PyObject *namesOf(const std::vector<Argument> &arguments);
/// Sets a ValueError for a key of the dict that none of the arguments has as
/// its name: `format` takes the key and the list of names. Returns false.
bool refuseUnknownName(const std::vector<Argument> &arguments, PyObject *dict,
                       const char *format);
PyObject *factsOf(const std::vector<Argument> &arguments);

struct State {
  /// Arrays of large outputs share it.
  std::shared_ptr<void> library;
  rt::Functions call;
  std::string entry;
  /// The GPU that contexts get for runs without tensors on one, and the device
  /// of these runs: that GPU, or -1 for the processor.
  int64_t defaultDevice = 0, runDevice = -1;
  std::vector<Argument> inputs, outputs;
  std::vector<std::unique_ptr<Runner>> idle;
  /// Runs that go on, and their tags.
  std::vector<std::pair<OMContext *, PyObject *>> running;
};

/// An idle runner or a new one; null with an exception.
std::unique_ptr<Runner> borrowRunner(State &state);
void returnRunner(State &state, std::unique_ptr<Runner> runner);

/// Any object as a tensor the model can read; the runner holds its memory. A
/// Python number or list takes the type `wanted`. `what` is for messages.
bool takeTensor(Runner &runner, PyObject *object, PyArray_Descr *wanted,
                OMBuffer &buffer, PyObject *what);
/// A list, dict or None as a value of the type in `facts`; null with an
/// exception.
OMValue *takeValue(State &state, Runner &runner, PyObject *object,
                   const OMArgument &facts, PyObject *what);
/// Fills runner.inputs from one array, a list of them, or a dict by name.
bool takeInputs(State &state, Runner &runner, PyObject *object);
/// The arrays of `out` (null, one array, a list or a dict by name) and new ones
/// for small outputs of known shape; the others are left to the runtime.
bool prepareOutputs(State &state, Runner &runner, PyObject *list,
                    PyObject *out);
/// The object of `out` for an output, borrowed; null for none or with an
/// exception.
PyObject *outOf(const State &state, PyObject *out, size_t index);
/// Returns false with an exception if `out` has other outputs than the model.
bool checkOutCount(const State &state, PyObject *out);
/// Has the run write an output to the array `object` of the caller.
bool takeOut(State &state, Runner &runner, PyObject *list, size_t index,
             PyObject *object);
/// Returns false with an exception if, after the run, an array has another
/// shape than its output.
bool checkOut(State &state, Runner &runner);
/// Makes new objects for the other outputs after the run.
bool fillOutputs(State &state, Runner &runner, PyObject *list);

/// The tensor that `object`.__dlpack__() gives as an array over its memory, a
/// new reference; null with an exception.
PyObject *fromDlpack(PyObject *object);
/// Returns true for an object of another library whose memory this process can
/// read.
bool exportsDlpack(PyObject *object);
/// Returns true for a tensor on a GPU.
bool isOnDevice(PyObject *object);
/// Takes the tensor `object` on a GPU, whose memory the runner holds; false
/// with an exception.
bool takeDeviceTensor(Runner &runner, PyObject *object,
                      DLManagedTensorVersioned &managed);
/// An output as a new object with __dlpack__, which owns it; null with an
/// exception.
PyObject *deviceOutput(State &state, DLManagedTensorVersioned *managed);
/// Sets the GPU of the context of later runs (omContextSetDevice).
OM_STATUS setContextDevice(State &state, Runner &runner, int64_t number);
/// The GPU of the context; -1 if it runs on the processor.
int64_t runDeviceOf(const State &state, const Runner &runner);
/// The property `device` of sessions.
PyObject *deviceOf(const State &state);
int setDevice(State &state, PyObject *value);
/// Runs with tensors on a device, and makes the outputs that are not given;
/// false with an exception.
bool runOnDevice(State &state, Runner &runner, PyObject *list,
                 OM_STATUS &status);
/// dlpack(array, versioned): the array as a capsule of DLPack.
PyObject *toDlpack(PyObject *module, PyObject *arguments);
/// TypeError whose message names the argument `what` and the object's type, in
/// this order, by two %U of `format`.
void wrongType(const char *format, PyObject *what, PyObject *object);

} // namespace onnxc::python

#endif // ONNXC_RUNTIME_PYTHON_ONNX_COMPILE_SESSION_H
