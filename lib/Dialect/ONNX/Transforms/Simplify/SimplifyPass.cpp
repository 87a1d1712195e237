//===- SimplifyPass.cpp - The simplify phase -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"
#include "onnxc/Support/CommonSubexpressions.h"
#include "onnxc/Support/KeepNodes.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_SIMPLIFY
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

namespace {

struct Simplify final : public onnxc::onnx::impl::SimplifyBase<Simplify> {
  using SimplifyBase::SimplifyBase;

  Simplify(Evaluator evaluator, bool compiles)
      : evaluator(std::move(evaluator)) {
    forCompilation = compiles;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    SimplifyBase::getDependentDialects(registry);
    if (evaluator)
      evaluator.registerDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (auto populate :
         {populateNormalizeAttributesPatterns, populateNormalizeAxesPatterns,
          populateSimplifyIdentityPatterns, populateSimplifyReshapePatterns,
          populateSimplifyTransposePatterns, populateFuseGemmPatterns,
          populateFoldConvPatterns, populateSimplifyFillPatterns,
          populateSimplifyIfPatterns})
      populate(set);
    if (forCompilation) {
      populateWidenTypesPatterns(set);
      populateSimplifyPoolPatterns(set);
      populateFoldScalesPatterns(set);
      populateSplitVariadicPatterns(set);
      populateGroupRowsPatterns(set);
    }
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    for (unsigned round = 0;; ++round) {
      dropImpossible(getOperation());
      DimAnalysis analysis(getOperation(), /*warns=*/true);
      if (forCompilation && failRejectedBodies(getOperation(), analysis))
        continue;
      if (failed(analysis.reportRejected()))
        return signalPassFailure();
      writeTypes(getOperation(), analysis);
      if (round != maxRounds && (rewriteOnce(analysis) || fold()))
        continue;
      if (annotateOps)
        annotateDims(getOperation(), analysis);
      return;
    }
  }

  /// One round of everything; true if anything changed.
  bool rewriteOnce(DimAnalysis &analysis) {
    // Equal operations must not differ by dimensions recorded before.
    getOperation().walk([](Operation *op) {
      if (isa_and_present<ONNXDialect>(op->getDialect()))
        op->removeDiscardableAttr("onnx.dims");
    });
    onnxc::KeepNodes keepNodes(getArgument());
    IRRewriter rewriter(&getContext(), &keepNodes);
    bool refined = refineOperands(getOperation());
    keepNodes.setStep("FoldKnownShapes");
    bool folded = foldKnownShapes(getOperation(), analysis, &keepNodes);
    keepNodes.setStep("Fold");
    bool rewritten = false;
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setListener(&keepNodes);
    (void)applyPatternsGreedily(getOperation(), patterns, config, &rewritten);
    keepNodes.setStep("ShareEqual");
    bool merged = onnxc::mergeCommonSubexpressions(rewriter, getOperation());
    return refined || folded || rewritten || merged;
  }

  /// Values that rewrites leave constant are computed, all of them at once.
  bool fold() {
    return evaluator && foldConstantSubgraphs(getOperation(), evaluator);
  }

  FrozenRewritePatternSet patterns;
  Evaluator evaluator;
};

} // namespace

std::unique_ptr<Pass> onnxc::onnx::createSimplify(Evaluator evaluator,
                                                  bool compiles) {
  return std::make_unique<Simplify>(std::move(evaluator), compiles);
}
