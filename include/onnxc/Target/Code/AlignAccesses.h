//===- AlignAccesses.h - How loads and stores are aligned -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_ALIGNACCESSES_H
#define ONNXC_TARGET_CODE_ALIGNACCESSES_H

#include "llvm/IR/PassManager.h"

namespace onnxc::target {

/// Aligns loads and stores by what divides the alignment of their buffer and
/// the distance from its beginning. LLVM's InferAlignment sees the last few
/// operations of an index only, and an index of many loops has more.
struct AlignAccessesPass : llvm::PassInfoMixin<AlignAccessesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_ALIGNACCESSES_H
