//===- RuntimeFolder.cpp - Where the runtime is installed ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RuntimeFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;

std::string onnxc::findRuntime() {
  Dl_info info;
  std::string self;
  if (dladdr(reinterpret_cast<void *>(&findRuntime), &info) && info.dli_fname)
    self = info.dli_fname;
  SmallString<256> real;
  if (sys::fs::real_path(sys::fs::getMainExecutable(
                             nullptr, reinterpret_cast<void *>(&findRuntime)),
                         real) &&
      sys::fs::real_path(self, real))
    return "";
  StringRef folder = sys::path::parent_path(real);
  for (StringRef way : {"../lib/onnxc", "onnxc", "../onnxc"}) {
    SmallString<256> candidate(folder);
    sys::path::append(candidate, way, "onnxc_rt.o");
    if (sys::fs::exists(candidate))
      return sys::path::parent_path(candidate).str();
  }
  return "";
}
