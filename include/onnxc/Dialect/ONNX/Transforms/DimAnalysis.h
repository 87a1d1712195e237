//===- DimAnalysis.h - Types and dimensions of a whole model ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Walks a function once, in order, and gives every value
//   - a type at least as sharp as the one it has,
//   - an expression for each dimension, over the named dimensions of the
//     graph's inputs: [batch, 3, (h + 1) floordiv 2],
//   - for small integer tensors, an expression for each element.
// Types come from the schemas (onnxc/Schema/TypeInference.h); expressions from
// one rule per operator family, else from the schemas by names. Bodies of Loop
// and Scan are assumed to keep the types they are entered with, and visited
// again, with less assumed, until that is true.
//
// The analysis changes no IR. It is valid as long as the values exist.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_DIMANALYSIS_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_DIMANALYSIS_H

#include "onnxc/Dialect/ONNX/Transforms/DimSpace.h"
#include "onnxc/Schema/TypeInference.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// The facts of the analysis about one value.
struct ValueInfo {
  mlir::Type type;
  /// One per dimension of a ranked tensor, never null; else empty.
  llvm::SmallVector<mlir::AffineExpr, 4> dims;
  /// The elements of an integer or boolean tensor in row-major order, null
  /// where unknown; no value when none are known.
  std::optional<llvm::SmallVector<mlir::AffineExpr>> contents;
};

/// An operation that its operands do not fit.
struct Rejection {
  mlir::Operation *op;
  std::string reason;
  /// True if the elements are right, and only ranks or sizes are wrong.
  bool isShape;
};

/// Knows values by their addresses: none may be freed while it is in use.
class DimAnalysis : public schema::ValueFacts {
public:
  /// Analyses all functions under `root`. With `warns`, declared types that
  /// contradict inferred ones are warnings. An operation that its schema
  /// rejects keeps the types that it has.
  explicit DimAnalysis(mlir::Operation *root, bool warns = false);

  /// The operations that schemas rejected, but for those in branches that are
  /// never taken.
  llvm::ArrayRef<Rejection> getRejected() const { return rejected; }
  /// Fails with an error for each rejected operation if there are any.
  llvm::LogicalResult reportRejected() const;

  /// Size of dimension `dim` of the ranked tensor `value`. A value that the
  /// analysis has not seen, made after it, answers with symbols of its own.
  mlir::AffineExpr dim(mlir::Value value, unsigned dim);
  std::optional<int64_t> constantDim(mlir::Value value, unsigned dim);
  /// Returns true only if the two sizes are equal in every run.
  bool areEqual(mlir::Value a, unsigned aDim, mlir::Value b, unsigned bDim);
  /// Returns true only if both are ranked and equal in all dimensions.
  bool haveSameShape(mlir::Value a, mlir::Value b);
  /// Everything known of `value`.
  const ValueInfo &info(mlir::Value value);
  /// The elements of a small integer tensor if all are constants.
  std::optional<llvm::SmallVector<int64_t>> constantContents(mlir::Value value);
  /// {"batch", "3", "(h + 1) floordiv 2"}, of a ranked tensor.
  llvm::SmallVector<std::string> texts(mlir::Value tensor);

  DimSpace &getSpace() { return space; }

  // For the adapter over the schemas.
  mlir::Type type(mlir::Value value) const override;
  std::string dimSymbol(mlir::Value value, unsigned dim) const override;
  bool
  contents(mlir::Value value,
           llvm::SmallVectorImpl<schema::SymbolicInt> &elements) const override;

private:
  friend class DimVisitor;

  mutable DimSpace space;
  llvm::DenseMap<mlir::Value, ValueInfo> values;
  llvm::SmallVector<Rejection> rejected;
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_DIMANALYSIS_H
