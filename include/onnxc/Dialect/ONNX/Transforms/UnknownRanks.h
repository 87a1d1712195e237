//===- UnknownRanks.h - Who needs to know a rank ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_UNKNOWNRANKS_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_UNKNOWNRANKS_H

#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// On an Identity that casts to the last rank, or length, of several that there
/// is code for: all of them.
inline constexpr llvm::StringLiteral rankChoicesAttrName = "onnx.rank_choices";

/// True where the rank of an operand need not be known: the operation moves
/// the tensor about or looks at nothing but its shape.
bool takesUnknownRank(mlir::OpOperand &operand);

/// True if the rank of the only result may be decided by numbers of the run:
/// by how many axes or sizes there are. The lowering takes the type's word.
bool mayVaryInRank(mlir::Operation *op);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_UNKNOWNRANKS_H
