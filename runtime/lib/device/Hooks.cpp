//===- Hooks.cpp - Device memory, copies and launches of a run --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each context has a stream and an arena of its own, so that runs on several
// threads share the code and the constants alone.
//
//===----------------------------------------------------------------------===//

#include "device/Code.h"

#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

namespace {

/// Device memory that runs of a context use again.
struct DeviceBlock {
  DeviceBlock *next;
  OnnxcDevicePointer memory;
  int64_t bytes;
  bool isUsed;
};

} // namespace

/// What a context has on the device.
struct onnxc::rt::DeviceContext {
  LoadedCode *code;
  bool isEntered; ///< the CUDA context is the thread's current one
  Stream stream;
  DeviceBlock *blocks;
  OnnxcDevicePointer errors; ///< the word of kernels
  uint32_t error;            ///< its copy
  /// Kernels launched since the stream was waited for; -1: none.
  int32_t firstLaunch, lastLaunch;
};

/// The value of the word when no kernel has reported anything.
static constexpr uint32_t kNoError = UINT32_MAX;

static const Driver &driverOf(const DeviceContext &device) {
  return *device.code->driver;
}

/// Calls a function of the driver; false, with the error recorded, on failure.
#define TRY(NAME, ...)                                                         \
  check(*call, device, driverOf(device).NAME(__VA_ARGS__), #NAME)

/// An error that kernels have caused is reported by whatever is called next.
static bool check(OMContext &context, const DeviceContext &device, Result error,
                  const char *function) {
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
static void freeOnDevice(DeviceContext &device, const OnnxcDeviceCode &code) {
  const Driver &driver = driverOf(device);
  for (DeviceBlock *block = device.blocks; block; block = block->next)
    if (block->memory)
      driver.cuMemFree(block->memory);
  if (device.errors)
    driver.cuMemFree(device.errors);
  if (device.stream)
    driver.cuStreamDestroy(device.stream);
  releaseCode(code);
}

static bool createOnDevice(OnnxcCall *call, DeviceContext &device) {
  if (!TRY(cuStreamCreate, &device.stream, NonBlocking)) {
    device.stream = nullptr;
    return false;
  }
  if (!TRY(cuMemAlloc, &device.errors, sizeof(uint32_t))) {
    device.errors = 0;
    return false;
  }
  return TRY(cuMemsetD32Async, device.errors, kNoError, 1, device.stream);
}

static DeviceContext *createDeviceContext(OnnxcCall *call) {
  auto *device = static_cast<DeviceContext *>(calloc(1, sizeof(DeviceContext)));
  if (!device) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for the device's state");
    return nullptr;
  }
  device->firstLaunch = device->lastLaunch = -1;
  device->error = kNoError;
  device->code = acquireCode(*call);
  device->isEntered = true;
  if (device->code && createOnDevice(call, *device))
    return device;
  if (device->code)
    freeOnDevice(*device, *call->device);
  free(device);
  return nullptr;
}

/// The context's part of the device, ready for calls of the driver. Null after
/// an error of the run.
static DeviceContext *enter(OnnxcCall *call) {
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
  return device->isEntered ? device : nullptr;
}

static void leave(DeviceContext &device) {
  Context popped;
  driverOf(device).cuCtxPopCurrent(&popped);
  device.isEntered = false;
}

static void destroyDeviceContext(OMContext &context) {
  DeviceContext *device = context.deviceContext;
  if (!device)
    return;
  context.deviceContext = nullptr;
  // What is the parent's stays the parent's.
  if (!isForked() &&
      driverOf(*device).cuCtxPushCurrent(device->code->context) == Success)
    freeOnDevice(*device, *context.device);
  while (DeviceBlock *block = device->blocks) {
    device->blocks = block->next;
    free(block);
  }
  free(device);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Records what kernels have reported, and makes the word ready for more.
static void readErrors(OnnxcCall *call, DeviceContext &device) {
  const OnnxcDeviceCode &code = *call->device;
  if (device.error == kNoError)
    return;
  uint32_t number = device.error;
  device.error = kNoError;
  TRY(cuMemsetD32Async, device.errors, kNoError, 1, device.stream);
  if (number < code.numErrors)
    call->fail(int32_t(code.errors[number].code), "%s",
               code.errors[number].message);
  else
    call->fail(ONNXC_ERR_INTERNAL, "a kernel has reported error %u", number);
}

static void synchronize(OnnxcCall *call, DeviceContext &device) {
  if (call->device->numErrors > 0 &&
      !TRY(cuMemcpyDtoHAsync, &device.error, device.errors, sizeof device.error,
           device.stream))
    return;
  if (!TRY(cuStreamSynchronize, device.stream))
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
static void abandon(DeviceContext &device) {
  const Driver &driver = driverOf(device);
  driver.cuMemsetD32Async(device.errors, kNoError, 1, device.stream);
  driver.cuStreamSynchronize(device.stream);
  device.error = kNoError;
}

static void endRun(OMContext &context) {
  auto *call = static_cast<OnnxcCall *>(&context);
  DeviceContext *device = context.deviceContext;
  if (!device || !device->isEntered)
    return;
  if (context.status.load() == ONNXC_OK)
    synchronize(call, *device);
  if (context.status.load() != ONNXC_OK)
    abandon(*device);
  for (DeviceBlock *block = device->blocks; block; block = block->next)
    block->isUsed = false;
  device->firstLaunch = device->lastLaunch = -1;
  leave(*device);
}

static void prepare(OMContext &context) {
  if (enter(static_cast<OnnxcCall *>(&context)))
    leave(*context.deviceContext);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The smallest free block of so many bytes, or else the largest free one; null
/// if none is free.
static DeviceBlock *findBlock(DeviceContext &device, int64_t bytes) {
  DeviceBlock *found = nullptr;
  for (DeviceBlock *block = device.blocks; block; block = block->next) {
    if (block->isUsed)
      continue;
    bool fits = block->bytes >= bytes;
    bool isBetter =
        !found || (found->bytes >= bytes ? fits && block->bytes < found->bytes
                                         : block->bytes > found->bytes);
    if (isBetter)
      found = block;
  }
  return found;
}

/// A block without memory in the list.
static DeviceBlock *addBlock(OnnxcCall *call, DeviceContext &device) {
  auto *block = static_cast<DeviceBlock *>(calloc(1, sizeof(DeviceBlock)));
  if (!block) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for the device's state");
    return nullptr;
  }
  block->next = device.blocks;
  return device.blocks = block;
}

/// Gives a free block new memory. A block that is too small makes way, so that
/// there are never more than are used at a time.
static bool growBlock(OnnxcCall *call, DeviceContext &device,
                      DeviceBlock &block, int64_t bytes) {
  OnnxcDevicePointer old = block.memory;
  block.memory = 0;
  block.bytes = 0;
  if (old && !TRY(cuMemFree, old))
    return false;
  Result error = driverOf(device).cuMemAlloc(&block.memory, size_t(bytes));
  if (error) {
    block.memory = 0;
    Message what;
    what.set("a block of %lld bytes: cuMemAlloc", (long long)bytes);
    return check(*call, device, error, what.text);
  }
  block.bytes = bytes;
  call->info("block of %lld bytes on the GPU", (long long)bytes);
  return true;
}

OnnxcDevicePointer onnxc_rt_device_alloc(OnnxcCall *call, int64_t bytes) {
  DeviceContext *device = enter(call);
  if (!device)
    return 0;
  if (bytes < 0 || bytes > ONNXC_MAX_TENSOR_BYTES) {
    failToAllocate(*call, "a block on the GPU", INT64_MAX);
    return 0;
  }
  bytes = bytes ? bytes : 1;
  DeviceBlock *block = findBlock(*device, bytes);
  if (!block)
    block = addBlock(call, *device);
  if (!block ||
      (block->bytes < bytes && !growBlock(call, *device, *block, bytes)))
    return 0;
  block->isUsed = true;
  return block->memory;
}

void onnxc_rt_device_release(OnnxcCall *call, OnnxcDevicePointer memory) {
  if (DeviceContext *device = enter(call))
    for (DeviceBlock *block = device->blocks; block; block = block->next)
      if (block->memory == memory)
        block->isUsed = false;
}

OnnxcDevicePointer onnxc_rt_device_constants(OnnxcCall *call) {
  DeviceContext *device = enter(call);
  return device ? device->code->constants : 0;
}

OnnxcDevicePointer onnxc_rt_device_errors(OnnxcCall *call) {
  DeviceContext *device = enter(call);
  return device ? device->errors : 0;
}

//===----------------------------------------------------------------------===//
// Copies and launches
//===----------------------------------------------------------------------===//

/// Inputs of the run do not change before it ends.
static bool isInput(const OMContext &context, const void *memory) {
  for (int64_t i = 0; i < context.entry->numInputs; ++i)
    if (context.inputs[i].data == memory)
      return true;
  return false;
}

int32_t onnxc_rt_device_copy_in(OnnxcCall *call, OnnxcDevicePointer to,
                                const void *from, int64_t bytes) {
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  // From page-locked memory the driver reads after it has returned.
  if (TRY(cuMemcpyHtoDAsync, to, from, size_t(bytes), device.stream) &&
      !isInput(*call, from))
    TRY(cuStreamSynchronize, device.stream);
  return onnxc_rt_status(call);
}

int32_t onnxc_rt_device_copy_out(OnnxcCall *call, void *to,
                                 OnnxcDevicePointer from, int64_t bytes) {
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  TRY(cuMemcpyDtoHAsync, to, from, size_t(bytes), device.stream);
  return onnxc_rt_status(call);
}

int32_t onnxc_rt_device_copy(OnnxcCall *call, OnnxcDevicePointer to,
                             OnnxcDevicePointer from, int64_t bytes) {
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  TRY(cuMemcpyDtoDAsync, to, from, size_t(bytes), device.stream);
  return onnxc_rt_status(call);
}

/// Pointers to the arguments, as the driver takes them. A kernel of many
/// operands fits as well: parameters take at most 4 KiB.
static constexpr int64_t kMaxArguments = 512;

int32_t onnxc_rt_device_launch(OnnxcCall *call, int32_t kernel, int64_t blocks,
                               const uint64_t *arguments) {
  DeviceContext *entered = enter(call);
  if (!entered || blocks <= 0 || onnxc_rt_poll(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  const OnnxcDeviceKernel &its = call->device->kernels[kernel];
  void *pointers[kMaxArguments];
  if (its.numArguments > kMaxArguments)
    return call->fail(ONNXC_ERR_INTERNAL, "a kernel has %lld parameters",
                      (long long)its.numArguments);
  for (int64_t i = 0; i < its.numArguments; ++i)
    pointers[i] = const_cast<uint64_t *>(&arguments[i]);
  device.lastLaunch = kernel;
  if (device.firstLaunch < 0)
    device.firstLaunch = kernel;
  unsigned grid = blocks < INT_MAX ? unsigned(blocks) : unsigned(INT_MAX);
  TRY(cuLaunchKernel, device.code->functions[kernel], grid, 1, 1,
      unsigned(its.threads), 1, 1, unsigned(its.sharedBytes), device.stream,
      pointers, nullptr);
  return onnxc_rt_status(call);
}

const OnnxcDeviceRuntime onnxc_device_runtime = {
    {isAvailable, prepare, endRun, destroyDeviceContext}};
