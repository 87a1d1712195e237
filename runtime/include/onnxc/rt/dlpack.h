//===- dlpack.h - The binary interface of DLPack 1 --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The structs under the names that they have everywhere. Programs that include
// DLPack's own header do without this one.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_DLPACK_H
#define ONNXC_RT_DLPACK_H

#include "OnnxMlirRuntime.h"

#include <stdint.h>

enum : int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3, ///< page-locked memory of the host
  kDLCUDAManaged = 13
};

struct DLDevice {
  int32_t device_type, device_id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;     ///< in elements; null: row-major
  uint64_t byte_offset; ///< of the first element
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *);
};

struct DLPackVersion {
  uint32_t major, minor;
};

enum : uint64_t { DLPACK_FLAG_BITMASK_READ_ONLY = 1 };

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace onnxc::rt {

/// An element type and what DLPack calls it.
struct DLTypeRow {
  OM_DATA_TYPE type;
  uint8_t code, bits;
};
inline constexpr DLTypeRow dlTypes[] = {
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

/// Null for a type that no model has.
inline const DLTypeRow *findDLType(DLDataType dtype) {
  for (const DLTypeRow &row : dlTypes)
    if (row.code == dtype.code && row.bits == dtype.bits && dtype.lanes == 1)
      return &row;
  return nullptr;
}
inline const DLTypeRow *findDLType(int64_t type) {
  for (const DLTypeRow &row : dlTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

/// Returns true if the elements follow each other in row-major order.
inline bool isContiguous(const DLTensor &tensor) {
  int64_t stride = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    if (tensor.shape[i] == 0)
      return true;
  for (int32_t i = tensor.ndim; tensor.strides && i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride)
      return false;
    stride *= tensor.shape[i];
  }
  return true;
}

} // namespace onnxc::rt

#endif // ONNXC_RT_DLPACK_H
