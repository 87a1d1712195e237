//===- Roofline.h - Peak rates of the machine -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXRUN_ROOFLINE_H
#define ONNXC_TOOLS_ONNXRUN_ROOFLINE_H

#include "llvm/Support/JSON.h"

#include <vector>

namespace onnxc::run {

/// The highest rates that a number of threads reach together.
class Roofline {
public:
  /// Measures them, which takes about a third of a second.
  static Roofline measure(size_t threads);

  /// The least time of so many operations on f32 and bytes. The bandwidth is
  /// that of the smallest buffer measured that holds the bytes, as if they were
  /// in the nearest cache that can.
  double seconds(double operations, double bytes) const;
  llvm::json::Object json() const;

private:
  struct Bandwidth {
    size_t buffer;         ///< bytes of all threads
    double bytesPerSecond; ///< when reading it
  };

  double operationsPerSecond = 0;
  std::vector<Bandwidth> bandwidths; ///< of growing buffers
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNXRUN_ROOFLINE_H
