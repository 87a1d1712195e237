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

/// The attribute of that function where kernels run on a device: a byte for
/// each input, followed by one for each output, not 0 where the function gives
/// its data to hooks of device.h alone (OnnxcEntry.staysOnDevice).
inline constexpr llvm::StringLiteral staysOnDeviceAttrName =
    "krnl.stays_on_device";

} // namespace onnxc

#endif // ONNXC_CONVERSION_KRNLTOLLVM_PASSES_H
