//===- ReuseDestinations.cpp - Temporaries become results -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %f = fill(0) outs(%empty)          %f = fill(0) outs(%out)
//   %c = matmul(%a, %b) outs(%f)   ->  %c = matmul(%a, %b) outs(%f)
//   %r = relu ins(%c) outs(%out)       %r = relu outs(%c)
//
// The op must be elementwise, read the temporary where it writes, be its last
// reader, and not read its own destination.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

/// Returns true if `op` is after every other op that uses `value`.
static bool isLastUser(ComputeOp op, Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == op || (isa<ComputeOp>(user) && user->isBeforeInBlock(op));
  });
}

/// The temporary at the root of the destinations that `value` goes through, or
/// null where one of them has a second user.
static TemporaryOp findTemporary(Value value) {
  while (auto op = value.getDefiningOp<ComputeOp>()) {
    value = op.getDpsInits()[cast<OpResult>(value).getResultNumber()];
    if (!value.hasOneUse())
      return nullptr;
  }
  return value.getDefiningOp<TemporaryOp>();
}

/// The input of `op` whose temporary its destination can be, or null.
static OpOperand *findReusable(ComputeOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1)
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.payloadUsesValueFromOperand(init) || !init->get().hasOneUse() ||
      init->get().getDefiningOp<ComputeOp>())
    return nullptr;
  Access writes(*init);
  if (!writes.isOneToOne())
    return nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get().getType() == init->get().getType() &&
        Access(*input) == writes && isLastUser(op, input->get()) &&
        findTemporary(input->get()) &&
        llvm::count_if(op->getOperands(), [&](Value operand) {
          return operand == input->get();
        }) == 1)
      return input;
  return nullptr;
}

/// Moves the input into the position of the destination, whose indices it has.
static void writeOver(ComputeOp op, OpOperand &input) {
  unsigned number = input.getOperandNumber();
  Value over = input.get();
  Block *body = op.getBody();
  body->getArgument(number).replaceAllUsesWith(body->getArguments().back());
  eraseInput(op, number);
  op.getOutputsMutable()[0].set(over);
}

void reuseDestinations(RewriterBase &rewriter, KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  // Later ops first, so that a chain of temporaries moves through to the end.
  for (ComputeOp op : llvm::reverse(ops)) {
    OpOperand *input = findReusable(op);
    if (!input)
      continue;
    TemporaryOp temporary = findTemporary(input->get());
    Value destination = op.getDpsInits()[0];
    // A destination made later than the temporary cannot take its place.
    if (Operation *producer = destination.getDefiningOp();
        producer && !producer->isBeforeInBlock(temporary))
      continue;
    writeOver(op, *input);
    rewriter.replaceOp(temporary, destination);
  }
}

void dropUnusedInputs(RewriterBase &rewriter, KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (unsigned number = kernel.getIns().size(); number-- > 0;) {
    if (!body.getArgument(number).use_empty())
      continue;
    rewriter.modifyOpInPlace(kernel, [&] { kernel.eraseInput(number); });
  }
}

} // namespace onnxc::krnl
