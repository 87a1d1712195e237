//===- Registration.h - Everything that textual IR may use -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_REGISTRATION_H
#define ONNXC_PIPELINE_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace onnxc {

/// Adds our dialects and those of MLIR that our phases produce.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes our passes, and those of MLIR that our phases run, known by name.
void registerAllPasses();

} // namespace onnxc

#endif // ONNXC_PIPELINE_REGISTRATION_H
