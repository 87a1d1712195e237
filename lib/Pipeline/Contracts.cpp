//===- Contracts.cpp - What must hold after each phase ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

/// Diagnoses the first op that `isAllowed` refuses.
static LogicalResult allOps(ModuleOp module, StringRef phase,
                            function_ref<bool(Operation *)> isAllowed) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isAllowed(op))
      return WalkResult::advance();
    op->emitError("'") << op->getName() << "' is not allowed after the phase "
                       << phase;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult onnxc::isOnnxOnly(ModuleOp module) {
  return allOps(module, "onnx", [](Operation *op) {
    return isa_and_nonnull<onnx::ONNXDialect, func::FuncDialect,
                           BuiltinDialect>(op->getDialect());
  });
}

/// Where inference finds no type at all, an attribute named none that there is.
static bool isTyped(Operation *op) {
  return llvm::none_of(op->getResults(), [](OpResult result) {
    return isa<NoneType>(result.getType()) && !result.use_empty();
  });
}

LogicalResult onnxc::isOnnxTyped(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isTyped(op))
      return WalkResult::advance();
    op->emitOpError("has a result of a type that cannot be told");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted() || failed(isOnnxOnly(module)));
}

LogicalResult onnxc::isKrnlOnly(ModuleOp module) {
  return allOps(module, "krnl", [](Operation *op) {
    return !isa_and_nonnull<onnx::ONNXDialect>(op->getDialect());
  });
}

static bool hasTensor(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TensorType>(type); });
}

LogicalResult onnxc::isLoopsOnly(ModuleOp module) {
  return allOps(module, "loops", [](Operation *op) {
    if (isa<krnl::KernelOp>(op) || hasTensor(op->getOperandTypes()) ||
        hasTensor(op->getResultTypes()))
      return false;
    auto function = op->getParentOfType<func::FuncOp>();
    bool isInKernel =
        function && function->hasAttr(krnl::KrnlDialect::kernelAttrName);
    return !isInKernel || !isa<memref::AllocOp, krnl::AllocOp>(op);
  });
}

LogicalResult onnxc::isLLVMOnly(ModuleOp module) {
  return allOps(module, "llvm", [](Operation *op) {
    return isa<ModuleOp>(op) ||
           isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
  });
}
