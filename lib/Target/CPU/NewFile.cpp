//===- NewFile.cpp - Files that appear whole --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/CPU/NewFile.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace onnxc::target {

NewFile::NewFile(StringRef name) : name(name) {
  sys::fs::createUniquePath(name + ".%%%%%%.tmp", temporary,
                            /*MakeAbsolute=*/false);
}

NewFile::~NewFile() { sys::fs::remove(temporary); }

Error NewFile::keep() {
  std::error_code code = sys::fs::rename(temporary, name);
  return code ? failed(code) : Error::success();
}

Error NewFile::failed(std::error_code code) const {
  return createStringError(code,
                           "cannot write '" + name + "': " + code.message());
}

} // namespace onnxc::target
