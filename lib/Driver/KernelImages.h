//===- KernelImages.h - Images of kernels for devices ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_KERNELIMAGES_H
#define ONNXC_LIB_DRIVER_KERNELIMAGES_H

#include "onnxc/Driver/Artefact.h"

namespace onnxc {

/// Makes the images of kernels for devices that the options ask for, of all
/// levels at the same time, and adds what they take to the report. A cubin that
/// has to be there and cannot be made is an error, another one a note.
llvm::Error makeKernelImages(llvm::ArrayRef<mlir::ModuleOp> levels,
                             ArtefactInputs &inputs);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_KERNELIMAGES_H
