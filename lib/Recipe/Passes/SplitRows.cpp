//===- SplitRows.cpp - krnl-split-rows --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A few long rows leave most multiprocessors of a device idle: a block has one
// at most. Kernels of their own have the sums of parts of them, combine these,
// and compute what follows.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/AssumeExtent.h"
#include "Passes/RowSums.h"
#include "Passes/WriteRowParts.h"
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
                                         KernelOp kernel,
                                         ArrayRef<int64_t> sizes, double most);
  // Of rows whose length only the run knows.
  void splitDynamic(KernelOp kernel, StringRef row);
  std::optional<int64_t> sizeOfGain(RewriterBase &rewriter, KernelOp kernel,
                                    StringRef row, int64_t elements,
                                    int64_t size);

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

/// The cheapest kernels with parts of one of the sizes, if they take less than
/// `most` cycles.
std::optional<RowKernels>
KrnlSplitRowsPass::findCheapest(RewriterBase &rewriter, KernelOp kernel,
                                ArrayRef<int64_t> sizes, double most) {
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  std::optional<RowKernels> cheapest;
  std::optional<RowSums> rows;
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);

  if (rows)
    for (int64_t size : sizes) {
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

/// The loop that all sums of the kernel run along; empty if there are several
/// or none.
static std::string rowOf(KernelOp kernel) {
  std::string row;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (const std::string &loop : reducedLoops(op)) {
      if (!row.empty() && row != loop)
        return "";
      row = loop;
    }
  return row;
}

//===----------------------------------------------------------------------===//
// Rows of dynamic length
//===----------------------------------------------------------------------===//

/// A loop without which the kernel stores nothing, if possible another one than
/// the row, and one whose extent only the run knows.
static std::optional<unsigned> switchOf(KernelOp kernel, StringRef row) {
  std::optional<unsigned> found;
  for (unsigned loop : llvm::seq<unsigned>(kernel.getLoops().size())) {
    if (!kernel.isOfResults(loop))
      continue;
    bool isRow = kernel.getLoop(loop).getName() == row;
    if (!found || (!isRow && kernel.getLoop(loop).isDynamic()) ||
        kernel.getLoop(*found).getName() == row)
      found = loop;
  }
  return found;
}

/// The most rows along a dynamic loop that leave most of the device without
/// work.
static int64_t fewRows(KernelOp kernel, StringRef row,
                       const Processor &target) {
  int64_t known = 1;
  for (const std::string &loop : loopNames(kernel))
    if (loop != row && isStatic(kernel, loop))
      known = estimatedProduct(known, extentOf(kernel, loop, 1));
  return std::max<int64_t>(target.cores / (4 * std::max<int64_t>(known, 1)), 1);
}

/// Gives a copy known extents: a row of so many elements, and so many rows.
static bool assumeRows(RewriterBase &rewriter, KernelOp copy, StringRef row,
                       int64_t elements, int64_t rows) {
  if (!assumeExtent(rewriter, copy, row, elements))
    return false;
  for (const std::string &loop : loopNames(copy))
    if (!isStatic(copy, loop) &&
        !assumeExtent(rewriter, copy, loop, std::exchange(rows, 1)))
      return false;
  return true;
}

/// The size of the parts by which rows of so many elements take less time than
/// whole ones: `size`, or the best one where that is 0.
std::optional<int64_t>
KrnlSplitRowsPass::sizeOfGain(RewriterBase &rewriter, KernelOp kernel,
                              StringRef row, int64_t elements, int64_t size) {
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  std::optional<int64_t> best;
  if (assumeRows(rewriter, copy, row, elements,
                 fewRows(kernel, row, processor))) {
    std::optional<NestCost> whole = chooser->costOf(copy, {keepOrder});
    SmallVector<int64_t> sizes{size};
    if (size == 0)
      sizes = sizesOfParts(elements, processor);
    std::optional<RowKernels> found;
    if (whole && mayPayInParts(*whole, processor))
      found =
          findCheapest(rewriter, copy, sizes, minGainOfKind * whole->cycles);
    if (found) {
      KernelOp parts = found->parts;
      best = parts.getLoop(*parts.findLoop(row)).getExtent();
      found->erase(rewriter);
    }
  }
  eraseWithOperands(rewriter, copy);
  return best;
}

/// The loop has the extent, which is at most as large as before.
static void setExtent(KernelOp kernel, unsigned loop, Value extent) {
  LoopAttr known = kernel.getLoop(loop);
  if (known.isDynamic()) {
    kernel.getExtentMutable(loop).set(extent);
    return;
  }
  auto loops = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  loops[loop] = LoopAttr::get(known.getContext(), known.getName(),
                              ShapedType::kDynamic, known.getExtent() + 1);
  kernel.replaceLoops(loops, extent);
}

/// The extent of the loop, or 0 where the kernel is not to run.
static void runIf(OpBuilder &b, KernelOp kernel, unsigned loop, Value condition,
                  bool isWanted) {
  Location loc = kernel.getLoc();
  Value extent =
            getValueOrCreateConstantIndexOp(b, loc, kernel.getExtent(loop)),
        zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value found = arith::SelectOp::create(
      b, loc, condition, isWanted ? extent : zero, isWanted ? zero : extent);
  setExtent(kernel, loop, found);
}

/// Emits an i1 that is true if the rows are long, and few if their number is
/// dynamic.
static Value areLong(OpBuilder &b, KernelOp kernel, StringRef row,
                     int64_t least, int64_t few) {
  Location loc = kernel.getLoc();
  Value all;
  for (const std::string &name : loopNames(kernel)) {
    auto extent = dyn_cast<Value>(kernel.getExtent(*kernel.findLoop(name)));
    if (!extent)
      continue;
    bool isRow = name == row;
    Value bound = arith::ConstantIndexOp::create(b, loc, isRow ? least : few);
    Value holds = arith::CmpIOp::create(
        b, loc, isRow ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule,
        extent, bound);
    all = all ? arith::AndIOp::create(b, loc, all, holds) : holds;
  }
  return all;
}

/// Kernels for long rows, which replace the results of the one for others, and
/// write over them.
static FailureOr<RowKernels> writeForLong(IRRewriter &rewriter, KernelOp kernel,
                                          unsigned loop, unsigned row,
                                          int64_t size, Value isLong,
                                          bool keepOrder) {
  rewriter.setInsertionPointAfter(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  copy.getOutsMutable().assign(kernel.getResults());
  rewriter.setInsertionPoint(kernel);
  runIf(rewriter, copy, row, isLong, true);
  if (loop != row)
    runIf(rewriter, copy, loop, isLong, true);
  std::optional<RowSums> rows;
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);
  FailureOr<RowKernels> made = failure();
  if (rows)
    made = writeRowParts(rewriter, copy, *rows, size);
  rewriter.eraseOp(copy);
  return made;
}

/// Splits rows of dynamic length: one kernel has short ones, and others parts
/// of long ones. The kernels that are not chosen have no iterations.
void KrnlSplitRowsPass::splitDynamic(KernelOp kernel, StringRef row) {
  IRRewriter rewriter(kernel.getContext());
  std::optional<unsigned> loop = switchOf(kernel, row);
  unsigned rowLoop = *kernel.findLoop(row);
  if (!loop || llvm::count_if(loopNames(kernel), [&](StringRef name) {
                 return !isStatic(kernel, name);
               }) > 2)
    return;
  std::optional<int64_t> size = sizeOfGain(rewriter, kernel, row, longRow, 0);
  if (!size)
    return;
  int64_t least = longRow;
  while (least / 2 > 2 * *size &&
         sizeOfGain(rewriter, kernel, row, least / 2, *size))
    least /= 2;
  rewriter.setInsertionPoint(kernel);
  Value isLong =
      areLong(rewriter, kernel, row, least, fewRows(kernel, row, processor));
  FailureOr<RowKernels> made =
      writeForLong(rewriter, kernel, *loop, rowLoop, *size, isLong, keepOrder);
  if (failed(made))
    return;
  rewriter.setInsertionPoint(kernel);
  runIf(rewriter, kernel, *loop, isLong, false);
  SmallVector<KernelOp> all = made->all();
  for (auto [old, found] : llvm::zip_equal(kernel.getResults(), made->results))
    rewriter.replaceUsesWithIf(old, found, [&](OpOperand &use) {
      return !llvm::is_contained(all, use.getOwner());
    });
  kernel.setName((kernel.getName() + " short").str());
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Split").category(getArgument()))
      << remark::add("{0}", made->total.getName().str())
      << remark::add("rows of {0} elements and more in parts of {1}", least,
                     *size);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void KrnlSplitRowsPass::split(KernelOp kernel) {
  std::string row = rowOf(kernel);
  if (!kernel.getRecipe().empty() || row.empty())
    return;
  if (!isStatic(kernel, row))
    return splitDynamic(kernel, row);
  std::optional<NestCost> whole = chooser->costOf(kernel, {keepOrder});
  if (!whole || !mayPayInParts(*whole, processor))
    return;
  IRRewriter rewriter(kernel.getContext());
  std::optional<RowKernels> found = findCheapest(
      rewriter, kernel, sizesOfParts(extentOf(kernel, row, 0), processor),
      minGainOfKind * whole->cycles);
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
