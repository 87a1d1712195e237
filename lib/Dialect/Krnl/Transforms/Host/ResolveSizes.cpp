//===- ResolveSizes.cpp - Sizes of results by those of operands -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's pass of this kind follows each size back to the inputs on its own,
// which is quadratic in the length of a chain of kernels. Here the sizes of a
// result are made once, in program order, of sizes that are there already.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLRESOLVESIZESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

bool hasDynamicResult(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

/// Knows the sizes of the results that were seen so far.
class SizeResolver : public OpBuilder::Listener {
public:
  explicit SizeResolver(MLIRContext *context) : builder(context, this) {}

  /// Makes the sizes of the results of `op`, before it.
  void addResults(ReifyRankedShapedTypeOpInterface op) {
    builder.setInsertionPoint(op);
    size_t first = created.size();
    ReifiedRankedShapedTypeDims shapes;
    bool isKnown = succeeded(op.reifyResultShapes(builder, shapes));
    // Operations that resolve() creates have nothing to resolve.
    for (size_t i = first, end = created.size(); i < end; ++i)
      if (auto dim = dyn_cast<tensor::DimOp>(created[i]))
        resolve(dim, &shapes);
    if (isKnown)
      sizes[op] = std::move(shapes);
  }

  /// Replaces the uses of `dim` by the size that is known; in `shapes`, too.
  void resolve(tensor::DimOp dim, ReifiedRankedShapedTypeDims *shapes = {}) {
    builder.setInsertionPoint(dim);
    Value size = getSize(dim);
    if (!size)
      return;
    if (shapes)
      for (SmallVector<OpFoldResult> &shape : *shapes)
        for (OpFoldResult &entry : shape)
          if (entry == OpFoldResult(dim.getResult()))
            entry = size;
    dim.replaceAllUsesWith(size);
  }

  /// Erases created operations without uses.
  void eraseUnused() {
    for (Operation *op : llvm::reverse(created))
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    created.push_back(op);
  }

  /// Null where it is not known.
  Value getSize(tensor::DimOp dim) {
    Location loc = dim.getLoc();
    auto value = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(builder, loc, size);
    };
    while (auto cast = dim.getSource().getDefiningOp<tensor::CastOp>())
      dim.getSourceMutable().assign(cast.getSource());
    SmallVector<OpFoldResult> folded;
    if (succeeded(dim->fold(folded)) && !folded.empty())
      return value(folded.front());
    auto result = dyn_cast<OpResult>(dim.getSource());
    auto known = result ? sizes.find(result.getOwner()) : sizes.end();
    std::optional<int64_t> index = dim.getConstantIndex();
    if (known == sizes.end() || !index)
      return {};
    ArrayRef<OpFoldResult> shape = known->second[result.getResultNumber()];
    bool isKnown = *index >= 0 && *index < int64_t(shape.size());
    return isKnown && shape[*index] ? value(shape[*index]) : Value();
  }

  OpBuilder builder;
  SmallVector<Operation *> created;
  DenseMap<Operation *, ReifiedRankedShapedTypeDims> sizes;
};

/// A reshape to the sizes of its operand is known by these, which are about to
/// be replaced.
void dropReshapes(Operation *root) {
  root->walk([](tensor::ReshapeOp reshape) {
    SmallVector<OpFoldResult> folded;
    if (failed(reshape->fold(folded)) || folded.empty())
      return;
    if (auto value = dyn_cast<Value>(folded.front())) {
      reshape.replaceAllUsesWith(value);
      reshape.erase();
    }
  });
}

struct KrnlResolveSizes
    : public impl::KrnlResolveSizesPassBase<KrnlResolveSizes> {
  void runOnOperation() override {
    dropReshapes(getOperation());
    SmallVector<Operation *> inOrder;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isReified =
          hasDynamicResult(op) && isa<ReifyRankedShapedTypeOpInterface>(op);
      if (isReified || isa<tensor::DimOp>(op))
        inOrder.push_back(op);
      return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    SizeResolver resolver(&getContext());
    for (Operation *op : inOrder) {
      if (auto dim = dyn_cast<tensor::DimOp>(op)) {
        resolver.resolve(dim);
        if (dim.use_empty())
          dim.erase();
        continue;
      }
      resolver.addResults(cast<ReifyRankedShapedTypeOpInterface>(op));
    }
    resolver.eraseUnused();
  }
};

} // namespace
} // namespace onnxc::krnl
