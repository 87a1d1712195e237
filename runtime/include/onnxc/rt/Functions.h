//===- Functions.h - The functions of a loaded artefact ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For programs that load artefacts with dlopen.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_FUNCTIONS_H
#define ONNXC_RT_FUNCTIONS_H

#include "onnxc/Runtime.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <type_traits>

namespace onnxc::rt {

/// Why dlopen has failed to load `path`, with advice if that is no shared
/// object at all. To be called at once: later calls of the dynamic linker drop
/// the message.
inline std::string explainLoadFailure(const std::string &path) {
  const char *reason = dlerror();
  char magic[4] = {};
  std::FILE *file = std::fopen(path.c_str(), "rb");
  bool isOther = file && (std::fread(magic, 1, sizeof magic, file) < 4 ||
                          std::memcmp(magic, "\177ELF", 4) != 0);
  if (file)
    std::fclose(file);
  if (isOther)
    return path +
           " is no compiled model; if it is a model in the ONNX format, "
           "compile it first: onnx-compile " +
           path;
  return reason ? reason : path + " cannot be loaded";
}

/// Why a function of `library`, loaded from `path`, is not to be had, with
/// advice.
inline std::string explainLack(void *library, const std::string &path,
                               const char *function) {
  if (!dlsym(library, "omCompilationInfo"))
    return path + " is no compiled model: it does not define " + function;
  return path + " was compiled by a release without " + function +
         ": compile the model again";
}

/// Pointers to all that an artefact exports, under the names of the C headers.
struct Functions {
#define ONNXC_EXPORT(NAME) std::add_pointer_t<decltype(::NAME)> NAME = nullptr;
#include "onnxc/rt/Exports.def"

  /// Looks them up in the library that dlopen has returned. Returns the name of
  /// a missing one, or null if there are all. Optional ones that are missing
  /// are null pointers: ask before each use.
  const char *resolve(void *library) {
    const char *missing = nullptr;
#define ONNXC_EXPORT_OPTIONAL(SYMBOL)                                          \
  SYMBOL = reinterpret_cast<decltype(SYMBOL)>(dlsym(library, #SYMBOL));
#define ONNXC_EXPORT(SYMBOL)                                                   \
  ONNXC_EXPORT_OPTIONAL(SYMBOL)                                                \
  if (!SYMBOL)                                                                 \
    missing = #SYMBOL;
#include "onnxc/rt/Exports.def"
    return missing;
  }
};

} // namespace onnxc::rt

#endif // ONNXC_RT_FUNCTIONS_H
