//===- Passes.h - Functions as arithmetic ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_EXPANDMATH_PASSES_H
#define ONNXC_CONVERSION_EXPANDMATH_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Conversion/ExpandMath/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Conversion/ExpandMath/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_CONVERSION_EXPANDMATH_PASSES_H
