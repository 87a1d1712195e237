/*===- linked.c - Runs two models of one program ---------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/
#include <OnnxMlirRuntime.h>
#include <stdio.h>

OMTensorList *RUN_DIGITS(OMTensorList *);
OMTensorList *RUN_INCREMENT(OMTensorList *);

static const float *run(OMTensorList *(*model)(OMTensorList *), float *data,
                        const int64_t *shape, int64_t rank) {
  OMTensor *input = omTensorCreate(data, shape, rank, ONNX_TYPE_FLOAT);
  OMTensorList *outputs = model(omTensorListCreate(&input, 1));
  if (!outputs)
    return NULL;
  return omTensorGetDataPtr(omTensorListGetOmtByIndex(outputs, 0));
}

int main(void) {
  float image[64] = {0}, numbers[3] = {1, 2, 3};
  const int64_t imageShape[] = {1, 1, 8, 8}, shape[] = {3};
  for (int row = 0; row < 8; ++row)
    image[8 * row + 4] = 1; /* a vertical bar */
  const float *p = run(RUN_DIGITS, image, imageShape, 4);
  const float *y = run(RUN_INCREMENT, numbers, shape, 1);
  if (!p || !y)
    return 1;
  int best = 0;
  for (int digit = 1; digit < 10; ++digit)
    best = p[digit] > p[best] ? digit : best;
  printf("digit %d, numbers %g %g %g\n", best, y[0], y[1], y[2]);
  return 0;
}
