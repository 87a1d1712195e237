//===- Traversal.cpp - Ops that go by computed indices ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

bool onnxc::krnl::isTraversalDim(ComputeOp op, unsigned dim) {
  if (dim < op.getNumParallelLoops())
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.getMatchingBlockArgument(&operand).use_empty() &&
        op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
      return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.payloadUsesValueFromOperand(&init))
      return false;
  return llvm::none_of(op.getBlock()->getOps<IndexOp>(),
                       [&](IndexOp index) { return index.getDim() == dim; });
}

bool onnxc::krnl::isTraversal(ComputeOp op) {
  return !op.getBlock()->getOps<tensor::ExtractOp>().empty() &&
         llvm::any_of(llvm::seq<unsigned>(op.getNumLoops()),
                      [&](unsigned dim) { return isTraversalDim(op, dim); });
}
