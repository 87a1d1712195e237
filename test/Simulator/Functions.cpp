//===- Functions.cpp - Instructions for functions of floats -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The PTX ISA allows ex2.approx a relative error of 2^-22: results have a bit
// less than a float.
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <cmath>
#include <cstring>

#pragma GCC visibility push(default)
extern "C" {

float sim_ex2_approx_f32(float x) {
  auto y = float(std::exp2(double(x)));
  if (!std::isfinite(y))
    return y;
  uint32_t bits;
  std::memcpy(&bits, &y, sizeof bits);
  bits &= ~uint32_t(1);
  std::memcpy(&y, &bits, sizeof y);
  return y;
}

} // extern "C"
#pragma GCC visibility pop
