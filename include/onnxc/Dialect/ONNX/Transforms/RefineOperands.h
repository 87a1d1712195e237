//===- RefineOperands.h - Types from results to operands -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_REFINEOPERANDS_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_REFINEOPERANDS_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace onnxc::onnx {

/// Gives operands of unknown rank the one that a declared result shows; true
/// if there was one. Their types have to be inferred again then.
bool refineOperands(mlir::ModuleOp module);
/// Gives sequences that are empty at first the rank of the tensors that are
/// inserted later, and returns true if there was one.
bool refineSequences(mlir::ModuleOp module);

/// Casts `value` to `type` in the block of `user`, for all uses there: the run
/// checks it. The types that an operation implies hold in its block.
void castInBlock(mlir::Operation *user, mlir::Value value, mlir::Type type);

/// Lists of sizes are not longer than this.
inline constexpr int64_t maxListLength = 1'000;

/// The least length that a list may have, and the largest, if it is bounded.
struct ListLength {
  int64_t min = 0;
  std::optional<int64_t> max;
};
ListLength listLength(mlir::Value list);

/// The least number of dimensions of a tensor if this slice of its shape is as
/// long as it can be; nothing where that implies nothing.
std::optional<int64_t> ranksReached(ShapeOp slice);
/// The least rank that `value` can have in `block`: slices of its shape that
/// have to be complete there imply it.
int64_t minRank(mlir::Value value, mlir::Block &block);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_REFINEOPERANDS_H
