//===- Callers.h - Runs of several threads ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_CALLERS_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_CALLERS_H

#include "Measure/Measure.h"

namespace onnxc::run {

/// A run, in seconds since the first was due.
struct TimedRun {
  int64_t caller = 0;
  double due = 0; ///< when it was asked for: its start, or by --rate
  double end = 0;

  double latency() const { return end - due; }
};

/// Runs the model from --callers threads, each with a context of its own. Each
/// begins its next run when the last has ended or, with --rate, when that is
/// due; a run that no caller is free for waits, and the wait counts. The runs
/// are sorted by when they were due. `first` is the first caller's.
llvm::Expected<std::vector<TimedRun>> timeCallers(Measurement &first,
                                                  const Options &options);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_CALLERS_H
