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
