//===- TargetDescription.h - What recipes know of a processor -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_TARGETDESCRIPTION_H
#define ONNXC_TARGET_TARGETDESCRIPTION_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace onnxc::target {

/// A processor as the cost model sees it. Sizes are in bytes.
struct TargetDescription {
  std::string triple;
  std::string cpu;
  /// "+avx2,+fma,...": all features that may be used.
  std::string features;
  /// Width of a native vector register, and how many there are.
  int64_t vectorBytes = 16;
  unsigned vectorRegs = 16;
  /// Full-width multiply-adds and vector loads that start in one cycle.
  unsigned fmaPerCycle = 2;
  unsigned loadsPerCycle = 2;
  /// Data caches that one core has to itself.
  int64_t l1 = 32 * 1024;
  int64_t l2 = 512 * 1024;
  unsigned cores = 1;

  /// The machine this runs on.
  static TargetDescription host();

  /// A processor by name; features say what differs from its usual set. An
  /// empty triple is this machine's, the cpu "native" (or empty, on this
  /// machine's triple) this machine's processor. Unknown names give the least
  /// processor.
  static TargetDescription get(llvm::StringRef triple, llvm::StringRef cpu,
                               llvm::StringRef features);

  /// Elements of `bits` bits in a vector register, at least 1.
  int64_t lanes(unsigned bits) const;
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_TARGETDESCRIPTION_H
