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

#include <dlfcn.h>
#include <type_traits>

namespace onnxc::rt {

/// Pointers to all that an artefact exports, under the names of the C headers.
struct Functions {
#define ONNXC_EXPORT(NAME) std::add_pointer_t<decltype(::NAME)> NAME = nullptr;
#include "onnxc/rt/Exports.def"

  /// Looks them up in what dlopen has returned. Returns the name of one that
  /// is missing, or null if there are all.
  const char *resolve(void *library) {
    const char *missing = nullptr;
#define ONNXC_EXPORT(SYMBOL)                                                   \
  SYMBOL = reinterpret_cast<decltype(SYMBOL)>(dlsym(library, #SYMBOL));        \
  if (!SYMBOL)                                                                 \
    missing = #SYMBOL;
#include "onnxc/rt/Exports.def"
    return missing;
  }
};

} // namespace onnxc::rt

#endif // ONNXC_RT_FUNCTIONS_H
