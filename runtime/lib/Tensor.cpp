//===- Tensor.cpp - OMTensor of the established C API -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "DataTypes.h"
#include "MemoryPool.h"
#include "OutputBlocks.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

static void setRowMajorStrides(OMTensor &tensor) {
  int64_t stride = 1;
  for (int64_t i = tensor.rank; i-- > 0;) {
    tensor.strides()[i] = stride;
    if (!multiply(stride, tensor.shape()[i], stride))
      stride = 0; // an invalid shape: the checks of a run refuse it
  }
}

bool rt::isContiguous(const OMTensor &tensor) {
  int64_t stride = 1;
  for (int64_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape()[i] == 0)
      return true;
    if (tensor.shape()[i] != 1 && tensor.strides()[i] != stride)
      return false;
    stride *= tensor.shape()[i];
  }
  return true;
}

void rt::copyElements(const OMTensor &tensor, void *to) {
  int64_t element = elementBytes(tensor.type);
  int64_t count = omTensorGetNumElems(&tensor);
  const char *from = static_cast<const char *>(tensor.data);
  char *out = static_cast<char *>(to);
  for (int64_t i = 0; i < count; ++i, out += element) {
    int64_t offset = 0, rest = i;
    for (int64_t d = tensor.rank; d-- > 0; rest /= tensor.shape()[d])
      offset += rest % tensor.shape()[d] * tensor.strides()[d];
    memcpy(out, from + offset * element, size_t(element));
  }
}

//===----------------------------------------------------------------------===//
// Creation and destruction
//===----------------------------------------------------------------------===//

OMTensor *rt::placeTensor(void *memory, void *data, const int64_t *shape,
                          int64_t rank, OM_DATA_TYPE type, int64_t owning) {
  auto *tensor = static_cast<OMTensor *>(memory);
  tensor->allocated = tensor->data = data;
  tensor->value = nullptr;
  tensor->owning = owning;
  tensor->capacity = 0;
  tensor->rank = rank;
  tensor->type = type;
  for (int64_t i = 0; i < rank; ++i)
    tensor->shape()[i] = shape[i];
  setRowMajorStrides(*tensor);
  return tensor;
}

OMTensor *omTensorCreateWithOwnership(void *data, const int64_t *shape,
                                      int64_t rank, OM_DATA_TYPE type,
                                      int64_t owning) {
  if (rank < 0 || rank > (1 << 20) || (rank > 0 && !shape) ||
      !isDataType(type) || tensorBytes(type, rank, shape) < 0)
    return nullptr;
  void *memory = malloc(tensorHeaderBytes(rank));
  return memory ? placeTensor(memory, data, shape, rank, type, owning)
                : nullptr;
}

OMTensor *omTensorCreate(void *data, const int64_t *shape, int64_t rank,
                         OM_DATA_TYPE type) {
  return omTensorCreateWithOwnership(data, shape, rank, type, 0);
}

OMTensor *omTensorCreateEmpty(const int64_t *shape, int64_t rank,
                              OM_DATA_TYPE type) {
  OMTensor *tensor = omTensorCreateWithOwnership(nullptr, shape, rank, type,
                                                 OMTENSOR_OWNING_DATA_PTR);
  if (!tensor)
    return nullptr;
  int64_t bytes = tensorBytes(type, rank, shape);
  tensor->allocated = tensor->data = allocateAligned(bytes);
  if (!tensor->data) {
    omTensorDestroy(tensor);
    return nullptr;
  }
  if (type == ONNX_TYPE_STRING) {
    memset(tensor->data, 0, size_t(bytes));
    tensor->owning = OMTENSOR_OWNING_DATA_PTR_AND_STRING;
  }
  return tensor;
}

void rt::freeData(OMTensor &tensor) {
  if (tensor.owning == OMTENSOR_OWNING_DATA_PTR_AND_STRING &&
      tensor.type == ONNX_TYPE_STRING && tensor.data)
    for (int64_t i = 0, n = omTensorGetNumElems(&tensor); i < n; ++i)
      free(static_cast<char **>(tensor.data)[i]);
  if (tensor.owning && tensor.capacity > 0)
    giveOutputBlock(tensor.allocated, tensor.capacity);
  else if (tensor.owning)
    free(tensor.allocated);
}

void omTensorDestroy(OMTensor *tensor) {
  if (!tensor)
    return;
  omValueDestroy(tensor->value);
  freeData(*tensor);
  free(tensor);
}

//===----------------------------------------------------------------------===//
// Getters and setters
//===----------------------------------------------------------------------===//

void *omTensorGetDataPtr(const OMTensor *tensor) {
  return tensor ? tensor->data : nullptr;
}

void *omTensorGetAllocatedPtr(const OMTensor *tensor) {
  return tensor ? tensor->allocated : nullptr;
}

void omTensorSetDataPtr(OMTensor *tensor, int64_t owning, void *allocated,
                        void *aligned) {
  if (!tensor)
    return;
  if (tensor->allocated != allocated) {
    freeData(*tensor);
    tensor->capacity = 0;
  }
  tensor->allocated = allocated;
  tensor->data = aligned ? aligned : allocated;
  tensor->owning = owning;
}

OM_DATA_TYPE omTensorGetDataType(const OMTensor *tensor) {
  return tensor ? tensor->type : ONNX_TYPE_UNDEFINED;
}

void omTensorSetDataType(OMTensor *tensor, OM_DATA_TYPE type) {
  if (tensor && isDataType(type))
    tensor->type = type;
}

int64_t omTensorGetRank(const OMTensor *tensor) {
  return tensor ? tensor->rank : 0;
}

const int64_t *omTensorGetShape(const OMTensor *tensor) {
  return tensor ? tensor->shape() : nullptr;
}

void omTensorSetShape(OMTensor *tensor, const int64_t *shape) {
  if (!tensor || !shape)
    return;
  for (int64_t i = 0; i < tensor->rank; ++i)
    tensor->shape()[i] = shape[i];
  setRowMajorStrides(*tensor);
}

const int64_t *omTensorGetStrides(const OMTensor *tensor) {
  return tensor ? tensor->strides() : nullptr;
}

void omTensorSetStrides(OMTensor *tensor, const int64_t *strides) {
  if (!tensor || !strides)
    return;
  for (int64_t i = 0; i < tensor->rank; ++i)
    tensor->strides()[i] = strides[i];
}

void omTensorSetStridesWithPyArrayStrides(OMTensor *tensor,
                                          const int64_t *stridesInBytes) {
  int64_t element = tensor ? elementBytes(tensor->type) : 0;
  if (element == 0 || !stridesInBytes)
    return;
  for (int64_t i = 0; i < tensor->rank; ++i)
    tensor->strides()[i] = stridesInBytes[i] / element;
}

int64_t omTensorGetNumElems(const OMTensor *tensor) {
  int64_t count = tensor ? 1 : 0;
  for (int64_t i = 0; tensor && i < tensor->rank; ++i)
    count *= tensor->shape()[i];
  return count;
}

int64_t omTensorGetBufferSize(const OMTensor *tensor) {
  if (!tensor)
    return 0;
  int64_t bytes = tensorBytes(tensor->type, tensor->rank, tensor->shape());
  return bytes > 0 ? bytes : 0;
}

int64_t omTensorGetOwning(const OMTensor *tensor) {
  return tensor ? tensor->owning : 0;
}

void omTensorSetOwning(OMTensor *tensor, int64_t owning) {
  if (tensor)
    tensor->owning = owning;
}
