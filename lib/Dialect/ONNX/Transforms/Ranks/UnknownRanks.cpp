//===- UnknownRanks.cpp - Who needs to know a rank -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/UnknownRanks.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

bool onnxc::onnx::takesUnknownRank(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (auto loop = dyn_cast<LoopOp>(op))
    return operand.get() != loop.getM() && operand.get() != loop.getCond();
  if (auto scan = dyn_cast<ScanOp>(op))
    return static_cast<int64_t>(number) <
           static_cast<int64_t>(op->getNumOperands()) - scan.getNumScanInputs();
  if (isa<ReshapeOp, SplitToSequenceOp>(op))
    return number == 0;
  if (isa<SequenceInsertOp>(op))
    return number == 1;
  return isa<CustomOp, IdentityOp, OptionalGetElementOp, OptionalHasElementOp,
             OptionalOp, SequenceConstructOp, SequenceMapOp, ShapeOp, SizeOp,
             YieldOp>(op);
}

bool onnxc::onnx::mayVaryInRank(Operation *op) {
  return isa<AffineGridOp, Col2ImOp, ConstantOfShapeOp, ExpandOp, GatherNDOp,
             ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp,
             ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
             ReduceSumSquareOp, SqueezeOp, UnsqueezeOp>(op);
}
