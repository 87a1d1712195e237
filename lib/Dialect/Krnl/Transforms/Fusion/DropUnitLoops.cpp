//===- DropUnitLoops.cpp - Loops of one iteration go ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dimension that such a loop walks is indexed by 0 instead: a 1x1
// convolution loses its window, and with it reads its input by single loops.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

using namespace mlir;

namespace onnxc::krnl {

/// Where the operand is accessed, `dim` being 0. A window may shrink to a
/// single loop: that of a 1x1 window with stride 1 spans its dimension, any
/// other one accesses a part unless it is known to span it.
static AffineMap mapWithout(ComputeOp op, OpOperand &operand, unsigned dim) {
  AffineExpr dropped = getAffineDimExpr(dim, op.getContext());
  bool window =
      op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> indices(map.getResults());
  for (auto [position, index] : llvm::enumerate(indices)) {
    AffineExpr left = index.replace(dropped, dropped - dropped);
    auto loop = dyn_cast<AffineDimExpr>(left);
    if (!loop || loop == index)
      continue;
    int64_t size =
        cast<RankedTensorType>(operand.get().getType()).getDimSize(position);
    int64_t extent = extents[loop.getPosition()];
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(extent);
    index = (known ? size == extent : window) ? left : left % beyondAnyLoop;
  }
  return AffineMap::get(map.getNumDims(), 0, indices, op.getContext());
}

/// Drops iterator dimension `dim`, which has one iteration.
static void dropDim(ComputeOp op, unsigned dim) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands())
    maps.push_back(mapWithout(op, operand, dim));
  op.setIndexingMapsAttr(Builder(context).getAffineMapArrayAttr(maps));
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
