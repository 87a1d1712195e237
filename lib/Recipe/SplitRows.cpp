//===- SplitRows.cpp - krnl-split-rows --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A few long rows leave most multiprocessors of a device idle: a block has one
// at most. Kernels of their own have the sums of parts of them, combine these,
// and compute what follows.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "RowSums.h"
#include "WriteRowParts.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLSPLITROWSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
struct KrnlSplitRowsPass : impl::KrnlSplitRowsPassBase<KrnlSplitRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    processor = TargetAttr::processorOf(getOperation());
    if (!processor.isDevice())
      return;
    chooser = &getAnalysis<RecipeChooser>();
    for (KernelOp kernel : kernelsOf(getOperation()))
      split(kernel);
  }

private:
  void split(KernelOp kernel);
  std::optional<RowKernels> findCheapest(RewriterBase &rewriter,
                                         KernelOp kernel, double most);

  Processor processor;
  RecipeChooser *chooser = nullptr;
};
} // namespace

/// The sizes of parts that rows are tried in: 2, 4, ... parts, or about as many
/// where these are equal, up to one for each thread of the block that combines
/// them. Others are multiples of what a warp has.
static SmallVector<int64_t> sizesOfParts(int64_t extent,
                                         const Processor &target) {
  SmallVector<int64_t> sizes;
  for (int64_t parts = 2; parts <= target.tileThreads; parts *= 2) {
    int64_t divisor = largestDivisor(extent, parts),
            size = 2 * divisor > parts
                       ? extent / divisor
                       : llvm::alignTo(llvm::divideCeil(extent, parts),
                                       target.warpThreads);
    if (size >= minTermsOfThread * target.warpThreads && size < extent)
      sizes.push_back(size);
  }
  return sizes;
}

/// Those kernels that take less than `most` cycles.
std::optional<RowKernels>
KrnlSplitRowsPass::findCheapest(RewriterBase &rewriter, KernelOp kernel,
                                double most) {
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  std::optional<RowKernels> cheapest;
  std::optional<RowSums> rows;
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);

  if (rows && isStatic(copy, rows->row))
    for (int64_t size : sizesOfParts(extentOf(copy, rows->row, 0), processor)) {
      FailureOr<RowKernels> made = writeRowParts(rewriter, copy, *rows, size);
      if (failed(made))
        continue;
      std::optional<double> cycles =
          chooser->cyclesOf(made->all(), {keepOrder});
      if (!cycles || *cycles >= most) {
        made->erase(rewriter);
        continue;
      }
      if (cheapest)
        cheapest->erase(rewriter);
      cheapest = *made;
      most = *cycles;
    }
  eraseWithOperands(rewriter, copy);
  return cheapest;
}

void KrnlSplitRowsPass::split(KernelOp kernel) {
  if (!kernel.getRecipe().empty() ||
      llvm::none_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
        return op.getNumReductionLoops() == 1;
      }))
    return;
  std::optional<NestCost> whole = chooser->costOf(kernel, {keepOrder});
  if (!whole || !mayPayInParts(*whole, processor))
    return;
  IRRewriter rewriter(kernel.getContext());
  std::optional<RowKernels> found =
      findCheapest(rewriter, kernel, minGainOfKind * whole->cycles);
  if (!found)
    return;
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Split").category(getArgument()))
      << remark::add("{0}", kernel.getName().str())
      << remark::add("rows in {0} parts",
                     found->parts.getLoop(found->parts.getLoops().size() - 2)
                         .getExtent());
  rewriter.replaceOp(kernel, found->results);
}

} // namespace onnxc
