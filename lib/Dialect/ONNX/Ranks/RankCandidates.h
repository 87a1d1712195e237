//===- RankCandidates.h - The ranks that there can be ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_RANKCANDIDATES_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_RANKCANDIDATES_H

#include "RankBounds.h"
#include "RankDependents.h"

#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

namespace onnxc::onnx {

/// The numbers that the unknown may be for those that take it in `block`, whose
/// bounds these are, no more than `enough`. Adds to `reasons` why others may
/// not.
llvm::SmallVector<int64_t>
rankCandidates(const Unknown &unknown, mlir::Block &block,
               const RankBounds &bounds, DimAnalysis &analysis, size_t enough,
               llvm::SmallVectorImpl<std::string> &reasons);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKCANDIDATES_H
