//===- NewFile.cpp - Files that appear whole --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/CPU/NewFile.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace onnxc::target {

bool isStream(StringRef name) {
  sys::fs::file_status status;
  return !sys::fs::status(name, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

std::string behindLinks(StringRef name) {
  SmallString<128> file;
  bool isLink = sys::fs::is_symlink_file(name);
  return isLink && !sys::fs::real_path(name, file) ? file.str().str()
                                                   : name.str();
}

NewFile::NewFile(StringRef name) : name(behindLinks(name)) {
  sys::fs::createUniquePath(this->name + ".%%%%%%.tmp", temporary,
                            /*MakeAbsolute=*/false);
}

NewFile::~NewFile() { sys::fs::remove(temporary); }

Error NewFile::create() {
  int file;
  if (std::error_code code = sys::fs::openFileForWrite(
          temporary, file, sys::fs::CD_CreateNew, sys::fs::OF_None))
    return failed(code);
  sys::fs::file_t handle = sys::fs::convertFDToNativeFile(file);
  sys::fs::closeFile(handle);
  return Error::success();
}

Error NewFile::keep() {
  std::error_code code = sys::fs::rename(temporary, name);
  return code ? failed(code) : Error::success();
}

Error NewFile::failed(std::error_code code) const {
  return createStringError(code,
                           "cannot write '" + name + "': " + code.message());
}

} // namespace onnxc::target
