//===- Run.cpp - The memory and stream of a context on a device -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Run.h"

#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

bool device::check(OMContext &context, const DeviceContext &device,
                   Result error, const char *function) {
  if (!error)
    return true;
  Message what;
  const OnnxcDeviceKernel *kernels = context.device->kernels;
  if (device.firstLaunch < 0)
    what.set("%s", function);
  else if (device.firstLaunch == device.lastLaunch)
    what.set("node '%.100s': %s", kernels[device.lastLaunch].nodes, function);
  else
    what.set("between the nodes '%.100s' and '%.100s': %s",
             kernels[device.firstLaunch].nodes,
             kernels[device.lastLaunch].nodes, function);
  fail(context, driverOf(device), error, what.text);
  return false;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Frees what is on the device; its CUDA context is current, and is popped.
static void freeOnDevice(DeviceContext &device) {
  const Driver &driver = driverOf(device);
  // What an error has left there; cuMemFree need not wait for it.
  if (device.ownStream)
    driver.cuStreamSynchronize(device.ownStream);
  device.launches.destroy(driver);
  for (DeviceBlock *block = device.blocks; block; block = block->next)
    if (block->memory)
      driver.cuMemFree(block->memory);
  if (device.errors)
    driver.cuMemFree(device.errors);
  if (device.ownStream)
    driver.cuStreamDestroy(device.ownStream);
  releaseCode(*device.code);
}

/// The bytes of the error words of all kernels.
static size_t errorBytes(const OMContext &context) {
  return size_t(context.device->numErrors) * sizeof(ErrorWords);
}

/// Makes the words ready for reports.
static bool clearErrors(OMContext *call, const DeviceContext &device,
                        Stream stream) {
  size_t bytes = errorBytes(*call);
  return bytes == 0 || ONNXC_TRY(cuMemsetD32Async, device.errors, UINT32_MAX,
                                 bytes / 4, stream);
}

static bool createOnDevice(OnnxcCall *call, DeviceContext &device) {
  if (!ONNXC_TRY(cuStreamCreate, &device.ownStream, NonBlocking)) {
    device.ownStream = nullptr;
    return false;
  }
  size_t bytes = errorBytes(*call);
  if (bytes > 0 && !ONNXC_TRY(cuMemAlloc, &device.errors, bytes)) {
    device.errors = 0;
    return false;
  }
  // A run may be in another stream.
  return clearErrors(call, device, device.ownStream) &&
         ONNXC_TRY(cuStreamSynchronize, device.ownStream);
}

/// Gives the thread the mode of WhileOthersCapture for a run, and back.
static void exchangeMode(const Driver &driver, DeviceContext &device) {
  driver.cuThreadExchangeStreamCaptureMode(&device.captureMode);
}

static DeviceContext *createDeviceContext(OnnxcCall *call) {
  // The copy of the words is after it.
  auto *device = static_cast<DeviceContext *>(
      calloc(1, sizeof(DeviceContext) + errorBytes(*call)));
  if (!device) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for the device's state");
    return nullptr;
  }
  device->firstLaunch = device->lastLaunch = -1;
  device->found = reinterpret_cast<ErrorWords *>(device + 1);
  device->captureMode = CaptureRelaxed;
  device->code = acquireCode(*call);
  if (device->code) {
    const Driver &driver = driverOf(*device);
    exchangeMode(driver, *device);
    device->isEntered = true;
    if (createOnDevice(call, *device))
      return device;
    freeOnDevice(*device);
    exchangeMode(driver, *device);
  }
  free(device);
  return nullptr;
}

static DeviceContext *enterOrCreate(OnnxcCall *call) {
  if (call->status.load(std::memory_order_relaxed) != ONNXC_OK)
    return nullptr;
  DeviceContext *device = call->deviceContext;
  if (device && device->isEntered)
    return device;
  if (!device)
    return call->deviceContext = createDeviceContext(call);
  if (isForked()) {
    call->fail(ONNXC_ERR_TARGET, "the context has used CUDA in the process "
                                 "that this one was forked from");
    return nullptr;
  }
  device->isEntered = check(
      *call, *device, driverOf(*device).cuCtxPushCurrent(device->code->context),
      "cuCtxPushCurrent");
  if (!device->isEntered)
    return nullptr;
  exchangeMode(driverOf(*device), *device);
  return device;
}

static void leave(DeviceContext &device) {
  exchangeMode(driverOf(device), device);
  Context popped;
  driverOf(device).cuCtxPopCurrent(&popped);
  device.isEntered = false;
}

/// Refuses a stream of the caller that is being captured: a run waits for it,
/// which would end the capture.
static bool checkCapture(OnnxcCall *call, const DeviceContext &device,
                         Stream stream) {
  int status = NoCapture;
  Result error = driverOf(device).cuStreamIsCapturing(stream, &status);
  if (error && error != StreamCaptureImplicit)
    return check(*call, device, error, "cuStreamIsCapturing");
  if (!error && status == NoCapture)
    return true;
  call->fail(ONNXC_ERR_INVALID,
             "the stream is being captured for a CUDA graph: a run waits for "
             "its stream, which no capture allows");
  return false;
}

DeviceContext *device::enter(OnnxcCall *call) {
  bool isFirst = !call->deviceContext || !call->deviceContext->isEntered;
  DeviceContext *device = enterOrCreate(call);
  if (!device)
    return nullptr;
  auto callers = static_cast<Stream>(call->deviceStream);
  if (isFirst && callers && !checkCapture(call, *device, callers)) {
    leave(*device);
    return nullptr;
  }
  device->stream = callers ? callers : device->ownStream;
  return device;
}

static void destroyDeviceContext(OMContext &context) {
  DeviceContext *device = context.deviceContext;
  if (!device)
    return;
  context.deviceContext = nullptr;
  // What is the parent's stays the parent's.
  if (!isForked() &&
      driverOf(*device).cuCtxPushCurrent(device->code->context) == Success) {
    WhileOthersCapture relaxed(driverOf(*device));
    freeReturned(*device->code);
    freeOnDevice(*device);
  }
  while (DeviceBlock *block = device->blocks) {
    device->blocks = block->next;
    free(block);
  }
  free(device);
}

int64_t device::heldBytes(const OMContext &context) {
  int64_t bytes = 0;
  const DeviceContext *device = context.deviceContext;
  for (const DeviceBlock *block = device ? device->blocks : nullptr; block;
       block = block->next)
    bytes += block->bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Records what kernels have reported, and makes the words ready for more.
static void readErrors(OnnxcCall *call, DeviceContext &device) {
  const OnnxcDeviceCode &code = *call->device;
  int64_t number = 0;
  while (number < code.numErrors && device.found[number].size < 0)
    ++number;
  if (number == code.numErrors)
    return;
  if (clearErrors(call, device, device.stream))
    ONNXC_TRY(cuStreamSynchronize, device.stream);
  const OnnxcDeviceError &error = code.errors[number];
  const ErrorWords &found = device.found[number];
  onnxc_rt_fail_index(call, int32_t(error.code), error.message, found.index,
                      found.size, error.dimension);
}

void device::synchronize(OnnxcCall *call, DeviceContext &device) {
  device.launches.finishPart(call, device);
  if (call->status.load(std::memory_order_relaxed) != ONNXC_OK)
    return;
  size_t bytes = errorBytes(*call);
  if (bytes > 0 && !ONNXC_TRY(cuMemcpyDtoHAsync, device.found, device.errors,
                              bytes, device.stream))
    return;
  if (!ONNXC_TRY(cuStreamSynchronize, device.stream))
    return;
  device.firstLaunch = device.lastLaunch = -1;
  readErrors(call, device);
}

int32_t onnxc_rt_device_synchronize(OnnxcCall *call) {
  if (DeviceContext *device = enter(call))
    synchronize(call, *device);
  return onnxc_rt_poll(call);
}

/// After an error: waits for copies to memory that the program may free now,
/// and forgets what kernels have reported.
static void abandon(const OMContext &context, DeviceContext &device) {
  const Driver &driver = driverOf(device);
  size_t bytes = errorBytes(context);
  if (bytes > 0)
    driver.cuMemsetD32Async(device.errors, UINT32_MAX, bytes / 4,
                            device.stream);
  driver.cuStreamSynchronize(device.stream);
}

static void finishRun(OMContext &context) {
  auto *call = static_cast<OnnxcCall *>(&context);
  DeviceContext *device = context.deviceContext;
  if (!device || !device->isEntered)
    return;
  if (context.status.load() == ONNXC_OK)
    synchronize(call, *device);
  if (context.status.load() != ONNXC_OK)
    abandon(context, *device);
  for (DeviceBlock *block = device->blocks; block; block = block->next)
    block->isUsed = false;
  device->launches.startRun();
  device->firstLaunch = device->lastLaunch = -1;
  freeReturned(*device->code);
  leave(*device);
}

static void prepareContext(OMContext &context) {
  if (enter(static_cast<OnnxcCall *>(&context)))
    leave(*context.deviceContext);
}

//===----------------------------------------------------------------------===//
// Tensors of the caller
//===----------------------------------------------------------------------===//

static void copyToHost(OMContext &context, void *to, OnnxcDevicePointer from,
                       int64_t bytes) {
  auto *call = static_cast<OnnxcCall *>(&context);
  DeviceContext *entered = bytes > 0 ? enter(call) : nullptr;
  if (!entered)
    return;
  DeviceContext &device = *entered;
  if (ONNXC_TRY(cuMemcpyDtoHAsync, to, from, size_t(bytes), device.stream))
    ONNXC_TRY(cuStreamSynchronize, device.stream);
  leave(device);
}

static void copyToDevice(OMContext &context, OnnxcDevicePointer to,
                         const void *from, int64_t bytes) {
  auto *call = static_cast<OnnxcCall *>(&context);
  DeviceContext *entered = bytes > 0 ? enter(call) : nullptr;
  if (!entered)
    return;
  DeviceContext &device = *entered;
  if (ONNXC_TRY(cuMemcpyHtoDAsync, to, from, size_t(bytes), device.stream))
    ONNXC_TRY(cuStreamSynchronize, device.stream);
  leave(device);
}

/// The memory refers to the code, which keeps the CUDA context.
static OnnxcDevicePointer allocateOutput(OMContext &context, int64_t bytes,
                                         void *&owner) {
  LoadedCode *code = acquireCode(context);
  if (!code)
    return 0;
  const Driver &driver = *code->driver;
  auto *output = static_cast<OwnedOutput *>(calloc(1, sizeof(OwnedOutput)));
  if (!output) {
    context.fail(ONNXC_ERR_MEMORY, "no memory for the device's state");
    releaseCode(*code);
    return 0;
  }
  output->code = code;
  WhileOthersCapture relaxed(driver);
  if (Result error =
          driver.cuMemAlloc(&output->memory, size_t(bytes ? bytes : 1))) {
    Message what;
    what.set("an output of %lld bytes: cuMemAlloc", (long long)bytes);
    fail(context, driver, error, what.text);
    free(output);
    releaseCode(*code);
    return 0;
  }
  Context popped;
  driver.cuCtxPopCurrent(&popped);
  owner = output;
  return output->memory;
}

/// Other libraries may have work that uses the memory, in any stream, and
/// cuMemFree need not wait for it.
static void freeOutput(void *owner) {
  auto *output = static_cast<OwnedOutput *>(owner);
  const LoadedCode &code = *output->code;
  if (isForked() || code.driver->cuCtxPushCurrent(code.context) != Success)
    return;
  freeOwned(*output);
}

const OnnxcDeviceRuntime onnxc_device_runtime = {
    {isAvailable, prepareContext, finishRun, destroyDeviceContext, heldBytes,
     copyToHost, copyToDevice, allocateOutput, freeOutput}};
