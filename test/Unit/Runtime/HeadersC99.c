/*===- HeadersC99.c - The public headers, from C99 ----------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/

#include "OnnxMlirRuntime.h"
#include "onnxc/Runtime.h"
#include "onnxc/rt/model.h"

/* Compiled with -std=c99 -pedantic -Werror; called by HeaderTests.cpp. */
int useFromC99(void);

int useFromC99(void) {
  int64_t shape[2] = {2, 3};
  float data[6] = {1, 2, 3, 4, 5, 6};
  OMTensor *tensor = omTensorCreate(data, shape, 2, ONNX_TYPE_FLOAT);
  OMTensorList *list = omTensorListCreate(&tensor, 1);
  OMTensor *first = omTensorListGetOmtByIndex(list, 0);
  float *values = (float *)omTensorGetDataPtr(first);
  int ok = values[5] == 6 && getDataTypeSize(ONNX_TYPE_FLOAT) == 4 &&
           omTensorGetShape(first)[1] == 3;
  omTensorListDestroy(list);
  return ok;
}
