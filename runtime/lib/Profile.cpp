//===- Profile.cpp - Launches as they run -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Profile.h"

#include "Context.h"

void onnxc_rt_launch(OnnxcCall *call, int32_t tid, int32_t launch) {
  if (call->observer)
    call->observer(call->observerUser, tid, launch);
}

OM_STATUS omContextSetLaunchObserver(OMContext *context,
                                     OMLaunchObserver observer, void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->observer = observer;
  context->observerUser = user;
  return OM_STATUS_OK;
}
