//===- ModuleOutput.h - Outputs that are a module or a model ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_MODULEOUTPUT_H
#define ONNXC_LIB_DRIVER_MODULEOUTPUT_H

#include "onnxc/Driver/Driver.h"
#include "onnxc/Driver/Outputs.h"
#include "onnxc/Driver/SourceFiles.h"
#include "onnxc/Exporter/Exporter.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// Where an output goes. A model that replaces one of the `files` that were
/// read is not written.
struct OutputFiles {
  const CompileOptions &options;
  const Events &events;
  const SourceFiles &files;
  /// Without the file of constants if none was written.
  Outputs &outputs;
};

/// Writes the IR of a module as text, and its constants to a file beside it.
llvm::Error writeModuleText(mlir::ModuleOp module, OutputFiles to);

/// Writes a model, and the data that it does not hold itself.
llvm::Error writeModelFiles(const exporter::ExportedModel &model,
                            OutputFiles to);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_MODULEOUTPUT_H
