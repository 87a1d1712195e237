//===- SourceFiles.h - The files that a model is read from ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DRIVER_SOURCEFILES_H
#define ONNXC_DRIVER_SOURCEFILES_H

#include "onnxc/Driver/Driver.h"
#include "llvm/Support/FileSystem.h"

#include <string>
#include <utility>
#include <vector>

namespace onnxc {

/// The file of a model and those of its external data as they are when they are
/// opened. Weights are read from them until the artefact is written, so they
/// must stay as they are until then.
class SourceFiles {
public:
  explicit SourceFiles(const Input &input);

  /// Notes a file that is about to be opened.
  void add(llvm::StringRef path);

  /// An error if one of the outputs is one of these files: it would replace it.
  llvm::Error checkOutputs(llvm::ArrayRef<std::string> outputs) const;

  /// An error if one of the paths names another file by now, or a file that has
  /// been written to.
  llvm::Error check() const;

private:
  /// The status of the files by their paths; files that do not exist are left
  /// out.
  std::vector<std::pair<std::string, llvm::sys::fs::file_status>> opened;
};

} // namespace onnxc

#endif // ONNXC_DRIVER_SOURCEFILES_H
