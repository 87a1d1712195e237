//===- DimRules.h - Dimension rules, one set per family --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMRULES_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMRULES_H

#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

namespace onnxc::onnx {

/// The operands of a dimension rule's operation, and the results of the rule. A
/// rule sets known results and leaves others null or unset; it may assume
/// nothing, since it also runs on operations whose shapes no verifier has
/// checked.
class RuleNode {
public:
  using Exprs = llvm::SmallVector<mlir::AffineExpr, 4>;
  struct Found {
    std::optional<Exprs> dims;
    std::optional<llvm::SmallVector<mlir::AffineExpr>> contents;
  };

  RuleNode(mlir::Operation *op, DimAnalysis &analysis)
      : op(op), analysis(analysis), space(analysis.getSpace()),
        found(op->getNumResults()) {}

  /// The dimensions of a ranked tensor; no value for anything else.
  std::optional<Exprs> dims(mlir::Value value) const;
  std::optional<int64_t> rank(mlir::Value value) const;
  /// The elements of a small integer tensor, null where unknown; no value
  /// when nothing is known of them.
  std::optional<llvm::SmallVector<mlir::AffineExpr>>
  contents(mlir::Value value) const;
  /// Like contents(), with a symbol for every element that is not known.
  std::optional<llvm::SmallVector<mlir::AffineExpr>>
  elements(mlir::Value value) const;
  /// The integers that a tensor of rank 0 or 1 holds, if constant.
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value value) const;
  /// The one integer that it holds.
  std::optional<int64_t> constant(mlir::Value value) const;
  /// The floats that a small constant holds.
  std::optional<llvm::SmallVector<double>> floats(mlir::Value value) const;

  void setDims(unsigned result, Exprs dims) {
    found[result].dims = std::move(dims);
  }
  void setContents(unsigned result,
                   llvm::SmallVector<mlir::AffineExpr> contents) {
    found[result].contents = std::move(contents);
  }
  mlir::AffineExpr constantExpr(int64_t value) const {
    return space.constant(value);
  }

  mlir::Operation *op;
  DimAnalysis &analysis;
  DimSpace &space;
  llvm::SmallVector<Found, 1> found;
};

/// Elements beyond this number are not followed.
inline constexpr int64_t maxContents = 128;

// One function per family; each does nothing if the operation is not of the
// family.
void inferBroadcastDims(RuleNode &node);
void inferWindowDims(RuleNode &node);
void inferMovementDims(RuleNode &node);
void inferReshapeDims(RuleNode &node);
void inferGeneratorDims(RuleNode &node);
void inferClassicalDims(RuleNode &node);
/// Comes after the families: only where no dimension is known.
void inferResultRanks(RuleNode &node);
void inferShapeContents(RuleNode &node);
void inferArithmeticContents(RuleNode &node);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMRULES_H
