//===- ListLengths.h - How long lists can be -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Lists of sizes are made of slices of shapes: what has no known rank has no
// known number of sizes, but seldom more than one where a model asks for one.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_LISTLENGTHS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_LISTLENGTHS_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <optional>

namespace onnxc::onnx {

/// Lists are not longer than this.
inline constexpr int64_t maxListLength = 1'000;

/// The largest length that a list may have, if something says so.
std::optional<int64_t> longestList(mlir::Value list);
/// The least length that it may have.
int64_t shortestList(mlir::Value list);

/// How many dimensions a tensor has at least if this slice of its shape is as
/// long as it can be; nothing where that says nothing.
std::optional<int64_t> ranksReached(ShapeOp slice);
/// The least rank that `value` can have in `block`: slices of its shape that
/// have to be whole there say so.
int64_t leastRank(mlir::Value value, mlir::Block &block);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_LISTLENGTHS_H
