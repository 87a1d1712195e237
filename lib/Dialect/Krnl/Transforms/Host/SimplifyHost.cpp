//===- SimplifyHost.cpp - Canonicalize around kernels -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's canonicalizer would also rewrite the bodies of kernels: it erases
// structured ops that only copy, and puts casts between them. A kernel defines
// its computation and its destinations, so it is not rewritten.
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLSIMPLIFYHOSTPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// The bytes of sizes that have become known.
LogicalResult foldBytes(BufferBytesOp op, PatternRewriter &rewriter) {
  auto type = cast<MemRefType>(op.getBuffer());
  SmallVector<int64_t> shape(type.getShape());
  unsigned dynamic = 0;
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    std::optional<int64_t> known =
        getConstantIntValue(op.getSizes()[dynamic++]);
    if (!known || *known < 0)
      return rewriter.notifyMatchFailure(op, "a size is not known");
    size = *known;
  }
  auto known = RankedTensorType::get(shape, type.getElementType());
  std::optional<int64_t> bytes = boundedBytes(known);
  if (bytes && llvm::is_contained(shape, 0))
    bytes = 1;
  rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(
      op, bytes ? llvm::alignTo(*bytes, bufferAlignment) : 2 * maxTensorBytes);
  return success();
}

/// (size * 12) / 4 -> size * 3: a dimension that was merged with a known one is
/// divided again.
LogicalResult foldQuotient(arith::FloorDivSIOp op, PatternRewriter &rewriter) {
  auto product = op.getLhs().getDefiningOp<arith::MulIOp>();
  std::optional<int64_t> divisor = getConstantIntValue(op.getRhs());
  if (!product || !divisor || *divisor < 1 || !op.getType().isIndex())
    return rewriter.notifyMatchFailure(op, "no product is divided");
  std::optional<int64_t> factor = getConstantIntValue(product.getRhs());
  if (!factor || *factor % *divisor != 0)
    return rewriter.notifyMatchFailure(op, "no factor is a multiple");
  Value rest =
      arith::ConstantIndexOp::create(rewriter, op.getLoc(), *factor / *divisor);
  rewriter.replaceOpWithNewOp<arith::MulIOp>(op, product.getLhs(), rest);
  return success();
}

struct KrnlSimplifyHost
    : public impl::KrnlSimplifyHostPassBase<KrnlSimplifyHost> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<arith::ArithDialect, scf::SCFDialect, tensor::TensorDialect,
              KrnlDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(set, context);
    set.add(foldBytes);
    set.add(foldQuotient);
    // Each scf.if visits all users of its condition, which is quadratic where
    // thousands have the same.
    llvm::erase_if(set.getNativePatterns(), [](const auto &pattern) {
      return pattern->getDebugName().contains("ConditionPropagation");
    });
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> host;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != getOperation())
        host.push_back(op);
      return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(host, patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace

} // namespace onnxc::krnl
