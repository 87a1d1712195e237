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

/// Where only the run knows a rank, code is written for the ranks up to this.
inline constexpr int64_t maxRank = 8;

/// True for a product of matrices, with zero points and scales or without.
bool isMatrixProduct(mlir::Operation *op);

/// True if the elements of the result are some of the operand, each on its own:
/// sizes of 1 at listed axes come or go, or grow, or rows are picked by
/// indices of unknown rank.
bool isSelection(mlir::Operation *op);

/// True for one of these, and if `op` works along constant axes, counted from
/// one end, and so may take what is before and behind them as one dimension
/// each; and for a reduction along a list of axes.
bool isAlongAxes(mlir::Operation *op);

/// True for a gather or scatter by index tuples.
bool isAlongTuples(mlir::Operation *op);

/// True for one of these with operands of unknown rank, so that its tuples are
/// of unknown length: with variants for the rank it needed those for the
/// length, too.
bool hasUnknownTuples(mlir::Operation *op);
/// The same for a reduction of an unknown rank that drops a list of axes of
/// unknown length.
bool dropsUnknownAxes(mlir::Operation *op);

/// True for a step of training, which is elementwise on groups of tensors of
/// one shape.
bool isOptimizer(mlir::Operation *op);

/// True if `op` is elementwise, a product, along axes or tuples or a step of
/// training.
bool canBeRankAgnostic(mlir::Operation *op);

/// Writes one of these so that it needs no rank: on one dimension where the
/// shapes are the same, on those that axes leave, else on `maxRank` of them.
void makeRankAgnostic(mlir::Operation *op);

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

/// Writes a product of matrices on `maxRank` dimensions.
void makeProductRankAgnostic(mlir::Operation *op);

/// Writes an operation along axes on views of two or three dimensions.
void makeAxesRankAgnostic(mlir::Operation *op);

/// Writes a gather or scatter by index tuples on data with as many dimensions
/// as tuples can be long, and one for what they lead to.
void makeTuplesRankAgnostic(mlir::Operation *op);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKAGNOSTIC_H
