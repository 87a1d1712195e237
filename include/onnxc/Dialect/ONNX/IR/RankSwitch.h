//===- RankSwitch.h - Ifs of variants for ranks ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_RANKSWITCH_H
#define ONNXC_DIALECT_ONNX_IR_RANKSWITCH_H

#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// On an If whose branches assume different ranks of a value. No model has it,
/// so its results may be of types that models may not hand out of an If.
inline constexpr llvm::StringLiteral rankSwitchAttrName = "onnx.rank_switch";

/// On an Identity that casts to the last rank, or length, of several that there
/// is code for: all of them.
inline constexpr llvm::StringLiteral rankChoicesAttrName = "onnx.rank_choices";

/// The branch of such an If that `op` stands in, if there is one.
mlir::Block *variantAround(mlir::Operation *op);

/// Replaces the If of `branch` by its other branch. Adds the blocks that are
/// deleted to `deleted`.
void dropBranch(mlir::Block *branch, llvm::DenseSet<mlir::Block *> &deleted);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_RANKSWITCH_H
