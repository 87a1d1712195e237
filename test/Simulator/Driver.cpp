//===- Driver.cpp - The libcuda.so.1 of a simulated device ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that the runtime uses, as strict as their manual allows: calls
// without initialisation, context or living objects fail, and so does every
// call after a kernel has failed. Here are devices, contexts, modules and
// launches.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstdio>
#include <unistd.h>

using namespace onnxc;
using namespace onnxc::simulator;

namespace {

struct Error {
  int number;
  const char *name, *text;
};
constexpr Error errors[] = {
    {InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {InvalidImage, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NoBinaryForGPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {InvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {StreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {StreamCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Adds what has been accessed between two counts.
static void addAccesses(Counters &sum, const Counters &before,
                        const Counters &after) {
  for (int64_t Counters::*count :
       {&Counters::requests, &Counters::sectors, &Counters::sharedRequests,
        &Counters::sharedSteps})
    sum.*count += after.*count - before.*count;
}

int simulator::launch(const Launch &launch) {
  ++machine.counters.launches;
  Counters before = machine.counters;
  machine.clock += launch.blocks;
  machine.problem = runKernel(launch, machine.settings, machine.counters);
  ++machine.settings.seed;
  addAccesses(machine.ofKernels[launch.name], before, machine.counters);
  if (machine.problem.empty())
    return Success;
  std::fprintf(stderr, "simulator: %s\n", machine.problem.c_str());
  return LaunchFailed;
}

bool simulator::prepare(const KernelNode &its, Launch &task) {
  const auto &kernel = *static_cast<const Image::Kernel *>(its.function);
  if (its.gridX == 0 || its.gridY != 1 || its.gridZ != 1 || its.blockX == 0 ||
      its.blockX > maxThreads || its.blockY != 1 || its.blockZ != 1 ||
      its.sharedBytes > kernel.sharedBytesLimit || its.extra ||
      kernel.cluster < 1 || unsigned(kernel.cluster) > maxCluster ||
      its.gridX % unsigned(kernel.cluster) != 0)
    return false;
  task = {kernel.name,
          kernel.function,
          its.gridX,
          its.blockX,
          unsigned(kernel.cluster),
          {},
          {},
          its.sharedBytes ? dynamicSharedMemory(its.sharedBytes)
                          : kernel.shared,
          &machine.memory.allocations(),
          &machine.memory.released()};
  for (int32_t i = 0; i < kernel.parameters; ++i)
    task.arguments.push_back(*static_cast<const uint64_t *>(its.arguments[i]));
  task.maps = std::make_shared<std::vector<TensorMap>>();
  for (int32_t i = 0; i < kernel.maps; ++i)
    task.maps->push_back(
        *static_cast<const TensorMap *>(its.arguments[kernel.parameters + i]));
  for (const TensorMap &map : *task.maps)
    task.arguments.push_back(reinterpret_cast<uintptr_t>(&map));
  return true;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

int cuGetErrorName(int error, const char **name) {
  for (const Error &known : errors)
    if (known.number == error) {
      *name = known.name;
      return Success;
    }
  return InvalidValue;
}

int cuGetErrorString(int error, const char **text) {
  for (const Error &known : errors)
    if (known.number == error) {
      *text = known.text;
      return Success;
    }
  return InvalidValue;
}

int cuInit(unsigned flags) {
  std::lock_guard<std::recursive_mutex> locked(machine.mutex);
  if (!machine.process)
    machine.process = getpid();
  if (int error = stateError(false))
    return error;
  if (machine.settings.devices == 0)
    return NoDevice;
  return flags ? InvalidValue : Success;
}

int cuDriverGetVersion(int *version) {
  ONNXC_ENTER(false);
  *version = machine.settings.version;
  return Success;
}

int cuDeviceGetCount(int *count) {
  ONNXC_ENTER(false);
  *count = machine.settings.devices;
  return Success;
}

int cuDeviceGet(int *device, int ordinal) {
  ONNXC_ENTER(false);
  *device = ordinal;
  return ordinal >= 0 && ordinal < machine.settings.devices ? Success
                                                            : InvalidDevice;
}

int cuDeviceGetName(char *name, int capacity, int) {
  ONNXC_ENTER(false);
  std::snprintf(name, size_t(capacity), "Simulated device");
  return Success;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ONNXC_ENTER(false);
  if (attribute != 75 && attribute != 76)
    return InvalidValue;
  const Settings &settings = machine.settings;
  int capability =
      device > 0 && settings.others ? settings.others : settings.capability;
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return Success;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  ONNXC_ENTER(false);
  ++machine.counters.retains;
  ++machine.retained[device];
  *context = &machine.primary[device];
  return Success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  ONNXC_ENTER(false);
  if (machine.retained[device] == 0)
    return InvalidContext;
  --machine.counters.retains;
  --machine.retained[device];
  return Success;
}

int cuCtxPushCurrent_v2(void *context) {
  ONNXC_ENTER(false);
  int device = deviceOf(context);
  if (device < 0 || machine.retained[device] == 0)
    return InvalidContext;
  return contexts.push(static_cast<int *>(context)) ? Success : OutOfMemory;
}

// Fails for no reason but this one.
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return InvalidContext;
  *context = contexts.back();
  contexts.pop();
  return Success;
}

int cuModuleLoadDataEx(void **module, const void *code, unsigned numOptions,
                       int *options, void **values) {
  ONNXC_ENTER(true);
  if (int error = captureError())
    return error;
  if (machine.settings.refusesCubins && Image::isCubin(code))
    return NoBinaryForGPU;
  std::string problem = "refused as asked for";
  std::unique_ptr<Image> image;
  if (machine.settings.refused > 0)
    --machine.settings.refused;
  else
    image = Image::load(code, problem);
  if (image) {
    ++machine.counters.modules;
    *module = image.get();
    machine.images.insert(image.release());
    return Success;
  }
  if (numOptions == 2 && options[0] == 5 && options[1] == 6)
    std::snprintf(static_cast<char *>(values[0]),
                  reinterpret_cast<size_t>(values[1]), "%s", problem.c_str());
  return InvalidImage;
}

int cuModuleUnload(void *module) {
  ONNXC_ENTER(true);
  if (int error = captureError())
    return error;
  auto *image = static_cast<Image *>(module);
  if (machine.images.erase(image) == 0)
    return InvalidHandle;
  --machine.counters.modules;
  delete image;
  return Success;
}

int cuModuleGetFunction(const void **function, void *module, const char *name) {
  ONNXC_ENTER(true);
  auto *image = static_cast<Image *>(module);
  if (machine.images.count(image) == 0)
    return InvalidHandle;
  *function = image->find(name);
  return *function ? Success : NotFound;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  ONNXC_ENTER(true);
  constexpr int maxDynamicSharedBytes = 8;
  if (!function || attribute != maxDynamicSharedBytes || value < 0 ||
      unsigned(value) > maxSharedBytes)
    return InvalidValue;
  static_cast<Image::Kernel *>(function)->sharedBytesLimit = unsigned(value);
  return Success;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **arguments, void **extra) {
  ONNXC_ENTER(true);
  Launch task;
  if (!prepare({function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                sharedBytes, arguments, extra},
               task))
    return InvalidValue;
  return add(stream, [task = std::move(task)] { return launch(task); });
}

} // extern "C"
#pragma GCC visibility pop
