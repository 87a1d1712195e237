//===- Driver.cpp - The libcuda.so.1 of a simulated device ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that the runtime uses, as strict as their manual allows: work
// of streams is done when somebody waits for it and no sooner, memory that is
// to be copied to is overwritten at once, calls without initialisation, context
// or living objects fail, and so does every call after a kernel has failed.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <unistd.h>

using namespace onnxc::simulator;

namespace {

enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGPU = 209,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailed = 719,
};

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
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

struct Stream {
  std::vector<std::function<int()>> tasks;
};

int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atoll(text) : otherwise;
}

/// What is printed at the end: counts, and with "sectors" those of accesses.
bool isAskedFor(const char *what) {
  const char *text = std::getenv("ONNXC_SIMULATOR_COUNTERS");
  return text && std::strcmp(text, what) == 0;
}

/// The driver and its device.
struct Machine {
  std::recursive_mutex mutex;
  Counters counters = {};
  Settings settings = {fromEnvironment("ONNXC_SIMULATOR_FAIL_AT", -1),
                       LaunchFailed,
                       uint64_t(fromEnvironment("ONNXC_SIMULATOR_SEED", 1)),
                       /*devices=*/1,
                       /*capability=*/990,
                       /*version=*/12040,
                       /*refused=*/0,
                       /*countsSectors=*/isAskedFor("sectors")};
  pid_t process = 0; ///< that has called cuInit
  int context = 0;   ///< its address is the primary context
  int sticky = Success;
  std::string problem;
  DeviceMemory memory;
  Stream nullStream;
  std::set<Stream *> streams;
  std::set<Image *> images;
  bool hasEnded = false; ///< with the process
};

/// Never destroyed: models may be unloaded when the process has ended it.
Machine &machine = *new Machine;
thread_local std::vector<void *> contexts;

/// The error of a call that comes in now: an injected one, or one of its state.
/// What kernels have done is reported by calls that need a context.
int stateError(bool needsContext) {
  ++machine.counters.calls;
  int64_t &failAt = machine.settings.failAt;
  if (failAt >= 0 && failAt-- == 0)
    return machine.settings.failWith;
  if (machine.hasEnded)
    return Deinitialized;
  if (machine.process != getpid())
    return NotInitialized;
  if (needsContext && (contexts.empty() || contexts.back() != &machine.context))
    return InvalidContext;
  return needsContext ? machine.sticky : int(Success);
}

} // namespace

__attribute__((destructor)) static void endMachine() {
  machine.hasEnded = true;
  const Counters &its = machine.counters;
  if (std::getenv("ONNXC_SIMULATOR_COUNTERS"))
    std::fprintf(
        stderr,
        "simulator: launches %lld, copies in %lld, copies out %lld, "
        "allocations %lld, left %lld\n",
        (long long)its.launches, (long long)its.copiesIn,
        (long long)its.copiesOut, (long long)its.allocations,
        (long long)(its.memory + its.streams + its.modules + its.retains));
  if (isAskedFor("sectors"))
    std::fprintf(stderr,
                 "simulator: sectors %lld of %lld requests, steps %lld of %lld "
                 "requests to shared memory\n",
                 (long long)its.sectors, (long long)its.requests,
                 (long long)its.sharedSteps, (long long)its.sharedRequests);
}

#define ENTER(NEEDS_CONTEXT)                                                   \
  std::lock_guard<std::recursive_mutex> locked(machine.mutex);                 \
  if (int error = stateError(NEEDS_CONTEXT))                                   \
  return error

//===----------------------------------------------------------------------===//
// Work of streams
//===----------------------------------------------------------------------===//

static Stream *streamOf(void *handle) {
  if (!handle)
    return &machine.nullStream;
  auto *stream = static_cast<Stream *>(handle);
  return machine.streams.count(stream) ? stream : nullptr;
}

static int add(void *handle, std::function<int()> task) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  stream->tasks.push_back(std::move(task));
  return Success;
}

static int finish(Stream &stream) {
  std::vector<std::function<int()>> tasks = std::move(stream.tasks);
  stream.tasks.clear();
  DeviceMemory::Opened opened(machine.memory);
  for (const auto &task : tasks)
    if (!machine.sticky)
      machine.sticky = task();
  return machine.sticky;
}

static int finishAll() {
  finish(machine.nullStream);
  for (Stream *stream : machine.streams)
    finish(*stream);
  return machine.sticky;
}

static int launch(const Launch &launch) {
  ++machine.counters.launches;
  machine.problem =
      runKernel(launch, machine.settings.seed++, machine.counters);
  if (machine.problem.empty())
    return Success;
  std::fprintf(stderr, "simulator: %s\n", machine.problem.c_str());
  return LaunchFailed;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

Counters *simulatorCounters() { return &machine.counters; }
Settings *simulatorSettings() { return &machine.settings; }
const char *simulatorProblem() { return machine.problem.c_str(); }
void simulatorRecover() {
  machine.sticky = Success;
  machine.nullStream.tasks.clear();
  for (Stream *stream : machine.streams)
    stream->tasks.clear();
}
int simulatorContextDepth() { return int(contexts.size()); }

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
  ENTER(false);
  *version = machine.settings.version;
  return Success;
}

int cuDeviceGetCount(int *count) {
  ENTER(false);
  *count = machine.settings.devices;
  return Success;
}

int cuDeviceGet(int *device, int ordinal) {
  ENTER(false);
  *device = ordinal;
  return ordinal >= 0 && ordinal < machine.settings.devices ? Success
                                                            : InvalidDevice;
}

int cuDeviceGetName(char *name, int capacity, int) {
  ENTER(false);
  std::snprintf(name, size_t(capacity), "Simulated device");
  return Success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER(false);
  if (attribute != 75 && attribute != 76)
    return InvalidValue;
  int capability = machine.settings.capability;
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return Success;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  ENTER(false);
  ++machine.counters.retains;
  *context = &machine.context;
  return Success;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER(false);
  if (machine.counters.retains == 0)
    return InvalidContext;
  --machine.counters.retains;
  return Success;
}

int cuCtxPushCurrent_v2(void *context) {
  ENTER(false);
  if (context != &machine.context || machine.counters.retains == 0)
    return InvalidContext;
  contexts.push_back(context);
  return Success;
}

// Fails for no reason but this one.
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return InvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return Success;
}

int cuModuleLoadDataEx(void **module, const void *code, unsigned numOptions,
                       int *options, void **values) {
  ENTER(true);
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
  ENTER(true);
  auto *image = static_cast<Image *>(module);
  if (machine.images.erase(image) == 0)
    return InvalidHandle;
  --machine.counters.modules;
  delete image;
  return Success;
}

int cuModuleGetFunction(const void **function, void *module, const char *name) {
  ENTER(true);
  auto *image = static_cast<Image *>(module);
  if (machine.images.count(image) == 0)
    return InvalidHandle;
  *function = image->find(name);
  return *function ? Success : NotFound;
}

int cuFuncSetAttribute(void *, int, int) {
  ENTER(true);
  return InvalidValue; // shared memory is static in images
}

int cuStreamCreate(void **stream, unsigned) {
  ENTER(true);
  ++machine.counters.streams;
  *stream = *machine.streams.insert(new Stream).first;
  return Success;
}

int cuStreamDestroy_v2(void *handle) {
  ENTER(true);
  Stream *stream = streamOf(handle);
  if (!stream || !handle)
    return InvalidHandle;
  int error = finish(*stream);
  machine.streams.erase(stream);
  delete stream;
  --machine.counters.streams;
  return error;
}

int cuStreamSynchronize(void *handle) {
  ENTER(true);
  Stream *stream = streamOf(handle);
  return stream ? finish(*stream) : InvalidHandle;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  ENTER(true);
  if (bytes == 0)
    return InvalidValue;
  constexpr size_t capacity = size_t(8) << 30;
  *pointer = bytes < capacity ? machine.memory.allocate(bytes) : 0;
  if (!*pointer)
    return OutOfMemory;
  ++machine.counters.allocations;
  ++machine.counters.memory;
  return Success;
}

int cuMemFree_v2(uint64_t pointer) {
  ENTER(true);
  if (int error = finishAll())
    return error;
  if (!machine.memory.release(pointer))
    return InvalidValue;
  --machine.counters.memory;
  return Success;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  ENTER(true);
  if (!machine.memory.contains(to, bytes))
    return InvalidValue;
  ++machine.counters.copiesIn;
  machine.counters.bytesIn += int64_t(bytes);
  // What the driver does with memory that is not page-locked.
  auto *first = static_cast<const char *>(from);
  return add(stream, [to, kept = std::vector<char>(first, first + bytes)] {
    std::memcpy(reinterpret_cast<void *>(to), kept.data(), kept.size());
    return Success;
  });
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  ENTER(true);
  if (!machine.memory.contains(from, bytes))
    return InvalidValue;
  ++machine.counters.copiesOut;
  machine.counters.bytesOut += int64_t(bytes);
  std::memset(to, 0xff, bytes);
  return add(stream, [=] {
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return Success;
  });
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  ENTER(true);
  if (!machine.memory.contains(to, bytes) ||
      !machine.memory.contains(from, bytes) ||
      (to < from + bytes && from < to + bytes))
    return InvalidValue;
  return add(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes);
    return Success;
  });
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  ENTER(true);
  if (to % 4 != 0 || !machine.memory.contains(to, 4 * count))
    return InvalidValue;
  return add(stream, [=] {
    std::fill_n(reinterpret_cast<unsigned *>(to), count, value);
    return Success;
  });
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **arguments, void **) {
  ENTER(true);
  const auto &kernel = *static_cast<const Image::Kernel *>(function);
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockX == 0 ||
      blockX > maxThreads || blockY != 1 || blockZ != 1 || sharedBytes != 0)
    return InvalidValue;
  Launch task = {kernel.name,
                 kernel.function,
                 gridX,
                 blockX,
                 {},
                 kernel.shared,
                 &machine.memory.allocations()};
  for (int32_t i = 0; i < kernel.parameters; ++i)
    task.arguments.push_back(*static_cast<const uint64_t *>(arguments[i]));
  return add(stream, [task = std::move(task)] { return launch(task); });
}

} // extern "C"
#pragma GCC visibility pop
