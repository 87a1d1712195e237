//===- CompilationInfo.h - What an artefact says of itself -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_COMPILATIONINFO_H
#define ONNXC_LIB_DRIVER_COMPILATIONINFO_H

#include "onnxc/Driver/Artefact.h"

#include "onnxc/Target/Artefact/Descriptor.h"

namespace onnxc {

/// The record of the compilation in the artefact.
std::string compilationInfo(llvm::ArrayRef<mlir::ModuleOp> levels,
                            const ArtefactInputs &inputs,
                            const target::ModelInfo &info);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_COMPILATIONINFO_H
