//===- ShapeInputs.cpp - Inputs that give linalg a loop's extent -*- C++
//-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

void updateShapeInputs(RewriterBase &rewriter, ComputeOp op) {
  auto kernel = op->getParentOfType<KernelOp>();
  SmallVector<StringRef> axes = op.getAxes();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned i = op.getNumDpsInputs(); i-- > 0;)
    if (op.getBody()->getArgument(i).use_empty()) {
      op.getBody()->eraseArgument(i);
      op.getInputsMutable().erase(i);
      maps.erase(maps.begin() + i);
    }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (unsigned dim : llvm::seq<unsigned>(axes.size())) {
    AffineExpr plain = rewriter.getAffineDimExpr(dim);
    if (llvm::any_of(maps, [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), plain);
        }))
      continue;
    OpFoldResult extent = kernel.getExtentInside(*kernel.findLoop(axes[dim]));
    Value shape = tensor::EmptyOp::create(rewriter, op.getLoc(), extent,
                                          rewriter.getI8Type());
    unsigned number = op.getNumDpsInputs();
    op.getInputsMutable().append(shape);
    op.getBody()->insertArgument(number, rewriter.getI8Type(), op.getLoc());
    maps.insert(maps.begin() + number, AffineMap::get(axes.size(), 0, plain));
  }
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

} // namespace onnxc::krnl
