//===- Levels.cpp - The level and the device of a context -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "device/Code.h"

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The number of the entry point, whichever level's it is.
static int64_t numberOf(const OnnxcModel &model, const OnnxcEntry &entry) {
  for (int64_t i = 0; i < model.numLevels; ++i) {
    const OnnxcEntry *first = model.levels[i].entries;
    if (&entry >= first && &entry < first + model.numEntries)
      return &entry - first;
  }
  return 0;
}

/// The last level up to `level` that this processor takes and that needs no
/// device or has code that this GPU takes. Where there is none, the first that
/// the processor takes, of which runs say what is missing.
static int levelForDevice(const OnnxcModel &model, int level, int32_t number) {
  while (level > 0 && model.levels[level].device) {
    const OnnxcDeviceCode &device = *model.levels[level].device;
    int other = chooseLevel(model, nullptr, /*end=*/level);
    Message reason;
    // Programs that fork afterwards may not have loaded the driver, so that it
    // is asked only where its answer decides anything.
    if (other < 0 || device.runtime->isAvailable(device, number, reason))
      break;
    level = other;
  }
  return level;
}

static const OnnxcLevel &levelAt(const OnnxcModel &model, int level) {
  return model.levels[level < 0 ? 0 : level];
}

/// One that the first device does not take makes way from now on.
const OnnxcLevel &rt::levelOf(const OnnxcModel &model) {
  std::atomic<int> &chosen = stateOf(model).level;
  int level = chosen.load(std::memory_order_relaxed);
  int taken = levelForDevice(model, level, /*number=*/0);
  if (taken != level)
    chosen.store(taken, std::memory_order_relaxed);
  return levelAt(model, taken);
}

void rt::setLevel(OMContext &context, const OnnxcLevel &level) {
  const OnnxcEntry *entry =
      &level.entries[numberOf(*context.model, *context.entry)];
  if (entry != context.entry)
    freeArena(context); // that of the other code has another size
  context.entry = entry;
  context.device = level.device;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static OM_STATUS setDevice(OMContext &context, int32_t number) {
  const OnnxcModel &model = *context.model;
  const OnnxcLevel &level = levelAt(
      model, levelForDevice(model, chooseLevel(model, nullptr), number));
  if (!context.device && !level.device)
    return OM_STATUS_UNSUPPORTED;
  if (context.deviceContext)
    context.device->runtime->destroyContext(context);
  context.deviceStream = nullptr; // one of the device before
  setLevel(context, level);
  if (!level.device)
    return OM_STATUS_UNSUPPORTED;
  context.deviceNumber = number;
  return OM_STATUS_OK;
}

OM_STATUS omContextSetDevice(OMContext *context, int64_t number) {
  if (!context || number < 0 || number > INT32_MAX ||
      context->busy.exchange(1, std::memory_order_acquire) != 0)
    return OM_STATUS_INVALID;
  bool isSame = context->device && number == context->deviceNumber;
  OM_STATUS status =
      isSame ? OM_STATUS_OK : setDevice(*context, int32_t(number));
  context->busy.store(0, std::memory_order_release);
  return status;
}

int64_t omContextGetDevice(const OMContext *context) {
  return context && context->device ? context->deviceNumber : -1;
}

OM_STATUS omContextCheckDevice(OMContext *context) {
  if (!context)
    return OM_STATUS_INVALID;
  const OnnxcDeviceCode *code = context->device;
  Message reason;
  if (!code || code->runtime->isAvailable(*code, context->deviceNumber, reason))
    return OM_STATUS_OK;
  context->message = reason;
  return OM_STATUS_TARGET;
}

OM_STATUS omContextSetDeviceMemory(OMContext *context, int64_t bytes) {
  if (!context || bytes < 0 ||
      context->busy.exchange(1, std::memory_order_acquire) != 0)
    return OM_STATUS_INVALID;
  context->deviceLimit = bytes;
  context->busy.store(0, std::memory_order_release);
  return OM_STATUS_OK;
}

OM_STATUS omContextSetStream(OMContext *context, void *stream) {
  if (!context || context->busy.exchange(1, std::memory_order_acquire) != 0)
    return OM_STATUS_INVALID;
  OM_STATUS status = context->device ? OM_STATUS_OK : OM_STATUS_UNSUPPORTED;
  if (context->device)
    context->deviceStream = stream;
  context->busy.store(0, std::memory_order_release);
  return status;
}
