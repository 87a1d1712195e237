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
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "Passes/RowSums.h"
#include "Passes/WriteRowParts.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLSPLITROWSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
/// Rows from so many elements on are divided into parts of a size, up to so
/// many rows along dynamic loops.
struct LongRows {
  int64_t minLength, size = 0, rows;
};

struct KrnlSplitRowsPass
    : DevicePass<impl::KrnlSplitRowsPassBase<KrnlSplitRowsPass>> {
  using DevicePass::DevicePass;

private:
  void rewrite(KernelOp kernel) override;
  std::optional<RowKernels> findCheapest(RewriterBase &rewriter,
                                         KernelOp kernel,
                                         ArrayRef<int64_t> sizes,
                                         double maxCycles);
  // Of rows of dynamic length.
  void splitDynamic(KernelOp kernel, StringRef row);
  bool splitBesideShort(IRRewriter &rewriter, KernelOp kernel, unsigned loop,
                        StringRef row, const LongRows &found);
  bool splitAll(IRRewriter &rewriter, KernelOp kernel, const LongRows &found);
  std::optional<LongRows> findMostRows(RewriterBase &rewriter, KernelOp kernel,
                                       StringRef row);
  std::optional<LongRows> findLongRows(RewriterBase &rewriter, KernelOp kernel,
                                       StringRef row);
  std::optional<int64_t> sizeOfGain(RewriterBase &rewriter, KernelOp kernel,
                                    StringRef row, const LongRows &wanted);
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
/// `maxCycles` cycles.
std::optional<RowKernels>
KrnlSplitRowsPass::findCheapest(RewriterBase &rewriter, KernelOp kernel,
                                ArrayRef<int64_t> sizes, double maxCycles) {
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  std::optional<RowKernels> cheapest;
  std::optional<RowSums> rows;
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);

  if (rows)
    for (int64_t size : sizes) {
      FailureOr<RowKernels> made = writeRowParts(rewriter, copy, *rows, {size});
      if (failed(made))
        continue;
      std::optional<double> cycles =
          chooser->cyclesOf(made->all(), {keepOrder}, maxCycles);
      if (!cycles) {
        made->erase(rewriter);
        continue;
      }
      if (cheapest)
        cheapest->erase(rewriter);
      cheapest = *made;
      maxCycles = *cycles;
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

/// Returns true if the kernel multiplies matrices: their tiles share the terms
/// of a sum, so that parts of it are rarely faster.
static bool multipliesMatrices(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
    return reductionKindOf(op) == ReductionKind::Contraction &&
           op.getNumParallelLoops() > 1;
  });
}

//===----------------------------------------------------------------------===//
// Rows of dynamic length
//===----------------------------------------------------------------------===//

/// A loop without which the kernel stores nothing, if possible another one than
/// the row, and one of dynamic extent.
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

/// The size of the parts by which the least of these rows take less time than
/// whole ones: the given one, or the best where that is 0.
std::optional<int64_t> KrnlSplitRowsPass::sizeOfGain(RewriterBase &rewriter,
                                                     KernelOp kernel,
                                                     StringRef row,
                                                     const LongRows &wanted) {
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  std::optional<int64_t> best;
  if (assumeRows(rewriter, copy, row, wanted.minLength, wanted.rows)) {
    std::optional<NestCost> whole = chooser->costOf(copy, {keepOrder});
    SmallVector<int64_t> sizes{wanted.size};
    if (wanted.size == 0)
      sizes = sizesOfParts(wanted.minLength, processor);
    std::optional<RowKernels> found;
    if (whole && mayBeProfitableInParts(*whole, processor))
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

/// The most rows along dynamic loops, up to one for each multiprocessor, of
/// which the parts of shorter ones are profitable, too, and the size of these.
/// For a row of a softmax that is 512 elements on sm_80 and sm_90a: those of
/// the best parts are 256 to 4096 for 8 thousand to a million elements.
std::optional<LongRows> KrnlSplitRowsPass::findMostRows(RewriterBase &rewriter,
                                                        KernelOp kernel,
                                                        StringRef row) {
  int64_t known = 1;
  LongRows found{longRow, 0, 1};
  for (const std::string &loop : loopNames(kernel))
    if (isStatic(kernel, loop))
      known = estimatedProduct(known, extentOf(kernel, loop, 1));
    else if (loop != row)
      found.rows = processor.cores;
  found.rows = std::max<int64_t>(found.rows / std::max<int64_t>(known, 1), 1);
  for (;; found.rows /= 2) {
    found.size = 0;
    std::optional<int64_t> size = sizeOfGain(rewriter, kernel, row, found);
    found.size = size.value_or(0);
    if (size &&
        (found.rows == 1 ||
         sizeOfGain(rewriter, kernel, row, {longRow / 2, *size, found.rows})))
      return found;
    if (found.rows == 1)
      return std::nullopt;
  }
}

/// The same with the least power of two below the assumed length for which the
/// cost model expects a gain.
std::optional<LongRows> KrnlSplitRowsPass::findLongRows(RewriterBase &rewriter,
                                                        KernelOp kernel,
                                                        StringRef row) {
  std::optional<LongRows> found = findMostRows(rewriter, kernel, row);
  if (!found)
    return std::nullopt;
  LongRows shorter = *found;
  for (shorter.minLength /= 2; shorter.minLength > 2 * found->size &&
                               sizeOfGain(rewriter, kernel, row, shorter);
       shorter.minLength /= 2)
    found->minLength = shorter.minLength;
  return found;
}

/// The loop has the extent, which is at most as large as before.
static void setExtent(KernelOp kernel, unsigned loop, Value extent) {
  LoopAttr known = kernel.getLoop(loop);
  if (known.isDynamic()) {
    kernel.getExtentMutable(loop).set(extent);
    return;
  }
  auto loops = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  loops[loop] =
      LoopAttr::get(known.getContext(), known.getName(), ShapedType::kDynamic,
                    known.getExtent() + 1, /*atLeast=*/0);
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

static Value number(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// Emits an i1 that is true if the rows are long, and few if their number is
/// dynamic.
static Value areLong(OpBuilder &b, KernelOp kernel, StringRef row,
                     const LongRows &wanted) {
  Location loc = kernel.getLoc();
  Value rows, isLong;
  for (const std::string &name : loopNames(kernel)) {
    auto extent = dyn_cast<Value>(kernel.getExtent(*kernel.findLoop(name)));
    if (extent && name == row)
      isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, extent,
                                     number(b, loc, wanted.minLength));
    else if (extent)
      rows = rows ? arith::MulIOp::create(b, loc, rows, extent) : extent;
  }
  if (!rows)
    return isLong;
  Value areFew = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, rows,
                                       number(b, loc, wanted.rows));
  return arith::AndIOp::create(b, loc, areFew, isLong);
}

/// Kernels for long rows that write over results of the ones before, which
/// `last` is the last of, where the condition holds.
static FailureOr<RowKernels>
writeForLong(IRRewriter &rewriter, KernelOp kernel, KernelOp last,
             ArrayRef<Value> results, unsigned loop, const PartsOfRow &wanted,
             Value condition, bool keepOrder) {
  rewriter.setInsertionPointAfter(last);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  copy.getOutsMutable().assign(results);
  if (wanted.takesTurns)
    copy.setName((kernel.getName() + " long").str());
  rewriter.setInsertionPoint(kernel);
  unsigned row = *kernel.findLoop(rowOf(kernel));
  runIf(rewriter, copy, row, condition, true);
  if (loop != row)
    runIf(rewriter, copy, loop, condition, true);
  std::optional<RowSums> rows;
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);
  FailureOr<RowKernels> made = failure();
  if (rows)
    made = writeRowParts(rewriter, copy, *rows, wanted);
  rewriter.eraseOp(copy);
  return made;
}

/// Emits two values of i1: true if the rows are long and have at most
/// `maxLength` elements, and true if they are long and have more.
static std::array<Value, 2> compareRow(OpBuilder &b, KernelOp kernel,
                                       StringRef row, Value isLong,
                                       int64_t maxLength) {
  Location loc = kernel.getLoc();
  auto extent = cast<Value>(kernel.getExtent(*kernel.findLoop(row)));
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    Value holds = arith::CmpIOp::create(b, loc, predicate, extent,
                                        number(b, loc, maxLength));
    return arith::AndIOp::create(b, loc, isLong, holds);
  };
  return {compare(arith::CmpIPredicate::ule),
          compare(arith::CmpIPredicate::ugt)};
}

/// One kernel keeps short rows, and others have parts of long ones, as many as
/// the threads of a block combine at once. Those of longer rows take turns.
/// Kernels that are not wanted have no iterations of the loop.
bool KrnlSplitRowsPass::splitBesideShort(IRRewriter &rewriter, KernelOp kernel,
                                         unsigned loop, StringRef row,
                                         const LongRows &found) {
  PartsOfRow parts{found.size, processor.tileThreads};
  rewriter.setInsertionPoint(kernel);
  Value isLong = areLong(rewriter, kernel, row, found);
  std::array<Value, 2> wanted =
      compareRow(rewriter, kernel, row, isLong, parts.size * parts.maxParts);
  SmallVector<Value> results(kernel.getResults());
  SmallVector<KernelOp> all{kernel};
  for (Value condition : wanted) {
    parts.takesTurns = condition == wanted.back();
    FailureOr<RowKernels> made =
        writeForLong(rewriter, kernel, all.back(), results, loop, parts,
                     condition, keepOrder);
    // Turns change nothing about that.
    if (failed(made))
      return false;
    results = made->results;
    llvm::append_range(all, made->all());
  }
  rewriter.setInsertionPoint(kernel);
  runIf(rewriter, kernel, loop, isLong, false);
  for (auto [old, value] : llvm::zip_equal(kernel.getResults(), results))
    rewriter.replaceUsesWithIf(old, value, [&](OpOperand &use) {
      return !llvm::is_contained(all, use.getOwner());
    });
  kernel.setName((kernel.getName() + " short").str());
  return true;
}

/// All rows are in parts: a short one costs a launch more, and a long one has
/// all blocks.
bool KrnlSplitRowsPass::splitAll(IRRewriter &rewriter, KernelOp kernel,
                                 const LongRows &found) {
  std::optional<RowSums> rows;
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  if (separateRows(rewriter, copy))
    rows = findRowSums(copy, keepOrder);
  FailureOr<RowKernels> made = failure();
  if (rows)
    made =
        writeRowParts(rewriter, copy, *rows,
                      {found.size, processor.tileThreads, /*takesTurns=*/true});
  rewriter.eraseOp(copy);
  if (succeeded(made))
    rewriter.replaceOp(kernel, made->results);
  return succeeded(made);
}

/// The length of the rows is dynamic.
void KrnlSplitRowsPass::splitDynamic(KernelOp kernel, StringRef row) {
  IRRewriter rewriter(kernel.getContext());
  std::optional<LongRows> found = findLongRows(rewriter, kernel, row);
  if (!found)
    return;
  Location loc = kernel.getLoc();
  std::string name = kernel.getName().str();
  std::optional<unsigned> loop = switchOf(kernel, row);
  if (loop ? !splitBesideShort(rewriter, kernel, *loop, row, *found)
           : !splitAll(rewriter, kernel, *found))
    return;
  remark::passed(loc, remark::RemarkOpts::name("Split").category(getArgument()))
      << remark::add("{0}", name)
      << remark::add("rows of {0} elements and more in parts of {1}, {2} at "
                     "most",
                     loop ? found->minLength : 1, found->size,
                     processor.tileThreads);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void KrnlSplitRowsPass::rewrite(KernelOp kernel) {
  std::string row = rowOf(kernel);
  if (!kernel.getRecipe().empty() || row.empty())
    return;
  if (!isStatic(kernel, row)) {
    if (!multipliesMatrices(kernel))
      splitDynamic(kernel, row);
    return;
  }
  std::optional<NestCost> whole = chooser->costOf(kernel, {keepOrder});
  if (!whole || !mayBeProfitableInParts(*whole, processor))
    return;
  IRRewriter rewriter(kernel.getContext());
  std::optional<RowKernels> found = findCheapest(
      rewriter, kernel, sizesOfParts(extentOf(kernel, row, 0), processor),
      std::numeric_limits<double>::infinity());
  if (!found)
    return;
  LoopAttr parts = found->parts.getLoop(found->parts.getLoops().size() - 2);
  FormChoice choice({"whole rows", whole->cycles});
  choice.offer({llvm::formatv("rows in {0} parts", parts.getExtent()),
                chooser->cyclesOf(found->all(), {keepOrder})});
  if (choice.report(kernel.getLoc(), getArgument()))
    rewriter.replaceOp(kernel, found->results);
  else
    found->erase(rewriter);
}

} // namespace onnxc
