//===- Check.h - Nodes that fail or cost time ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CHECK_CHECK_H
#define ONNXC_CHECK_CHECK_H

#include "onnxc/Driver/Driver.h"

namespace onnxc {

/// One thing about a node, a tensor or the whole model. An error refuses the
/// model, a warning costs time, a note costs nothing.
struct Finding {
  Severity severity;
  /// The sort of it: "unsupported", "runtime-call", ...
  std::string kind;
  /// model.onnx:"conv1"; empty if it is about no position.
  std::string location;
  /// The node or tensor; empty for the whole model.
  std::string name;
  /// The node's operator, the version of the operator set that it is written
  /// in, and the types of its operands and results; "" for a type that is left
  /// out or not known. Empty and 0 if the finding is not about a node.
  std::string op;
  int64_t opset = 0;
  std::vector<std::string> operands, results;
  std::string reason;
  /// The rewrite or option that helps; empty if none is known.
  std::string hint;
  /// The share of the estimated work of the model, 0 to 1; 0 if it has none.
  double share = 0;
};

/// The result of a check.
struct Findings {
  std::string model;
  /// Errors, then warnings, then notes; of a sort the most work first.
  std::vector<Finding> findings;

  size_t count(Severity severity) const;
  std::string text() const;
  std::string json() const;
};

/// Compiles the model as far as the recipes of its kernels, which is where the
/// last refusal can come, and reports what it has found. Done also if the model
/// is refused: the findings have the errors. Of the options those of the model
/// and of the target count; nothing is written. Errors about no model go to
/// the messages of `events`.
Outcome check(const Input &input, const CompileOptions &options,
              const Events &events, Findings &result);

/// Writes to the output of the options a model that has only the node called
/// `node` as findings name it: its constants stay, its other operands become
/// inputs of their types. The model itself may be one that is refused. Fails
/// with a message if there is no such node or the type of an operand is not
/// known.
Outcome cutNode(const Input &input, const CompileOptions &options,
                const Events &events, llvm::StringRef node);

} // namespace onnxc

#endif // ONNXC_CHECK_CHECK_H
