//===- FenceConversions.h - Conversions without a factor --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_FENCECONVERSIONS_H
#define ONNXC_TARGET_CODE_FENCECONVERSIONS_H

#include "llvm/IR/PassManager.h"

namespace onnxc::target {

/// Keeps code generation from joining a conversion of vectors between floats
/// and integers with a multiplication by a power of two: a fence, which is no
/// instruction, is between them.
///
/// LLVM 22 selects the fixed-point conversion of the M-profile Vector Extension
/// for both. The number of its fraction bits is an immediate, but becomes a
/// register if the block has the same integer constant, and the code of this
/// instruction is another number. It also takes integers that are converted to
/// floats, multiplied and converted back for floats.
struct FenceConversionsPass : llvm::PassInfoMixin<FenceConversionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_FENCECONVERSIONS_H
