//===- SettleRanks.h - Ranks that only a run knows -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_SETTLERANKS_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_SETTLERANKS_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::onnx {

/// On a Squeeze without axes whose result has been given a rank: the run has
/// to check that no size that is kept is 1.
inline constexpr llvm::StringLiteral settledRankAttrName = "onnx.settled_rank";

/// Gives results whose rank only a run knows the rank that their users take
/// for granted; true if there was one.
bool settleRanks(mlir::ModuleOp module);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_SETTLERANKS_H
