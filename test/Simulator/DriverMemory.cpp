//===- DriverMemory.cpp - Memory of the simulated driver --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Memory that is to be copied to is overwritten at once. Freeing waits for
// nothing, which cuMemFree need not do (CUDA driver API): work that uses the
// memory afterwards fails.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstring>

using namespace onnxc;
using namespace onnxc::simulator;

bool simulator::isValid(const MemoryCopy &its) {
  auto isPlain = [&](const MemoryCopy::Side &side) {
    return side.x == 0 && side.y == 0 && side.z == 0 && side.level == 0 &&
           side.type == 2 && machine.memory.contains(side.device, its.bytes);
  };
  uint64_t from = its.from.device, to = its.to.device;
  return isPlain(its.from) && isPlain(its.to) && its.bytes > 0 &&
         its.height == 1 && its.depth == 1 &&
         (to >= from + its.bytes || from >= to + its.bytes);
}

int simulator::copy(const MemoryCopy &its) {
  if (!isValid(its))
    return IllegalAddress;
  ++machine.counters.copiesOn;
  machine.counters.bytesOn += int64_t(its.bytes);
  std::memcpy(reinterpret_cast<void *>(its.to.device),
              reinterpret_cast<void *>(its.from.device), its.bytes);
  return Success;
}

#pragma GCC visibility push(default)
extern "C" {

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  ONNXC_ENTER(true);
  if (int error = captureError())
    return error;
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
  ONNXC_ENTER(true);
  if (int error = captureError())
    return error;
  if (!machine.memory.release(pointer))
    return InvalidValue;
  --machine.counters.memory;
  return Success;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  ONNXC_ENTER(true);
  if (!machine.memory.contains(to, bytes))
    return InvalidValue;
  ++machine.counters.copiesIn;
  machine.counters.bytesIn += int64_t(bytes);
  // What the driver does with memory that is not page-locked.
  auto *first = static_cast<const char *>(from);
  return add(stream, [to, kept = std::vector<char>(first, first + bytes)] {
    if (!machine.memory.contains(to, kept.size()))
      return IllegalAddress;
    std::memcpy(reinterpret_cast<void *>(to), kept.data(), kept.size());
    return Success;
  });
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  ONNXC_ENTER(true);
  if (!machine.memory.contains(from, bytes))
    return InvalidValue;
  ++machine.counters.copiesOut;
  machine.counters.bytesOut += int64_t(bytes);
  std::memset(to, 0xff, bytes);
  return add(stream, [=] {
    if (!machine.memory.contains(from, bytes))
      return IllegalAddress;
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return Success;
  });
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  ONNXC_ENTER(true);
  MemoryCopy its = {};
  its.from.type = its.to.type = 2;
  its.from.device = from;
  its.to.device = to;
  its.bytes = bytes;
  its.height = its.depth = 1;
  if (!isValid(its))
    return InvalidValue;
  return add(stream, [=] { return copy(its); });
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  ONNXC_ENTER(true);
  if (to % 4 != 0 || !machine.memory.contains(to, 4 * count))
    return InvalidValue;
  return add(stream, [=] {
    if (!machine.memory.contains(to, 4 * count))
      return IllegalAddress;
    std::fill_n(reinterpret_cast<unsigned *>(to), count, value);
    return Success;
  });
}

} // extern "C"
#pragma GCC visibility pop
