//===- Explain.h - What becomes of a node ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// From a node of the model to its kernels: the rewrites of the node, the nodes
// that it is fused with and those that it is not, the choices of algorithm,
// layout and recipe, the loops, the work, the assembly.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_EXPLAIN_EXPLAIN_H
#define ONNXC_EXPLAIN_EXPLAIN_H

#include "onnxc/Driver/Driver.h"
#include "onnxc/Recipe/KernelWork.h"

namespace onnxc {

/// Entries of a list of the explanation: a call of a function may stand for as
/// many nodes as the model has.
inline constexpr size_t maxExplained = 256;

/// A node by its name, with its operator.
struct ExplainedNode {
  std::string name, op;
  bool operator==(const ExplainedNode &) const = default;
};

/// A tensor: "f32[1, 32, ?]".
struct ExplainedTensor {
  std::string name, type;
};

/// A rewrite of the node, or a decision of a pass about it.
struct ExplainedRewrite {
  std::string pass, pattern;
  /// The operators before and after it.
  std::string from, into;
  /// All nodes that it takes part of.
  std::vector<ExplainedNode> nodes;
  bool operator==(const ExplainedRewrite &) const = default;
};

/// Nodes that a kernel of the node is not fused with, and why.
struct ExplainedRefusal {
  std::string pass, reason;
  std::vector<ExplainedNode> producer, consumer;
};

/// A choice with its reason.
struct ExplainedChoice {
  std::string choice, reason;
  bool operator==(const ExplainedChoice &) const = default;
};

struct ExplainedOperand {
  /// The name as in the loops, in0 or out0, and the type.
  std::string name, type;
  /// The node or the constant that it comes from.
  std::string source;
  bool isConstant = false;
  /// Bytes and loops of the packed form; 0 if it is not packed.
  double packedBytes = 0;
  std::string packedLoops;
};

struct ExplainedKernel {
  std::string name;
  std::vector<ExplainedNode> nodes;
  std::vector<ExplainedOperand> operands;
  KernelWork work;
  double bytesRead = 0, bytesWritten = 0;
  /// Cycles of one thread, or of the device, as the cost model predicts them.
  double cycles = 0;
  /// True if the kernel has dynamic extents, which count as `outerExtent`.
  bool isDynamic = false;
  /// The number of lanes of its vectors; 1 without.
  int64_t lanes = 1;
  /// The reasons why parts of the kernel are no vector code; none on a device.
  std::vector<ExplainedChoice> scalarParts;
  /// The choices of recipes; several if kernels were merged.
  std::vector<RecipeChoice> recipes;
  std::vector<std::string> steps;
  std::string loops;
};

/// A function of the artefact that computes a part of the node.
struct ExplainedFunction {
  std::string name, assembly;
};

struct Explanation {
  std::string model, target;
  /// sm_80, of several levels the last; empty without a device.
  std::string device;
  ExplainedNode node;
  std::vector<ExplainedTensor> inputs, outputs;
  /// True if another node of the model reads an output.
  bool isRead = false;
  std::vector<ExplainedRewrite> rewrites;
  std::vector<ExplainedChoice> algorithms;
  /// Orders of dimensions of results in memory.
  std::vector<ExplainedChoice> layouts;
  std::vector<ExplainedNode> fusedWith;
  std::vector<ExplainedRefusal> notFused;
  std::vector<ExplainedKernel> kernels;
  /// The number of all kernels, including those that are not explained.
  size_t numKernels = 0;
  /// Functions of the runtime that compute it.
  std::vector<std::string> calls;
  /// Other operations of the host program: sizes, views, control flow.
  std::vector<std::string> hostOperations;
  /// The functions that compute the node, with ExplainOptions::assembly.
  std::vector<ExplainedFunction> functions;

  /// The outcome in a sentence.
  std::string summary() const;
  std::string text() const;
  std::string json() const;
};

struct ExplainOptions {
  /// A node, or a tensor that it makes.
  std::string name;
  bool assembly = false;
};

/// Compiles as far as is needed and writes nothing. An unknown name is an error
/// that lists similar ones.
Outcome explain(const Input &input, const CompileOptions &options,
                const ExplainOptions &what, const Events &events,
                Explanation &explanation);

} // namespace onnxc

#endif // ONNXC_EXPLAIN_EXPLAIN_H
