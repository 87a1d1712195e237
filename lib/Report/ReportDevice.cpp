//===- ReportDevice.cpp - The device part of reports, as text ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Report.h"
#include "onnxc/Support/ByteCount.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace onnxc;

/// Kernels of the text: those that take most of the time; launches of the
/// critical path likewise; launches that are not on the device: the first; and
/// copies: those of most bytes.
static constexpr size_t maxKernels = 5, maxPath = 5, maxHost = 5, maxCopies = 5;

///   45.1 % kernel_conv: 256 threads, 12.3 us predicted, 1.2 at least
///          40 registers, 0 B spilled, 0 B shared, 75 % of the threads at once
static void printKernel(llvm::raw_ostream &os, const DeviceKernel &kernel,
                        double total) {
  os << llvm::formatv("  {0,5:F1} % {1}: {2} threads, {3} launches, {4:F1} us "
                      "predicted, {5:F1} at least\n",
                      100 * kernel.microseconds / std::max(total, 1e-9),
                      kernel.name, kernel.threads, kernel.launches,
                      kernel.microseconds, kernel.rooflineMicroseconds);
  if (const auto &its = kernel.resources)
    os << llvm::formatv("          {0} registers, {1} spilled, {2} shared, "
                        "{3:F0} % occupancy{4}\n",
                        its->registers, sizeText(its->spilledBytes),
                        sizeText(its->sharedBytes), 100 * kernel.occupancy,
                        its->isSerialized ? ", wgmma serialized" : "");
}

/// images:      PTX sm_80 (12.0 KiB), cubin sm_80 (14.1 KiB)
static void printImages(llvm::raw_ostream &os,
                        const std::vector<ReportedImage> &images) {
  if (images.empty())
    return;
  os << "images:      ";
  llvm::ListSeparator comma;
  for (const ReportedImage &image : images)
    os << comma << image.name << " (" << sizeText(image.bytes) << ")";
  os << "\n";
}

double onnxc::criticalMicroseconds(const Report &report) {
  double sum = 0;
  for (size_t launch : report.device.criticalPath)
    sum += report.nodes.launches[launch].microseconds;
  return sum;
}

/// host:        2 launches on the processor
///   ZipMap (ai.onnx.ml.ZipMap)
static void printHost(llvm::raw_ostream &os, const LayerReport &nodes) {
  llvm::SmallVector<const LayerLaunch *> host;
  for (const LayerLaunch &launch : nodes.launches)
    if (!launch.isOnDevice)
      host.push_back(&launch);
  if (host.empty())
    return;
  os << "host:        " << host.size()
     << (host.size() == 1 ? " launch" : " launches") << " on the processor\n";
  for (const LayerLaunch *launch : llvm::ArrayRef(host).take_front(maxHost))
    os << "  " << layerNames(launch->layers, nodes) << "\n";
  if (host.size() > maxHost)
    os << "  and " << host.size() - maxHost << " more (--json)\n";
}

/// path:        23 of 31 launches one after the other, 40.1 of 52.3 us
///   3.1 us conv1 (Conv), relu1 (Relu)
static void printPath(llvm::raw_ostream &os, const Report &report,
                      size_t launches, double total) {
  auto timeOf = [&](size_t launch) {
    return report.nodes.launches[launch].microseconds;
  };
  std::vector<size_t> path = report.device.criticalPath;
  if (path.empty())
    return;
  os << llvm::formatv("path:        {0} of {1} launches one after the other, "
                      "{2:F1} of {3:F1} us\n",
                      path.size(), launches, criticalMicroseconds(report),
                      total);
  // The longest ones, in the order of the path.
  llvm::sort(path, [&](size_t a, size_t b) {
    return std::pair(-timeOf(a), a) < std::pair(-timeOf(b), b);
  });
  size_t more = path.size() - std::min(path.size(), maxPath);
  path.resize(path.size() - more);
  llvm::sort(path);
  for (size_t launch : path)
    os << llvm::formatv(
        "  {0:F1} us {1}\n", timeOf(launch),
        layerNames(report.nodes.launches[launch].layers, report.nodes));
  if (more)
    os << "  and " << more << " shorter ones (--json)\n";
}

/// copies:      1.2 KiB in 2 to the device, 40 B in 1 from it
static void printCopies(llvm::raw_ostream &os, const DeviceReport &device) {
  double bytes[2] = {}, times[2] = {};
  bool isKnown = true;
  for (const DeviceCopy &copy : device.copies) {
    times[copy.toDevice] += copy.times;
    bytes[copy.toDevice] += copy.times * double(copy.bytes.value_or(0));
    isKnown &= copy.bytes.has_value();
  }
  os << llvm::formatv("copies:      {0}{1} in {2:F0} to the device, {0}{3} in "
                      "{4:F0} from it\n",
                      isKnown ? "" : "more than ", sizeText(int64_t(bytes[1])),
                      times[1], sizeText(int64_t(bytes[0])), times[0]);
}

///   24.0 KiB to the device for MatMul_0
static void printCopy(llvm::raw_ostream &os, const DeviceCopy &copy,
                      const Report &report) {
  os << "  " << (copy.bytes ? sizeText(*copy.bytes) : "an unknown size");
  if (copy.times > 1)
    os << llvm::formatv(" {0:F0} times", copy.times);
  os << (copy.toDevice ? " to the device" : " from it");
  llvm::ListSeparator comma;
  for (auto [i, layer] : llvm::enumerate(copy.layers))
    os << (i ? "" : " for ") << comma << report.nodes.layers[layer].name;
  os << "\n";
}

/// The largest ones, those of dynamic size first; equal ones in
/// the order of the program.
static void printEachCopy(llvm::raw_ostream &os, const Report &report) {
  std::vector<const DeviceCopy *> order;
  order.reserve(report.device.copies.size());
  for (const DeviceCopy &copy : report.device.copies)
    order.push_back(&copy);
  auto bytesOf = [](const DeviceCopy *copy) {
    return copy->bytes ? copy->times * double(*copy->bytes) : HUGE_VAL;
  };
  llvm::sort(order, [&](const DeviceCopy *a, const DeviceCopy *b) {
    return std::pair(-bytesOf(a), a) < std::pair(-bytesOf(b), b);
  });
  for (const DeviceCopy *copy : llvm::ArrayRef(order).take_front(maxCopies))
    printCopy(os, *copy, report);
  if (order.size() > maxCopies)
    os << "  and " << order.size() - maxCopies << " more (--json)\n";
}

std::string onnxc::deviceText(const Report &report) {
  const DeviceReport &device = report.device;
  std::string text;
  if (device.name.empty())
    return text;
  llvm::raw_string_ostream os(text);
  double total = 0;
  size_t launches = 0;
  std::vector<const DeviceKernel *> order;
  for (const DeviceKernel &kernel : device.kernels) {
    total += kernel.microseconds;
    order.push_back(&kernel);
  }
  for (const LayerLaunch &launch : report.nodes.launches)
    launches += launch.isOnDevice;
  llvm::sort(order, [](const DeviceKernel *a, const DeviceKernel *b) {
    return std::tie(b->microseconds, a->name) <
           std::tie(a->microseconds, b->name);
  });
  os << llvm::formatv("device:      {0}, {1} of {2} launches, {3:F1} us "
                      "predicted\n",
                      device.name, launches, report.nodes.launches.size(),
                      total);
  for (const DeviceKernel *kernel :
       llvm::ArrayRef(order).take_front(maxKernels))
    printKernel(os, *kernel, total);
  printHost(os, report.nodes);
  printPath(os, report, launches, total);
  printImages(os, device.images);
  printCopies(os, device);
  printEachCopy(os, report);
  return text;
}
