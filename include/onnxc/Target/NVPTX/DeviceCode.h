//===- DeviceCode.h - Images of kernels for devices -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_NVPTX_DEVICECODE_H
#define ONNXC_TARGET_NVPTX_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Target/Code/EmitModule.h"

namespace onnxc::target {

/// Returns true if this is a kernel of a device, or memory that its threads
/// share.
bool isOfDevice(mlir::Operation *symbol);

/// The attribute of a module for a device whose artefact has its kernels for
/// the simulator of the tests, too.
inline constexpr llvm::StringLiteral simulatedAttrName = "krnl.simulated";

/// Compiles the kernels of `module`, which `hasDevice()`, to the text that its
/// driver reads: all of them, or those symbols of isOfDevice() that are wanted.
/// Diagnoses operations that cannot be translated.
mlir::FailureOr<CodeFile>
emitDeviceCode(mlir::ModuleOp module, unsigned level,
               llvm::function_ref<bool(mlir::Operation *)> isWanted = {});

/// Compiles the kernels of `module` to a shared object for the processor, which
/// the simulator of the tests loads.
mlir::FailureOr<CodeFile> emitSimulatedCode(mlir::ModuleOp module,
                                            unsigned level);

} // namespace onnxc::target

#endif // ONNXC_TARGET_NVPTX_DEVICECODE_H
