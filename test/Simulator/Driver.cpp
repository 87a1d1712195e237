//===- Driver.cpp - The libcuda.so.1 of a simulated device ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that the runtime uses, as strict as their manual allows: work
// of streams is done when somebody waits for it and no sooner, memory that is
// to be copied to is overwritten at once, calls without initialisation, context
// or living objects fail, and so does every call after a kernel has failed.
// Events tell a time that is the same in each run: kernels take one microsecond
// for each block, and all else takes none.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
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
  NotReady = 600,
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
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

constexpr int maxDevices = 8;

struct Stream {
  int device;
  std::vector<std::function<int()>> tasks;
};

struct Event {
  bool isOver;
  int64_t microseconds; ///< of the machine's clock
};

/// CUDA_KERNEL_NODE_PARAMS of the first version.
struct KernelNode {
  void *function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **arguments, **extra;
};

/// A kernel, or an event to record.
struct Node {
  Launch launch;
  Event *event = nullptr;
};

/// The nodes of a graph, each behind the one before.
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

/// What runs, by the nodes of the graph it was made from.
struct Executable {
  std::vector<std::pair<const Node *, Node>> nodes;
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
  std::map<std::string, Counters> ofKernels; ///< what each has accessed
  Settings settings = {fromEnvironment("ONNXC_SIMULATOR_FAIL_AT", -1),
                       LaunchFailed,
                       uint64_t(fromEnvironment("ONNXC_SIMULATOR_SEED", 1)),
                       /*devices=*/1,
                       /*capability=*/990,
                       /*version=*/12040,
                       /*refused=*/0,
                       /*countsSectors=*/isAskedFor("sectors") ||
                           isAskedFor("kernels"),
                       fromEnvironment("ONNXC_SIMULATOR_BLOCKS", 0)};
  pid_t process = 0;            ///< that has called cuInit
  int primary[maxDevices] = {}; ///< its addresses are the primary contexts
  int retained[maxDevices] = {};
  int64_t clock = 0; ///< microseconds
  int sticky = Success;
  std::string problem;
  DeviceMemory memory;
  Stream nullStreams[maxDevices] = {};
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<Graph *> graphs;
  std::set<Executable *> executables;
  std::set<Image *> images;
  bool hasEnded = false; ///< with the process
};

/// Never destroyed: models may be unloaded when the process has ended it.
Machine &machine = *new Machine;
thread_local std::vector<int *> contexts;

/// The device of a primary context; -1 for no such context.
int deviceOf(const void *context) {
  for (int i = 0; i < machine.settings.devices; ++i)
    if (context == &machine.primary[i])
      return i;
  return -1;
}
int currentDevice() {
  return contexts.empty() ? -1 : deviceOf(contexts.back());
}

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
  if (needsContext && currentDevice() < 0)
    return InvalidContext;
  return needsContext ? machine.sticky : int(Success);
}

} // namespace

static void printAccesses(const char *whose, const Counters &its) {
  std::fprintf(stderr,
               "simulator: %ssectors %lld of %lld requests, steps %lld of %lld "
               "requests to shared memory\n",
               whose, (long long)its.sectors, (long long)its.requests,
               (long long)its.sharedSteps, (long long)its.sharedRequests);
}

__attribute__((destructor)) static void endMachine() {
  machine.hasEnded = true;
  const Counters &its = machine.counters;
  if (std::getenv("ONNXC_SIMULATOR_COUNTERS"))
    std::fprintf(stderr,
                 "simulator: launches %lld, copies in %lld, copies out %lld, "
                 "allocations %lld, left %lld\n",
                 (long long)its.launches, (long long)its.copiesIn,
                 (long long)its.copiesOut, (long long)its.allocations,
                 (long long)(its.memory + its.streams + its.modules +
                             its.retains + its.graphs + its.events));
  if (isAskedFor("graphs"))
    std::fprintf(
        stderr,
        "simulator: graphs %lld, updates %lld, copies on the device %lld\n",
        (long long)its.graphLaunches, (long long)its.nodeUpdates,
        (long long)its.copiesOn);
  if (isAskedFor("sectors"))
    printAccesses("", its);
  if (isAskedFor("kernels"))
    for (const auto &[name, counters] : machine.ofKernels)
      printAccesses((name + ": ").c_str(), counters);
}

#define ENTER(NEEDS_CONTEXT)                                                   \
  std::lock_guard<std::recursive_mutex> locked(machine.mutex);                 \
  if (int error = stateError(NEEDS_CONTEXT))                                   \
  return error

//===----------------------------------------------------------------------===//
// Work of streams
//===----------------------------------------------------------------------===//

/// Those of the current device; CU_STREAM_LEGACY is 1.
static Stream *streamOf(void *handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 1)
    return &machine.nullStreams[currentDevice()];
  auto *stream = static_cast<Stream *>(handle);
  bool isAlive = machine.streams.count(stream);
  return isAlive && stream->device == currentDevice() ? stream : nullptr;
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
  for (Stream &stream : machine.nullStreams)
    finish(stream);
  for (Stream *stream : machine.streams)
    finish(*stream);
  return machine.sticky;
}

/// Adds what has been accessed between two counts.
static void addAccesses(Counters &sum, const Counters &before,
                        const Counters &after) {
  for (int64_t Counters::*count :
       {&Counters::requests, &Counters::sectors, &Counters::sharedRequests,
        &Counters::sharedSteps})
    sum.*count += after.*count - before.*count;
}

static int launch(const Launch &launch) {
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

static int record(Event *event) {
  event->microseconds = machine.clock;
  event->isOver = true;
  return Success;
}

static int run(const Node &node) {
  return node.event ? record(node.event) : launch(node.launch);
}

/// Adds a node if it is behind the last one.
static int addNode(void **handle, void *graphHandle, void *const *dependencies,
                   size_t numDependencies, Node node) {
  auto *graph = static_cast<Graph *>(graphHandle);
  bool isBehindLast =
      machine.graphs.count(graph) &&
      numDependencies == (graph->nodes.empty() ? 0 : 1) &&
      (graph->nodes.empty() || dependencies[0] == graph->nodes.back().get());
  if (!isBehindLast)
    return InvalidValue;
  graph->nodes.push_back(std::make_unique<Node>(std::move(node)));
  *handle = graph->nodes.back().get();
  return Success;
}

/// False for what no kernel takes.
static bool prepare(const KernelNode &its, Launch &task) {
  const auto &kernel = *static_cast<const Image::Kernel *>(its.function);
  if (its.gridX == 0 || its.gridY != 1 || its.gridZ != 1 || its.blockX == 0 ||
      its.blockX > maxThreads || its.blockY != 1 || its.blockZ != 1 ||
      its.sharedBytes > kernel.mostSharedBytes || its.extra)
    return false;
  task = {kernel.name,
          kernel.function,
          its.gridX,
          its.blockX,
          {},
          {},
          its.sharedBytes ? dynamicSharedMemory(its.sharedBytes)
                          : kernel.shared,
          &machine.memory.allocations()};
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

Counters *simulatorCounters() { return &machine.counters; }
Settings *simulatorSettings() { return &machine.settings; }
const char *simulatorProblem() { return machine.problem.c_str(); }
void simulatorRecover() {
  machine.sticky = Success;
  for (Stream &stream : machine.nullStreams)
    stream.tasks.clear();
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

int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER(false);
  ++machine.counters.retains;
  ++machine.retained[device];
  *context = &machine.primary[device];
  return Success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(false);
  if (machine.retained[device] == 0)
    return InvalidContext;
  --machine.counters.retains;
  --machine.retained[device];
  return Success;
}

int cuCtxPushCurrent_v2(void *context) {
  ENTER(false);
  int device = deviceOf(context);
  if (device < 0 || machine.retained[device] == 0)
    return InvalidContext;
  contexts.push_back(static_cast<int *>(context));
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

int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER(true);
  constexpr int maxDynamicSharedBytes = 8;
  if (!function || attribute != maxDynamicSharedBytes || value < 0 ||
      unsigned(value) > maxSharedBytes)
    return InvalidValue;
  static_cast<Image::Kernel *>(function)->mostSharedBytes = unsigned(value);
  return Success;
}

int cuStreamCreate(void **stream, unsigned) {
  ENTER(true);
  ++machine.counters.streams;
  *stream = *machine.streams.insert(new Stream{currentDevice(), {}}).first;
  return Success;
}

int cuStreamDestroy_v2(void *handle) {
  ENTER(true);
  Stream *stream = streamOf(handle);
  if (!stream || reinterpret_cast<uintptr_t>(handle) <= 1)
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

int cuEventCreate(void **event, unsigned flags) {
  ENTER(true);
  ++machine.counters.events;
  *event = *machine.events.insert(new Event{}).first;
  return flags ? InvalidValue : Success;
}

int cuEventDestroy_v2(void *handle) {
  ENTER(true);
  auto *event = static_cast<Event *>(handle);
  if (int error = finishAll())
    return error;
  if (machine.events.erase(event) == 0)
    return InvalidHandle;
  --machine.counters.events;
  delete event;
  return Success;
}

int cuEventRecord(void *handle, void *stream) {
  ENTER(true);
  auto *event = static_cast<Event *>(handle);
  if (machine.events.count(event) == 0)
    return InvalidHandle;
  event->isOver = false;
  return add(stream, [event] { return record(event); });
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  ENTER(true);
  auto *begin = static_cast<Event *>(from), *end = static_cast<Event *>(to);
  if (machine.events.count(begin) == 0 || machine.events.count(end) == 0)
    return InvalidHandle;
  if (!begin->isOver || !end->isOver)
    return NotReady;
  *milliseconds = float(end->microseconds - begin->microseconds) / 1000;
  return Success;
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
  ++machine.counters.copiesOn;
  machine.counters.bytesOn += int64_t(bytes);
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
                   void **arguments, void **extra) {
  ENTER(true);
  Launch task;
  if (!prepare({function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                sharedBytes, arguments, extra},
               task))
    return InvalidValue;
  return add(stream, [task = std::move(task)] { return launch(task); });
}

int cuTensorMapEncodeTiled(TensorMap *map, int elementType, uint32_t rank,
                           uint64_t address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  ENTER(false);
  bool isMade =
      encodeTensorMap(map, {elementType, rank, address, sizes, strides, box,
                            steps, interleave, swizzle, promotion, fill});
  return isMade ? Success : InvalidValue;
}

int cuGraphCreate(void **graph, unsigned flags) {
  ENTER(true);
  ++machine.counters.graphs;
  *graph = *machine.graphs.insert(new Graph).first;
  return flags ? InvalidValue : Success;
}

int cuGraphDestroy(void *handle) {
  ENTER(true);
  auto *graph = static_cast<Graph *>(handle);
  if (machine.graphs.erase(graph) == 0)
    return InvalidValue;
  --machine.counters.graphs;
  delete graph;
  return Success;
}

int cuGraphAddKernelNode(void **node, void *handle, void *const *dependencies,
                         size_t numDependencies, const KernelNode *parameters) {
  ENTER(true);
  Node kernel;
  return prepare(*parameters, kernel.launch)
             ? addNode(node, handle, dependencies, numDependencies, kernel)
             : int(InvalidValue);
}

int cuGraphAddEventRecordNode(void **node, void *handle,
                              void *const *dependencies, size_t numDependencies,
                              void *event) {
  ENTER(true);
  Node recording;
  recording.event = static_cast<Event *>(event);
  return machine.events.count(recording.event)
             ? addNode(node, handle, dependencies, numDependencies, recording)
             : int(InvalidHandle);
}

int cuGraphInstantiateWithFlags(void **handle, void *from,
                                unsigned long long flags) {
  ENTER(true);
  auto *graph = static_cast<Graph *>(from);
  if (machine.graphs.count(graph) == 0 || flags)
    return InvalidValue;
  auto *executable = new Executable;
  for (const auto &node : graph->nodes)
    executable->nodes.push_back({node.get(), *node});
  ++machine.counters.graphs;
  *handle = *machine.executables.insert(executable).first;
  return Success;
}

int cuGraphExecKernelNodeSetParams(void *handle, void *node,
                                   const KernelNode *parameters) {
  ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0)
    return InvalidValue;
  ++machine.counters.nodeUpdates;
  for (auto &[known, task] : executable->nodes)
    if (known == node && !task.event)
      return prepare(*parameters, task.launch) ? Success : InvalidValue;
  return InvalidValue;
}

int cuGraphLaunch(void *handle, void *stream) {
  ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.count(executable) == 0)
    return InvalidValue;
  ++machine.counters.graphLaunches;
  for (const auto &[node, task] : executable->nodes) {
    if (task.event)
      task.event->isOver = false;
    if (int error = add(stream, [task = task] { return run(task); }))
      return error;
  }
  return Success;
}

int cuGraphExecDestroy(void *handle) {
  ENTER(true);
  auto *executable = static_cast<Executable *>(handle);
  if (machine.executables.erase(executable) == 0)
    return InvalidValue;
  --machine.counters.graphs;
  delete executable;
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
