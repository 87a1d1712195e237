//===- Lowering.cpp - Lowerings of operators as functions -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/IR/Axes.h"
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

FailureOr<int64_t> onnxc::axisOf(ConversionPatternRewriter &rewriter,
                                 Operation *op, int64_t axis, int64_t rank) {
  if (rank == 0)
    return rewriter.notifyMatchFailure(op, "operand has no axis");
  std::optional<int64_t> known = onnx::normalizeAxis(axis, rank);
  if (!known)
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  return *known;
}
