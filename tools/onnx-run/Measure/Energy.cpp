//===- Energy.cpp - Energy of the processor ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Energy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace onnxc::run;

/// The number in a file.
static ErrorOr<double> readNumber(const Twine &path) {
  auto file = MemoryBuffer::getFileAsStream(path);
  if (!file)
    return file.getError();
  double number;
  if ((*file)->getBuffer().trim().getAsDouble(number))
    return std::make_error_code(std::errc::invalid_argument);
  return number;
}

EnergyMeter EnergyMeter::start(StringRef folder) {
  EnergyMeter meter;
  meter.missing = ("there are no counters intel-rapl:* in " + folder).str();
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code)) {
    StringRef path = it->path();
    // Packages: intel-rapl:0. Their parts, intel-rapl:0:1, are in these.
    StringRef name = sys::path::filename(path);
    if (!name.starts_with("intel-rapl:") || name.count(':') != 1)
      continue;
    ErrorOr<double> energy = readNumber(path + "/energy_uj");
    ErrorOr<double> range = readNumber(path + "/max_energy_range_uj");
    if (energy && range)
      meter.zones.push_back({path.str(), *energy, *range});
    else
      meter.missing = ("cannot read " + path + "/energy_uj: " +
                       (energy ? range : energy).getError().message())
                          .str();
  }
  return meter;
}

json::Object EnergyMeter::stop(size_t runs) const {
  double joules = 0;
  for (const Zone &zone : zones) {
    ErrorOr<double> end = readNumber(zone.path + "/energy_uj");
    if (!end)
      return json::Object{
          {"missing", "cannot read " + zone.path +
                          "/energy_uj: " + end.getError().message()}};
    double used = *end - zone.begin;
    joules += (used < 0 ? used + zone.range : used) * 1e-6;
  }
  if (zones.empty())
    return json::Object{{"missing", missing}};
  return json::Object{{"joules", joules},
                      {"joules_per_run", joules / double(runs)}};
}
