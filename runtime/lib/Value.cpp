//===- Value.cpp - OMValue: sequences, maps and optionals -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc::rt;

/// A value over copies of the element pointers. Takes over everything, so on
/// failure everything is destroyed.
static OMValue *create(OM_VALUE_KIND kind, OMTensor *tensor, OMValue **elements,
                       int64_t n) {
  bool sane = n >= 0 && n <= (1 << 28) && (n == 0 || elements);
  for (int64_t i = 0; sane && i < n; ++i)
    sane = elements[i] != nullptr;
  OMValue *value = nullptr;
  if (sane)
    value = static_cast<OMValue *>(malloc(sizeof *value));
  OMValue **copy = nullptr;
  if (value && n > 0)
    copy = static_cast<OMValue **>(malloc(size_t(n) * sizeof *copy));
  if (!value || (n > 0 && !copy)) {
    free(value);
    omTensorDestroy(tensor);
    for (int64_t i = 0; elements && i < n; ++i)
      omValueDestroy(elements[i]);
    return nullptr;
  }
  if (n > 0)
    memcpy(copy, elements, size_t(n) * sizeof *copy);
  *value = {kind, n, tensor, copy, false, nullptr};
  return value;
}

OMValue *omValueCreateTensor(OMTensor *tensor) {
  if (!tensor)
    return nullptr;
  OMValue *value = create(OM_VALUE_TENSOR, tensor, nullptr, 0);
  if (value)
    value->size = 1;
  return value;
}

OMValue *omValueCreateSequence(OMValue **elements, int64_t n) {
  return create(OM_VALUE_SEQUENCE, nullptr, elements, n);
}

OMValue *omValueCreateMap(OMTensor *keys, OMValue **elements, int64_t n) {
  if (!keys || omTensorGetNumElems(keys) != n) {
    omTensorDestroy(keys);
    for (int64_t i = 0; elements && i < n; ++i)
      omValueDestroy(elements[i]);
    return nullptr;
  }
  return create(OM_VALUE_MAP, keys, elements, n);
}

OMValue *omValueCreateOptional(OMValue *element) {
  return create(OM_VALUE_OPTIONAL, nullptr, element ? &element : nullptr,
                element ? 1 : 0);
}

void omValueDestroy(OMValue *value) {
  if (!value)
    return;
  if (!value->isPart)
    omTensorDestroy(value->tensor);
  else if (value->tensor)
    freeData(*value->tensor); // the caller may have given it other data
  for (int64_t i = 0; value->kind != OM_VALUE_TENSOR && i < value->size; ++i)
    omValueDestroy(value->elements[i]);
  if (value->isPart) {
    freeChunks(value->memory);
    return;
  }
  free(value->elements);
  free(value);
}

OM_VALUE_KIND omValueGetKind(const OMValue *value) {
  return value ? value->kind : OM_VALUE_KIND(0);
}

int64_t omValueGetSize(const OMValue *value) { return value ? value->size : 0; }

OMValue *omValueGetElement(const OMValue *value, int64_t index) {
  if (!value || value->kind == OM_VALUE_TENSOR || index < 0 ||
      index >= value->size)
    return nullptr;
  return value->elements[index];
}

OMTensor *omValueGetKey(const OMValue *value) {
  return value && value->kind == OM_VALUE_MAP ? value->tensor : nullptr;
}

OMTensor *omValueGetTensor(const OMValue *value) {
  return value && value->kind == OM_VALUE_TENSOR ? value->tensor : nullptr;
}

OMValue *omTensorValue(const OMTensor *tensor) {
  return tensor ? tensor->value : nullptr;
}

OMTensor *omTensorCreateFromValue(OMValue *value) {
  if (!value)
    return nullptr;
  OMTensor *tensor = omTensorCreate(nullptr, nullptr, 0, ONNX_TYPE_UNDEFINED);
  if (!tensor) {
    omValueDestroy(value);
    return nullptr;
  }
  tensor->value = value;
  return tensor;
}
