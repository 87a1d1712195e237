//===- LaunchOrder.h - Which launches wait for which ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_LAUNCHORDER_H
#define ONNXC_RUNTIME_LIB_DEVICE_LAUNCHORDER_H

#include "onnxc/rt/device.h"

namespace onnxc::rt::device {

struct Sequence;

/// The bytes of a buffer of a launch, and those of each row that it accesses.
struct BufferPart {
  uint64_t bytes; ///< 0: waits for no other launch
  uint64_t pitch; ///< of a row, which divides `bytes`
  uint64_t begin, end;
};

/// Words of a launch for each buffer, after its arguments.
inline constexpr int64_t kPartWords = sizeof(BufferPart) / sizeof(uint64_t);

/// Returns true if there is a byte that both access; false only if there is
/// none.
bool overlap(uint64_t address, const BufferPart &part, uint64_t otherAddress,
             const BufferPart &otherPart);

/// The buffers of a launch: addresses, and as many parts.
struct LaunchBuffers {
  LaunchBuffers(const OnnxcDeviceKernel &kernel, const uint64_t *words)
      : addresses(words), parts(reinterpret_cast<const BufferPart *>(
                              words + kernel.numArguments)),
        numInputs(kernel.numInputs),
        count(kernel.numInputs + kernel.numOutputs) {}

  /// Returns true if one of the two writes bytes that the other one reads or
  /// writes.
  bool conflictsWith(const LaunchBuffers &other) const;

  const uint64_t *addresses;
  const BufferPart *parts;
  int64_t numInputs, count;
};

/// An order of the launches of a part in which each of two whose buffers
/// conflict comes after the one that the host program has first. All others
/// may run at the same time.
class LaunchOrder {
public:
  /// For so many launches; false without memory.
  bool create(int64_t numSteps);
  void destroy();

  /// Puts a launch after those that it conflicts with, which are before it in
  /// the sequence. `direct` gets the fewest of them that order all, and is as
  /// long as the result says.
  int64_t add(const OnnxcDeviceCode &code, const Sequence &sequence,
              int64_t step, int64_t *direct);
  /// Returns true if the launch may have the buffers that it has in this
  /// sequence.
  bool allows(const OnnxcDeviceCode &code, const Sequence &sequence,
              int64_t step) const;

private:
  bool isBefore(int64_t first, int64_t second) const {
    return before[second * numWords + first / 64] >> first % 64 & 1;
  }

  uint64_t *before; ///< a row for each launch, a bit for each launch in front
  int64_t numSteps, numWords;
};

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_LAUNCHORDER_H
