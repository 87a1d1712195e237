//===- ColdStart.h - From loading to the first result -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_COLDSTART_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_COLDSTART_H

#include "Options.h"

#include "llvm/Support/JSON.h"

namespace onnxc::run {

/// Loads and runs the artefact in some processes of its own, one after the
/// other, whose system has the file in memory. Milliseconds of loading, of
/// making a context, of the first run and of all three, minimum, median and
/// maximum. Call it before there are threads.
llvm::Expected<llvm::json::Object> timeColdStarts(const Options &options);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_COLDSTART_H
