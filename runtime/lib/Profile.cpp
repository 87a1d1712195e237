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

void onnxc_rt_launch_size(OnnxcCall *call, int32_t launch, int32_t size,
                          int64_t value) {
  if (call->sizeObserver)
    call->sizeObserver(call->sizeObserverUser, launch, size, value);
}

OM_STATUS omContextSetSizeObserver(OMContext *context, OMSizeObserver observer,
                                   void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->sizeObserver = observer;
  context->sizeObserverUser = user;
  return OM_STATUS_OK;
}

OM_STATUS omContextSetLaunchObserver(OMContext *context,
                                     OMLaunchObserver observer, void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->observer = observer;
  context->observerUser = user;
  return OM_STATUS_OK;
}
