//===- LaunchOrder.cpp - Which launches wait for which ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "device/LaunchOrder.h"

#include "device/Launches.h"

#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;
using namespace onnxc::rt::device;

/// The bytes from the first one that is accessed to the one after the last.
static uint64_t firstByte(uint64_t address, const BufferPart &part) {
  return address + part.begin;
}
static uint64_t endByte(uint64_t address, const BufferPart &part) {
  return address + part.bytes - part.pitch + part.end;
}

bool device::overlap(uint64_t address, const BufferPart &part,
                     uint64_t otherAddress, const BufferPart &otherPart) {
  if (part.bytes == 0 || otherPart.bytes == 0 ||
      firstByte(address, part) >= endByte(otherAddress, otherPart) ||
      firstByte(otherAddress, otherPart) >= endByte(address, part))
    return false;
  if (part.pitch != otherPart.pitch)
    return true;
  // In rows of the same size: how far the first one begins after the other.
  uint64_t pitch = part.pitch;
  uint64_t distance = (firstByte(address, part) % pitch + pitch -
                       firstByte(otherAddress, otherPart) % pitch) %
                      pitch;
  return distance < otherPart.end - otherPart.begin ||
         distance + (part.end - part.begin) > pitch;
}

bool LaunchBuffers::conflictsWith(const LaunchBuffers &other) const {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = i < numInputs ? other.numInputs : 0; j < other.count; ++j)
      if (overlap(addresses[i], parts[i], other.addresses[j], other.parts[j]))
        return true;
  return false;
}

bool LaunchOrder::create(int64_t count) {
  numSteps = count;
  numWords = (count + 63) / 64;
  before = static_cast<uint64_t *>(
      calloc(size_t(numSteps * numWords), sizeof(uint64_t)));
  return before;
}

void LaunchOrder::destroy() {
  free(before);
  *this = {};
}

/// The latest ones first: what orders them already is known then, and a chain
/// takes one comparison for each launch.
int64_t LaunchOrder::add(const OnnxcDeviceCode &code, const Sequence &sequence,
                         int64_t step, int64_t *direct) {
  LaunchBuffers buffers = sequence.buffersOf(code, step);
  uint64_t *row = before + step * numWords;
  int64_t numDirect = 0;
  for (int64_t earlier = step - 1; earlier >= 0; --earlier) {
    if (earlier % 64 == 63 && row[earlier / 64] == UINT64_MAX) {
      earlier -= 63;
      continue;
    }
    if (isBefore(earlier, step) ||
        !buffers.conflictsWith(sequence.buffersOf(code, earlier)))
      continue;
    direct[numDirect++] = earlier;
    row[earlier / 64] |= uint64_t(1) << earlier % 64;
    for (int64_t i = 0; i <= earlier / 64; ++i)
      row[i] |= before[earlier * numWords + i];
  }
  return numDirect;
}

bool LaunchOrder::allows(const OnnxcDeviceCode &code, const Sequence &sequence,
                         int64_t step) const {
  LaunchBuffers buffers = sequence.buffersOf(code, step);
  for (int64_t other = 0; other < numSteps; ++other) {
    bool isOrdered = other == step || (other < step ? isBefore(other, step)
                                                    : isBefore(step, other));
    if (!isOrdered && buffers.conflictsWith(sequence.buffersOf(code, other)))
      return false;
  }
  return true;
}
