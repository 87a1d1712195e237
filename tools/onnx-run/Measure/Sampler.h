//===- Sampler.h - Where a thread is, again and again -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_SAMPLER_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_SAMPLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <ctime>
#include <vector>

namespace onnxc::run {

/// Notes 4,000 times a second which instruction the thread that made it is at.
/// One at a time in a process. A thread that waits for its turn on the
/// processor is noted once when it gets it, so that the notes are shares of the
/// time it has run, or waited for other threads of the model.
class Sampler {
public:
  static llvm::Expected<Sampler> start();
  Sampler(Sampler &&other) : timer(other.timer), isRunning(other.isRunning) {
    other.isRunning = false;
  }
  ~Sampler() { stop(); }

  void stop();
  /// The addresses of the instructions, after stop().
  static llvm::ArrayRef<uintptr_t> addresses();

private:
  explicit Sampler(timer_t timer) : timer(timer), isRunning(true) {}

  timer_t timer;
  bool isRunning;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_SAMPLER_H
