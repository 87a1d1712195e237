//===- Passes.h - Passes on the onnx dialect -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc::onnx {

#define GEN_PASS_DECL
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_H
