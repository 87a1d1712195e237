//===- FuseGemm.cpp - MatMul and Add of matrices ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

/// Returns true if adding `bias` to a `rows` x `columns` matrix cannot enlarge
/// it.
static bool fitsMatrix(Type bias, RankedTensorType product) {
  auto type = dyn_cast<RankedTensorType>(bias);
  if (!type || type.getRank() > 2 || !type.hasStaticShape())
    return false;
  ArrayRef<int64_t> last = product.getShape().take_back(type.getRank());
  return llvm::all_of(llvm::zip_equal(type.getShape(), last), [](auto sizes) {
    auto [size, whole] = sizes;
    return size == 1 || (size == whole && !ShapedType::isDynamic(whole));
  });
}

namespace {

LogicalResult fuseBias(AddOp op, MatMulOp product, Value bias,
                       PatternRewriter &rewriter) {
  auto left = dyn_cast<RankedTensorType>(product.getA().getType());
  auto right = dyn_cast<RankedTensorType>(product.getB().getType());
  auto type = dyn_cast<RankedTensorType>(product.getY().getType());
  if (!left || !right || !type || left.getRank() != 2 || right.getRank() != 2 ||
      type.getRank() != 2)
    return rewriter.notifyMatchFailure(op, "not a product of matrices");
  if (!fitsMatrix(bias.getType(), type))
    return rewriter.notifyMatchFailure(op, "the bias may enlarge the product");
  rewriter.replaceOpWithNewOp<GemmOp>(
      op, op->getResultTypes(),
      ValueRange{product.getA(), product.getB(), bias});
  return success();
}

/// add(matmul(a[m, k], b[k, n]), c[n]) -> gemm(a, b, c)
LogicalResult matMulAddToGemm(AddOp op, PatternRewriter &rewriter) {
  for (unsigned side : {0, 1}) {
    auto product = op->getOperand(side).getDefiningOp<MatMulOp>();
    if (product && product->hasOneUse())
      return fuseBias(op, product, op->getOperand(1 - side), rewriter);
  }
  return rewriter.notifyMatchFailure(op, "adds no product of its own");
}

} // namespace

void onnxc::onnx::populateFuseGemmPatterns(RewritePatternSet &patterns) {
  addRewrites<matMulAddToGemm>(patterns);
}
