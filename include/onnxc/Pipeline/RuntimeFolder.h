//===- RuntimeFolder.h - Where the runtime is installed --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_RUNTIMEFOLDER_H
#define ONNXC_PIPELINE_RUNTIMEFOLDER_H

#include "onnxc/Pipeline/Options.h"

#include <string>

namespace onnxc {

/// The folder of onnxc_rt.o, ../lib/onnxc seen from the program or library that
/// this is in; empty if there is none.
std::string findRuntime();

/// The folder with the runtime that the compiler itself computes constants
/// with: the one of --runtime-dir or that beside the compiler. Empty if it has
/// none.
std::string findHostRuntime(const CompileOptions &options);

/// The folder with the runtime for machines of `triple`: the one of
/// --runtime-dir or that beside the compiler, or the folder in it that has the
/// name of the architecture. Empty if there is none.
std::string findRuntimeFor(const CompileOptions &options,
                           llvm::StringRef triple);

} // namespace onnxc

#endif // ONNXC_PIPELINE_RUNTIMEFOLDER_H
