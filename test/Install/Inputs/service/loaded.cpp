//===- loaded.cpp - Loads a compiled model and runs it --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include <onnxc/ExecutionSession.hpp>

#include <cstdio>

int main() {
  onnxc::ExecutionSession session(MODEL);
  float numbers[] = {1, 2, 3};
  auto outputs = session.run({onnxc::view(numbers, {3})});
  const float *y = outputs[0].data<float>();
  std::printf("loaded %g %g %g\n", y[0], y[1], y[2]);
}
