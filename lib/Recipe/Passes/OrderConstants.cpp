//===- OrderConstants.cpp - krnl-order-constants ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A convolution whose channels lie last sums up windows of channels, and its
// weights have the channels first. Blocks of threads copy slices along the sums
// to shared memory, by 16 bytes where these are adjacent.
//
// Instructions for matrices read some elements only along the sums, and weights
// of matrix products have their columns last. Where these do not fill whole
// accesses, or there are too few rows for such instructions, the cost model
// says which order is better: the threads of a block exchange their parts of
// the sums of each column, but threads that have a row of weights along memory
// only those of one.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Kernels/ContractionLoops.h"
#include "Kernels/KernelShape.h"
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLORDERCONSTANTSPASS
#include "onnxc/Recipe/Passes.h.inc"

/// Returns true if instructions for matrices read the operand, which they
/// cannot transpose. They are chosen for as many rows as they have.
static bool isReadAlongSums(KernelOp kernel, ComputeOp op, OpOperand &operand) {
  const MatrixElement *element =
      MatrixElement::of(getElementTypeOrSelf(operand.get()));
  if (!multipliesMatrices(op) || !element || element->liesAcross)
    return false;
  return llvm::any_of(findContractions(kernel), [&](const Contraction &way) {
    return way.columnOperand == &operand && !way.channelwise &&
           extentOfAll(kernel, way.rows, outerExtent) >= MatrixSums::rows;
  });
}

/// The dimensions of the operand, with those that the op sums up in the order
/// of its loops, and after the others if `sumsLast`; empty if they are, or a
/// dimension is indexed by no loop alone.
static SmallVector<int64_t> orderOfSums(ComputeOp op, OpOperand &operand,
                                        bool sumsLast) {
  SmallVector<int64_t> order, sums;
  DenseMap<int64_t, unsigned> loopOf;
  for (auto [dim, subscript] : llvm::enumerate(op.getSubscripts(operand))) {
    std::optional<unsigned> loop = subscript.getLoop();
    if (!loop && !isa<AffineConstantExpr>(subscript.index))
      return {};
    order.push_back(dim);
    if (!loop || *loop < op.getNumParallelLoops())
      continue;
    sums.push_back(dim);
    loopOf[dim] = *loop;
  }
  SmallVector<int64_t> sorted(sums);
  llvm::sort(sorted, [&](int64_t a, int64_t b) {
    return loopOf.lookup(a) < loopOf.lookup(b);
  });
  for (auto [dim, other] : llvm::zip_equal(sums, sorted))
    order[dim] = other;
  if (sumsLast) {
    llvm::erase_if(order,
                   [&](int64_t dim) { return llvm::is_contained(sums, dim); });
    llvm::append_range(order, sorted);
  }
  return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
}

/// Stores the constant with its dimensions in another order; returns it.
static ConstantOp reorder(KernelOp kernel, unsigned number, ComputeOp op,
                          OpOperand &operand, ArrayRef<int64_t> order) {
  Value in = kernel.getIns()[number];
  auto constant = in.getDefiningOp<ConstantOp>();
  auto shape = cast<RankedTensorType>(in.getType()).getShape();
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(order, [&](int64_t dim) { return shape[dim]; });
  SmallVector<int64_t> steps(order.size(), 1);
  OpBuilder b(kernel);
  auto ordered = ConstantOp::create(
      b, constant.getLoc(), constant.getValue(),
      PackedLayoutAttr::get(kernel.getContext(), order, sizes, steps));
  kernel.getInsMutable()[number].assign(ordered);
  kernel.getInArgument(number).setType(ordered.getType());
  SmallVector<Subscripts> accesses = op.getSubscripts();
  Subscripts &access = accesses[operand.getOperandNumber()];
  Subscripts before = access;
  for (auto [subscript, dim] : llvm::zip_equal(access, order))
    subscript = before[dim];
  op.setSubscripts(accesses);
  return ordered;
}

/// Returns true if the constant is a factor whose rows do not begin at
/// multiples of a vector.
static bool hasOddRows(ComputeOp op, OpOperand &operand,
                       const Processor &target) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  return reductionKindOf(op) == ReductionKind::Contraction &&
         type.getRank() > 1 && type.getElementType().isIntOrFloat() &&
         type.getShape().back() * type.getElementTypeBitWidth() %
                 (8 * target.vectorBytes) !=
             0;
}

/// Returns true if the constant is the factor of too few rows for matrices.
static bool hasFewRows(KernelOp kernel, ComputeOp op, OpOperand &operand) {
  Access access(operand);
  SmallVector<StringRef> axes = op.getAxes();
  double rows = 1;
  for (unsigned dim : llvm::seq(op.getNumParallelLoops()))
    if (!access.dependsOn(dim))
      rows *= double(extentOf(kernel, axes[dim], outerExtent));
  return reductionKindOf(op) == ReductionKind::Contraction &&
         rows < double(MatrixSums::rows);
}

/// Returns true if the kernel takes less time where sums of the operand come
/// last, and reports it.
static bool isBetter(KernelOp kernel, unsigned number, OpOperand &operand,
                     ArrayRef<int64_t> order, RecipeChooser &chooser,
                     StringRef pass) {
  OpBuilder b(kernel);
  auto variant = cast<KernelOp>(b.clone(*kernel));
  auto ops = kernel.getBody().getOps<ComputeOp>(),
       others = variant.getBody().getOps<ComputeOp>();
  auto position = std::distance(
      ops.begin(), llvm::find(ops, cast<ComputeOp>(operand.getOwner())));
  ComputeOp op = *std::next(others.begin(), position);
  ConstantOp ordered = reorder(
      variant, number, op, op->getOpOperand(operand.getOperandNumber()), order);
  FormChoice choice({"a constant in its own order", chooser.cyclesOf(kernel)},
                    minGain);
  choice.offer({"a constant with the sums last", chooser.cyclesOf(variant)});
  variant.erase();
  ordered.erase();
  return choice.report(kernel.getLoc(), pass);
}

static void orderConstants(KernelOp kernel, const Processor &target,
                           RecipeChooser &chooser, StringRef pass) {
  // Its loops are those of the constant as it is.
  if (!kernel.getRecipe().empty())
    return;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (OpOperand *input : op.getDpsInputOperands()) {
      int number = inputNumber(kernel, input->get());
      if (number < 0 || !isStorable(kernel.getIns()[number]) ||
          !input->get().hasOneUse())
        continue;
      SmallVector<int64_t> order =
          orderOfSums(op, *input, isReadAlongSums(kernel, op, *input));
      if (order.empty() &&
          (hasOddRows(op, *input, target) || hasFewRows(kernel, op, *input))) {
        order = orderOfSums(op, *input, /*sumsLast=*/true);
        if (!order.empty() &&
            !isBetter(kernel, number, *input, order, chooser, pass))
          order.clear();
      }
      if (!order.empty())
        reorder(kernel, number, op, *input, order);
    }
}

namespace {
struct KrnlOrderConstantsPass
    : DevicePass<impl::KrnlOrderConstantsPassBase<KrnlOrderConstantsPass>> {
  using DevicePass::DevicePass;

private:
  void rewrite(KernelOp kernel) override {
    orderConstants(kernel, processor, *chooser, getArgument());
  }
};
} // namespace

} // namespace onnxc
