/*===- HeadersC99.c - The public headers, from C99 ----------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/

#include "OnnxMlirRuntime.h"
#include "onnxc/Runtime.h"
#include "onnxc/rt/model.h"

#include <stddef.h>

/* Compiled with -std=c99 -pedantic -Werror; called by HeaderTests.cpp. */
int useFromC99(void);
int useValuesFromC99(void);

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

static OMValue *number(float *where) {
  return omValueCreateTensor(omTensorCreate(where, NULL, 0, ONNX_TYPE_FLOAT));
}

/* Every function on values: an optional sequence of a map goes into a slot of a
 * list and comes out again. */
int useValuesFromC99(void) {
  float data[2] = {1, 2};
  int64_t names[2] = {10, 20}, count = 2;
  OMValue *numbers[2], *map, *sequence, *optional, *none, *found;
  OMTensor *keys = omTensorCreate(names, &count, 1, ONNX_TYPE_INT64), *slot;
  OMTensorList *list;
  int ok;
  numbers[0] = number(&data[0]);
  numbers[1] = number(&data[1]);
  map = omValueCreateMap(keys, numbers, 2);
  sequence = omValueCreateSequence(&map, 1);
  optional = omValueCreateOptional(sequence);
  slot = omTensorCreateFromValue(optional);
  list = omTensorListCreate(&slot, 1);

  found = omTensorValue(omTensorListGetOmtByIndex(list, 0));
  ok = found == optional && omValueGetKind(found) == OM_VALUE_OPTIONAL &&
       omValueGetSize(found) == 1;
  found = omValueGetElement(found, 0);
  ok = ok && omValueGetKind(found) == OM_VALUE_SEQUENCE &&
       omValueGetSize(found) == 1 && !omValueGetElement(found, 1);
  found = omValueGetElement(found, 0);
  ok = ok && omValueGetKind(found) == OM_VALUE_MAP &&
       omValueGetSize(found) == 2 && omValueGetKey(found) == keys &&
       !omValueGetTensor(found);
  found = omValueGetElement(found, 1);
  ok = ok && omValueGetKind(found) == OM_VALUE_TENSOR &&
       !omValueGetKey(found) &&
       *(float *)omTensorGetDataPtr(omValueGetTensor(found)) == 2;
  omTensorListDestroy(list); /* and all that is inside */

  none = omValueCreateOptional(NULL);
  ok = ok && omValueGetSize(none) == 0 && !omValueGetElement(none, 0);
  omValueDestroy(none);
  return ok;
}
