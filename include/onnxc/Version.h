//===- Version.h - The version of the compiler ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_VERSION_H
#define ONNXC_VERSION_H

/// The number that CMakeLists.txt and pyproject.toml give, too.
#define ONNXC_VERSION "0.1.0"

#endif // ONNXC_VERSION_H
