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
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
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
  /// The loop over the terms, and that over the parts.
  std::string loop, part;
  int64_t extent = 0;
  /// The number of terms of each result, over all loops.
  int64_t terms = 0;
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

/// The only sum of the kernel, of its inputs, and the loop over most of its
/// terms; nothing where other sizes are dynamic or another op has such a loop.
static std::optional<Split> findSplit(KernelOp kernel, bool keepOrder) {
  Split split;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0 && std::exchange(split.sum, op))
      return std::nullopt;
  if (!split.sum ||
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
  split.part = split.loop + ".part";
  return split.loop.empty() || kernel.findLoop(split.part)
             ? std::nullopt
             : std::optional(split);
}

/// The argument of a kernel for one of its inputs.
static Value argumentFor(KernelOp kernel, Value in) {
  auto it = llvm::find(kernel.getIns(), in);
  return kernel.getInArgument(it - kernel.getIns().begin());
}

/// How the sum accesses the operand, over other loops.
static Subscripts accessOf(ComputeOp sum, OpOperand &operand,
                           ArrayRef<AffineExpr> loops) {
  Subscripts access = sum.getSubscripts(operand);
  for (Subscript &subscript : access)
    subscript.index = subscript.index.replaceDims(loops);
  return access;
}

/// The access of the result, with a dimension of the parts in front.
static Subscripts accessOfPart(ComputeOp sum, ArrayRef<AffineExpr> loops,
                               AffineExpr part) {
  Subscripts access = accessOf(sum, *sum.getDpsInitOperand(0), loops);
  access.insert(access.begin(), Subscript{part});
  return access;
}

/// A kernel without ops that writes the parts to a new tensor.
static KernelOp declareParts(OpBuilder &b, KernelOp kernel, const Split &split,
                             int64_t parts) {
  ComputeOp sum = split.sum;
  MLIRContext *context = b.getContext();
  SmallVector<LoopAttr> loops{LoopAttr::get(context, split.part, parts)};
  SmallVector<Value> extents;
  for (auto [number, loop] :
       llvm::enumerate(kernel.getLoops().getAsRange<LoopAttr>())) {
    if (!llvm::is_contained(sum.getAxes(), loop.getName()))
      continue;
    loops.push_back(
        loop.getName() == split.loop
            ? LoopAttr::get(context, split.loop, split.extent / parts)
            : loop);
    if (loop.isDynamic())
      extents.push_back(cast<Value>(kernel.getExtent(number)));
  }
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  SmallVector<int64_t> shape{parts};
  llvm::append_range(shape, type.getShape());
  Value scratch =
      tensor::EmptyOp::create(b, kernel.getLoc(), shape, type.getElementType());
  SmallVector<Value> ins;
  for (OpOperand *input : sum.getDpsInputOperands()) {
    Value in = kernel.getIns()[inputNumber(kernel, input->get())];
    if (!llvm::is_contained(ins, in))
      ins.push_back(in);
  }
  return KernelOp::create(b, kernel.getLoc(),
                          (kernel.getName() + " parts").str(), loops, extents,
                          ins, scratch);
}

/// Gives `op` the payload of the sum, in which an index of the divided loop is
/// that of the whole loop.
static void clonePayload(OpBuilder &b, const Split &split, ComputeOp op,
                         int64_t size) {
  ComputeOp sum = split.sum;
  IRMapping mapping;
  SetVector<Value> constants = *capturedConstants(sum);
  for (Value constant : constants)
    mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
  sum.getPayload().cloneInto(&op.getPayload(), mapping);
  for (IndexOp index :
       llvm::make_early_inc_range(op.getBody()->getOps<IndexOp>())) {
    if (index.getLoop() != split.loop)
      continue;
    OpBuilder inside(index);
    inside.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    Value first = arith::MulIOp::create(
        inside, loc, IndexOp::create(inside, loc, split.part),
        arith::ConstantIndexOp::create(inside, loc, size));
    auto whole = arith::AddIOp::create(inside, loc, first, index);
    index.getResult().replaceAllUsesExcept(whole, whole);
  }
}

/// The sums of each part: the terms part * size + 0, 1, ...
static KernelOp buildParts(OpBuilder &b, KernelOp kernel, const Split &split,
                           int64_t parts) {
  ComputeOp sum = split.sum;
  Location loc = sum.getLoc();
  KernelOp made = declareParts(b, kernel, split, parts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&made.getBody().front());
  // Loops are numbered as those of the sum, with that of the parts in front.
  SmallVector<StringRef> axes{split.part};
  AffineExpr part = b.getAffineDimExpr(0);
  SmallVector<AffineExpr> loops;
  for (auto [dim, axis] : llvm::enumerate(sum.getAxes())) {
    axes.push_back(axis);
    AffineExpr term = b.getAffineDimExpr(dim + 1);
    loops.push_back(axis == split.loop ? part * (split.extent / parts) + term
                                       : term);
  }
  unsigned parallel = sum.getNumParallelLoops() + 1;
  SmallVector<Subscripts> result{accessOfPart(sum, loops, part)}, accesses;
  Value neutral = arith::ConstantOp::create(b, loc, split.neutral);
  auto start = ComputeOp::create(b, loc, ValueRange(), made.getOutArgument(0),
                                 result, ArrayRef(axes).take_front(parallel),
                                 parallel, StringAttr(),
                                 [&](OpBuilder &b, Location loc, ValueRange) {
                                   linalg::YieldOp::create(b, loc, neutral);
                                 });
  SmallVector<Value> inputs;
  for (OpOperand *input : sum.getDpsInputOperands()) {
    int number = inputNumber(kernel, input->get());
    inputs.push_back(argumentFor(made, kernel.getIns()[number]));
    accesses.push_back(accessOf(sum, *input, loops));
  }
  accesses.push_back(result.front());
  auto op = ComputeOp::create(b, loc, inputs, start->getResult(0), accesses,
                              axes, parallel);
  b.setInsertionPoint(op);
  clonePayload(b, split, op, split.extent / parts);
  b.setInsertionPointAfter(op);
  YieldOp::create(b, loc, op->getResults());
  return made;
}

/// The sum of the parts, one after the other, to `start`.
static ComputeOp addParts(OpBuilder &b, const Split &split, Value parts,
                          Value start) {
  ComputeOp sum = split.sum;
  SmallVector<StringRef> axes;
  for (auto [axis, kind] :
       llvm::zip_equal(sum.getAxes(), sum.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      axes.push_back(axis);
  unsigned parallel = axes.size();
  axes.push_back(split.part);
  SmallVector<AffineExpr> loops;
  for (StringRef axis : sum.getAxes())
    loops.push_back(b.getAffineDimExpr(llvm::find(axes, axis) - axes.begin()));
  SmallVector<Subscripts> accesses{
      accessOfPart(sum, loops, b.getAffineDimExpr(parallel)),
      accessOf(sum, *sum.getDpsInitOperand(0), loops)};
  return ComputeOp::create(
      b, sum.getLoc(), parts, start, accesses, axes, parallel,
      sum.getNameAttr(), [&](OpBuilder &b, Location loc, ValueRange args) {
        Operation *add =
            sum.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
        OperationState state(loc, add->getName(), {args[1], args[0]},
                             add->getResultTypes(), add->getAttrs());
        linalg::YieldOp::create(b, loc, b.create(state)->getResults());
      });
}

/// The kernel with the sum of the parts instead of that of the terms.
static KernelOp buildTotal(OpBuilder &b, KernelOp kernel, const Split &split,
                           KernelOp parts) {
  ComputeOp sum = split.sum;
  SmallVector<LoopAttr> loops;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    if (!llvm::is_contained(reducedLoops(sum), loop.getName().str()))
      loops.push_back(loop);
  loops.push_back(parts.getLoop(0));
  SmallVector<Value> ins{parts.getResult(0)};
  for (auto [number, in] : llvm::enumerate(kernel.getIns()))
    if (llvm::any_of(kernel.getInArgument(number).getUsers(),
                     [&](Operation *user) { return user != sum; }))
      ins.push_back(in);
  auto made = KernelOp::create(b, kernel.getLoc(), kernel.getName(), loops,
                               ValueRange(), ins, kernel.getOuts());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&made.getBody().front());
  IRMapping mapping;
  for (auto [number, in] : llvm::enumerate(kernel.getIns()))
    if (llvm::is_contained(ins, in))
      mapping.map(kernel.getInArgument(number), argumentFor(made, in));
  for (unsigned number : llvm::seq<unsigned>(kernel.getOuts().size()))
    mapping.map(kernel.getOutArgument(number), made.getOutArgument(number));
  for (Operation &op : kernel.getBody().front()) {
    if (&op == sum)
      mapping.map(sum->getResults(),
                  addParts(b, split, made.getInArgument(0),
                           mapping.lookup(sum.getDpsInits().front()))
                      ->getResults());
    else
      b.clone(op, mapping);
  }
  return made;
}

/// Takes the cheapest number of parts, if that is cheaper than the kernel.
void KrnlSplitReductionsPass::rewrite(KernelOp kernel) {
  std::optional<Split> found = findSplit(kernel, keepOrder);
  if (!kernel.getRecipe().empty() || !found ||
      found->terms < 2 * minTermsOfPart)
    return;
  std::optional<NestCost> whole = chooser->costOf(kernel, {keepOrder});
  if (!whole || !mayPayInParts(*whole, processor))
    return;
  OpBuilder b(kernel);
  FormChoice choice({"sums in one part", whole->cycles});
  std::optional<SplitKernels> cheapest;
  for (int64_t parts : numbersOfParts(found->extent, found->terms)) {
    SplitKernels kernels;
    kernels.parts = buildParts(b, kernel, *found, parts);
    kernels.total = buildTotal(b, kernel, *found, kernels.parts);
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
