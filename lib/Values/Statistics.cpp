//===- Statistics.cpp - Numbers in a tensor ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Statistics.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

void Statistics::add(double element) {
  ++elements;
  nans += std::isnan(element);
  infinities += std::isinf(element);
  zeros += element == 0;
  if (!std::isfinite(element))
    return;
  if (element < smallest) {
    smallest = element;
    minPosition = elements - 1;
  }
  if (element > largest) {
    largest = element;
    maxPosition = elements - 1;
  }
  sum += element;
}

double Statistics::mean() const {
  return finite() ? double(sum / finite()) : 0;
}

void Statistics::place(double element) {
  if (!std::isfinite(element))
    return;
  // Halves: the range of numbers may be twice the largest.
  double range = largest / 2 - smallest / 2;
  double part = range > 0 ? (element / 2 - smallest / 2) / range : 0;
  size_t number = size_t(part * double(histogram.size()));
  ++histogram[std::min(number, histogram.size() - 1)];
}

void run::forEachNumber(const Tensor &tensor,
                        function_ref<void(double)> visit) {
  if (tensor.type == ONNX_TYPE_STRING)
    return;
  int64_t elements = tensor.elements();
  for (int64_t i = 0; i < elements; ++i) {
    double imaginary;
    visit(elementAsDouble(tensor, i, imaginary));
  }
}
