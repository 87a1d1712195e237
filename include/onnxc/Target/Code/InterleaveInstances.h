//===- InterleaveInstances.h - Instances of one payload ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_INTERLEAVEINSTANCES_H
#define ONNXC_TARGET_CODE_INTERLEAVEINSTANCES_H

#include "llvm/IR/PassManager.h"

namespace onnxc::target {

/// Interleaves long sequences of the same operations on independent vectors, as
/// an unrolled loop has one after the other, as far as the registers suffice.
/// Each constant of a polynomial is then loaded once for all of them, and
/// operations that wait for each other are further apart.
struct InterleaveInstancesPass : llvm::PassInfoMixin<InterleaveInstancesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_INTERLEAVEINSTANCES_H
