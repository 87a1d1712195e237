//===- SourceFile.cpp - The file that a model is read from ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SourceFile.h"

using namespace onnxc;
namespace fs = llvm::sys::fs;

SourceFile::SourceFile(const Input &input) {
  if (!input.bytes && !fs::status(input.path, opened))
    path = input.path;
}

llvm::Error SourceFile::check() const {
  fs::file_status now;
  if (path.empty() ||
      (!fs::status(path, now) && now.getUniqueID() == opened.getUniqueID() &&
       now.getSize() == opened.getSize() &&
       now.getLastModificationTime() == opened.getLastModificationTime()))
    return llvm::Error::success();
  return llvm::createStringError(
      std::make_error_code(std::errc::resource_unavailable_try_again),
      "the model '" + path +
          "' has changed while it was compiled: compile it again");
}
