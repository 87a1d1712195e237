//===- LaunchGraphs.cpp - CUDA graphs of launches ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Arguments.h"
#include "device/Launches.h"
#include "device/Run.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

static KernelNode nodeOf(OnnxcCall *call, const DeviceContext &device,
                         const Step &step, Arguments &arguments) {
  const OnnxcDeviceKernel &kernel = call->device->kernels[step.kernel];
  return {device.code->functions[step.kernel],
          step.blocks,
          1,
          1,
          unsigned(kernel.threads),
          1,
          1,
          unsigned(kernel.sharedBytes),
          arguments.pointers,
          nullptr};
}

/// A copy of as many bytes as words of a step say.
static MemoryCopy copyOf(const uint64_t *words) {
  MemoryCopy copy = {};
  copy.from.type = copy.to.type = DeviceMemory;
  copy.from.device = words[0];
  copy.to.device = words[1];
  copy.bytes = words[2];
  copy.height = copy.depth = 1;
  return copy;
}

/// Adds the node of a launch, after others.
bool Launches::addNode(OnnxcCall *call, DeviceContext &device, Replay &replay,
                       int64_t step, const GraphNode *before,
                       int64_t numBefore) {
  const Step &its = current.steps[step];
  if (its.kernel == kCopy) {
    MemoryCopy copy = copyOf(current.words + its.firstWord);
    return ONNXC_TRY(cuGraphAddMemcpyNode, &replay.nodes[step], replay.graph,
                     numBefore ? before : nullptr, size_t(numBefore), &copy,
                     device.code->context);
  }
  Arguments arguments;
  if (!arguments.set(call, device, call->device->kernels[its.kernel],
                     current.words + its.firstWord))
    return false;
  KernelNode node = nodeOf(call, device, its, arguments);
  return ONNXC_TRY(cuGraphAddKernelNode, &replay.nodes[step], replay.graph,
                   numBefore ? before : nullptr, size_t(numBefore), &node);
}

namespace {
/// What the nodes of a graph are added with; `before` and `direct` are those of
/// one launch.
struct Scratch {
  explicit Scratch(int64_t count)
      : before(
            static_cast<GraphNode *>(calloc(size_t(count), sizeof(GraphNode)))),
        direct(
            static_cast<int64_t *>(calloc(size_t(2 * count), sizeof(int64_t)))),
        depths(direct ? direct + count : nullptr) {}
  ~Scratch() {
    free(before);
    free(direct);
  }

  GraphNode *before;
  int64_t *direct;
  int64_t *depths; ///< of each launch: of the longest chain that it ends
};
} // namespace

/// Adds the nodes, each after those that it conflicts with.
bool Launches::addBranches(OnnxcCall *call, DeviceContext &device,
                           Replay &replay) {
  Scratch scratch(current.numSteps);
  if (!scratch.before || !scratch.direct ||
      !replay.order.create(current.numSteps)) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for a list of launches");
    return false;
  }
  int64_t longest = 0;
  for (int64_t step = 0; step < current.numSteps; ++step) {
    int64_t numDirect =
        replay.order.add(*call->device, current, step, scratch.direct);
    int64_t &depth = scratch.depths[step] = 1;
    for (int64_t i = 0; i < numDirect; ++i) {
      int64_t earlier = scratch.direct[i];
      scratch.before[i] = replay.nodes[earlier];
      if (depth <= scratch.depths[earlier])
        depth = scratch.depths[earlier] + 1;
    }
    longest = depth > longest ? depth : longest;
    if (!addNode(call, device, replay, step, scratch.before, numDirect))
      return false;
  }
  call->info("CUDA graph of %lld launches, the longest chain has %lld",
             (long long)current.numSteps, (long long)longest);
  return true;
}

/// Adds the nodes one after the other, with events in between.
bool Launches::addTimed(OnnxcCall *call, DeviceContext &device,
                        Replay &replay) {
  GraphNode last = nullptr;
  auto addEvent = [&](Event &event) {
    if (!ONNXC_TRY(cuEventCreate, &event, 0)) {
      event = nullptr;
      return false;
    }
    GraphNode before = last;
    return ONNXC_TRY(cuGraphAddEventRecordNode, &last, replay.graph,
                     before ? &before : nullptr, before ? 1 : 0, event);
  };
  for (int64_t i = 0; i < current.numSteps; ++i) {
    if (!addEvent(replay.events[i]) ||
        !addNode(call, device, replay, i, &last, 1))
      return false;
    last = replay.nodes[i];
  }
  return addEvent(replay.events[current.numSteps]);
}

/// A graph of the part.
bool Launches::build(OnnxcCall *call, DeviceContext &device, Replay &replay) {
  auto count = size_t(current.numSteps);
  replay.nodes = static_cast<GraphNode *>(calloc(count, sizeof(GraphNode)));
  if (replay.isTimed)
    replay.events = static_cast<Event *>(calloc(count + 1, sizeof(Event)));
  if (!replay.nodes || (replay.isTimed && !replay.events)) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for a list of launches");
    return false;
  }
  replay.numEvents = replay.isTimed ? current.numSteps + 1 : 0;
  if (!ONNXC_TRY(cuGraphCreate, &replay.graph, 0)) {
    replay.graph = nullptr;
    return false;
  }
  if (!(replay.isTimed ? addTimed(call, device, replay)
                       : addBranches(call, device, replay)))
    return false;
  if (!ONNXC_TRY(cuGraphInstantiateWithFlags, &replay.executable, replay.graph,
                 0)) {
    replay.executable = nullptr;
    return false;
  }
  return true;
}

/// Returns true if the launch has the words that it had in the last run of the
/// graph.
static bool isSame(const OnnxcDeviceCode &code, const Sequence &a,
                   const Sequence &b, int64_t step) {
  int64_t first = a.steps[step].firstWord;
  int64_t count = numWordsOf(kernelOf(code, a.steps[step]));
  return memcmp(a.words + first, b.words + first,
                size_t(count) * sizeof(uint64_t)) == 0;
}

/// Returns false if buffers of the run conflict that did not when the graph was
/// made: blocks and tensors of the caller may lie elsewhere.
bool Launches::isAllowed(OnnxcCall *call, const Replay &replay) const {
  for (int64_t i = 0; !replay.isTimed && i < current.numSteps; ++i)
    if (!isSame(*call->device, current, replay.sequence, i) &&
        !replay.order.allows(*call->device, current, i))
      return false;
  return true;
}

/// Returns false, with the reason in the log, if the driver refuses to update a
/// node, such as to copy memory of another kind: only a new graph has it.
static bool isTaken(OnnxcCall *call, const DeviceContext &device, Result error,
                    const char *function) {
  if (!error)
    return true;
  Message reason;
  driverOf(device).explain(error, function, reason);
  call->info("a CUDA graph is made again: %s", reason.text);
  return false;
}

/// Gives the node of a step its arguments.
bool Launches::updateNode(OnnxcCall *call, DeviceContext &device,
                          Replay &replay, int64_t step) {
  const Driver &driver = driverOf(device);
  const Step &its = current.steps[step];
  uint64_t *words = current.words + its.firstWord;
  if (its.kernel == kCopy) {
    MemoryCopy copy = copyOf(words);
    return isTaken(
        call, device,
        driver.cuGraphExecMemcpyNodeSetParams(
            replay.executable, replay.nodes[step], &copy, device.code->context),
        "cuGraphExecMemcpyNodeSetParams");
  }
  Arguments arguments;
  if (!arguments.set(call, device, call->device->kernels[its.kernel], words))
    return false;
  KernelNode node = nodeOf(call, device, its, arguments);
  return isTaken(call, device,
                 driver.cuGraphExecKernelNodeSetParams(
                     replay.executable, replay.nodes[step], &node),
                 "cuGraphExecKernelNodeSetParams");
}

/// Gives the nodes whose arguments differ from those of the last run their
/// arguments. Returns false if the driver refuses one, or after an error of the
/// run.
bool Launches::update(OnnxcCall *call, DeviceContext &device, Replay &replay) {
  for (int64_t i = 0; i < current.numSteps; ++i)
    if (!isSame(*call->device, current, replay.sequence, i) &&
        !updateNode(call, device, replay, i))
      return false;
  return true;
}
