//===- TensorList.cpp - OMTensorList of the established C API ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include <stdlib.h>
#include <string.h>

OMTensorList *omTensorListCreateWithOwnership(OMTensor **tensors, int64_t n,
                                              int64_t owning) {
  if (n < 0 || (n > 0 && !tensors))
    return nullptr;
  OMTensorList *list = static_cast<OMTensorList *>(malloc(sizeof *list));
  if (list)
    *list = {tensors, n, owning};
  return list;
}

OMTensorList *omTensorListCreate(OMTensor **tensors, int64_t n) {
  if (n < 0 || n > (1 << 28) || (n > 0 && !tensors))
    return nullptr;
  size_t bytes = size_t(n) * sizeof *tensors;
  OMTensor **copy = static_cast<OMTensor **>(malloc(bytes + 1));
  if (!copy)
    return nullptr;
  if (n > 0)
    memcpy(copy, tensors, bytes);
  OMTensorList *list = omTensorListCreateWithOwnership(copy, n, 1);
  if (!list)
    free(copy);
  return list;
}

void omTensorListDestroyShallow(OMTensorList *list) {
  if (!list)
    return;
  if (list->owning)
    free(list->tensors);
  free(list);
}

void omTensorListDestroy(OMTensorList *list) {
  for (int64_t i = 0; list && i < list->size; ++i)
    omTensorDestroy(list->tensors[i]);
  omTensorListDestroyShallow(list);
}

OMTensor **omTensorListGetOmtArray(OMTensorList *list) {
  return list ? list->tensors : nullptr;
}

int64_t omTensorListGetSize(OMTensorList *list) {
  return list ? list->size : 0;
}

OMTensor *omTensorListGetOmtByIndex(OMTensorList *list, int64_t index) {
  return list && index >= 0 && index < list->size ? list->tensors[index]
                                                  : nullptr;
}

void omTensorListPrint(const char *message, OMTensorList *list) {
  for (int64_t i = 0; list && i < list->size; ++i)
    omTensorPrint(message, list->tensors[i]);
}
