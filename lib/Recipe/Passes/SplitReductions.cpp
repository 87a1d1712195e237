//===- SplitReductions.cpp - krnl-split-reductions --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Sums of few results leave most multiprocessors of a device idle. A kernel of
// its own has parts of them, side by side in scratch memory, and the kernel
// adds them up in their order, so that runs repeat to the bit. They are sums of
// products, or minima, sums and the like along several loops, some of which may
// have a dynamic extent; krnl-split-rows has those of rows.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/DeclareKernel.h"
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "Passes/LoopParts.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLSPLITREDUCTIONSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// A sum whose terms are divided among parts.
struct Split {
  ComputeOp sum;
  /// What a part without terms is.
  TypedAttr neutral;
  /// The loop over most of the terms.
  std::string loop;
  int64_t extent = 0;
  /// The number of terms of each result, over all loops.
  int64_t terms = 0;

  /// Parts are outermost: adjacent blocks have adjacent results
  /// of one part.
  LoopParts inParts(int64_t parts) const {
    return LoopParts(loop, extent / parts, LoopParts::Place::First);
  }
};

/// The kernel of the parts, and the kernel that adds them up.
struct SplitKernels {
  KernelOp parts, total;

  void erase() {
    Operation *scratch = parts.getOuts().front().getDefiningOp();
    total.erase();
    parts.erase();
    scratch->erase();
  }
};

struct KrnlSplitReductionsPass
    : DevicePass<impl::KrnlSplitReductionsPassBase<KrnlSplitReductionsPass>> {
  using DevicePass::DevicePass;

private:
  void rewrite(KernelOp kernel) override;
};

} // namespace

/// The number that a part of the sum begins with; null where its terms may not
/// be divided.
static TypedAttr startOf(ComputeOp sum, bool keepOrder) {
  Type element = getElementTypeOrSelf(sum->getResult(0).getType());
  if (std::optional<MatrixProduct> product = matrixProductOf(sum))
    return keepOrder && !product->element.isInteger()
               ? TypedAttr()
               : Builder(sum.getContext()).getZeroAttr(element);
  Operation *combiner = sum.getNumDpsInits() == 1 && !isOrdered(sum)
                            ? combinerOf(sum, 0)
                            : nullptr;
  if (!combiner || (keepOrder && !element.isInteger()) ||
      reducedLoops(sum).size() < 2 ||
      !sum.getBody()->getOps<tensor::ExtractOp>().empty())
    return {};
  return neutralElementOf(combiner);
}

/// Returns true if only such a sum in the kernel uses the loop, whose extent is
/// dynamic.
static bool isOnlySummed(KernelOp kernel, StringRef loop, ComputeOp sum) {
  return !matrixProductOf(sum) &&
         llvm::is_contained(reducedLoops(sum), loop.str()) &&
         cast<Value>(kernel.getExtentInside(*kernel.findLoop(loop)))
             .use_empty();
}

/// The values of the kernel that the payload of the sum uses; nothing where
/// some are no constants.
static std::optional<SetVector<Value>> capturedConstants(ComputeOp sum) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(sum.getPayload(), captured);
  if (llvm::any_of(captured, [](Value value) {
        return !value.getDefiningOp<arith::ConstantOp>();
      }))
    return std::nullopt;
  return captured;
}

/// The only sum of the kernel, of its inputs and with one result, and the loop
/// over most of its terms; nothing where other sizes are dynamic or another op
/// has such a loop.
static std::optional<Split> findSplit(KernelOp kernel, bool keepOrder) {
  Split split;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0 && std::exchange(split.sum, op))
      return std::nullopt;
  if (!split.sum || split.sum.getNumDpsInits() != 1 ||
      !cast<ShapedType>(split.sum->getResult(0).getType()).hasStaticShape())
    return std::nullopt;
  split.neutral = startOf(split.sum, keepOrder);
  if (!split.neutral || !capturedConstants(split.sum) ||
      llvm::any_of(split.sum.getDpsInputOperands(), [&](OpOperand *input) {
        return inputNumber(kernel, input->get()) < 0;
      }))
    return std::nullopt;
  // The kernel that adds up the parts has no loop over the terms.
  SmallVector<std::string> reduced = reducedLoops(split.sum);
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op != split.sum && llvm::any_of(op.getAxes(), [&](StringRef axis) {
          return llvm::is_contained(reduced, axis);
        }))
      return std::nullopt;
  for (const std::string &loop : loopNames(kernel)) {
    if (!isStatic(kernel, loop)) {
      if (!isOnlySummed(kernel, loop, split.sum))
        return std::nullopt;
    } else if (llvm::is_contained(reduced, loop) &&
               extentOf(kernel, loop, 0) > split.extent) {
      split.loop = loop;
      split.extent = extentOf(kernel, loop, 0);
    }
  }
  split.terms = extentOfAll(kernel, reduced, outerExtent);
  return split.loop.empty() || kernel.findLoop(split.inParts(1).part)
             ? std::nullopt
             : std::optional(split);
}

/// The sums of each part: the terms part * size + 0, 1, ...
static KernelOp buildParts(RewriterBase &rewriter, KernelOp kernel,
                           const Split &split, int64_t parts) {
  ComputeOp sum = split.sum;
  LoopParts divided = split.inParts(parts);
  SmallVector<LoopAttr> loops{
      LoopAttr::get(rewriter.getContext(), divided.part, parts)};
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    if (llvm::is_contained(sum.getAxes(), loop.getName()))
      loops.push_back(
          loop.getName() == split.loop
              ? LoopAttr::get(rewriter.getContext(), split.loop, divided.size)
              : loop);
  RankedTensorType type = divided.typeOf(sum->getResult(0).getType(), parts);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Value scratch = tensor::EmptyOp::create(
      rewriter, kernel.getLoc(), type.getShape(), type.getElementType());
  IRMapping mapping;
  KernelOp made =
      declareKernel(rewriter, kernel, " parts", loops, {}, scratch, mapping);
  SetVector<Value> constants = *capturedConstants(sum);
  for (Value constant : constants)
    rewriter.clone(*constant.getDefiningOp(), mapping);
  ComputeOp start = divided.start(rewriter, sum.getLoc(), sum, split.neutral,
                                  made.getOutArgument(0));
  ComputeOp op = divided.clone(
      rewriter, sum, start->getResult(0), mapping,
      [&](OpOperand &operand) { return sum.isDpsInit(&operand); });
  YieldOp::create(rewriter, sum.getLoc(), op->getResults());
  dropUnusedInputs(rewriter, made);
  return made;
}

/// The sum of the parts, one after the other, to `start`.
static ComputeOp addParts(OpBuilder &b, const Split &split, Value parts,
                          Value start) {
  ComputeOp sum = split.sum;
  LoopParts divided = split.inParts(1);
  unsigned parallel = sum.getNumParallelLoops();
  SmallVector<StringRef> axes = sum.getAxes();
  axes.truncate(parallel);
  axes.push_back(divided.part);
  Subscripts result = sum.getSubscripts(*sum.getDpsInitOperand(0));
  return ComputeOp::create(
      b, sum.getLoc(), parts, start,
      {divided.ofPart(result, b.getAffineDimExpr(parallel)), result}, axes,
      parallel, sum.getNameAttr(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Operation *combiner =
            sum.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
        linalg::YieldOp::create(
            b, loc, applyCombiner(b, loc, combiner, args[1], args[0]));
      });
}

/// The kernel with the sum of the parts instead of that of the terms.
static KernelOp buildTotal(RewriterBase &rewriter, KernelOp kernel,
                           const Split &split, KernelOp parts) {
  ComputeOp sum = split.sum;
  SmallVector<std::string> reduced = reducedLoops(sum);
  SmallVector<LoopAttr> loops;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    if (!llvm::is_contained(reduced, loop.getName().str()))
      loops.push_back(loop);
  loops.push_back(parts.getLoop(0));
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  KernelOp made =
      declareKernel(rewriter, kernel, "", loops, parts.getResult(0),
                    llvm::to_vector_of<Value>(kernel.getOuts()), mapping);
  for (unsigned number : llvm::seq<unsigned>(kernel.getOuts().size()))
    mapping.map(kernel.getOutArgument(number), made.getOutArgument(number));
  for (Operation &op : kernel.getBody().front()) {
    if (&op == sum)
      mapping.map(sum->getResults(),
                  addParts(rewriter, split, made.getInArgument(0),
                           mapping.lookup(sum.getDpsInits().front()))
                      ->getResults());
    else
      rewriter.clone(op, mapping);
  }
  dropUnusedInputs(rewriter, made);
  return made;
}

/// Takes the cheapest number of parts, if that is cheaper than the kernel.
void KrnlSplitReductionsPass::rewrite(KernelOp kernel) {
  std::optional<Split> found = findSplit(kernel, keepOrder);
  if (!kernel.getRecipe().empty() || !found ||
      found->terms < 2 * minTermsOfPart)
    return;
  std::optional<NestCost> whole = chooser->costOf(kernel, {keepOrder});
  if (!whole || !mayBeProfitableInParts(*whole, processor))
    return;
  IRRewriter rewriter(kernel.getContext());
  FormChoice choice({"sums in one part", whole->cycles});
  std::optional<SplitKernels> cheapest;
  for (int64_t parts : numbersOfParts(found->extent, found->terms)) {
    SplitKernels kernels;
    kernels.parts = buildParts(rewriter, kernel, *found, parts);
    kernels.total = buildTotal(rewriter, kernel, *found, kernels.parts);
    if (!choice.offer(
            {llvm::formatv("sums in {0} parts", parts),
             chooser->cyclesOf({kernels.parts, kernels.total}, {keepOrder},
                               choice.cheapestOffered())})) {
      kernels.erase();
      continue;
    }
    if (cheapest)
      cheapest->erase();
    cheapest = kernels;
  }
  choice.report(kernel.getLoc(), getArgument());
  if (!cheapest)
    return;
  kernel.replaceAllUsesWith(cheapest->total.getResults());
  kernel.erase();
}

} // namespace onnxc
