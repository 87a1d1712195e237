//===- RunningValues.cpp - What sums of one op depend on --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/RunningValues.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"

using namespace mlir;

namespace onnxc::krnl {

/// Running values depend on what they are computed from, others of them
/// included: from none, their loops grow until they stay.
RunningValues::RunningValues(ComputeOp op) : block(op.getBlock()) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    llvm::SmallBitVector dims(op.getNumLoops());
    if (isa<ShapedType>(input->get().getType()))
      for (unsigned dim : llvm::seq(op.getNumLoops()))
        dims[dim] = Access(*input).dependsOn(dim);
    loops[op.getMatchingBlockArgument(input)] = dims;
  }
  auto running = block->getArguments().take_back(op.getNumDpsInits());
  for (BlockArgument argument : running)
    loops[argument] = llvm::SmallBitVector(op.getNumLoops());
  for (bool hasChanged = true; hasChanged;) {
    for (Operation &inner : block->without_terminator())
      add(op, inner);
    hasChanged = false;
    for (auto [argument, next] :
         llvm::zip_equal(running, block->getTerminator()->getOperands())) {
      llvm::SmallBitVector before = loops.lookup(argument);
      loops[argument] |= loops.lookup(next);
      hasChanged |= loops.lookup(argument) != before;
    }
  }
}

void RunningValues::add(ComputeOp op, Operation &inner) {
  llvm::SmallBitVector dims(op.getNumLoops());
  if (auto index = dyn_cast<IndexOp>(inner))
    dims.set(index.getDim());
  for (Value operand : inner.getOperands())
    dims |= loops.lookup(operand);
  for (Value result : inner.getResults())
    loops[result] = dims;
}

} // namespace onnxc::krnl
