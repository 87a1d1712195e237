//===- DropUnitLoops.cpp - Loops of one iteration go ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dimension that such a loop runs along is indexed by 0 instead: a 1x1
// convolution loses its window, and with it reads its input by single loops.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

using namespace mlir;

namespace onnxc::krnl {

/// An access where `dim` is 0. A window may shrink to a loop alone: that of a
/// 1x1 window with stride 1 covers its dimension, any other one accesses a part
/// unless it is known to cover it.
static void dropFrom(Subscripts &access, ComputeOp op, OpOperand &operand,
                     AffineDimExpr dim) {
  bool window = dim.getPosition() >= op.getNumParallelLoops();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [position, at] : llvm::enumerate(access)) {
    AffineExpr left = at.index.replace(dim, dim - dim);
    if (left == at.index)
      continue;
    at.index = left;
    auto loop = dyn_cast<AffineDimExpr>(left);
    if (!loop)
      continue;
    int64_t size =
        cast<RankedTensorType>(operand.get().getType()).getDimSize(position);
    int64_t extent = extents[loop.getPosition()];
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(extent);
    at.isPart = !(known ? size == extent : window);
  }
}

/// Drops iterator dimension `dim`, which has one iteration.
static void dropDim(ComputeOp op, unsigned dim) {
  MLIRContext *context = op.getContext();
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (auto [access, operand] : llvm::zip_equal(accesses, op->getOpOperands()))
    dropFrom(access, op, operand,
             cast<AffineDimExpr>(getAffineDimExpr(dim, context)));
  op.setSubscripts(accesses);
  SmallVector<AffineExpr> dims;
  for (unsigned i : llvm::seq(op.getNumLoops()))
    dims.push_back(i == dim ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(i < dim ? i : i - 1, context));
  SmallVector<StringRef> axes = op.getAxes();
  axes.erase(axes.begin() + dim);
  unsigned parallel = op.getNumParallelLoops();
  replaceAxes(op, dims, axes, dim < parallel ? parallel - 1 : parallel);
}

void dropUnitLoops(KernelOp kernel) {
  SmallVector<LoopAttr> kept;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>()) {
    if (loop.getExtent() != 1) {
      kept.push_back(loop);
      continue;
    }
    for (auto op : kernel.getBody().getOps<ComputeOp>())
      if (unsigned dim = dimOf(op, loop.getName()); dim < op.getNumLoops())
        dropDim(op, dim);
  }
  kernel.replaceLoops(kept);
}

} // namespace onnxc::krnl
