//===- Json.cpp - An explanation for programs ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Explain/Explain.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace onnxc {

/// Names of the model may be any bytes.
static std::string textOf(llvm::StringRef text) {
  return llvm::json::fixUTF8(text);
}

static Value toValue(const std::string &text) { return textOf(text); }

static Value toValue(const ExplainedNode &node) {
  return Object{{"name", textOf(node.name)}, {"op", textOf(node.op)}};
}

static Value toValue(const ExplainedTensor &tensor) {
  return Object{{"name", textOf(tensor.name)}, {"type", textOf(tensor.type)}};
}

template <typename T>
static Array toArray(const std::vector<T> &list) {
  Array array;
  for (const T &entry : list)
    array.push_back(toValue(entry));
  return array;
}

static Value toValue(const ExplainedRewrite &rewrite) {
  return Object{{"pass", rewrite.pass},
                {"pattern", rewrite.pattern},
                {"from", rewrite.from},
                {"into", textOf(rewrite.into)},
                {"nodes", toArray(rewrite.nodes)}};
}

static Value toValue(const ExplainedChoice &choice) {
  return Object{{"choice", textOf(choice.choice)},
                {"reason", textOf(choice.reason)}};
}

static Value toValue(const ExplainedRefusal &refusal) {
  return Object{{"pass", refusal.pass},
                {"reason", textOf(refusal.reason)},
                {"producer", toArray(refusal.producer)},
                {"consumer", toArray(refusal.consumer)}};
}

static Value toValue(const ExplainedOperand &operand) {
  return Object{{"name", operand.name},
                {"type", operand.type},
                {"source", textOf(operand.source)},
                {"constant", operand.isConstant},
                {"packed_bytes", operand.packedBytes},
                {"packed_loops", textOf(operand.packedLoops)}};
}

static Value toValue(const ReportedRecipe &recipe) {
  return Object{{"kind", recipe.kind},
                {"choices", textOf(recipe.choices)},
                {"cycles", recipe.cycles}};
}

static Value toValue(const RecipeChoice &choice) {
  return Object{{"kernel", textOf(choice.kernel)},
                {"candidates", int64_t(choice.numCandidates)},
                {"taken", toValue(choice.taken)},
                {"others", toArray(choice.others)}};
}

static Value toValue(const ExplainedKernel &kernel) {
  return Object{{"name", textOf(kernel.name)},
                {"nodes", toArray(kernel.nodes)},
                {"operands", toArray(kernel.operands)},
                {"operations", kernel.work.operations},
                {"multiply_adds", kernel.work.multiplyAdds},
                {"bytes_read", kernel.bytesRead},
                {"bytes_written", kernel.bytesWritten},
                {"intensity", kernel.work.intensity()},
                {"dynamic", kernel.isDynamic},
                {"cycles", kernel.cycles},
                {"lanes", kernel.lanes},
                {"scalar_parts", toArray(kernel.scalarParts)},
                {"recipes", toArray(kernel.recipes)},
                {"steps", toArray(kernel.steps)},
                {"loops", textOf(kernel.loops)}};
}

static Value toValue(const ExplainedFunction &function) {
  return Object{{"name", textOf(function.name)},
                {"assembly", textOf(function.assembly)}};
}

std::string Explanation::json() const {
  Value all = Object{{"schema", 1},
                     {"model", textOf(model)},
                     {"target", target},
                     {"device", device},
                     {"node", toValue(node)},
                     {"summary", textOf(summary())},
                     {"inputs", toArray(inputs)},
                     {"outputs", toArray(outputs)},
                     {"rewrites", toArray(rewrites)},
                     {"algorithms", toArray(algorithms)},
                     {"layouts", toArray(layouts)},
                     {"fused_with", toArray(fusedWith)},
                     {"not_fused", toArray(notFused)},
                     {"kernel_count", int64_t(numKernels)},
                     {"kernels", toArray(kernels)},
                     {"runtime_calls", toArray(calls)},
                     {"host_operations", toArray(hostOperations)},
                     {"functions", toArray(functions)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", all) << "\n";
  return text;
}

} // namespace onnxc
