//===- RankAgnostic.h - Operations that need no rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKAGNOSTIC_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKAGNOSTIC_H

#include "SizeLists.h"

namespace onnxc::onnx {

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

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKAGNOSTIC_H
