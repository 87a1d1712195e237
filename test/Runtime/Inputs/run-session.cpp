//===- run-session.cpp - relu(x + [1, 2, 3, 4]) by a session ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#include "onnxc/ExecutionSession.hpp"

int main(int, char **arguments) {
  try {
    onnxc::ExecutionSession session(arguments[1]);
    const float x[4] = {0, -9, 1, 2};
    std::vector<onnxc::Tensor> outputs = session.run({onnxc::view(x, {1, 4})});
    for (float y : outputs[0].as<float>())
      std::printf("%g ", double(y));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
