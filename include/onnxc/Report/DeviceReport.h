//===- DeviceReport.h - Kernels and copies of a device ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_DEVICEREPORT_H
#define ONNXC_REPORT_DEVICEREPORT_H

#include "onnxc/Target/NVPTX/DeviceTools.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// A kernel of a device.
struct DeviceKernel {
  std::string name;
  /// The number of threads of a block.
  int64_t threads = 0;
  /// The number of launches in the code of the host program, and their time in
  /// one run in microseconds: predicted, and the minimum that the device needs.
  int64_t launches = 0;
  double microseconds = 0, rooflineMicroseconds = 0;
  /// The resources of the kernel and the share of its threads that a
  /// multiprocessor runs at once; no value and 0 if ptxas is not installed.
  std::optional<target::KernelResources> resources;
  double occupancy = 0;
};

/// A copy between the host and the device.
struct DeviceCopy {
  bool toDevice = false;
  /// The number of bytes; no value where it is dynamic.
  std::optional<int64_t> bytes;
  /// The number of copies in a run, as far as the bounds of loops are known.
  double times = 1;
  /// The nodes of the launch that it is for.
  std::vector<size_t> layers;
};

/// Kernels of a level in the artefact.
struct ReportedImage {
  std::string name; ///< PTX sm_80
  int64_t bytes = 0;
};

/// The launches and copies of a device.
struct DeviceReport {
  /// sm_80, of several the last; empty without a device.
  std::string name;
  /// The images of all levels.
  std::vector<ReportedImage> images;
  std::vector<DeviceKernel> kernels;
  std::vector<DeviceCopy> copies;
  /// The launches of which each waits for the one before and that are predicted
  /// to take longest, by their numbers in the list of launches.
  std::vector<size_t> criticalPath;
};

} // namespace onnxc

#endif // ONNXC_REPORT_DEVICEREPORT_H
