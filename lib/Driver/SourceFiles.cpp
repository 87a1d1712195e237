//===- SourceFiles.cpp - The files that a model is read from ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Driver/SourceFiles.h"

using namespace onnxc;
namespace fs = llvm::sys::fs;

SourceFiles::SourceFiles(const Input &input) {
  if (!input.bytes)
    add(input.path);
}

void SourceFiles::add(llvm::StringRef path) {
  fs::file_status status;
  if (!fs::status(path, status))
    opened.emplace_back(path.str(), status);
}

llvm::Error
SourceFiles::checkOutputs(llvm::ArrayRef<std::string> outputs) const {
  for (const std::string &output : outputs) {
    fs::file_status status;
    if (fs::status(output, status) || !fs::is_regular_file(status))
      continue;
    for (const auto &[path, source] : opened)
      if (source.getUniqueID() == status.getUniqueID())
        return llvm::createStringError(
            std::make_error_code(std::errc::invalid_argument),
            "the output '" + output +
                "' would replace a file of the model: give it another name");
  }
  return llvm::Error::success();
}

llvm::Error SourceFiles::check() const {
  for (const auto &[path, then] : opened) {
    fs::file_status now;
    if (!fs::status(path, now) && now.getUniqueID() == then.getUniqueID() &&
        now.getSize() == then.getSize() &&
        now.getLastModificationTime() == then.getLastModificationTime())
      continue;
    return llvm::createStringError(
        std::make_error_code(std::errc::resource_unavailable_try_again),
        "'" + path +
            "' has changed while the model was compiled: compile it "
            "again");
  }
  return llvm::Error::success();
}
