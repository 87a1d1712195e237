//===- WriteFile.cpp - Files that are written whole -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Tensor.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

Error run::writeFile(StringRef path, function_ref<void(raw_ostream &)> write) {
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (!code) {
    write(file);
    file.close();
    code = file.error();
    // One that is destroyed with an error ends the process.
    file.clear_error();
  }
  return code ? failure("cannot write %s: %s", path.str().c_str(),
                        code.message().c_str())
              : Error::success();
}
