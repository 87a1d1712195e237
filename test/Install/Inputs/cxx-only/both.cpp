//===- both.cpp - Models by their headers -----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#include "digits.h"
#include "increment.h"

#include <cstdio>

int main() {
  float x[INCREMENT_X_SIZE] = {1, 2, 3}, y[INCREMENT_Y_SIZE];
  increment_inputs in{x};
  increment_outputs out{y};
  OMContext *context = increment_create();
  if (!context || increment_run(context, &in, &out) != OM_STATUS_OK)
    return 1;
  omContextDestroy(context);
  std::printf("an image has %d pixels; %g %g %g\n", DIGITS_IMAGE_SIZE,
              double(y[0]), double(y[1]), double(y[2]));
}
