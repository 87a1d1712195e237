//===- AnnotateCosts.cpp - krnl-annotate-costs ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The host program divides the tiles of a launch among workers, bounds the time
// of runs and counts their work. It does so by the costs of kernels, which are
// known while these have recipes.
//
//===----------------------------------------------------------------------===//

#include "Passes/AssumeExtent.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "onnxc/Dialect/Krnl/Transforms/AssumedValues.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLANNOTATECOSTSPASS
#include "onnxc/Recipe/Passes.h.inc"

/// Four digits, which is more than an estimate has: others print as bits.
static FloatAttr fourDigits(Builder &builder, double value) {
  double rounded = value;
  (void)llvm::to_float(llvm::formatv("{0:e3}", value).str(), rounded);
  return builder.getF64FloatAttr(rounded);
}

/// Cycles as an integer; those of loops beyond all bounds are its largest one.
static IntegerAttr wholeCycles(Builder &builder, double cycles) {
  constexpr int64_t max = std::numeric_limits<int64_t>::max();
  return builder.getI64IntegerAttr(cycles < double(max) ? int64_t(cycles)
                                                        : max);
}

/// Gives the dynamic loops of a copy of a kernel the extents that the host
/// computes for assumed sizes, at least 1: a launch without blocks does not
/// run. The time of a device is no product of extents: few threads wait longer
/// for each other.
static void assumeExtents(RewriterBase &rewriter, KernelOp copy,
                          AssumedValues &sizes) {
  SmallVector<StringRef> dynamic;
  for (auto loop : copy.getLoops().getAsRange<LoopAttr>())
    if (loop.isDynamic())
      dynamic.push_back(loop.getName());
  for (StringRef loop : dynamic) {
    unsigned number = *copy.findLoop(loop);
    int64_t extent = sizes.of(copy.getExtentMutable(number).get());
    (void)assumeExtent(rewriter, copy, loop, std::max<int64_t>(extent, 1));
  }
}

/// The cost on a device for assumed sizes: of the kernel, or where its recipe
/// is not legal for these, with the extents that the cost model assumes.
static NestCost deviceCost(KernelOp kernel, const LoopNest &nest,
                           const Processor &target, AssumedValues &sizes) {
  if (kernel.getExtents().empty())
    return nestCost(kernel, nest, target);
  IRRewriter rewriter(kernel.getContext());
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  assumeExtents(rewriter, copy, sizes);
  std::string reason;
  FailureOr<LoopNest> itsNest =
      LoopNest::tryReplay(copy, reason, NestChecks::AfterLastStep);
  NestCost cost = succeeded(itsNest) ? nestCost(copy, *itsNest, target)
                                     : nestCost(kernel, nest, target);
  eraseWithOperands(rewriter, copy);
  return cost;
}

/// The cycles of the kernel. Its launch has the extents of dynamic loops after
/// the inputs of the kernel.
static void annotateCycles(KernelOp kernel, const LoopNest &nest,
                           const Processor &target, AssumedValues &sizes) {
  Builder builder(kernel.getContext());
  SmallVector<unsigned> position;
  unsigned next = kernel.getIns().size();
  for (unsigned axis : llvm::seq(nest.numAxes())) {
    position.push_back(next);
    next += nest.loop(axis).isDynamic();
  }
  NestCost cost = target.isDevice() ? deviceCost(kernel, nest, target, sizes)
                                    : nestCost(kernel, nest, target);
  SmallVector<Attribute> terms;
  for (const CostTerm &term : cost.terms) {
    SmallVector<Attribute> parts{fourDigits(builder, term.cycles)};
    for (unsigned axis : term.axes)
      parts.push_back(builder.getI64IntegerAttr(position[axis]));
    terms.push_back(builder.getArrayAttr(parts));
  }
  kernel->setAttr(cyclesAttrName, builder.getArrayAttr(terms));
  kernel->setAttr(tileCyclesAttrName, wholeCycles(builder, cost.tileCycles));
  if (cost.rooflineCycles)
    kernel->setAttr(rooflineCyclesAttrName,
                    fourDigits(builder, *cost.rooflineCycles));
}

/// The costs of launches that pack operands of the kernel.
static DictionaryAttr packCosts(KernelOp kernel, const LoopNest &nest,
                                const Processor &target) {
  Builder builder(kernel.getContext());
  NamedAttrList costs;
  for (const Pack &pack : nest.packs()) {
    auto type =
        cast<RankedTensorType>(kernel.getOperand(pack.operand).getType());
    NamedAttrList cost;
    cost.set(tileCyclesAttrName,
             wholeCycles(builder, packTileCycles(nest, pack, target)));
    cost.set(workAttrName, packingWork(type));
    costs.set(std::to_string(pack.operand),
              cost.getDictionary(kernel.getContext()));
  }
  return costs.getDictionary(kernel.getContext());
}

namespace {
struct KrnlAnnotateCosts
    : public impl::KrnlAnnotateCostsPassBase<KrnlAnnotateCosts> {
  void runOnOperation() override {
    Processor target = TargetAttr::processorOf(getOperation());
    AssumedValues sizes;
    for (KernelOp kernel : kernelsOf(getOperation())) {
      LoopNest nest = LoopNest::replay(kernel);
      annotateCycles(kernel, nest, target, sizes);
      if (DictionaryAttr costs = packCosts(kernel, nest, target);
          !costs.empty())
        kernel->setAttr(packCostsAttrName, costs);
      if (DictionaryAttr work = launchWork(kernel, [&](unsigned operand) {
            return nest.packOf(operand) != nullptr;
          }))
        kernel->setAttr(workAttrName, work);
    }
  }
};
} // namespace

} // namespace onnxc
