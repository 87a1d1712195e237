//===- Roofline.h - Peak rates of the machine -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_ROOFLINE_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_ROOFLINE_H

#include "NodeTable.h"

#include <vector>

namespace onnxc::run {

/// The highest rates that a number of threads reach together.
class Roofline {
public:
  /// Measures them, which takes about a third of a second.
  static Roofline measure(size_t threads);
  /// The rates of a device by the table of an artefact; none if `peaks` is
  /// null.
  static Roofline ofDevice(const llvm::json::Object *peaks);

  /// The least time of some work. The bandwidth is that of the smallest buffer
  /// measured that holds the bytes, as if they were in the nearest cache that
  /// can. Nothing without a bandwidth, or if operations have a type without a
  /// rate.
  std::optional<double> seconds(const Work &work) const;
  llvm::json::Object json() const;

private:
  struct Bandwidth {
    size_t buffer;         ///< bytes of all threads
    double bytesPerSecond; ///< when reading it
  };

  /// The operations per second by element type.
  std::map<std::string, double> operationsPerSecond;
  std::vector<Bandwidth> bandwidths; ///< of growing buffers
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_ROOFLINE_H
