//===- Dlpack.cpp - Tensors of other libraries ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// DLPack in both directions, with the types of ml_dtypes, which NumPy's own
// functions refuse.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <type_traits>

using namespace onnxc;
using namespace onnxc::python;

namespace {
/// The names of both forms of a capsule, and those after it was consumed.
template <typename Managed>
struct Names;
template <>
struct Names<DLManagedTensor> {
  static constexpr char fresh[] = "dltensor", used[] = "used_dltensor";
};
template <>
struct Names<DLManagedTensorVersioned> {
  static constexpr char fresh[] = "dltensor_versioned",
                        used[] = "used_dltensor_versioned";
};

/// A tensor of another library, and the object that keeps it.
struct Taken {
  PyObject *owner = nullptr;
  DLTensor tensor = {};
  uint64_t flags = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// From other libraries
//===----------------------------------------------------------------------===//

/// Where the object is for DLPack; of kind 0 without it.
static DLDevice deviceOf(PyObject *object) {
  PyObject *device =
      PyObject_HasAttrString(object, "__dlpack__")
          ? PyObject_CallMethod(object, "__dlpack_device__", nullptr)
          : nullptr;
  int type = 0, id = 0;
  bool isKnown = device && PyArg_ParseTuple(device, "ii", &type, &id);
  Py_XDECREF(device);
  PyErr_Clear();
  return isKnown ? DLDevice{type, id} : DLDevice{0, 0};
}

bool python::exportsDlpack(PyObject *object) {
  return deviceOf(object).device_type == kDLCPU;
}

bool python::isOnDevice(PyObject *object) {
  if (PyArray_Check(object) || PyList_Check(object) || PyFloat_Check(object) ||
      PyLong_Check(object))
    return false;
  int32_t type = deviceOf(object).device_type;
  return type == kDLCUDA || type == kDLCUDAManaged;
}

/// Calls __dlpack__, with the newest supported version if it takes one. A
/// tensor on a device is ready for `stream`, which is 0 for one of the host.
static PyObject *callDlpack(PyObject *object, uintptr_t stream) {
  // Tensors that take part in a differentiation refuse to be exported.
  PyObject *source = PyObject_HasAttrString(object, "detach")
                         ? PyObject_CallMethod(object, "detach", nullptr)
                         : nullptr;
  if (!source) {
    PyErr_Clear();
    Py_INCREF(object);
    source = object;
  }
  PyObject *method = PyObject_GetAttrString(source, "__dlpack__");
  PyObject *none = PyTuple_New(0);
  PyObject *old =
      stream ? Py_BuildValue("{sK}", "stream", (unsigned long long)stream)
             : PyDict_New();
  PyObject *named = old ? PyDict_Copy(old) : nullptr;
  PyObject *version = Py_BuildValue("(ii)", 1, 1);
  if (!named || !version ||
      PyDict_SetItemString(named, "max_version", version) != 0)
    Py_CLEAR(named);
  PyObject *capsule = nullptr;
  if (method && none && named) {
    capsule = PyObject_Call(method, none, named);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      capsule = PyObject_Call(method, none, old);
    }
  }
  Py_XDECREF(version);
  Py_XDECREF(old);
  Py_XDECREF(named);
  Py_XDECREF(none);
  Py_XDECREF(method);
  Py_DECREF(source);
  return capsule;
}

/// An array over the memory of the tensor, which `owner` keeps.
static PyObject *arrayOver(const DLTensor &tensor, bool isReadOnly,
                           PyObject *owner) {
  const rt::DLTypeRow *found = rt::findDLType(tensor.dtype);
  if (tensor.ndim < 0 || tensor.ndim > NPY_MAXDIMS_LEGACY_ITERS) {
    PyErr_Format(PyExc_ValueError, "no array has rank %d", int(tensor.ndim));
    return nullptr;
  }
  if (!found || tensor.device.device_type != kDLCPU) {
    PyErr_Format(PyExc_TypeError,
                 "no model takes a tensor of DLPack's type %d of %d bits on "
                 "its device %d",
                 tensor.dtype.code, tensor.dtype.bits,
                 tensor.device.device_type);
    return nullptr;
  }
  PyArray_Descr *descr = dtypeOf(found->type);
  if (!descr)
    return nullptr;
  std::vector<npy_intp> strides(size_t(tensor.ndim), 0);
  for (int32_t i = 0; tensor.strides && i < tensor.ndim; ++i)
    strides[size_t(i)] = npy_intp(tensor.strides[i] * (found->bits / 8));
  Py_INCREF(descr);
  PyObject *array = PyArray_NewFromDescr(
      &PyArray_Type, descr, tensor.ndim,
      reinterpret_cast<const npy_intp *>(tensor.shape),
      tensor.strides ? strides.data() : nullptr,
      static_cast<char *>(tensor.data) + tensor.byte_offset,
      isReadOnly ? 0 : NPY_ARRAY_WRITEABLE, nullptr);
  if (!array)
    return nullptr;
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  PyArray_UpdateFlags(typed, NPY_ARRAY_CARRAY_RO);
  Py_INCREF(owner);
  PyArray_SetBaseObject(typed, owner);
  return array;
}

/// Takes the contents of the capsule, if it has this form; false, perhaps with
/// an exception, if not.
template <typename Managed>
static bool takeCapsule(PyObject *capsule, Taken &taken) {
  if (!PyCapsule_IsValid(capsule, Names<Managed>::fresh))
    return false;
  auto *managed = static_cast<Managed *>(
      PyCapsule_GetPointer(capsule, Names<Managed>::fresh));
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    if (managed->version.major != 1)
      return false;
    taken.flags = managed->flags;
  }
  taken.tensor = managed->dl_tensor;
  taken.owner = PyCapsule_New(managed, nullptr, [](PyObject *self) {
    auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(self, nullptr));
    if (managed->deleter)
      managed->deleter(managed);
  });
  if (taken.owner)
    PyCapsule_SetName(capsule, Names<Managed>::used);
  return taken.owner;
}

/// Returns false with an exception if the object gives no tensor.
static bool takeDlpack(PyObject *object, uintptr_t stream, Taken &taken) {
  PyObject *capsule = callDlpack(object, stream);
  if (!capsule)
    return false;
  bool isTaken = takeCapsule<DLManagedTensor>(capsule, taken) ||
                 takeCapsule<DLManagedTensorVersioned>(capsule, taken);
  if (!isTaken && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "__dlpack__ gives no capsule of DLPack 1");
  Py_DECREF(capsule);
  return isTaken;
}

PyObject *python::fromDlpack(PyObject *object) {
  Taken taken;
  if (!takeDlpack(object, 0, taken))
    return nullptr;
  PyObject *array = arrayOver(
      taken.tensor, taken.flags & DLPACK_FLAG_BITMASK_READ_ONLY, taken.owner);
  Py_DECREF(taken.owner);
  return array;
}

bool python::takeDeviceTensor(Runner &runner, PyObject *object,
                              DLManagedTensorVersioned &managed) {
  Taken taken;
  if (!takeDlpack(object, runner.stream, taken))
    return false;
  runner.held.push_back(taken.owner);
  managed = {{1, 0}, nullptr, nullptr, taken.flags, taken.tensor};
  if (runner.tensorDevice < 0)
    runner.tensorDevice = taken.tensor.device.device_id;
  return true;
}

//===----------------------------------------------------------------------===//
// To other libraries
//===----------------------------------------------------------------------===//

namespace {
/// A tensor over the memory of an object, which it keeps.
template <typename Managed>
struct Exported {
  Managed managed = {};
  PyObject *owner;
  std::vector<int64_t> shape, strides;

  static void destroy(Managed *managed) {
    auto *exported = static_cast<Exported *>(managed->manager_ctx);
    // Nobody can free the object once the interpreter has ended.
    if (!Py_IsInitialized())
      return;
    // Whoever took the tensor may be without the interpreter's lock.
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_DECREF(exported->owner);
    PyGILState_Release(lock);
    delete exported;
  }
};

/// An output on a device, and the library that destroys it.
struct DeviceOutput {
  std::shared_ptr<void> library;
  DLManagedTensorVersioned *managed;

  ~DeviceOutput() { managed->deleter(managed); }
  static constexpr char name[] = "onnx_compile.DeviceOutput";
};
} // namespace

/// Shape and strides of `tensor` are copied.
template <typename Managed>
static PyObject *makeCapsule(PyObject *owner, const DLTensor &tensor,
                             bool isReadOnly) {
  auto *exported = new Exported<Managed>;
  Py_INCREF(owner);
  exported->owner = owner;
  exported->shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  exported->strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = Exported<Managed>::destroy;
  exported->managed.dl_tensor = tensor;
  exported->managed.dl_tensor.shape = exported->shape.data();
  exported->managed.dl_tensor.strides = exported->strides.data();
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    exported->managed.version = {1, 1};
    exported->managed.flags = isReadOnly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  }
  PyObject *capsule = PyCapsule_New(
      &exported->managed, Names<Managed>::fresh, [](PyObject *self) {
        if (!PyCapsule_IsValid(self, Names<Managed>::fresh))
          return; // somebody has taken the tensor
        auto *managed = static_cast<Managed *>(
            PyCapsule_GetPointer(self, Names<Managed>::fresh));
        managed->deleter(managed);
      });
  if (!capsule)
    Exported<Managed>::destroy(&exported->managed);
  return capsule;
}

static PyObject *makeCapsule(PyObject *owner, const DLTensor &tensor,
                             bool isReadOnly, bool isVersioned) {
  return isVersioned
             ? makeCapsule<DLManagedTensorVersioned>(owner, tensor, isReadOnly)
             : makeCapsule<DLManagedTensor>(owner, tensor, isReadOnly);
}

static PyObject *exportArray(PyObject *object, bool isVersioned) {
  PyArrayObject *array = reinterpret_cast<PyArrayObject *>(object);
  int type = PyArray_ISNOTSWAPPED(array) ? typeOf(PyArray_DESCR(array)) : 0;
  const rt::DLTypeRow *row = rt::findDLType(type);
  if (!row) {
    PyErr_Format(PyExc_BufferError, "DLPack has no type %S",
                 PyArray_DESCR(array));
    return nullptr;
  }
  std::vector<int64_t> shape, strides;
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    npy_intp bytes = PyDataType_ELSIZE(PyArray_DESCR(array));
    if (PyArray_STRIDE(array, i) % bytes) {
      PyErr_SetString(PyExc_BufferError,
                      "elements lie between those of DLPack's strides");
      return nullptr;
    }
    shape.push_back(PyArray_DIM(array, i));
    strides.push_back(PyArray_STRIDE(array, i) / bytes);
  }
  DLTensor tensor = {PyArray_DATA(array),
                     {kDLCPU, 0},
                     PyArray_NDIM(array),
                     {row->code, row->bits, 1},
                     shape.data(),
                     strides.data(),
                     0};
  return makeCapsule(object, tensor, !PyArray_ISWRITEABLE(array), isVersioned);
}

PyObject *python::toDlpack(PyObject *, PyObject *arguments) {
  PyObject *object;
  int isVersioned;
  if (!PyArg_ParseTuple(arguments, "Op", &object, &isVersioned))
    return nullptr;
  if (PyArray_Check(object))
    return exportArray(object, isVersioned);
  auto *output = static_cast<DeviceOutput *>(
      PyCapsule_GetPointer(object, DeviceOutput::name));
  return output ? makeCapsule(object, output->managed->dl_tensor, false,
                              isVersioned)
                : nullptr;
}

PyObject *python::deviceOutput(State &state,
                               DLManagedTensorVersioned *managed) {
  auto *output = new DeviceOutput{state.library, managed};
  PyObject *owner =
      PyCapsule_New(output, DeviceOutput::name, [](PyObject *self) {
        delete static_cast<DeviceOutput *>(
            PyCapsule_GetPointer(self, DeviceOutput::name));
      });
  if (!owner) {
    delete output;
    return nullptr;
  }
  const DLTensor &tensor = managed->dl_tensor;
  PyObject *shape = PyTuple_New(tensor.ndim);
  for (int32_t i = 0; shape && i < tensor.ndim; ++i)
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(tensor.shape[i]));
  PyArray_Descr *dtype = dtypeOf(rt::findDLType(tensor.dtype)->type);
  PyObject *module =
      shape && dtype ? PyImport_ImportModule("onnx_compile._dlpack") : nullptr;
  PyObject *object =
      module ? PyObject_CallMethod(module, "DeviceTensor", "OOO(ii)", owner,
                                   shape, dtype, tensor.device.device_type,
                                   tensor.device.device_id)
             : nullptr;
  Py_XDECREF(module);
  Py_XDECREF(shape);
  Py_DECREF(owner);
  return object;
}
