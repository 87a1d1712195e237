//===- Energy.h - Energy of the processor -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_ENERGY_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_ENERGY_H

#include "llvm/Support/JSON.h"

#include <vector>

namespace onnxc::run {

/// The counters of the processor's packages that Linux shows, which count the
/// work of all programs.
class EnergyMeter {
public:
  /// Reads the counters below a folder, which is /sys/class/powercap.
  static EnergyMeter start(llvm::StringRef folder);

  /// {"joules": ..., "joules_per_run": ...} since the start, or {"missing": why
  /// there are no counters}. Counters that wrap more than once count too
  /// little.
  llvm::json::Object stop(size_t runs) const;

private:
  struct Zone {
    std::string path;
    double begin, range; ///< microjoules
  };

  std::vector<Zone> zones;
  std::string missing;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_ENERGY_H
