//===- Text.cpp - An explanation for people --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Explain/Explain.h"

#include "onnxc/Recipe/RecipeSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace onnxc;
using llvm::raw_ostream;

/// Names and texts of a list that are shown.
static constexpr size_t maxShown = 12;

/// Text of the model without characters that drive terminals.
static std::string shown(llvm::StringRef text) {
  std::string clean;
  for (char c : text)
    clean += llvm::isASCII(c) && !llvm::isPrint(c) ? '?' : c;
  return clean;
}

static std::string nodeText(const ExplainedNode &node) {
  return shown(node.name) + " (" + shown(node.op) + ")";
}

static std::string nodesText(llvm::ArrayRef<ExplainedNode> nodes) {
  std::string text;
  for (const ExplainedNode &node : nodes.take_front(maxShown))
    text += (text.empty() ? "" : ", ") + nodeText(node);
  if (nodes.size() > maxShown)
    text += llvm::formatv(" and {0} more", nodes.size() - maxShown).str();
  return text.empty() ? "no node" : text;
}

static std::string number(double value) {
  if (value >= 1e9)
    return llvm::formatv("{0:F2}e9", value / 1e9);
  if (value >= 1e6)
    return llvm::formatv("{0:F2}e6", value / 1e6);
  return llvm::formatv("{0:F0}", value);
}

std::string Explanation::summary() const {
  if (numKernels > 0)
    return llvm::formatv(
        "it is computed by {0} kernel{1}{2}{3}", numKernels,
        numKernels == 1 ? "" : "s", calls.empty() ? "" : " and the runtime",
        numKernels > kernels.size()
            ? llvm::formatv(", the first {0} of which follow", kernels.size())
                  .str()
            : "");
  if (!calls.empty())
    return "it is computed by the runtime, without a kernel";
  if (!hostOperations.empty())
    return "it needs no kernel: the host program computes or views it";
  // Later rewrites are about operations that earlier ones have left.
  for (const ExplainedRewrite &rewrite : llvm::reverse(rewrites)) {
    if (rewrite.into == "a constant")
      return "it is folded to a constant";
    if (rewrite.pattern == "Unused")
      return isRead ? "it is removed: nothing uses its results any more"
                    : "it is removed: nothing uses its results";
    if (rewrite.from != rewrite.into)
      return "it is removed: " + rewrite.pattern + " replaced it by " +
             shown(rewrite.into);
  }
  return node.op == "Constant" ? "it is a constant"
                               : "nothing of it is left in the program";
}

static void printTensors(raw_ostream &os, llvm::StringRef title,
                         llvm::ArrayRef<ExplainedTensor> tensors) {
  for (const ExplainedTensor &tensor : tensors.take_front(maxShown))
    os << llvm::formatv("  {0,-8} {1}: {2}\n", title, shown(tensor.name),
                        shown(tensor.type));
}

static void printRewrites(raw_ostream &os, const Explanation &of) {
  if (of.rewrites.empty())
    return;
  os << "\nrewrites:\n";
  for (const ExplainedRewrite &rewrite : of.rewrites)
    os << llvm::formatv("  {0}: {1}: {2} -> {3}\n    of {4}\n", rewrite.pass,
                        rewrite.pattern, rewrite.from, shown(rewrite.into),
                        nodesText(rewrite.nodes));
}

static void printChoices(raw_ostream &os, llvm::StringRef title,
                         llvm::ArrayRef<ExplainedChoice> choices) {
  for (const ExplainedChoice &choice : choices)
    os << "\n"
       << title << ": " << shown(choice.choice) << "\n  " << choice.reason
       << "\n";
}

static void printFusion(raw_ostream &os, const Explanation &of) {
  if (!of.fusedWith.empty())
    os << "\nfused with: " << nodesText(of.fusedWith) << "\n";
  if (of.notFused.empty())
    return;
  os << "\nnot fused:\n";
  for (const ExplainedRefusal &refusal : of.notFused)
    os << llvm::formatv(
        "  {0} with {1}\n    {2}: {3}\n", nodesText(refusal.producer),
        nodesText(refusal.consumer), refusal.pass, shown(refusal.reason));
}

static void printOperands(raw_ostream &os, const ExplainedKernel &kernel) {
  for (const ExplainedOperand &operand : kernel.operands) {
    os << llvm::formatv("  {0,-5} {1} {2}{3}", operand.name, operand.type,
                        operand.isConstant ? "constant " : "",
                        shown(operand.source));
    if (!operand.packedLoops.empty())
      os << llvm::formatv(", packed {0} as [{1}], {2} bytes",
                          operand.isConstant ? "by the compiler"
                                             : "in each run",
                          operand.packedLoops, number(operand.packedBytes));
    os << "\n";
  }
}

static void printWork(raw_ostream &os, const ExplainedKernel &kernel,
                      bool isOnDevice) {
  os << llvm::formatv(
      "  work: {0} operations, of them {1} multiply-adds; {2} bytes read, {3} "
      "written; {4:F2} operations per byte{5}\n",
      number(kernel.work.operations), number(kernel.work.multiplyAdds),
      number(kernel.bytesRead), number(kernel.bytesWritten),
      kernel.work.intensity(),
      kernel.isDynamic
          ? llvm::formatv("; unknown sizes count as {0}", outerExtent).str()
          : "");
  os << llvm::formatv("  predicted: {0} cycles of {1}\n", number(kernel.cycles),
                      isOnDevice ? "the device" : "one thread");
  if (kernel.lanes > 1)
    os << llvm::formatv("  vector: {0} lanes\n", kernel.lanes);
  for (const ExplainedChoice &part : kernel.scalarParts)
    os << "  scalar: " << shown(part.choice) << ": " << part.reason << "\n";
}

static std::string recipeText(const ReportedRecipe &recipe) {
  return recipe.kind + (recipe.choices.empty() ? "" : ", " + recipe.choices);
}

static void printRecipe(raw_ostream &os, const RecipeChoice &choice) {
  os << llvm::formatv("  recipe: {0}, one of {1}; predicted {2} cycles\n",
                      recipeText(choice.taken), choice.numCandidates,
                      number(choice.taken.cycles));
  for (const ReportedRecipe &other : choice.others)
    os << llvm::formatv("    rejected: {0}: {1:F2} times the cycles{2}\n",
                        recipeText(other),
                        other.cycles / std::max(choice.taken.cycles, 1.0),
                        other.cycles < choice.taken.cycles
                            ? ", within the error of the prediction"
                            : "");
}

static void printKernel(raw_ostream &os, const ExplainedKernel &kernel,
                        bool isOnDevice) {
  os << "\nkernel \"" << shown(kernel.name) << "\" of "
     << nodesText(kernel.nodes) << "\n";
  printOperands(os, kernel);
  printWork(os, kernel, isOnDevice);
  for (const RecipeChoice &choice : kernel.recipes)
    printRecipe(os, choice);
  os << "  steps:\n";
  for (const std::string &step : kernel.steps)
    os << "    " << step << "\n";
  os << "  loops:\n";
  for (llvm::StringRef line :
       llvm::split(llvm::StringRef(kernel.loops).rtrim(), '\n'))
    os << "    " << shown(line) << "\n";
}

std::string Explanation::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << shown(model) << ":\"" << shown(node.name) << "\" (" << shown(node.op)
     << ") for " << target << (device.empty() ? "" : ", device " + device)
     << "\n  " << summary() << "\n";
  printTensors(os, "input", inputs);
  printTensors(os, "output", outputs);
  printRewrites(os, *this);
  printChoices(os, "algorithm", algorithms);
  printFusion(os, *this);
  for (const ExplainedChoice &layout : layouts)
    os << "\nlayout: dimensions of a result in the order " << layout.choice
       << ": " << layout.reason << "\n";
  for (const ExplainedKernel &kernel : kernels)
    printKernel(os, kernel, !device.empty());
  if (!calls.empty())
    os << "\nruntime: " << llvm::join(calls, ", ") << "\n";
  if (!hostOperations.empty())
    os << "\nhost program: " << llvm::join(hostOperations, ", ") << "\n";
  for (const ExplainedFunction &function : functions)
    os << "\nassembly of " << function.name << ":\n" << function.assembly;
  return text;
}
