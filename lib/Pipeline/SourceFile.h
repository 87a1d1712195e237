//===- SourceFile.h - The file that a model is read from --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_SOURCEFILE_H
#define ONNXC_PIPELINE_SOURCEFILE_H

#include "onnxc/Pipeline/Driver.h"
#include "llvm/Support/FileSystem.h"

namespace onnxc {

/// The file of a model as it is when this is made. Weights are read from it
/// until the artefact is written, so it must stay as it is until then.
class SourceFile {
public:
  explicit SourceFile(const Input &input);

  /// An error if the path names another file by now, or a file that has been
  /// written to.
  llvm::Error check() const;

private:
  std::string path; ///< empty: the model is in memory, or there is no file
  llvm::sys::fs::file_status opened;
};

} // namespace onnxc

#endif // ONNXC_PIPELINE_SOURCEFILE_H
