//===- RankAgnostic.h - Operations that need no rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_RANKAGNOSTIC_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_RANKAGNOSTIC_H

#include "SizeLists.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

namespace onnxc::onnx {

/// Code for a rank that is known at run time only covers ranks up to this.
inline constexpr int64_t maxRank = 8;

/// Whether an operation can be rewritten to need no rank, and when that is
/// profitable.
enum class RankFreeForm {
  None,
  /// The form without a rank costs more than a variant: where variants would
  /// multiply.
  Costly,
  /// The form without a rank costs no more than a variant.
  Cheap,
  /// Variants for one rank would have others inside, for a length.
  Several,
  /// Variants for the ranks of several operands would multiply.
  Always,
};

RankFreeForm rankFreeForm(mlir::Operation *op);
/// Rewrites an operation that has such a form: on one dimension where the
/// shapes are the same, on those that axes leave, else on `maxRank` of them.
void makeRankFree(mlir::Operation *op);

/// Gives operands of unknown rank that are broadcast the rank of the result,
/// where that is known, by Reshape; true if there were any.
bool padToResult(mlir::Operation *op);

/// Makes operands of unknown rank that have to be a scalar or a list one, by
/// Reshape; true if there were any.
bool flattenStructuralOperands(mlir::Operation *op);

/// Replaces `op` by itself on `operands`, with results of `rank` dimensions,
/// and these as `restore` makes them of it.
void computeOn(
    mlir::Operation *op, mlir::ValueRange operands, int64_t rank,
    NodeMaker &maker,
    llvm::function_ref<mlir::Value(mlir::OpResult, mlir::Type)> restore);

/// How many different operands are of unknown rank.
unsigned countUnranked(mlir::Operation *op);

// A form and its rewrite for each kind of operator, in the file of that name.
/// Products of matrices, with zero points and scales or without, on `maxRank`
/// dimensions.
RankFreeForm productForm(mlir::Operation *op);
void rewriteProduct(mlir::Operation *op);
/// Operators along axes on views of two or three dimensions; those that only
/// add, drop or grow dimensions of size 1 as views.
RankFreeForm axesForm(mlir::Operation *op);
void rewriteAxes(mlir::Operation *op);
/// Gather and scatter by index tuples on data with as many dimensions as tuples
/// can be long, and one for the slices that they select.
RankFreeForm tuplesForm(mlir::Operation *op);
void rewriteTuples(mlir::Operation *op);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKAGNOSTIC_H
