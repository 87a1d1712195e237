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

static constexpr OnnxcDeviceKernel copyKernel = {"copy", "", 2, 1,      1,
                                                 0,      0,  0, nullptr};

const OnnxcDeviceKernel &device::kernelOf(const OnnxcDeviceCode &code,
                                          const Step &step) {
  return step.kernel == kCopy ? copyKernel : code.kernels[step.kernel];
}

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
  uint64_t *words = current.words + step.firstWord;
  if (step.kernel == kCopy)
    return ONNXC_TRY(cuMemcpyDtoDAsync, words[1], words[0], size_t(words[2]),
                     device.stream);
  const OnnxcDeviceKernel &kernel = call->device->kernels[step.kernel];
  Arguments arguments;
  return arguments.set(call, device, kernel, words) &&
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

/// Adds the step to the part, which begins with it or goes on.
bool Launches::append(OnnxcCall *call, DeviceContext &device, const Step &step,
                      const uint64_t *words) {
  if (current.numSteps == kMaxSteps) {
    finishPart(call, device);
    if (!ONNXC_TRY(cuStreamSynchronize, device.stream) ||
        onnxc_rt_poll(call) != ONNXC_OK)
      return false;
  }
  if (current.numSteps == 0)
    findCandidates(call->deviceObserver);
  int64_t numWords = numWordsOf(kernelOf(*call->device, step));
  if (current.add(step.kernel, step.number, step.blocks, words, numWords))
    return true;
  call->fail(ONNXC_ERR_MEMORY, "no memory for a list of launches");
  return false;
}

/// Launches the last step, unless it may wait.
void Launches::go(OnnxcCall *call, DeviceContext &device) {
  if (!waits) {
    launch(call, device, current.steps[current.numSteps - 1]);
    return;
  }
  narrow();
  if (numCandidates == 0 && !call->deviceObserver)
    launchAll(call, device);
}

void Launches::add(OnnxcCall *call, DeviceContext &device, int32_t kernel,
                   int32_t number, uint32_t blocks, const uint64_t *arguments) {
  const OnnxcDeviceKernel &its = call->device->kernels[kernel];
  if (its.numArguments > Arguments::kMaxArguments ||
      its.numMaps > ONNXC_TENSOR_MAPS) {
    call->fail(ONNXC_ERR_INTERNAL,
               "a kernel has %lld parameters and %lld maps of tensors",
               (long long)its.numArguments, (long long)its.numMaps);
    return;
  }
  if (!append(call, device, {kernel, number, blocks, 0}, arguments))
    return;
  device.lastLaunch = kernel;
  if (device.firstLaunch < 0)
    device.firstLaunch = kernel;
  go(call, device);
}

void Launches::addCopy(OnnxcCall *call, DeviceContext &device,
                       OnnxcDevicePointer to, OnnxcDevicePointer from,
                       int64_t bytes) {
  auto all = uint64_t(bytes);
  const uint64_t words[] = {from, to, all, all, 0, all, all, all, 0, all};
  if (append(call, device, {kCopy, -1, 0, 0}, words))
    go(call, device);
}

bool Launches::uses(const OnnxcDeviceCode &code, OnnxcDevicePointer memory,
                    int64_t bytes) const {
  auto size = uint64_t(bytes);
  const BufferPart all = {size, size, 0, size};
  for (int64_t step = 0; step < current.numSteps; ++step) {
    LaunchBuffers buffers = current.buffersOf(code, step);
    for (int64_t i = 0; i < buffers.count; ++i)
      if (overlap(memory, all, buffers.addresses[i], buffers.parts[i]))
        return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool Launches::run(OnnxcCall *call, DeviceContext &device, Replay &replay) {
  moveToFront(replay);
  if (replay.executable &&
      !(isAllowed(call, replay) && update(call, device, replay)))
    destroyGraph(driverOf(device), replay);
  bool isReady = call->status.load(std::memory_order_relaxed) == ONNXC_OK &&
                 (replay.executable || build(call, device, replay));
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
    if (replay.sequence.steps[i].kernel == kCopy)
      continue;
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
