//===- Alternatives.cpp - Branches of which one is possible ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/Alternatives.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

Block *onnxc::onnx::alternativeAround(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Operation *around = op->getParentOp();
    if (around && around->hasAttr(alternativesAttrName))
      return op->getBlock();
  }
  return nullptr;
}

void onnxc::onnx::dropBranch(Block *branch, llvm::DenseSet<Block *> &deleted) {
  auto choice = cast<IfOp>(branch->getParentOp());
  Region &other = &choice.getThenBranch() == branch->getParent()
                      ? choice.getElseBranch()
                      : choice.getThenBranch();
  Block &block = other.front();
  Operation *yield = block.getTerminator();
  choice->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  choice->getBlock()->getOperations().splice(choice->getIterator(),
                                             block.getOperations());
  deleted.insert(&block);
  deleted.insert(branch);
  branch->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        deleted.insert(&inner);
  });
  choice->erase();
}
