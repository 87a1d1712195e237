//===- Passes.h - From loops and host program to LLVM ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_KRNLTOLLVM_PASSES_H
#define ONNXC_CONVERSION_KRNLTOLLVM_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Conversion/KrnlToLLVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Conversion/KrnlToLLVM/Passes.h.inc"

/// Name of the generated entry point, `int32_t f(OnnxcCall *, inputs)`.
inline constexpr llvm::StringLiteral mainEntryName = "onnxc_main_graph";

} // namespace onnxc

#endif // ONNXC_CONVERSION_KRNLTOLLVM_PASSES_H
