//===- Passes.h - Passes for tensors of unknown rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// All of the library: other passes and lowerings see tensors whose rank is
// known, and those that `takesUnknownRank` (OpRanks.h) accepts.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_RANKS_PASSES_H
#define ONNXC_DIALECT_ONNX_RANKS_PASSES_H

#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"

namespace onnxc::onnx {

#define GEN_PASS_DECL
#include "onnxc/Dialect/ONNX/Ranks/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "onnxc/Dialect/ONNX/Ranks/Passes.h.inc"

/// The pass onnx-specialize-ranks, with folding by `evaluator`.
std::unique_ptr<mlir::Pass> createSpecializeRanks(Evaluator evaluator);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_RANKS_PASSES_H
