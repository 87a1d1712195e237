//===- RankRules.h - What operators take of ranks --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKRULES_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKRULES_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace onnxc::onnx {

/// Where only the run knows a rank, code is written for the ranks up to this.
inline constexpr int64_t maxRank = 8;

/// Only the run knows the rank of the tensor.
bool isUnranked(mlir::Value value);

/// The operand in slot `slot` of the schema, null if it is absent.
mlir::OpOperand *operandInSlot(mlir::Operation *op, unsigned slot);

/// True for what QLinearConcat joins, false for scales and zero points.
bool isJoinedData(mlir::OpOperand &operand);

/// What is wrong with the ranks of the operands, as far as `typeOf` knows them,
/// if anything: what the schemas leave to the run.
std::optional<std::string>
checkRanks(mlir::Operation *op,
           llvm::function_ref<mlir::Type(mlir::Value)> typeOf);

/// True if an element of a result depends on the elements at its place alone,
/// after broadcasting.
bool isElementwise(mlir::Operation *op);

/// True for an operator that makes one element of those along axes; not ArgMax
/// and ArgMin, whose axis is an attribute.
bool isReduction(mlir::Operation *op);

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

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKRULES_H
