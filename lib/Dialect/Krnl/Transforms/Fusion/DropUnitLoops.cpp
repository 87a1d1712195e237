//===- DropUnitLoops.cpp - Loops of one iteration go ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dimension that such a loop walks is indexed by 0 instead: a 1x1
// convolution loses its window, and with it reads its input by single loops.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

/// Replaces `op` by one without iterator dimension `dim`, which has one
/// iteration.
static void dropDim(RewriterBase &rewriter, ComputeOp op, unsigned dim) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i : llvm::seq(op.getNumLoops()))
    dims.push_back(i == dim ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(i < dim ? i : i - 1, context));
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(op.getIndexingMapsArray(), [&](AffineMap map) {
        return map.replaceDimsAndSymbols(dims, {}, op.getNumLoops() - 1, 0);
      });
  SmallVector<StringRef> axes = op.getAxes();
  axes.erase(axes.begin() + dim);
  unsigned parallel = op.getNumParallelLoops();

  rewriter.setInsertionPoint(op);
  auto result = ComputeOp::create(
      rewriter, op.getLoc(), op.getInputs(), op.getOutputs(), maps, axes,
      dim < parallel ? parallel - 1 : parallel, op.getNameAttr());
  rewriter.inlineRegionBefore(op.getPayload(), result.getPayload(),
                              result.getPayload().begin());
  for (auto index : llvm::make_early_inc_range(
           result.getBody()->getOps<linalg::IndexOp>())) {
    if (index.getDim() > dim)
      index.setDim(index.getDim() - 1);
    else if (index.getDim() == dim) {
      rewriter.setInsertionPoint(index);
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
    }
  }
  rewriter.replaceOp(op, result.getResults());
}

/// Without `dim` a window may shrink to a single loop, which must then span its
/// dimension: that of a 1x1 window with stride 1 does, any other has to be
/// known to.
static bool staysExact(KernelOp kernel, ComputeOp op, unsigned dim) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  MLIRContext *context = op.getContext();
  bool window =
      op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      if (isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(dim))
        continue;
      auto left = dyn_cast<AffineDimExpr>(expr.replace(
          getAffineDimExpr(dim, context), getAffineConstantExpr(0, context)));
      if (!left)
        continue;
      int64_t size =
          cast<RankedTensorType>(operand.get().getType()).getDimSize(position);
      LoopAttr loop =
          kernel.getLoop(*kernel.findLoop(axes[left.getPosition()]));
      bool known = !ShapedType::isDynamic(size) && !loop.isDynamic();
      if (known ? size != loop.getExtent() : !window)
        return false;
    }
  return true;
}

/// Only generic ops can do without a dimension.
static bool isDroppable(KernelOp kernel, StringRef loop) {
  return llvm::all_of(kernel.getStructuredOps(), [&](linalg::LinalgOp op) {
    SmallVector<StringRef> axes = KernelOp::getAxes(op);
    const auto *it = llvm::find(axes, loop);
    if (it == axes.end())
      return true;
    auto generic = dyn_cast<ComputeOp>(op.getOperation());
    return generic && staysExact(kernel, generic, it - axes.begin());
  });
}

void dropUnitLoops(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Attribute> kept;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>()) {
    if (loop.getExtent() != 1 || !isDroppable(kernel, loop.getName())) {
      kept.push_back(loop);
      continue;
    }
    for (linalg::LinalgOp op : kernel.getStructuredOps()) {
      SmallVector<StringRef> axes = KernelOp::getAxes(op);
      const auto *it = llvm::find(axes, loop.getName());
      if (it != axes.end())
        dropDim(rewriter, cast<ComputeOp>(op.getOperation()),
                it - axes.begin());
    }
  }
  rewriter.modifyOpInPlace(
      kernel, [&] { kernel.setLoopsAttr(rewriter.getArrayAttr(kept)); });
}

} // namespace onnxc::krnl
