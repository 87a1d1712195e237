//===- Lowering.cpp - Lowerings of operators as functions -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;

LogicalResult onnxc::requireRanks(ConversionPatternRewriter &rewriter,
                                  Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (onnx::isUnranked(operand.get()))
      return rewriter.notifyMatchFailure(
          op, "the rank of " + onnx::inputName(operand) + " is not known");
  if (llvm::any_of(op->getResults(), onnx::isUnranked))
    return rewriter.notifyMatchFailure(op, "the rank of a result is not known");
  return success();
}
