//===- MergePass.cpp - krnl-merge ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLMERGEPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

static int64_t countSums(KernelOp kernel) {
  return llvm::count_if(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
    return op.getNumReductionLoops() > 0;
  });
}

/// The vectors of the register tile of a kernel; 0 if it has none.
static int64_t vectorsOfTile(KernelOp kernel) {
  for (Attribute attribute : kernel.getRecipe()) {
    auto step = dyn_cast<RegisterTileStepAttr>(attribute);
    if (!step)
      continue;
    std::string reason;
    FailureOr<LoopNest> nest = LoopNest::tryReplay(kernel, reason);
    if (failed(nest))
      return 0;
    auto rows = nest->find(step.getRows()),
         columns = nest->find(step.getColumns());
    if (rows && columns)
      return nest->loop(*rows).extent *
             int64_t(llvm::divideCeil(nest->loop(*columns).extent,
                                      step.getLanes()));
  }
  return 0;
}

namespace {
struct KrnlMergePass : impl::KrnlMergePassBase<KrnlMergePass> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation()->hasAttr(TargetAttr::hostAttrName))
      return; // recipes map the threads of one kernel
    // Consumers first appear after their producers, so one sweep suffices; a
    // merged kernel is tried again with its other producers.
    SmallVector<KernelOp> kernels = kernelsOf(getOperation());
    IRRewriter rewriter(&getContext());
    for (KernelOp consumer : kernels)
      while (KernelOp merged = mergeOneProducer(rewriter, consumer))
        consumer = merged;
  }

private:
  /// Merges the first producer that allows it; null if none does.
  KernelOp mergeOneProducer(RewriterBase &rewriter, KernelOp consumer) {
    if (failed(checkBudget(consumer.getLoc())))
      return nullptr;
    SetVector<Operation *> producers;
    for (Value in : consumer.getIns())
      if (auto producer = in.getDefiningOp<KernelOp>())
        producers.insert(producer);
    for (Operation *op : producers) {
      auto producer = cast<KernelOp>(op);
      std::string reason;
      if (succeeded(checkLimits(producer, consumer, reason))) {
        Location loc = consumer.getLoc();
        FailureOr<KernelOp> merged =
            mergeKernels(rewriter, producer, consumer, reason);
        if (succeeded(merged)) {
          KernelOp cleaned = cleanUp(rewriter, *merged);
          remark::passed(
              loc, remark::RemarkOpts::name("Merged").category("krnl-merge"))
              << remark::add("{0}", cleaned.getName().str());
          return cleaned;
        }
      }
      reportApart(producer, consumer, "NotMerged", getArgument(), reason);
    }
    return nullptr;
  }

  /// Folding renumbers the ops, so it waits for recipes that name none.
  static KernelOp cleanUp(RewriterBase &rewriter, KernelOp merged) {
    if (!namesOps(merged))
      merged = tryRewrite(rewriter, merged, foldElementwise);
    return tryRewrite(rewriter, merged, reuseDestinations);
  }

  /// Replaces the kernel by a rewritten one for which the recipe is legal;
  /// gives the kernel itself if there is none.
  static KernelOp
  tryRewrite(RewriterBase &rewriter, KernelOp merged,
             llvm::function_ref<void(RewriterBase &, KernelOp)> rewrite) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(merged);
    auto rewritten = cast<KernelOp>(rewriter.clone(*merged));
    rewrite(rewriter, rewritten);
    if (failed(dropIdleSteps(rewritten))) {
      rewriter.eraseOp(rewritten);
      return merged;
    }
    rewriter.replaceOp(merged, rewritten);
    return rewritten;
  }

  /// The operand that a step shuffles may have been folded away, and the
  /// intermediate that a step puts in the arena may be a result now. Fails if
  /// the recipe is not legal without such steps.
  static LogicalResult dropIdleSteps(KernelOp merged) {
    std::string reason;
    if (succeeded(LoopNest::tryReplay(merged, reason)))
      return success();
    SmallVector<Attribute> steps;
    for (Attribute step : merged.getRecipe()) {
      steps.push_back(step);
      merged.setRecipeAttr(ArrayAttr::get(merged.getContext(), steps));
      if (isa<TransposeStepAttr, InterleaveStepAttr, StridedStepAttr,
              ArenaStepAttr>(step) &&
          failed(LoopNest::tryReplay(merged, reason)))
        steps.pop_back();
    }
    merged.setRecipeAttr(ArrayAttr::get(merged.getContext(), steps));
    return LoopNest::tryReplay(merged, reason);
  }

  LogicalResult checkLimits(KernelOp producer, KernelOp consumer,
                            std::string &reason) {
    if (producer.getRecipe().empty() && consumer.getRecipe().empty()) {
      reason = producer.getName().str() + " has no fuse_outer loop";
      return failure();
    }
    int64_t sums = countSums(producer) + countSums(consumer),
            vectors = sums > 1 ? sums * vectorsOfTile(consumer) : 0;
    // The sums wait for an op after the last of them. LLVM spills more than
    // that in the loops of the products, and not between these.
    if (vectors > 2 * TargetAttr::processorOf(consumer).vectorRegs) {
      reason = llvm::formatv("the sums of {0} products would take {1} vectors",
                             sums, vectors);
      return failure();
    }
    size_t operands = producer.getIns().size() + producer.getOuts().size() +
                      consumer.getIns().size() + consumer.getOuts().size() - 1;
    if (operands <= maxOperands)
      return checkOps(producer, consumer, maxOps, reason);
    reason = llvm::formatv("the kernel would have {0} operands", operands);
    return failure();
  }
};
} // namespace
} // namespace onnxc::krnl
