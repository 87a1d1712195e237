//===- SimplifyPass.cpp - The simplify phase -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/IR/RankSwitch.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/CSE.h"
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

  Simplify(Evaluator evaluator, bool specialize)
      : evaluator(std::move(evaluator)) {
    specializeEnabled = specialize;
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
          populateFoldConvPatterns, populateSimplifyIfPatterns})
      populate(set);
    if (specializeEnabled) {
      populateWidenTypesPatterns(set);
      populateSimplifyPoolPatterns(set);
      populateSplitConvTransposePatterns(set);
      populateSplitVariadicPatterns(set);
      populateGroupRowsPatterns(set);
    }
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    unsigned copies = 0;
    for (unsigned round = 0;; ++round) {
      dropImpossibleRanks(getOperation());
      DimAnalysis analysis(getOperation(), /*report=*/true);
      if (analysis.hasErrors())
        return signalPassFailure();
      writeTypes(getOperation(), analysis);
      if (round != maxRounds && (rewriteOnce(analysis) || fold()))
        continue;
      FailureOr<bool> specialized = false;
      if (round != maxRounds && specializeEnabled)
        specialized = specializeRanks(getOperation(), analysis, copies);
      if (failed(specialized))
        return signalPassFailure();
      if (*specialized)
        continue;
      if (annotateOps)
        annotateDims(getOperation(), analysis);
      annotateRankChoices(getOperation());
      return;
    }
  }

  /// One round of everything; true if anything changed.
  bool rewriteOnce(DimAnalysis &analysis) {
    // Equal operations must not differ by what was said of them before.
    getOperation().walk([](Operation *op) {
      if (!isa_and_present<ONNXDialect>(op->getDialect()))
        return;
      op->removeDiscardableAttr("onnx.dims");
      op->removeDiscardableAttr(rankChoicesAttrName);
    });
    IRRewriter rewriter(&getContext());
    bool refined = refineOperands(getOperation());
    bool folded = foldKnownShapes(getOperation(), analysis, rewriter);
    bool rewritten = false;
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), patterns, config, &rewritten);
    bool merged = false;
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation(), &merged);
    return refined || folded || rewritten || merged;
  }

  /// What rewrites leave constant is computed, all of it together.
  bool fold() {
    return evaluator && foldConstantSubgraphs(getOperation(), evaluator);
  }

  FrozenRewritePatternSet patterns;
  Evaluator evaluator;
};

} // namespace

std::unique_ptr<Pass> onnxc::onnx::createSimplify(Evaluator evaluator,
                                                  bool specializeRanks) {
  return std::make_unique<Simplify>(std::move(evaluator), specializeRanks);
}
