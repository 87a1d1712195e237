//===- Dlpack.cpp - Tensors of other libraries ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// DLPack in both directions, with the types of ml_dtypes, which NumPy's own
// functions refuse.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

namespace {

//===----------------------------------------------------------------------===//
// The binary interface of DLPack 1.1
//===----------------------------------------------------------------------===//

struct DLDevice {
  int32_t type, id;
};
constexpr int32_t kDLCPU = 1;

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t offset;  ///< of the first element, in bytes
};

struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*destroy)(DLManagedTensor *);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*destroy)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};
constexpr uint64_t kReadOnly = 1;

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

struct TypeRow {
  int type;
  uint8_t code, bits;
};
constexpr TypeRow typeRows[] = {
    {ONNX_TYPE_INT8, 0, 8},
    {ONNX_TYPE_INT16, 0, 16},
    {ONNX_TYPE_INT32, 0, 32},
    {ONNX_TYPE_INT64, 0, 64},
    {ONNX_TYPE_UINT8, 1, 8},
    {ONNX_TYPE_UINT16, 1, 16},
    {ONNX_TYPE_UINT32, 1, 32},
    {ONNX_TYPE_UINT64, 1, 64},
    {ONNX_TYPE_FLOAT16, 2, 16},
    {ONNX_TYPE_FLOAT, 2, 32},
    {ONNX_TYPE_DOUBLE, 2, 64},
    {ONNX_TYPE_BFLOAT16, 4, 16},
    {ONNX_TYPE_COMPLEX64, 5, 64},
    {ONNX_TYPE_COMPLEX128, 5, 128},
    {ONNX_TYPE_BOOL, 6, 8},
    {ONNX_TYPE_FLOAT8E4M3FN, 10, 8},
    {ONNX_TYPE_FLOAT8E4M3FNUZ, 11, 8},
    {ONNX_TYPE_FLOAT8E5M2, 12, 8},
    {ONNX_TYPE_FLOAT8E5M2FNUZ, 13, 8},
    {ONNX_TYPE_FLOAT8E8M0, 14, 8},
};

} // namespace

//===----------------------------------------------------------------------===//
// From other libraries
//===----------------------------------------------------------------------===//

bool python::exportsDlpack(PyObject *object) {
  PyObject *device =
      PyObject_HasAttrString(object, "__dlpack__")
          ? PyObject_CallMethod(object, "__dlpack_device__", nullptr)
          : nullptr;
  int type = 0, id = 0;
  bool isHere =
      device && PyArg_ParseTuple(device, "ii", &type, &id) && type == kDLCPU;
  Py_XDECREF(device);
  PyErr_Clear();
  return isHere;
}

/// Calls __dlpack__, with the newest supported version if it takes one.
static PyObject *callDlpack(PyObject *object) {
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
  PyObject *named = Py_BuildValue("{s(ii)}", "max_version", 1, 1);
  PyObject *capsule = nullptr;
  if (method && none && named) {
    capsule = PyObject_Call(method, none, named);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      capsule = PyObject_Call(method, none, nullptr);
    }
  }
  Py_XDECREF(named);
  Py_XDECREF(none);
  Py_XDECREF(method);
  Py_DECREF(source);
  return capsule;
}

/// An array over the memory of the tensor, which `owner` keeps.
static PyObject *arrayOver(const DLTensor &tensor, bool isReadOnly,
                           PyObject *owner) {
  const TypeRow *found = nullptr;
  for (const TypeRow &row : typeRows)
    if (row.code == tensor.dtype.code && row.bits == tensor.dtype.bits &&
        tensor.dtype.lanes == 1)
      found = &row;
  if (tensor.rank < 0 || tensor.rank > NPY_MAXDIMS_LEGACY_ITERS) {
    PyErr_Format(PyExc_ValueError, "no array has rank %d", int(tensor.rank));
    return nullptr;
  }
  if (!found || tensor.device.type != kDLCPU) {
    PyErr_Format(PyExc_TypeError,
                 "no model takes a tensor of DLPack's type %d of %d bits on "
                 "its device %d",
                 tensor.dtype.code, tensor.dtype.bits, tensor.device.type);
    return nullptr;
  }
  PyArray_Descr *descr = dtypeOf(found->type);
  if (!descr)
    return nullptr;
  std::vector<npy_intp> strides(size_t(tensor.rank), 0);
  for (int32_t i = 0; tensor.strides && i < tensor.rank; ++i)
    strides[size_t(i)] = npy_intp(tensor.strides[i] * (found->bits / 8));
  Py_INCREF(descr);
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, tensor.rank,
                           reinterpret_cast<const npy_intp *>(tensor.shape),
                           tensor.strides ? strides.data() : nullptr,
                           static_cast<char *>(tensor.data) + tensor.offset,
                           isReadOnly ? 0 : NPY_ARRAY_WRITEABLE, nullptr);
  if (!array)
    return nullptr;
  PyArrayObject *typed = reinterpret_cast<PyArrayObject *>(array);
  PyArray_UpdateFlags(typed, NPY_ARRAY_CARRAY_RO);
  Py_INCREF(owner);
  PyArray_SetBaseObject(typed, owner);
  return array;
}

/// Takes the contents of the capsule, if it has this form; null without an
/// exception if not.
template <typename Managed>
static PyObject *takeCapsule(PyObject *capsule, bool isReadOnly) {
  if (!PyCapsule_IsValid(capsule, Names<Managed>::fresh))
    return nullptr;
  void *managed = PyCapsule_GetPointer(capsule, Names<Managed>::fresh);
  PyObject *owner = PyCapsule_New(managed, nullptr, [](PyObject *self) {
    auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(self, nullptr));
    if (managed->destroy)
      managed->destroy(managed);
  });
  if (!owner)
    return nullptr;
  PyCapsule_SetName(capsule, Names<Managed>::used);
  PyObject *array =
      arrayOver(static_cast<Managed *>(managed)->tensor, isReadOnly, owner);
  Py_DECREF(owner);
  return array;
}

PyObject *python::fromDlpack(PyObject *object) {
  PyObject *capsule = callDlpack(object);
  if (!capsule)
    return nullptr;
  auto *versioned = static_cast<DLManagedTensorVersioned *>(
      PyCapsule_IsValid(capsule, Names<DLManagedTensorVersioned>::fresh)
          ? PyCapsule_GetPointer(capsule,
                                 Names<DLManagedTensorVersioned>::fresh)
          : nullptr);
  PyObject *array = nullptr;
  if (!versioned)
    array = takeCapsule<DLManagedTensor>(capsule, false);
  else if (versioned->major == 1)
    array = takeCapsule<DLManagedTensorVersioned>(capsule,
                                                  versioned->flags & kReadOnly);
  if (!array && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "__dlpack__ gives no capsule of DLPack 1");
  Py_DECREF(capsule);
  return array;
}

//===----------------------------------------------------------------------===//
// To other libraries
//===----------------------------------------------------------------------===//

namespace {
/// A tensor over an array, which it keeps.
template <typename Managed>
struct Exported {
  Managed managed = {};
  PyObject *array;
  std::vector<int64_t> shape, strides;

  static void destroy(Managed *managed) {
    auto *exported = static_cast<Exported *>(managed->context);
    // Whoever took the tensor may be without the interpreter's lock.
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_DECREF(exported->array);
    PyGILState_Release(lock);
    delete exported;
  }
};
} // namespace

template <typename Managed>
static PyObject *makeCapsule(PyArrayObject *array, const TypeRow &row) {
  auto *exported = new Exported<Managed>;
  Py_INCREF(array);
  exported->array = reinterpret_cast<PyObject *>(array);
  int rank = PyArray_NDIM(array);
  for (int i = 0; i < rank; ++i) {
    exported->shape.push_back(PyArray_DIM(array, i));
    exported->strides.push_back(PyArray_STRIDE(array, i) / (row.bits / 8));
  }
  exported->managed.context = exported;
  exported->managed.destroy = Exported<Managed>::destroy;
  exported->managed.tensor = {PyArray_DATA(array),
                              {kDLCPU, 0},
                              rank,
                              {row.code, row.bits, 1},
                              exported->shape.data(),
                              exported->strides.data(),
                              0};
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    exported->managed.major = 1;
    exported->managed.minor = 1;
    exported->managed.flags = PyArray_ISWRITEABLE(array) ? 0 : kReadOnly;
  }
  PyObject *capsule = PyCapsule_New(
      &exported->managed, Names<Managed>::fresh, [](PyObject *self) {
        if (!PyCapsule_IsValid(self, Names<Managed>::fresh))
          return; // somebody has taken the tensor
        auto *managed = static_cast<Managed *>(
            PyCapsule_GetPointer(self, Names<Managed>::fresh));
        managed->destroy(managed);
      });
  if (!capsule)
    Exported<Managed>::destroy(&exported->managed);
  return capsule;
}

PyObject *python::toDlpack(PyObject *, PyObject *arguments) {
  PyObject *object;
  int versioned;
  if (!PyArg_ParseTuple(arguments, "O!p", &PyArray_Type, &object, &versioned))
    return nullptr;
  PyArrayObject *array = reinterpret_cast<PyArrayObject *>(object);
  int type = PyArray_ISNOTSWAPPED(array) ? typeOf(PyArray_DESCR(array)) : 0;
  for (int i = 0; i < PyArray_NDIM(array); ++i)
    if (PyArray_STRIDE(array, i) % PyDataType_ELSIZE(PyArray_DESCR(array))) {
      PyErr_SetString(PyExc_BufferError,
                      "elements lie between those of DLPack's strides");
      return nullptr;
    }
  for (const TypeRow &row : typeRows)
    if (row.type == type)
      return versioned ? makeCapsule<DLManagedTensorVersioned>(array, row)
                       : makeCapsule<DLManagedTensor>(array, row);
  PyErr_Format(PyExc_BufferError, "DLPack has no type %S",
               PyArray_DESCR(array));
  return nullptr;
}
