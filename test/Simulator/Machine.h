//===- Machine.h - The state of the simulated driver ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_MACHINE_H
#define ONNXC_TEST_SIMULATOR_MACHINE_H

#include "Image.h"
#include "Memory.h"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sys/types.h>
#include <type_traits>

namespace onnxc::simulator {

/// CUDA_SUCCESS and CUDA_ERROR_...
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
  IllegalAddress = 700,
  LaunchFailed = 719,
  StreamCaptureUnsupported = 900,
  StreamCaptureImplicit = 906,
};

inline constexpr int maxDevices = 8;

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

/// CUDA_MEMCPY3D.
struct MemoryCopy {
  struct Side {
    size_t x, y, z, level;
    unsigned type;
    const void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
  };
  Side from, to;
  size_t bytes, height, depth;
};

/// A kernel, a copy on the device, or an event to record.
struct Node {
  Launch launch;
  MemoryCopy copy = {}; ///< of no bytes: none
  Event *event = nullptr;
  std::vector<const Node *> dependencies = {}; ///< nodes of the same graph
};

/// The nodes of a graph, each after those that it depends on.
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

/// What runs, by the nodes of the graph it was made from.
struct Executable {
  std::vector<std::pair<const Node *, Node>> nodes;
};

/// Those of the environment.
Settings initialSettings();

/// The driver and its device.
struct Machine {
  std::recursive_mutex mutex;
  Counters counters = {};
  std::map<std::string, Counters> ofKernels; ///< what each has accessed
  Settings settings = initialSettings();
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
extern Machine &machine;
/// The contexts that the thread has pushed. A model that is unloaded when the
/// process ends pushes its context after the destructors of the thread have
/// run.
class ContextStack {
public:
  bool empty() const { return count == 0; }
  int size() const { return count; }
  int *back() const { return pushed[count - 1]; }
  /// Returns false if there are as many as the stack can have.
  bool push(int *context) {
    if (count == maxDepth)
      return false;
    pushed[count++] = context;
    return true;
  }
  void pop() { --count; }

private:
  static constexpr int maxDepth = 64;
  int *pushed[maxDepth] = {};
  int count = 0;
};
static_assert(std::is_trivially_destructible_v<ContextStack>);
extern thread_local ContextStack contexts;
/// CU_STREAM_CAPTURE_MODE_... of the thread, at first that of all threads.
extern thread_local int captureMode;

/// The device of a primary context; -1 for no such context.
int deviceOf(const void *context);
/// That of the thread's context; -1 without one.
int currentDevice();

/// The error of a call that comes in now: an injected one, or one of its state.
/// What kernels have done is reported by calls that need a context.
int stateError(bool needsContext);

/// That of a call that allocates, frees or loads while a stream is captured
/// which forbids such calls to the thread (CUDA driver API,
/// cuThreadExchangeStreamCaptureMode).
int captureError();

/// Begins each function that may fail.
#define ONNXC_ENTER(NEEDS_CONTEXT)                                             \
  std::lock_guard<std::recursive_mutex> locked(machine.mutex);                 \
  if (int error = stateError(NEEDS_CONTEXT))                                   \
  return error

//===----------------------------------------------------------------------===//
// Work of streams
//===----------------------------------------------------------------------===//

/// That of the current device; null for what is none. CU_STREAM_LEGACY is 1.
Stream *streamOf(void *handle);
/// That of a call that uses the stream while one is captured.
int captureErrorOf(void *stream);
/// Puts work into a stream.
int add(void *stream, std::function<int()> task);
/// Does the work of a stream, or of all.
int finish(Stream &stream);
int finishAll();
/// Notes the time in an event.
int record(Event *event);

/// False for copies that are not of bytes of the device which lie one after
/// the other, and do not overlap.
bool isValid(const MemoryCopy &copy);
int copy(const MemoryCopy &copy);

/// False for what no kernel takes. CUDA driver API, cuLaunchKernelEx: a grid
/// consists of whole clusters.
bool prepare(const KernelNode &its, Launch &task);
/// Runs a kernel.
int launch(const Launch &launch);

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_MACHINE_H
