//===- Gradient.h - Reverse mode on the graph -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// From the gradient of an operator's result to those of its operands: one rule
// per operator, which builds operators again. Operators without a rule become
// others that have one: by a composition, or by the body of their schema.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TRAINING_GRADIENT_H
#define ONNXC_LIB_TRAINING_GRADIENT_H

#include "NodeFacts.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc::training {

using onnx::NodeMaker;
using onnx::rankOf;

struct GradientTable;

/// The way back through the operations of one block.
class Backward : public NodeMaker {
public:
  /// Operations are made where `builder` is; `onPath` are the values whose
  /// gradients have uses. `dims` may be null.
  Backward(mlir::OpBuilder &builder, mlir::Location loc,
           const GradientTable &table, llvm::DenseSet<mlir::Value> onPath,
           onnx::DimAnalysis *dims)
      : NodeMaker(builder, loc), table(table), onPath(std::move(onPath)),
        dims(dims) {}

  /// For rules: returns true if this operand's gradient is needed.
  bool needs(mlir::Value operand) const { return onPath.contains(operand); }
  /// For rules: adds to the gradient of an operand, which has its shape. Does
  /// nothing where it is not needed.
  void give(mlir::Value operand, mlir::Value gradient);
  /// Adds to the gradient of an operand, summed up where the operand was
  /// broadcast to the shape of `whole`. The last `same` dimensions were not.
  void giveBroadcast(mlir::Value operand, mlir::Value gradient,
                     mlir::Value whole, int64_t same = 0);
  /// The sum of the gradients so far; null if there is none.
  mlir::Value gradientOf(mlir::Value value) const {
    return gradients.lookup(value);
  }
  /// The sum of the gradients so far; zeros if there is none.
  mlir::Value gradientOrZeros(mlir::Value value);

  /// The elements of a small integer tensor that no input changes, be they
  /// constants themselves or computed from constants. Null has none.
  std::optional<llvm::SmallVector<int64_t>> knownInts(mlir::Value value);

  /// Goes back over `path`, from its end.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> path);

  const GradientTable &table;

private:
  /// The dimensions that are summed up, or nothing if they are dynamic.
  std::optional<llvm::SmallVector<int64_t>>
  broadcastAxes(mlir::Value operand, mlir::Value whole, int64_t same);
  mlir::Value sumAtRun(mlir::Value gradient, mlir::Value operand);

  llvm::DenseSet<mlir::Value> onPath;
  onnx::DimAnalysis *dims;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

/// Gives the gradients of `op`'s operands, that of result 0 being `dy`. Fails
/// with an error at the operator where it is of a form without a rule.
using GradientRule = mlir::LogicalResult (*)(Backward &, mlir::Operation *op,
                                             mlir::Value dy);

/// Values equal to the results of `op`, or none where it is to stay. Fails with
/// an error at the operator.
using Composition =
    mlir::LogicalResult (*)(NodeMaker &, mlir::Operation *op,
                            llvm::SmallVectorImpl<mlir::Value> &results);

/// How one operator is differentiated: by a rule or by a composition, which has
/// precedence.
struct GradientRow {
  llvm::StringLiteral name;
  GradientRule rule;
  /// Rules that query the gradients of all results by themselves; `dy` may then
  /// be null.
  bool takesAllResults = false;
  Composition composition = nullptr;
};

/// The rows of all families.
struct GradientTable {
  GradientTable();
  /// Null if there is none.
  const GradientRow *find(mlir::Operation *op) const;

  llvm::StringMap<const GradientRow *> rows;
};

// One function for each family, in the file of that name.
llvm::ArrayRef<GradientRow> elementwiseGradients();
llvm::ArrayRef<GradientRow> reductionGradients();
llvm::ArrayRef<GradientRow> movementGradients();
llvm::ArrayRef<GradientRow> indexedGradients();
llvm::ArrayRef<GradientRow> productGradients();
llvm::ArrayRef<GradientRow> convolutionGradients();
llvm::ArrayRef<GradientRow> poolingGradients();
llvm::ArrayRef<GradientRow> normalizationGradients();
llvm::ArrayRef<GradientRow> controlFlowGradients();
llvm::ArrayRef<GradientRow> recurrentGradients();

/// The gradient of an operand of `end`, by its number.
using SeedOf = llvm::function_ref<mlir::Value(Backward &, unsigned operand)>;

/// Writes before `end` the operations that compute the gradients of `from`,
/// given those of some operands of `end`. Operations between them may be
/// replaced by function bodies first. A gradient is null where the operands do
/// not depend on a value. With `root`, sizes are compared by an analysis of all
/// of it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(const GradientTable &table, mlir::Operation *end,
              mlir::ValueRange from, llvm::ArrayRef<unsigned> operands,
              SeedOf seedOf, mlir::Operation *root = nullptr);

/// Visits the values that `op` reads, its regions included.
void forEachOperand(mlir::Operation *op,
                    llvm::function_ref<void(mlir::Value)> visit);
/// Shapes, indices and truth do not change a little.
bool mayHaveGradient(mlir::Value value);

} // namespace onnxc::training

#endif // ONNXC_LIB_TRAINING_GRADIENT_H
