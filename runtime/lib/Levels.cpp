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

/// One whose code for devices the first device does not take makes way for the
/// one before it, from now on, if there is one.
const OnnxcLevel &rt::levelOf(const OnnxcModel &model) {
  std::atomic<int> &chosen = stateOf(model).level;
  int level = chosen.load(std::memory_order_relaxed);
  while (level > 0 && model.levels[level].device) {
    const OnnxcDeviceCode &device = *model.levels[level].device;
    int other = chooseLevel(model, nullptr, /*end=*/level);
    Message reason;
    if (other < 0 || device.runtime->isAvailable(device, /*number=*/0, reason))
      break;
    level = other;
    chosen.store(level, std::memory_order_relaxed);
  }
  return model.levels[level < 0 ? 0 : level];
}

/// The last level whose code this GPU takes; null if there is none.
static const OnnxcLevel *levelForDevice(const OnnxcModel &model,
                                        int32_t number) {
  for (int i = chooseLevel(model, nullptr); i >= 0;
       i = chooseLevel(model, nullptr, /*end=*/i)) {
    const OnnxcLevel &level = model.levels[i];
    Message reason;
    if (level.device &&
        level.device->runtime->isAvailable(*level.device, number, reason))
      return &level;
  }
  return nullptr;
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
  // Programs that fork afterwards may not have loaded the driver, so that it is
  // asked only where its answer decides anything.
  const OnnxcLevel *level = context.model->numLevels > 1
                                ? levelForDevice(*context.model, number)
                                : nullptr;
  if (!context.device && !level)
    return OM_STATUS_UNSUPPORTED;
  if (context.deviceContext)
    context.device->runtime->destroyContext(context);
  if (level)
    setLevel(context, *level); // else runs say what is missing
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

OM_STATUS omContextSetStream(OMContext *context, void *stream) {
  if (!context || context->busy.exchange(1, std::memory_order_acquire) != 0)
    return OM_STATUS_INVALID;
  OM_STATUS status = context->device ? OM_STATUS_OK : OM_STATUS_UNSUPPORTED;
  if (context->device)
    context->deviceStream = stream;
  context->busy.store(0, std::memory_order_release);
  return status;
}
