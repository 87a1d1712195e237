//===- AffineModel.h - A call of the model ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The model of FakeModel.c: y = (x + b) * {1, 2, 3, 4}, s = sum of y.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_RUNTIME_AFFINEMODEL_H
#define ONNXC_TEST_UNIT_RUNTIME_AFFINEMODEL_H

#include "onnxc/Runtime.h"

#include <cstring>
#include <vector>

/// Inputs of n rows and what must come out.
struct Affine {
  std::vector<float> x, b, y;
  float s = 0;
  int64_t xShape[2], bShape[1];

  explicit Affine(int64_t n) : x(n * 4), b(n), y(n * 4) {
    xShape[0] = bShape[0] = n;
    xShape[1] = 4;
    for (int64_t i = 0; i < n * 4; ++i) {
      x[i] = float(i % 7);
      b[i / 4] = float(i / 4 % 3);
    }
    for (int64_t i = 0; i < n * 4; ++i) {
      y[i] = (x[i] + b[i / 4]) * float(i % 4 + 1);
      s += y[i];
    }
  }

  OMTensorList *list() {
    OMTensor *tensors[2] = {
        omTensorCreate(x.data(), xShape, 2, ONNX_TYPE_FLOAT),
        omTensorCreate(b.data(), bShape, 1, ONNX_TYPE_FLOAT)};
    return omTensorListCreate(tensors, 2);
  }

  std::vector<OMBuffer> buffers() {
    return {{x.data(), int64_t(x.size() * 4), xShape, 2, ONNX_TYPE_FLOAT},
            {b.data(), int64_t(b.size() * 4), bShape, 1, ONNX_TYPE_FLOAT}};
  }

  bool matches(const void *gotY, const void *gotS) const {
    return memcmp(gotY, y.data(), y.size() * 4) == 0 &&
           memcmp(gotS, &s, 4) == 0;
  }

  bool runsRight() {
    OMTensorList *in = list(), *out = run_main_graph(in);
    bool right = out && omTensorListGetSize(out) == 2 &&
                 matches(omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 0)),
                         omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 1)));
    omTensorListDestroy(out);
    omTensorListDestroy(in);
    return right;
  }
};

#endif // ONNXC_TEST_UNIT_RUNTIME_AFFINEMODEL_H
