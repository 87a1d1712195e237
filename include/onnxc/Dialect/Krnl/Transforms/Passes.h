//===- Passes.h - Creation of the krnl passes ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc::krnl {

#define GEN_PASS_DECL
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_H
