//===- AttentionQuery.cpp - Kernels of one query ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One query of heads that share no keys is a vector, whose products have no
// rows. With a loop over it they have one.
//
//===----------------------------------------------------------------------===//

#include "Passes/AttentionQuery.h"

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

static constexpr StringLiteral queryName = "query";

/// Returns true if the tensor of the body has one query, which no loop runs
/// over.
static bool hasOneQuery(OpOperand &operand, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.getRank() <= int64_t(dim) || type.getDimSize(dim) != 1)
    return false;
  auto op = cast<ComputeOp>(operand.getOwner());
  const Subscript at = op.getSubscripts(operand)[dim];
  return at.index == 0 && !at.range;
}

/// Adds a loop along the dimension before those of the op.
static void addLoop(ComputeOp op, unsigned dim) {
  SmallVector<bool> hasQuery = llvm::map_to_vector(
      llvm::make_pointer_range(op->getOpOperands()),
      [&](OpOperand *operand) { return hasOneQuery(*operand, dim); });
  SmallVector<AffineExpr> dims;
  for (unsigned loop : llvm::seq(op.getNumLoops()))
    dims.push_back(getAffineDimExpr(loop + 1, op.getContext()));
  SmallVector<StringRef> axes = op.getAxes();
  axes.insert(axes.begin(), queryName);
  replaceAxes(op, dims, axes, op.getNumParallelLoops() + 1);
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (auto [access, isQuery] : llvm::zip_equal(accesses, hasQuery))
    if (isQuery)
      access[dim].index = getAffineDimExpr(0, op.getContext());
  op.setSubscripts(accesses);
}

bool addQuery(KernelOp kernel) {
  if (kernel.getNumResults() != 1 || !kernel.getRecipe().empty() ||
      kernel.findLoop(queryName))
    return false;
  auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
  if (type.getRank() < 2)
    return false;
  unsigned dim = type.getRank() - 2;
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  for (ComputeOp op : ops)
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!hasOneQuery(init, dim))
        return false;
  for (ComputeOp op : ops)
    addLoop(op, dim);
  auto loops = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  loops.insert(loops.begin(), LoopAttr::get(kernel.getContext(), queryName, 1));
  kernel.replaceLoops(loops);
  return !ops.empty();
}

} // namespace onnxc
