//===- Outputs.h - The files that a compilation writes ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DRIVER_OUTPUTS_H
#define ONNXC_DRIVER_OUTPUTS_H

#include "onnxc/Driver/Driver.h"
#include "onnxc/Target/IR/Target.h"

namespace onnxc {

/// The files that the compilation of `options`, which are complete, writes. The
/// standard output and streams are among the artefacts, and nowhere else.
struct Outputs {
  /// One, or the kernels of each of several devices.
  llvm::SmallVector<std::string> artefacts;
  /// The C header; empty for none.
  std::string header;
  /// The weights beside an artefact, of a model that has any; empty for none.
  std::string weights;
  /// The constants beside a model or the text of a phase that has any outside
  /// it; empty for none.
  std::string constants;
  /// One, or those of each of several levels.
  llvm::SmallVector<std::string> recipes;

  /// All of them, the artefacts first.
  llvm::SmallVector<std::string> all() const;
};

/// model.onnx -> model.so, and the suffixes of the other results.
std::string defaultOutput(const Input &input, const CompileOptions &options);

/// Returns true if a C header is written beside the artefact.
bool hasHeader(const CompileOptions &options);

/// The outputs of code for `levels`.
Outputs outputsOf(const CompileOptions &options,
                  llvm::ArrayRef<krnl::TargetAttr> levels);

/// Refuses two outputs with one name, and a file that cannot be written.
llvm::Error checkOutputs(const Outputs &outputs);

} // namespace onnxc

#endif // ONNXC_DRIVER_OUTPUTS_H
