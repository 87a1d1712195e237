//===- Profile.cpp - Launches as they run -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Profile.h"

#include "Context.h"

void onnxc_rt_launch(OnnxcCall *call, int32_t tid, int32_t launch) {
  call->observer(call->observerUser, tid, launch);
}

void onnxc_rt_launch_size(OnnxcCall *call, int32_t launch, int32_t size,
                          int64_t value) {
  call->sizeObserver(call->sizeObserverUser, launch, size, value);
}

/// Lets generated code call the hook of an observer, or none.
static void setObserved(OMContext &context, int32_t what, bool isObserved) {
  context.observed =
      isObserved ? context.observed | what : context.observed & ~what;
}

OM_STATUS omContextSetSizeObserver(OMContext *context, OMSizeObserver observer,
                                   void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->sizeObserver = observer;
  context->sizeObserverUser = user;
  setObserved(*context, ONNXC_OBSERVES_SIZES, observer != nullptr);
  return OM_STATUS_OK;
}

OM_STATUS omContextSetLaunchObserver(OMContext *context,
                                     OMLaunchObserver observer, void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->observer = observer;
  context->observerUser = user;
  setObserved(*context, ONNXC_OBSERVES_LAUNCHES, observer != nullptr);
  return OM_STATUS_OK;
}

OM_STATUS omContextSetDeviceObserver(OMContext *context,
                                     OMDeviceObserver observer, void *user) {
  if (!context)
    return OM_STATUS_INVALID;
  context->deviceObserver = observer;
  context->deviceObserverUser = user;
  return OM_STATUS_OK;
}
