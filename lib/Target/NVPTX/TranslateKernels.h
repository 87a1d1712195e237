//===- TranslateKernels.h - Kernels to one LLVM module ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_NVPTX_TRANSLATEKERNELS_H
#define ONNXC_LIB_TARGET_NVPTX_TRANSLATEKERNELS_H

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace onnxc::target {

/// The kernels and the memory that their threads share, or those of them that
/// are wanted. `expand` is for operations that LLVM has no intrinsic for.
std::unique_ptr<llvm::Module>
translateKernels(mlir::ModuleOp module, llvm::LLVMContext &context,
                 void (*expand)(mlir::ModuleOp),
                 llvm::function_ref<bool(mlir::Operation *)> isWanted = {});

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_NVPTX_TRANSLATEKERNELS_H
