//===- Artefact.h - The last step: files -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DRIVER_ARTEFACT_H
#define ONNXC_DRIVER_ARTEFACT_H

#include "onnxc/Driver/Outputs.h"
#include "onnxc/Driver/SourceFiles.h"

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Driver/Driver.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/Artefact/CustomLibrary.h"
#include "onnxc/Target/NVPTX/DeviceImages.h"

namespace onnxc {

struct ArtefactInputs {
  const Input &input;
  const CompileOptions &options;
  const Events &events;
  Report &report;
  const SourceFiles &files;
  const Outputs &outputs;
  /// The libraries of custom operators that the options name.
  llvm::ArrayRef<target::CustomLibrary> customLibraries;
  /// Kernels of devices, of each level. writeArtefact() makes them.
  std::vector<target::DeviceImages> deviceImages = {};
};

/// Writes the assembly, objects or shared object of the options, with the code
/// of all levels (targetModules), and fills in the report.
llvm::Error writeArtefact(llvm::ArrayRef<mlir::ModuleOp> levels,
                          ArtefactInputs inputs);

/// Writes the output: by the callback, or to a file. `finish` is called before
/// that takes its place, which it does not if that fails.
llvm::Error writeOutput(const CompileOptions &options, const Events &events,
                        Writer write,
                        llvm::function_ref<llvm::Error()> finish = {});
llvm::Error writeOutput(const CompileOptions &options, const Events &events,
                        llvm::StringRef text);

} // namespace onnxc

#endif // ONNXC_DRIVER_ARTEFACT_H
