//===- Report.cpp - Report of a compilation --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/Driver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace onnxc;

/// 1.5 MB
static std::string sizeText(int64_t bytes) {
  if (bytes < 1024)
    return llvm::formatv("{0} B", bytes);
  if (bytes < 1024 * 1024)
    return llvm::formatv("{0:F1} KB", double(bytes) / 1024);
  return llvm::formatv("{0:F1} MB", double(bytes) / (1024 * 1024));
}

/// Parts of the work below this are not worth a line.
static constexpr double minShare = 0.001;

/// scalar:      12.5 % of the estimated work
///   9.8 % model.onnx:"top": call of topk
static void printScalarKernels(llvm::raw_ostream &os,
                               llvm::ArrayRef<ScalarKernel> kernels) {
  double share = 0;
  for (const ScalarKernel &kernel : kernels)
    share += kernel.share;
  os << llvm::formatv("scalar:      {0:F1} % of the estimated work\n",
                      100 * share);
  for (const ScalarKernel &kernel : kernels)
    if (kernel.share >= minShare)
      os << llvm::formatv("  {0,5:F1} % {1}: {2}\n", 100 * kernel.share,
                          kernel.node, kernel.reason);
}

std::string Report::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "artefact:    " << output << " (" << sizeText(artefactBytes) << ")\n"
     << "target:      " << target << "\n"
     << "kernels:     " << kernels << "\n"
     << "libraries:   " << llvm::join(libraries, ", ") << "\n"
     << "weights:     " << sizeText(weightsBytes) << "\n"
     << "peak arena:  "
     << (arenaFormula.empty() ? sizeText(arenaBytes) : arenaFormula) << "\n"
     << "peak memory: " << sizeText(peakMemory) << " of the compiler\n";
  printScalarKernels(os, scalarKernels);
  for (const auto &[name, seconds] : steps)
    os << llvm::formatv("{0,-12} {1:F3} s\n", name + ":", seconds);
  return text;
}

std::string Report::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", 1);
    json.attribute("output", llvm::json::fixUTF8(output));
    json.attribute("target", target);
    json.attribute("kernels", int64_t(kernels));
    json.attribute("artefact_bytes", artefactBytes);
    json.attribute("weights_bytes", weightsBytes);
    // Null where it depends on the sizes of a run, by the formula.
    json.attribute("arena_bytes", arenaFormula.empty()
                                      ? llvm::json::Value(arenaBytes)
                                      : llvm::json::Value(nullptr));
    if (!arenaFormula.empty())
      json.attribute("arena_formula", llvm::json::fixUTF8(arenaFormula));
    json.attribute("peak_memory_bytes", peakMemory);
    json.attributeArray("libraries", [&] {
      for (const std::string &name : libraries)
        json.value(llvm::json::fixUTF8(name));
    });
    json.attributeArray("scalar_kernels", [&] {
      for (const ScalarKernel &kernel : scalarKernels)
        json.object([&] {
          json.attribute("node", llvm::json::fixUTF8(kernel.node));
          json.attribute("kernel", llvm::json::fixUTF8(kernel.kernel));
          json.attribute("reason", kernel.reason);
          json.attribute("share", kernel.share);
        });
    });
    json.attributeArray("steps", [&] {
      for (const auto &[name, seconds] : steps)
        json.object([&] {
          json.attribute("name", name);
          json.attribute("seconds", seconds);
        });
    });
  });
  return text + "\n";
}
