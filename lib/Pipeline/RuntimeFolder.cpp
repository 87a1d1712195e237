//===- RuntimeFolder.cpp - Where the runtime is installed ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/RuntimeFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <dlfcn.h>

using namespace llvm;

/// The folder with the runtime, seen from a program or library of the compiler;
/// empty if there is none.
static std::string runtimeBeside(StringRef file) {
  SmallString<256> real;
  if (file.empty() || sys::fs::real_path(file, real))
    return "";
  for (StringRef way : {"../lib/onnxc", "onnxc", "../onnxc"}) {
    SmallString<256> candidate(sys::path::parent_path(real));
    sys::path::append(candidate, way, "onnxc_rt.o");
    if (sys::fs::exists(candidate))
      return sys::path::parent_path(candidate).str();
  }
  return "";
}

std::string onnxc::findRuntime() {
  // The compiler may be a library of another program.
  auto *self = reinterpret_cast<void *>(&findRuntime);
  Dl_info info;
  if (dladdr(self, &info) && info.dli_fname)
    if (std::string folder = runtimeBeside(info.dli_fname); !folder.empty())
      return folder;
  return runtimeBeside(sys::fs::getMainExecutable(nullptr, self));
}

std::string onnxc::findHostRuntime(const CompileOptions &options) {
  SmallString<256> folder(options.runtimeDir.empty() ? findRuntime()
                                                     : options.runtimeDir);
  return sys::fs::exists(folder + "/onnxc_rt.o") ? folder.str().str() : "";
}

std::string onnxc::findRuntimeFor(const CompileOptions &options,
                                  StringRef triple) {
  std::string folder =
      options.runtimeDir.empty() ? findRuntime() : options.runtimeDir;
  SmallString<256> own(folder);
  sys::path::append(own, Triple(triple).getArchName());
  return sys::fs::exists(own + "/onnxc_rt.o") ? own.str().str() : folder;
}
