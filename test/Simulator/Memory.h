//===- Memory.h - Device memory that the host cannot read -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_MEMORY_H
#define ONNXC_TEST_SIMULATOR_MEMORY_H

#include "Simulator.h"

namespace onnxc::simulator {

/// Allocations whose pages can be accessed while a device works only. New
/// memory is filled with NaN.
class DeviceMemory {
public:
  /// 0 without memory.
  uintptr_t allocate(size_t bytes);
  /// The addresses are used no more. False if nothing was allocated there.
  bool release(uintptr_t address);
  /// True if the bytes lie within one allocation.
  bool contains(uintptr_t address, size_t bytes) const;
  const Allocations &allocations() const { return spans; }
  /// Those of earlier allocations, which no later one has.
  const Allocations &released() const { return releasedSpans; }

  /// Makes memory accessible while it lives.
  class Opened {
  public:
    explicit Opened(const DeviceMemory &memory) : memory(memory) {
      memory.protect(true);
    }
    ~Opened() { memory.protect(false); }
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;

  private:
    const DeviceMemory &memory;
  };

private:
  void protect(bool isAccessible) const;
  Allocations spans, releasedSpans;
};

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_MEMORY_H
