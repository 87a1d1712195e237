/*===- bad-index.c - Indices out of range, through the C API ------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Runs the model of bad_index.py with good and bad indices.
 *
 *===----------------------------------------------------------------------===*/

#include "onnxc/Runtime.h"

#include <stdio.h>

static void run(OMContext *context, int64_t column, int64_t row) {
  float x[3 * 5];
  int64_t columns[1], rows[2] = {0, 0}, shapeX[2] = {3, 5}, one[1] = {1},
                      two[1] = {2};
  OMBuffer in[3] = {{x, sizeof x, shapeX, 2, ONNX_TYPE_FLOAT},
                    {columns, sizeof columns, one, 1, ONNX_TYPE_INT64},
                    {rows, sizeof rows, two, 1, ONNX_TYPE_INT64}};
  OMBuffer out[1] = {{0}};
  OM_STATUS status;
  int i;
  for (i = 0; i < 15; ++i)
    x[i] = (float)i;
  columns[0] = column;
  rows[1] = row;
  status = omContextRun(context, in, 3, out, 1);
  if (status == OM_STATUS_OK)
    printf("%g\n", ((float *)out[0].data)[1]);
  else
    printf("%d: %s\n", (int)status, omContextGetMessage(context));
}

int main(void) {
  OMContext *context = omContextCreate(NULL);
  run(context, 4, 2);
  run(context, -5, -3);
  run(context, 5, 2);
  run(context, 4, -4);
  run(context, 4, 2); /* a failed run leaves nothing behind */
  omContextDestroy(context);
  return 0;
}
