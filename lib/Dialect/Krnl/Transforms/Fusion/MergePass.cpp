//===- MergePass.cpp - krnl-merge ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLMERGEPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

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
          cleanUp(rewriter, *merged);
          remark::passed(
              loc, remark::RemarkOpts::name("Merged").category("krnl-merge"))
              << remark::add("{0}", merged->getName().str());
          return *merged;
        }
      }
      reportApart(producer, consumer, "NotMerged", getArgument(), reason);
    }
    return nullptr;
  }

  /// Folding renumbers the ops, so it waits for recipes that name none.
  static void cleanUp(RewriterBase &rewriter, KernelOp merged) {
    if (llvm::none_of(merged.getRecipe(),
                      llvm::IsaPred<OnlyStepAttr, ArenaStepAttr>)) {
      foldElementwise(rewriter, merged);
      dropIdleSteps(merged);
    }
    reuseDestinations(rewriter, merged);
  }

  /// The operand that a step shuffles may have been folded away.
  static void dropIdleSteps(KernelOp merged) {
    std::string reason;
    if (succeeded(LoopNest::tryReplay(merged, reason)))
      return;
    SmallVector<Attribute> steps;
    for (Attribute step : merged.getRecipe()) {
      steps.push_back(step);
      merged.setRecipeAttr(ArrayAttr::get(merged.getContext(), steps));
      if (isa<TransposeStepAttr, InterleaveStepAttr, StridedStepAttr>(step) &&
          failed(LoopNest::tryReplay(merged, reason)))
        steps.pop_back();
    }
    merged.setRecipeAttr(ArrayAttr::get(merged.getContext(), steps));
  }

  LogicalResult checkLimits(KernelOp producer, KernelOp consumer,
                            std::string &reason) {
    if (producer.getRecipe().empty() && consumer.getRecipe().empty()) {
      reason = producer.getName().str() + " has no fuse_outer loop";
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
