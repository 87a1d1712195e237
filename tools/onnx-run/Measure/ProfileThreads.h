//===- ProfileThreads.h - Profiles of numbers of threads --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_PROFILETHREADS_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_PROFILETHREADS_H

#include "llvm/Support/JSON.h"

namespace onnxc::run {

/// Prints the times of launches, or of functions, in several profiles of one
/// artefact beside each other, and how much faster the last is than the first.
void printThreadCounts(const llvm::json::Array &profiles, int64_t top);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_PROFILETHREADS_H
