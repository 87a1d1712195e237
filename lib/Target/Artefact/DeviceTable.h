//===- DeviceTable.h - Images and kernels of the descriptor -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_ARTEFACT_DEVICETABLE_H
#define ONNXC_LIB_TARGET_ARTEFACT_DEVICETABLE_H

#include "onnxc/Target/NVPTX/DeviceImages.h"

namespace llvm {
class Constant;
} // namespace llvm

namespace onnxc::target {

class Constants;

/// The address of an OnnxcDeviceCode for the kernels of `module`, which
/// `hasDevice()`: their images and their table, and all weights as constants of
/// the device.
llvm::Constant *makeDeviceCode(Constants &make, mlir::ModuleOp module,
                               llvm::ArrayRef<DeviceImage> deviceImages,
                               int64_t weightsBytes);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_ARTEFACT_DEVICETABLE_H
