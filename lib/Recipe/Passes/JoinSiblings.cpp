//===- JoinSiblings.cpp - krnl-join-siblings --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels that read the same tensors over the same loops take a launch each,
// and read them each. One kernel does what both do, where a device then takes
// less time.
//
//   %a = kernel "ReduceMin" loops [d = 4096] ins(%x)
//   %b = kernel "ReduceMax" loops [d = 4096] ins(%x)
// -> %a, %b = kernel "ReduceMin+ReduceMax" loops [d = 4096] ins(%x)
//
//===----------------------------------------------------------------------===//

#include "Passes/ReportChoice.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLJOINSIBLINGSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// A block of the host program, and what kernels in it read: operations that
/// make tensors, and tensors that none makes.
using Sources = std::pair<Block *, std::vector<const void *>>;

struct KrnlJoinSiblingsPass
    : impl::KrnlJoinSiblingsPassBase<KrnlJoinSiblingsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!TargetAttr::processorOf(getOperation()).isDevice())
      return;
    chooser = &getAnalysis<RecipeChooser>();
    for (KernelOp kernel : kernelsOf(getOperation()))
      join(kernel);
  }

private:
  void join(KernelOp kernel);
  KernelOp joinIfCheaper(KernelOp first, KernelOp second);

  RecipeChooser *chooser = nullptr;
  /// Kernels that are there, in their order.
  std::map<Sources, SmallVector<KernelOp, 1>> siblings;
};

} // namespace

/// The tensor that a view shows.
static Value sourceOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!isa<tensor::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      break;
    view = op->getOperand(0);
  }
  return view;
}

/// Constants are none of them.
static Sources sourcesOf(KernelOp kernel) {
  Sources sources{kernel->getBlock(), {}};
  for (Value in : kernel.getIns()) {
    if (!isa<RankedTensorType>(in.getType()) || isConstantView(in))
      continue;
    Value source = sourceOf(in);
    auto maker = source.getDefiningOp<KernelOp>();
    sources.second.push_back(maker ? maker.getAsOpaquePointer()
                                   : source.getAsOpaquePointer());
  }
  llvm::sort(sources.second);
  sources.second.erase(llvm::unique(sources.second), sources.second.end());
  return sources;
}

/// The kernel that does what both do; null if it takes more time. Both could
/// run at the same time, so that it may not be much longer than one.
KernelOp KrnlJoinSiblingsPass::joinIfCheaper(KernelOp first, KernelOp second) {
  std::optional<NestCost> mine = chooser->costOf(first, {keepOrder}),
                          theirs = chooser->costOf(second, {keepOrder});
  if (!mine || !theirs ||
      first.getNumOperands() + second.getNumOperands() > maxJoinedOperands)
    return nullptr;
  IRRewriter rewriter(first.getContext());
  KernelOp joined = joinSiblings(rewriter, first, second);
  if (!joined)
    return nullptr;
  std::optional<NestCost> both = chooser->costOf(joined, {keepOrder});
  double most =
      std::min(minGainOfKind * (mine->cycles + theirs->cycles),
               maxSiblingGrowth * std::max(mine->cycles, theirs->cycles));
  bool isCheaper = both && both->cycles < most;
  reportChoice(second.getLoc(), getArgument(), isCheaper,
               {"two kernels of the same loops", mine->cycles + theirs->cycles},
               {"one kernel of the same loops",
                both ? std::optional(both->cycles) : std::nullopt});
  if (!isCheaper) {
    joined.erase();
    return nullptr;
  }
  ResultRange results = joined.getResults();
  first.replaceAllUsesWith(results.take_front(first.getNumResults()));
  second.replaceAllUsesWith(results.drop_front(first.getNumResults()));
  first.erase();
  second.erase();
  return joined;
}

void KrnlJoinSiblingsPass::join(KernelOp kernel) {
  Sources sources = sourcesOf(kernel);
  if (sources.second.empty() || !kernel.getRecipe().empty())
    return;
  auto &known = siblings[sources];
  for (KernelOp &first : known)
    if (KernelOp joined = joinIfCheaper(first, kernel)) {
      first = joined;
      return;
    }
  known.push_back(kernel);
}

} // namespace onnxc
