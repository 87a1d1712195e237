//===- SpillAroundLoops.h - Registers of innermost loops --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_SPILLAROUNDLOOPS_H
#define ONNXC_TARGET_CODE_SPILLAROUNDLOOPS_H

#include "llvm/IR/PassManager.h"

namespace onnxc::target {

/// Stores vectors that are only used after an innermost loop before it, and
/// loads them after it, where the loop needs their registers. Such vectors are
/// often the sums of a loop before, so that the register allocator takes them
/// for as important as the sums of this one, and spills both inside of it.
struct SpillAroundLoopsPass : llvm::PassInfoMixin<SpillAroundLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_SPILLAROUNDLOOPS_H
