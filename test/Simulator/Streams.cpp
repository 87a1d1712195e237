//===- Streams.cpp - Streams and events of the simulated driver -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Work of streams is done when somebody waits for it and no sooner. Events tell
// a time that is the same in each run: kernels take one microsecond for each
// block, and all else takes none.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <utility>

using namespace onnxc;
using namespace onnxc::simulator;

Stream *simulator::streamOf(void *handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 1)
    return &machine.nullStreams[currentDevice()];
  auto *stream = static_cast<Stream *>(handle);
  bool isAlive = machine.streams.count(stream);
  return isAlive && stream->device == currentDevice() ? stream : nullptr;
}

int simulator::add(void *handle, std::function<int()> task) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  if (int error = captureErrorOf(handle))
    return error;
  stream->tasks.push_back(std::move(task));
  return Success;
}

int simulator::finish(Stream &stream) {
  std::vector<std::function<int()>> tasks = std::move(stream.tasks);
  stream.tasks.clear();
  DeviceMemory::Opened opened(machine.memory);
  for (const auto &task : tasks)
    if (!machine.sticky)
      machine.sticky = task();
  return machine.sticky;
}

int simulator::finishAll() {
  for (Stream &stream : machine.nullStreams)
    finish(stream);
  for (Stream *stream : machine.streams)
    finish(*stream);
  return machine.sticky;
}

int simulator::record(Event *event) {
  event->microseconds = machine.clock;
  event->isOver = true;
  return Success;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

int cuStreamCreate(void **stream, unsigned) {
  ONNXC_ENTER(true);
  ++machine.counters.streams;
  *stream = *machine.streams.insert(new Stream{currentDevice(), {}}).first;
  return Success;
}

int cuStreamDestroy_v2(void *handle) {
  ONNXC_ENTER(true);
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
  ONNXC_ENTER(true);
  Stream *stream = streamOf(handle);
  if (int error = captureErrorOf(handle))
    return error;
  return stream ? finish(*stream) : InvalidHandle;
}

int cuCtxSynchronize() {
  ONNXC_ENTER(true);
  if (!machine.settings.captured)
    return finishAll();
  machine.settings.endsCapture = true;
  return StreamCaptureUnsupported;
}

int cuStreamIsCapturing(void *handle, int *status) {
  ONNXC_ENTER(true);
  int error = captureErrorOf(handle);
  *status = error == StreamCaptureUnsupported;
  return error == StreamCaptureImplicit ? error
         : streamOf(handle)             ? Success
                                        : InvalidHandle;
}

// Fails for no reason but another mode.
int cuThreadExchangeStreamCaptureMode(int *mode) {
  if (*mode < 0 || *mode > 2)
    return InvalidValue;
  std::swap(*mode, captureMode);
  return Success;
}

int cuEventCreate(void **event, unsigned flags) {
  ONNXC_ENTER(true);
  ++machine.counters.events;
  *event = *machine.events.insert(new Event{}).first;
  return flags ? InvalidValue : Success;
}

int cuEventDestroy_v2(void *handle) {
  ONNXC_ENTER(true);
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
  ONNXC_ENTER(true);
  auto *event = static_cast<Event *>(handle);
  if (machine.events.count(event) == 0)
    return InvalidHandle;
  event->isOver = false;
  return add(stream, [event] { return record(event); });
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  ONNXC_ENTER(true);
  auto *begin = static_cast<Event *>(from), *end = static_cast<Event *>(to);
  if (machine.events.count(begin) == 0 || machine.events.count(end) == 0)
    return InvalidHandle;
  if (!begin->isOver || !end->isOver)
    return NotReady;
  *milliseconds = float(end->microseconds - begin->microseconds) / 1000;
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
