//===- ForwardCopies.cpp - Copies that keep all places ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %y = krnl.kernel "copy" loops [b, s, d] ins(%x: ?x?x1x64) outs(: ?x1x?x64)
//        %y[b, 0, s, d] = %x[b, s, 0, d]
//     ->
//   %y = a view of %x in the other shape
//
// A transposition is such a copy where it moves dimensions of one element only,
// or where the layout that its result has undoes it.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

/// The input that the only op of the kernel copies to its result as it is; null
/// if it does anything else.
static OpOperand *findCopied(KernelOp kernel) {
  if (kernel->getNumResults() != 1 || kernel.getIns().size() != 1 ||
      !kernel.getRecipe().empty() ||
      !kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>() ||
      !llvm::hasSingleElement(kernel.getBody().getOps<ComputeOp>()))
    return nullptr;
  ComputeOp op = *kernel.getBody().getOps<ComputeOp>().begin();
  SmallVector<OpOperand *> read = readInputs(op);
  bool isCopy = read.size() == 1 && op.getNumDpsInits() == 1 &&
                op.getNumReductionLoops() == 0 &&
                inputNumber(kernel, read[0]->get()) == 0 &&
                kernel.getYield().getValues()[0] == op->getResult(0) &&
                op.getBlock()->getTerminator()->getOperand(0) ==
                    op.getMatchingBlockArgument(read[0]);
  return isCopy ? read[0] : nullptr;
}

/// The loops that cover the dimensions of the operand, in order.
static SmallVector<unsigned> coveringLoops(const Access &access) {
  SmallVector<unsigned> loops;
  for (unsigned position : llvm::seq(access.getRank()))
    if (std::optional<unsigned> loop = access.loopAt(position))
      loops.push_back(*loop);
  return loops;
}

/// Does the copy access both tensors in the order of memory?
static bool keepsPlaces(const Access &read, const Access &written) {
  return read.isOneToOne() && written.isOneToOne() &&
         !coveringLoops(read).empty() &&
         coveringLoops(read) == coveringLoops(written);
}

/// The dimensions that each loop stands for: the one that it covers, and those
/// of one element beside it.
static SmallVector<ReassociationIndices> groupsOf(OpOperand &operand) {
  Access access(operand);
  SmallVector<ReassociationIndices> groups(1);
  bool isCovered = false;
  for (unsigned position : llvm::seq(access.getRank())) {
    bool isLoop = access.loopAt(position).has_value();
    if (isLoop && isCovered)
      groups.emplace_back();
    isCovered |= isLoop;
    groups.back().push_back(position);
  }
  return groups;
}

/// Is the value, or a view of it, read by kernels alone?
static bool isOnlyRead(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto kernel = dyn_cast<KernelOp>(user))
      return use.getOperandNumber() < kernel.getIns().size();
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      return isOnlyRead(user->getResult(0));
    return isa<tensor::DimOp>(user);
  });
}

/// Does any kernel write over the tensor, after which the copy would differ?
static bool isWritten(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      return isWritten(user->getResult(0));
    auto kernel = dyn_cast<KernelOp>(user);
    return kernel && use.getOperandNumber() >= kernel.getIns().size();
  });
}

/// The view of `source` that has the shape of the kernel's result; null if one
/// of the two knows a size that the other does not.
static Value makeView(OpBuilder &builder, KernelOp kernel, OpOperand &read,
                      OpOperand &written) {
  Value source = kernel.getIns()[0];
  auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
  SmallVector<ReassociationIndices> from = groupsOf(read),
                                    to = groupsOf(written);
  auto flat = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(source.getType()), from);
  if (flat != tensor::CollapseShapeOp::inferCollapsedType(type, to))
    return nullptr;
  builder.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  if (source.getType() == type)
    return source;
  if (source.getType() != flat)
    source = tensor::CollapseShapeOp::create(builder, loc, flat, source, from);
  if (flat == type)
    return source;
  auto sizes =
      kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>().getMixedSizes();
  return tensor::ExpandShapeOp::create(builder, loc, type, source, to, sizes);
}

bool forwardCopy(RewriterBase &rewriter, KernelOp kernel) {
  OpOperand *read = findCopied(kernel);
  if (!read || !isOnlyRead(kernel.getResult(0)) ||
      isWritten(kernel.getIns()[0]))
    return false;
  auto op = cast<ComputeOp>(read->getOwner());
  OpOperand &written = *op.getDpsInitOperand(0);
  if (!keepsPlaces(Access(*read), Access(written)))
    return false;
  Value view = makeView(rewriter, kernel, *read, written);
  if (!view)
    return false;
  rewriter.replaceOp(kernel, view);
  return true;
}

} // namespace onnxc::krnl
