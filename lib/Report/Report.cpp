//===- Report.cpp - Report of a compilation as text ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Report.h"
#include "onnxc/Support/ByteCount.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace onnxc;

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

/// Kernels of the text: the most expensive ones.
static constexpr size_t maxKernelsOfText = 5;

static std::string describe(const ReportedRecipe &recipe) {
  return recipe.kind + (recipe.choices.empty() ? "" : ", " + recipe.choices);
}

/// recipes:     3 kernels, 12345 cycles of one thread predicted
///   45.1 % conv: contraction, 8 x 3 vectors of 16 along oc, packed
///          1.02x contraction, 6 x 4 vectors of 16 along oc, packed
static void printRecipes(llvm::raw_ostream &os,
                         llvm::ArrayRef<RecipeChoice> recipes, bool isDevice) {
  if (recipes.empty())
    return;
  double total = 0;
  // Equal ones stay in the order of the program.
  std::vector<std::pair<double, size_t>> order;
  for (const RecipeChoice &choice : recipes) {
    total += choice.taken.cycles;
    order.push_back({-choice.taken.cycles, order.size()});
  }
  llvm::sort(order);
  order.resize(std::min(order.size(), maxKernelsOfText));
  os << llvm::formatv("recipes:     {0} kernels, {1:F0} cycles of {2} "
                      "predicted\n",
                      recipes.size(), total,
                      isDevice ? "the device" : "one thread");
  for (auto [cycles, number] : order) {
    const RecipeChoice &choice = recipes[number];
    os << llvm::formatv("  {0,5:F1} % {1}: {2} (of {3})\n",
                        -100 * cycles / std::max(total, 1.0), choice.kernel,
                        describe(choice.taken), choice.numCandidates);
    for (const ReportedRecipe &other : choice.others)
      os << llvm::formatv("          {0:F2}x {1}\n",
                          other.cycles / std::max(-cycles, 1.0),
                          describe(other));
  }
}

std::string Report::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ArrayRef<std::string> files(outputs);
  os << "artefact:    " << (files.empty() ? "" : files.front()) << " ("
     << sizeText(artefactBytes) << ")\n";
  if (files.size() > 1)
    os << "with:        " << llvm::join(files.drop_front(), ", ") << "\n";
  os << "target:      " << target << "\n"
     << "kernels:     " << kernels << "\n"
     << "libraries:   " << llvm::join(libraries, ", ") << "\n"
     << "weights:     " << sizeText(weightsBytes) << "\n"
     << "peak arena:  "
     << (arenaFormula.empty() ? sizeText(arenaBytes) : arenaFormula) << "\n"
     << "peak memory: " << sizeText(peakMemory) << " of the compiler\n";
  os << deviceText(*this);
  printScalarKernels(os, scalarKernels);
  printRecipes(os, recipes, !device.name.empty());
  for (const auto &[name, seconds] : steps)
    os << llvm::formatv("{0,-12} {1:F3} s\n", name + ":", seconds);
  return text;
}
