//===- Steps.h - Deadlines of long calls ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_STEPS_H
#define ONNXC_RUNTIME_LIB_CALLS_STEPS_H

#include "onnxc/rt/hooks.h"

namespace onnxc::rt {

/// The steps of a call whose time follows from its inputs, each of some
/// nanoseconds. The deadline is looked at once in 2^16 of them.
class Steps {
public:
  explicit Steps(OnnxcCall *call) : call(call) {}

  /// Counts steps. False if the call is to end: its status says why.
  bool goOn(int64_t steps = 1) {
    left -= steps;
    if (left > 0)
      return true;
    left = interval;
    return onnxc_rt_poll(call) == ONNXC_OK;
  }

  bool hasEnded() const { return onnxc_rt_status(call) != ONNXC_OK; }

private:
  static constexpr int64_t interval = int64_t(1) << 16;

  OnnxcCall *call;
  int64_t left = interval;
};

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_STEPS_H
