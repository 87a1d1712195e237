//===- RankAgnostic.h - Operations that need no rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKAGNOSTIC_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKAGNOSTIC_H

#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

namespace onnxc::onnx {

/// `x` with the sizes that a list has; sizes of 0 are meant as such.
mlir::Value reshapeTo(NodeMaker &maker, mlir::Value x, mlir::Value shape,
                      mlir::Type type);

/// The last `rank` entries of `shape` with ones in front.
mlir::Value padShape(NodeMaker &maker, mlir::Value shape, int64_t rank);

/// Replaces `op` by itself on `operands`, with results of this shape, and these
/// as `restore` makes them of it.
void computeOn(
    mlir::Operation *op, mlir::ValueRange operands,
    llvm::ArrayRef<int64_t> shape, NodeMaker &maker,
    llvm::function_ref<mlir::Value(mlir::OpResult, mlir::Type)> restore);

/// Writes a product of matrices on `maxRank` dimensions.
void makeProductRankAgnostic(mlir::Operation *op);

/// Writes an operation along axes on views of two or three dimensions.
void makeAxesRankAgnostic(mlir::Operation *op);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKAGNOSTIC_H
