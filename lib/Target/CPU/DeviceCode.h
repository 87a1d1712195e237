//===- DeviceCode.h - Images of kernels for devices ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_CPU_DEVICECODE_H
#define ONNXC_LIB_TARGET_CPU_DEVICECODE_H

#include "onnxc/Target/CPU/Emit.h"

namespace llvm {
class Constant;
} // namespace llvm

namespace onnxc::target {

class Constants;

/// Is this a kernel of a device, or memory that its threads share?
bool isOfDevice(mlir::Operation *symbol);

/// The address of an OnnxcDeviceCode for the kernels of `module`, which
/// `hasDevice()`: their images and their table, and all weights as constants of
/// the device. Diagnoses kernels that cannot be translated.
mlir::FailureOr<llvm::Constant *> makeDeviceCode(Constants &make,
                                                 mlir::ModuleOp module,
                                                 int64_t weightsBytes,
                                                 unsigned level);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_CPU_DEVICECODE_H
