//===- PackBytes.h - Vectors of bytes in words ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CODE_PACKBYTES_H
#define ONNXC_TARGET_CODE_PACKBYTES_H

#include "llvm/IR/PassManager.h"

namespace onnxc::target {

/// Shifts whole words of vectors of bytes to the right, and extends the bytes
/// of a word to 16 bits in pairs. LLVM's selection for NVPTX takes vectors of
/// bytes apart for both. Numbers of bytes that are no multiple of four stay.
struct PackBytesPass : llvm::PassInfoMixin<PackBytesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace onnxc::target

#endif // ONNXC_TARGET_CODE_PACKBYTES_H
