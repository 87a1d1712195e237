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

/// Kernels of the text: the most expensive ones.
static constexpr size_t maxKernelsOfText = 5;

static std::string describe(const ReportedRecipe &recipe) {
  return recipe.kind + (recipe.choices.empty() ? "" : ", " + recipe.choices);
}

/// recipes:     3 kernels, 12345 cycles of one thread predicted
///   45.1 % conv: contraction, 8 x 3 vectors of 16 along oc, packed
///          1.02x contraction, 6 x 4 vectors of 16 along oc, packed
static void printRecipes(llvm::raw_ostream &os,
                         llvm::ArrayRef<RecipeChoice> recipes) {
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
  os << llvm::formatv("recipes:     {0} kernels, {1:F0} cycles of one thread "
                      "predicted\n",
                      recipes.size(), total);
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

static void writeRecipe(llvm::json::OStream &json,
                        const ReportedRecipe &recipe) {
  json.attribute("kind", recipe.kind);
  json.attribute("choices", llvm::json::fixUTF8(recipe.choices));
  json.attribute("cycles", recipe.cycles);
}

static void writeRecipes(llvm::json::OStream &json,
                         llvm::ArrayRef<RecipeChoice> recipes) {
  for (const RecipeChoice &choice : recipes)
    json.object([&] {
      json.attribute("kernel", llvm::json::fixUTF8(choice.kernel));
      json.attribute("candidates", int64_t(choice.numCandidates));
      writeRecipe(json, choice.taken);
      json.attributeArray("others", [&] {
        for (const ReportedRecipe &other : choice.others)
          json.object([&] { writeRecipe(json, other); });
      });
    });
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
  printRecipes(os, recipes);
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
    json.attributeArray("recipes", [&] { writeRecipes(json, recipes); });
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
