//===- RemoveDoubleNeg.cpp - Neg(Neg(x)) -> x as a plug-in -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace {

struct RemoveDoubleNeg final : OpRewritePattern<onnxc::onnx::NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(onnxc::onnx::NegOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<onnxc::onnx::NegOp>();
    if (!inner || inner.getX().getType() != op.getY().getType())
      return failure();
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

struct RemoveDoubleNegPass final
    : PassWrapper<RemoveDoubleNegPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RemoveDoubleNegPass)

  StringRef getArgument() const override { return "remove-double-neg"; }
  StringRef getDescription() const override { return "Neg(Neg(x)) -> x"; }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RemoveDoubleNeg>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RemoveDoubleNeg", LLVM_VERSION_STRING,
          [] { PassRegistration<RemoveDoubleNegPass>(); }};
}
