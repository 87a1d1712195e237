//===- Hooks.cpp - Device memory, copies and launches of a run --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Run.h"

#include <limits.h>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns true if the block can be used for so many bytes. With a limit it has
/// exactly these, so that earlier runs do not decide whether a run fits.
static bool canHold(const OMContext &context, const DeviceBlock &block,
                    int64_t bytes) {
  return context.deviceLimit ? block.bytes == bytes : block.bytes >= bytes;
}

/// The smallest free block that can hold the bytes, or else the largest free
/// one, with a limit one without memory: those of other sizes are kept for as
/// long as the limit leaves room. Null if there is none.
static DeviceBlock *findBlock(const OMContext &context, DeviceContext &device,
                              int64_t bytes) {
  DeviceBlock *found = nullptr;
  for (DeviceBlock *block = device.blocks; block; block = block->next) {
    bool fits = canHold(context, *block, bytes);
    bool isKept = context.deviceLimit && block->memory && !fits;
    if (block->isUsed || isKept)
      continue;
    bool isBetter = !found || (canHold(context, *found, bytes)
                                   ? fits && block->bytes < found->bytes
                                   : fits || block->bytes > found->bytes);
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

/// Gives the memory of a block back to the driver, after a wait for the
/// launches that may use it: cuMemFree need not wait for them.
static bool freeBlock(OnnxcCall *call, const DeviceContext &device,
                      DeviceBlock &block) {
  OnnxcDevicePointer old = block.memory;
  block.memory = 0;
  block.bytes = 0;
  if (!old)
    return true;
  bool hasEnded = ONNXC_TRY(cuStreamSynchronize, device.stream);
  return ONNXC_TRY(cuMemFree, old) && hasEnded;
}

/// Frees other unused blocks until the free block `taken` with so many bytes
/// fits within the limit of the context.
static bool freeUntilFits(OnnxcCall *call, DeviceContext &device,
                          const DeviceBlock &taken, int64_t bytes) {
  int64_t limit = call->deviceLimit;
  if (limit == 0)
    return true;
  int64_t used = 0;
  for (DeviceBlock *block = device.blocks; block; block = block->next)
    used += block->isUsed ? block->bytes : 0;
  if (bytes > limit - used) {
    call->fail(ONNXC_ERR_MEMORY,
               "a block of %lld bytes on the GPU is more than the limit of "
               "%lld bytes leaves, of which the run has %lld",
               (long long)bytes, (long long)limit, (long long)used);
    return false;
  }
  int64_t held = heldBytes(*call) - taken.bytes;
  // Launches that wait may use blocks that are free by now.
  if (bytes > limit - held)
    device.launches.finishPart(call, device);
  for (DeviceBlock *block = device.blocks; block && bytes > limit - held;
       block = block->next) {
    if (block->isUsed || block == &taken)
      continue;
    held -= block->bytes;
    if (!freeBlock(call, device, *block))
      return false;
  }
  return true;
}

/// Gives a free block new memory. Its old memory is freed first, so that
/// there are never more than are used at a time.
static bool growBlock(OnnxcCall *call, DeviceContext &device,
                      DeviceBlock &block, int64_t bytes) {
  // Launches that wait may use blocks that are free by now.
  device.launches.finishPart(call, device);
  if (!freeBlock(call, device, block))
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
  DeviceBlock *block = findBlock(*call, *device, bytes);
  if (!block)
    block = addBlock(call, *device);
  if (!block || !freeUntilFits(call, *device, *block, bytes) ||
      (!canHold(*call, *block, bytes) &&
       !growBlock(call, *device, *block, bytes)))
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

OnnxcDevicePointer onnxc_rt_device_errors(OnnxcCall *call, int32_t first) {
  DeviceContext *device = enter(call);
  return device ? device->errors + uint64_t(first) * sizeof(ErrorWords) : 0;
}

//===----------------------------------------------------------------------===//
// Copies and launches
//===----------------------------------------------------------------------===//

int32_t onnxc_rt_device_copy(OnnxcCall *call, OnnxcDevicePointer to,
                             OnnxcDevicePointer from, int64_t bytes) {
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0 || to == from)
    return onnxc_rt_status(call);
  entered->launches.addCopy(call, *entered, to, from, bytes);
  return onnxc_rt_status(call);
}

static OnnxcDevicePointer addressOf(const void *data) {
  return reinterpret_cast<uintptr_t>(data);
}

/// Inputs of the run do not change before it ends.
static bool isInput(const OMContext &context, const void *memory) {
  for (int64_t i = 0; i < context.entry->numInputs; ++i)
    if (context.inputs[i].data == memory)
      return true;
  return false;
}

/// Returns true for the address on the device of an input or output of the
/// caller.
static bool isOnDevice(const OMContext &context, const void *data) {
  for (int64_t i = 0; context.inputsOnDevice && i < context.entry->numInputs;
       ++i)
    if (context.inputsOnDevice[i] && context.inputs[i].data == data)
      return true;
  for (int64_t i = 0; i < context.entry->numOutputs; ++i)
    if (context.outputs[i].onDevice &&
        context.outputs[i].deviceData == addressOf(data))
      return true;
  return false;
}

OnnxcDevicePointer onnxc_rt_device_tensor(OnnxcCall *call, const void *host,
                                          OnnxcDevicePointer otherwise) {
  OnnxcDevicePointer address = addressOf(host);
  bool fits = address % ONNXC_DEVICE_ALIGNMENT == 0;
  return fits && isOnDevice(*call, host) ? address : otherwise;
}

int32_t onnxc_rt_device_copy_in(OnnxcCall *call, OnnxcDevicePointer to,
                                const void *from, int64_t bytes) {
  if (isOnDevice(*call, from))
    return onnxc_rt_device_copy(call, to, addressOf(from), bytes);
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  // Inputs of the run have memory of their own, unless that is of a block which
  // launches in front have given back: such a copy need not wait for them.
  bool staysSame = isInput(*call, from);
  if (!staysSame || device.launches.uses(*call->device, to, bytes))
    device.launches.finishPart(call, device);
  // From page-locked memory the driver reads after it has returned.
  if (ONNXC_TRY(cuMemcpyHtoDAsync, to, from, size_t(bytes), device.stream) &&
      !staysSame)
    ONNXC_TRY(cuStreamSynchronize, device.stream);
  return onnxc_rt_status(call);
}

int32_t onnxc_rt_device_copy_out(OnnxcCall *call, void *to,
                                 OnnxcDevicePointer from, int64_t bytes) {
  if (isOnDevice(*call, to))
    return onnxc_rt_device_copy(call, addressOf(to), from, bytes);
  DeviceContext *entered = enter(call);
  if (!entered || bytes == 0)
    return onnxc_rt_status(call);
  DeviceContext &device = *entered;
  device.launches.finishPart(call, device);
  ONNXC_TRY(cuMemcpyDtoHAsync, to, from, size_t(bytes), device.stream);
  return onnxc_rt_status(call);
}

int32_t onnxc_rt_device_launch(OnnxcCall *call, int32_t kernel, int32_t number,
                               int64_t blocks, const uint64_t *arguments) {
  DeviceContext *device = enter(call);
  if (!device || blocks <= 0 || onnxc_rt_poll(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  // Of whole clusters, as the tiles are.
  constexpr unsigned maxBlocks =
      INT_MAX / ONNXC_CLUSTER_BLOCKS * ONNXC_CLUSTER_BLOCKS;
  unsigned grid = blocks < maxBlocks ? unsigned(blocks) : maxBlocks;
  device->launches.add(call, *device, kernel, number, grid, arguments);
  return onnxc_rt_status(call);
}
