//===- Trips.cpp - Loops that go on for too long ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace onnxc::rt;

/// () -> (), in every iteration: a loop need not pass work to threads, and its
/// condition may never change.
ONNXC_CALL(onnxc_call_trip) {
  onnxc_rt_poll(call);
  return onnxc_rt_status(call);
}
