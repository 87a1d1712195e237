//===- Poll.cpp - Ends loops of runs that are to end ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace onnxc::rt;

/// () -> (), in every iteration of a loop of the model: fails once the deadline
/// of the run has passed or the run is cancelled. The body of a loop may launch
/// no kernel, which would poll, and its condition may never become false.
ONNXC_CALL(onnxc_call_poll) {
  onnxc_rt_poll(call);
  return onnxc_rt_status(call);
}
