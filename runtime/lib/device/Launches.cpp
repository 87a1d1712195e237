//===- Launches.cpp - Launches of a run, replayed by graphs -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/Launches.h"

#include "device/Arguments.h"
#include "device/Run.h"

#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Room for so many elements; false without memory.
template <typename T>
static bool reserve(T *&elements, int64_t &capacity, int64_t wanted) {
  if (wanted <= capacity)
    return true;
  int64_t more = 2 * capacity > wanted ? 2 * capacity : wanted + 16;
  void *grown = realloc(elements, size_t(more) * sizeof(T));
  if (!grown)
    return false;
  elements = static_cast<T *>(grown);
  capacity = more;
  return true;
}

bool Sequence::add(int32_t kernel, int32_t number, uint32_t blocks,
                   const uint64_t *arguments, int64_t numArguments) {
  if (!reserve(steps, stepCapacity, numSteps + 1) ||
      !reserve(words, wordCapacity, numWords + numArguments))
    return false;
  steps[numSteps++] = {kernel, number, blocks, numWords};
  for (int64_t i = 0; i < numArguments; ++i)
    words[numWords++] = arguments[i];
  return true;
}

void Sequence::destroy() {
  free(steps);
  free(words);
  *this = {};
}

/// The words of a launch of the kernel.
static int64_t numWordsOf(const OnnxcDeviceKernel &kernel) {
  return kernel.numArguments + kernel.numInputs + kernel.numOutputs;
}

static void destroyGraph(const Driver &driver, Replay &replay) {
  if (replay.executable)
    driver.cuGraphExecDestroy(replay.executable);
  if (replay.graph)
    driver.cuGraphDestroy(replay.graph);
  for (int64_t i = 0; i < replay.numEvents; ++i)
    if (replay.events[i])
      driver.cuEventDestroy(replay.events[i]);
  free(replay.nodes);
  free(replay.events);
  replay.order.destroy();
  replay.executable = nullptr;
  replay.graph = nullptr;
  replay.nodes = nullptr;
  replay.events = nullptr;
  replay.numEvents = 0;
}

static void destroyReplay(const Driver &driver, Replay *replay) {
  destroyGraph(driver, *replay);
  replay->sequence.destroy();
  free(replay);
}

//===----------------------------------------------------------------------===//
// Launches one by one
//===----------------------------------------------------------------------===//

bool Launches::launch(OnnxcCall *call, DeviceContext &device,
                      const Step &step) {
  const OnnxcDeviceKernel &kernel = call->device->kernels[step.kernel];
  Arguments arguments;
  return arguments.set(call, device, kernel, current.words + step.firstWord) &&
         ONNXC_TRY(cuLaunchKernel, device.code->functions[step.kernel],
                   step.blocks, 1, 1, unsigned(kernel.threads), 1, 1,
                   unsigned(kernel.sharedBytes), device.stream,
                   arguments.pointers, nullptr);
}

void Launches::launchAll(OnnxcCall *call, DeviceContext &device) {
  waits = false;
  for (int64_t i = 0; i < current.numSteps; ++i)
    if (!launch(call, device, current.steps[i]))
      return;
}

/// The noted forms of the part that begins.
void Launches::findCandidates(bool isTimed) {
  numCandidates = 0;
  for (Replay *replay = replays; replay; replay = replay->next)
    if (replay->part == part && replay->isTimed == isTimed &&
        numCandidates < kForms)
      candidates[numCandidates++] = replay;
  waits = isTimed || numCandidates > 0;
}

/// Keeps those that go on with the last launch.
void Launches::narrow() {
  int64_t last = current.numSteps - 1, kept = 0;
  const Step &step = current.steps[last];
  for (int64_t i = 0; i < numCandidates; ++i) {
    const Sequence &its = candidates[i]->sequence;
    if (last < its.numSteps && its.steps[last].kernel == step.kernel &&
        its.steps[last].blocks == step.blocks)
      candidates[kept++] = candidates[i];
  }
  numCandidates = kept;
}

void Launches::add(OnnxcCall *call, DeviceContext &device, int32_t kernel,
                   int32_t number, uint32_t blocks, const uint64_t *arguments) {
  const OnnxcDeviceKernel &its = call->device->kernels[kernel];
  int64_t numArguments = its.numArguments, numMaps = its.numMaps;
  if (numArguments > Arguments::kMost || numMaps > ONNXC_TENSOR_MAPS) {
    call->fail(ONNXC_ERR_INTERNAL,
               "a kernel has %lld parameters and %lld maps of tensors",
               (long long)numArguments, (long long)numMaps);
    return;
  }
  if (current.numSteps == kMaxSteps) {
    finishPart(call, device);
    if (!ONNXC_TRY(cuStreamSynchronize, device.stream) ||
        onnxc_rt_poll(call) != ONNXC_OK)
      return;
  }
  if (current.numSteps == 0)
    findCandidates(call->deviceObserver);
  if (!current.add(kernel, number, blocks, arguments, numWordsOf(its))) {
    call->fail(ONNXC_ERR_MEMORY, "no memory for a list of launches");
    return;
  }
  device.lastLaunch = kernel;
  if (device.firstLaunch < 0)
    device.firstLaunch = kernel;
  if (!waits) {
    launch(call, device, current.steps[current.numSteps - 1]);
    return;
  }
  narrow();
  if (numCandidates == 0 && !call->deviceObserver)
    launchAll(call, device);
}

bool Launches::uses(const OnnxcDeviceCode &code, OnnxcDevicePointer memory,
                    int64_t bytes) const {
  for (int64_t step = 0; step < current.numSteps; ++step) {
    LaunchBuffers buffers = current.buffersOf(code, step);
    for (int64_t i = 0; i < buffers.count; ++i)
      if (buffers.overlaps(i, memory, uint64_t(bytes)))
        return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

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

/// Adds the node of a launch, behind others.
bool Launches::addNode(OnnxcCall *call, DeviceContext &device, Replay &replay,
                       int64_t step, const GraphNode *before,
                       int64_t numBefore) {
  const Step &its = current.steps[step];
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

/// Adds the nodes, each behind those that it conflicts with.
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

/// Adds the nodes one behind the other, with events in between.
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

/// Has the launch the words that it had in the last run of the graph?
static bool isSame(const OnnxcDeviceCode &code, const Sequence &a,
                   const Sequence &b, int64_t step) {
  int64_t first = a.steps[step].firstWord;
  int64_t count = numWordsOf(code.kernels[a.steps[step].kernel]);
  return memcmp(a.words + first, b.words + first,
                size_t(count) * sizeof(uint64_t)) == 0;
}

/// False if buffers of the run conflict that did not when the graph was made:
/// blocks and tensors of the caller may lie elsewhere.
bool Launches::isAllowed(OnnxcCall *call, const Replay &replay) const {
  for (int64_t i = 0; !replay.isTimed && i < current.numSteps; ++i)
    if (!isSame(*call->device, current, replay.sequence, i) &&
        !replay.order.allows(*call->device, current, i))
      return false;
  return true;
}

/// Gives nodes the arguments that are other than in the last run.
bool Launches::update(OnnxcCall *call, DeviceContext &device, Replay &replay) {
  for (int64_t i = 0; i < current.numSteps; ++i) {
    const Step &step = current.steps[i];
    if (isSame(*call->device, current, replay.sequence, i))
      continue;
    Arguments arguments;
    if (!arguments.set(call, device, call->device->kernels[step.kernel],
                       current.words + step.firstWord))
      return false;
    KernelNode node = nodeOf(call, device, step, arguments);
    if (!ONNXC_TRY(cuGraphExecKernelNodeSetParams, replay.executable,
                   replay.nodes[i], &node))
      return false;
  }
  return true;
}

bool Launches::run(OnnxcCall *call, DeviceContext &device, Replay &replay) {
  moveToFront(replay);
  if (replay.executable && !isAllowed(call, replay))
    destroyGraph(driverOf(device), replay);
  bool isReady = replay.executable ? update(call, device, replay)
                                   : build(call, device, replay);
  if (isReady && ONNXC_TRY(cuGraphLaunch, replay.executable, device.stream)) {
    Sequence previous = replay.sequence;
    replay.sequence = current;
    current = previous;
    return true;
  }
  destroyGraph(driverOf(device), replay); // a later run makes another one
  return false;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Records the event that the times of the run count from.
bool Launches::beginTimes(OnnxcCall *call, DeviceContext &device) {
  if (hasOrigin)
    return true;
  if (!driverOf(device).hasGraphs()) {
    call->fail(ONNXC_ERR_TARGET,
               "times of launches need a driver of CUDA 11.4 or later");
    return false;
  }
  if (!origin && !ONNXC_TRY(cuEventCreate, &origin, 0)) {
    origin = nullptr;
    return false;
  }
  return hasOrigin = ONNXC_TRY(cuEventRecord, origin, device.stream);
}

void Launches::tellTimes(OnnxcCall *call, DeviceContext &device,
                         Replay &replay) {
  for (int64_t i = 0; i < replay.sequence.numSteps; ++i) {
    const Event *events = replay.events + i;
    float begin = 0, time = 0;
    if (!ONNXC_TRY(cuEventElapsedTime, &begin, origin, events[0]) ||
        !ONNXC_TRY(cuEventElapsedTime, &time, events[0], events[1]))
      return;
    call->deviceObserver(call->deviceObserverUser,
                         replay.sequence.steps[i].number, double(begin),
                         double(time));
  }
}

/// Runs the part, as the noted form `same` of it if there is one.
void Launches::runTimed(OnnxcCall *call, DeviceContext &device, Replay *same) {
  if (!beginTimes(call, device))
    return;
  Replay *form = same ? same : addForm(driverOf(device), /*isTimed=*/true);
  if (!form)
    call->fail(ONNXC_ERR_MEMORY, "no memory for a list of launches");
  else if (run(call, device, *form) &&
           ONNXC_TRY(cuStreamSynchronize, device.stream))
    tellTimes(call, device, *form);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void Launches::moveToFront(Replay &replay) {
  Replay **link = &replays;
  while (*link != &replay)
    link = &(*link)->next;
  *link = replay.next;
  replay.next = replays;
  replays = &replay;
}

/// A form of the part, still without launches; null without memory. The one
/// that was used least recently makes way.
Replay *Launches::addForm(const Driver &driver, bool isTimed) {
  auto *replay = static_cast<Replay *>(calloc(1, sizeof(Replay)));
  if (!replay)
    return nullptr;
  replay->part = part;
  replay->isTimed = isTimed;
  replay->next = replays;
  replays = replay;
  int64_t forms = 0, all = 0;
  for (Replay **link = &replays; *link;) {
    Replay *known = *link;
    bool isForm = known->part == part && known->isTimed == isTimed;
    bool isTooOld = (isForm && ++forms > kForms) || ++all > kReplays;
    if (isTooOld) {
      *link = known->next;
      destroyReplay(driver, known);
    } else {
      link = &known->next;
    }
  }
  return replay;
}

/// Launches what waits, and notes a part that has no form yet.
void Launches::runPart(OnnxcCall *call, DeviceContext &device, Replay *same) {
  if (same)
    run(call, device, *same);
  else if (waits)
    launchAll(call, device);
  // One launch is no slower than a graph of it.
  bool isNoted = !same && current.numSteps > 1 && part < kReplays &&
                 driverOf(device).hasGraphs();
  Replay *form =
      isNoted ? addForm(driverOf(device), /*isTimed=*/false) : nullptr;
  if (!form)
    return; // it is launched one by one again
  form->sequence = current;
  current = {};
}

void Launches::finishPart(OnnxcCall *call, DeviceContext &device) {
  if (current.numSteps == 0)
    return;
  Replay *same = nullptr;
  for (int64_t i = 0; waits && !same && i < numCandidates; ++i)
    if (candidates[i]->sequence.numSteps == current.numSteps)
      same = candidates[i];
  if (call->deviceObserver)
    runTimed(call, device, same);
  else
    runPart(call, device, same);
  current.clear();
  waits = false;
  ++part;
}

void Launches::startRun() {
  current.clear();
  waits = false;
  hasOrigin = false;
  part = 0;
}

void Launches::destroy(const Driver &driver) {
  while (Replay *replay = replays) {
    replays = replay->next;
    destroyReplay(driver, replay);
  }
  if (origin)
    driver.cuEventDestroy(origin);
  origin = nullptr;
  current.destroy();
}
