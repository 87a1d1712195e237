//===- DeviceImages.h - What an artefact has of kernels ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The kernels of a level for a device as the images of its table
// (onnxc/rt/device.h).
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_NVPTX_DEVICEIMAGES_H
#define ONNXC_TARGET_NVPTX_DEVICEIMAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Target/NVPTX/DeviceTools.h"

namespace onnxc::target {

struct DeviceImage {
  int64_t kind = 0;       ///< ONNXC_IMAGE_*
  int64_t capability = 0; ///< 10 * major + minor
  bool isExact = false;   ///< for this capability alone
  std::string bytes;      ///< of PTX without the NUL at its end
  /// No older driver takes it, as OnnxcDeviceImage has it; 0: not known.
  int64_t driver = 0;
};

/// The version of CUDA that came with that of the PTX, as OnnxcDeviceImage
/// counts it; 0 if the text has none or one that is not in the table.
int64_t driverOf(llvm::StringRef ptx);

struct DeviceImages {
  std::vector<DeviceImage> images;
  /// The resources of the kernels; empty without a cubin.
  std::vector<KernelResources> resources;
  /// The reason why there is no cubin; empty if there is one or none was
  /// wanted.
  std::string problem;
};

/// Compiles the kernels of `module`, which `hasDevice()`, to PTX, and to code
/// for the simulator if the module asks for that; with `wantsCubin` ptxas
/// assembles the PTX. Diagnoses operations that cannot be translated.
mlir::FailureOr<DeviceImages> makeDeviceImages(mlir::ModuleOp module,
                                               unsigned level, bool wantsCubin);

/// The name as listed by `onnx-run info`: "PTX sm_80", "cubin sm_90a",
/// "simulator".
std::string nameOf(const DeviceImage &image);

} // namespace onnxc::target

#endif // ONNXC_TARGET_NVPTX_DEVICEIMAGES_H
