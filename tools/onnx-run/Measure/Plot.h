//===- Plot.h - Files of timed runs -----------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_PLOT_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_PLOT_H

#include "Measure/Callers.h"

namespace onnxc::run {

/// A line for each run: caller, when it was due and its latency, in seconds.
void writeCsv(llvm::raw_ostream &os, llvm::ArrayRef<TimedRun> runs);

/// Two diagrams, the latency of runs over time and over percentiles. Of many
/// runs the first shows some, the longest among them.
void writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<TimedRun> runs,
              llvm::StringRef title);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_PLOT_H
