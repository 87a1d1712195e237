//===- JoinAttention.cpp - krnl-join-attention ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Copies of the three kernels are merged to predict the time that one kernel
// would take. Those that are slower vanish again.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

#define GEN_PASS_DEF_KRNLJOINATTENTIONPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
struct KrnlJoinAttentionPass
    : impl::KrnlJoinAttentionPassBase<KrnlJoinAttentionPass> {
  using Base::Base;

  void runOnOperation() override {
    processor = TargetAttr::processorOf(getOperation());
    if (!processor.isDevice())
      return;
    for (KernelOp kernel : kernelsOf(getOperation()))
      joinIfCheaper(kernel);
  }

private:
  void joinIfCheaper(KernelOp sums);
  double timeOf(ArrayRef<KernelOp> kernels);

  Processor processor;
};
} // namespace

/// Of all launches together; 0 where a kernel has no recipe.
double KrnlJoinAttentionPass::timeOf(ArrayRef<KernelOp> kernels) {
  double cycles = 0;
  for (KernelOp kernel : kernels) {
    std::optional<NestCost> cost = chosenCost(kernel, processor);
    if (!cost)
      return 0;
    cycles += cost->cycles;
  }
  return cycles;
}

/// A copy of the three kernels in front of the last one, made one; null if they
/// cannot be.
static KernelOp joinCopies(IRRewriter &rewriter, const AttentionParts &parts,
                           KernelOp sums) {
  rewriter.setInsertionPoint(sums);
  IRMapping map;
  SmallVector<KernelOp> copies;
  for (KernelOp part : {parts.scores, parts.rows, sums})
    copies.push_back(cast<KernelOp>(rewriter.clone(*part, map)));
  std::string reason;
  FailureOr<KernelOp> merged = copies[2];
  for (unsigned part : {1, 0}) {
    FailureOr<KernelOp> larger =
        mergeKernels(rewriter, copies[part], *merged, reason);
    if (succeeded(larger)) {
      merged = larger;
      continue;
    }
    rewriter.eraseOp(*merged);
    for (unsigned left : llvm::reverse(llvm::seq(part + 1)))
      rewriter.eraseOp(copies[left]);
    return nullptr;
  }
  return *merged;
}

void KrnlJoinAttentionPass::joinIfCheaper(KernelOp sums) {
  std::string reason;
  FailureOr<AttentionParts> parts = findAttention(sums, reason);
  if (failed(parts))
    return;
  double apart = timeOf({parts->scores, parts->rows, sums});
  if (apart == 0)
    return; // no kernel is faster
  IRRewriter rewriter(&getContext());
  KernelOp joined = joinCopies(rewriter, *parts, sums);
  if (!joined)
    return;
  double together = timeOf(joined);
  if (together == 0 || together >= apart) {
    rewriter.eraseOp(joined);
    return;
  }
  remark::passed(sums.getLoc(),
                 remark::RemarkOpts::name("Join").category(getArgument()))
      << remark::add("{0}", joined.getName().str())
      << remark::add("{0} cycles instead of {1}", int64_t(together),
                     int64_t(apart));
  rewriter.replaceOp(sums, joined.getResults());
  for (KernelOp part : {parts->rows, parts->scores})
    rewriter.eraseOp(part);
}

} // namespace onnxc
