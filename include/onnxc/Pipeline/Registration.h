//===- Registration.h - Dialects and passes of textual IR -------*- C++ -*-===//
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

/// Adds the dialects of this compiler and those of MLIR that its phases
/// produce.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes of this compiler, and those of MLIR that phases run.
void registerAllPasses();

} // namespace onnxc

#endif // ONNXC_PIPELINE_REGISTRATION_H
