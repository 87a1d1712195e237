//===- Refit.cpp - Other weights for an artefact ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Models are read by the library of the compiler, libonnxc.so, which lies in
// the folder lib beside that of this program. It is loaded for this alone.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "onnxc/Compile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

static Expected<void *> loadCompiler() {
  static int anchor;
  SmallString<128> path(sys::fs::getMainExecutable("onnx-run", &anchor));
  sys::path::remove_filename(path);
  sys::path::append(path, "..", "lib", ONNXC_LIBRARY);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failure("models are read by libonnxc.so, which cannot be loaded: %s",
                   dlerror());
  return library;
}

/// The function of this name.
template <typename Function>
static Function *find(void *library, const char *name) {
  return reinterpret_cast<Function *>(dlsym(library, name));
}

Error run::refit(const Options &options) {
  Expected<void *> library = loadCompiler();
  if (!library)
    return library.takeError();
  auto create = find<decltype(omCompilerCreate)>(*library, "omCompilerCreate");
  auto destroy =
      find<decltype(omCompilerDestroy)>(*library, "omCompilerDestroy");
  auto work = find<decltype(omModelRefit)>(*library, "omModelRefit");
  auto messages =
      find<decltype(omCompilerGetMessages)>(*library, "omCompilerGetMessages");
  if (!create || !destroy || !work || !messages)
    return failure("libonnxc.so is of another version");
  OMCompiler *compiler = create();
  OM_COMPILE_STATUS status =
      work(compiler, options.model.c_str(), options.newModel.c_str(),
           options.output.c_str());
  std::string text = messages(compiler);
  destroy(compiler);
  if (status == OM_COMPILE_OK)
    return Error::success();
  StringRef first = StringRef(text).rtrim();
  first.consume_front("error: ");
  return failure("%s", first.str().c_str());
}
