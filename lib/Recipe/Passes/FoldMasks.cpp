//===- FoldMasks.cpp - krnl-fold-masks --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   mask[m, n] = n > m + 3 ? -infinity : 0
//
// Instead of 3 there may be the size of a tensor, such as that of a cache. A
// constant of this form, or the result of kernels that compare numbers which
// grow evenly along a dimension, is not read: its readers compare their
// indices.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/DiagonalMasks.h"
#include "Passes/InlineElements.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLFOLDMASKSPASS
#include "onnxc/Recipe/Passes.h.inc"

/// Whether the element is after the diagonal, or whether it is not. The mask of
/// one row has no loop of rows.
static Value isAfter(OpBuilder &b, ComputeOp op, StringRef row,
                     StringRef column, const DiagonalMask &mask, bool isTrue) {
  Location loc = op.getLoc();
  Value end;
  auto add = [&](Value more) {
    end = end ? arith::AddIOp::create(b, loc, end, more).getResult() : more;
  };
  if (!row.empty())
    add(IndexOp::create(b, loc, row));
  if (mask.last != 0 || !end)
    add(arith::ConstantIndexOp::create(b, loc, mask.last));
  for (auto [size, times] : mask.sizes) {
    Value argument = argumentFor(op->getParentOfType<KernelOp>(), size);
    add(times == 1 ? argument
                   : arith::MulIOp::create(
                         b, loc, argument,
                         arith::ConstantIndexOp::create(b, loc, times)));
  }
  return arith::CmpIOp::create(
      b, loc, isTrue ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sle,
      IndexOp::create(b, loc, column), end);
}

/// Bytes that are compared with zero are conditions themselves.
static void replaceConditions(BlockArgument element, const DiagonalMask &mask,
                              function_ref<Value(bool)> condition) {
  auto after = dyn_cast<IntegerAttr>(mask.after),
       before = dyn_cast<IntegerAttr>(mask.before);
  if (!after || !before ||
      after.getValue().isZero() == before.getValue().isZero())
    return;
  for (Operation *user : llvm::make_early_inc_range(element.getUsers())) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    bool isEqual =
        compare && compare.getPredicate() == arith::CmpIPredicate::eq;
    if (!compare || !matchPattern(compare.getRhs(), m_Zero()) ||
        (!isEqual && compare.getPredicate() != arith::CmpIPredicate::ne))
      continue;
    compare.replaceAllUsesWith(condition(isEqual == after.getValue().isZero()));
    compare.erase();
  }
}

/// -infinity where the element is hidden, and `other` elsewhere.
static Value hiddenOr(OpBuilder &b, Value isHidden, Value other) {
  auto type = cast<FloatType>(other.getType());
  Value infinity = arith::ConstantOp::create(
      b, other.getLoc(),
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true)));
  return arith::SelectOp::create(b, other.getLoc(), isHidden, infinity, other);
}

/// Adding a mask of -infinity and 0 leaves a number or hides it, in its own
/// type if it is extended for the addition. Elements of the mask that are
/// -infinity hide.
static void hideInsteadOfAdding(Value mask, Value isHidden) {
  for (Operation *user : mask.getUsers()) {
    if (isa<arith::ExtFOp>(user))
      hideInsteadOfAdding(user->getResult(0), isHidden);
    if (auto compare = dyn_cast<arith::CmpFOp>(user);
        compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
        matchPattern(compare.getRhs(), m_NegInfFloat()))
      compare.replaceAllUsesWith(isHidden);
    auto add = dyn_cast<arith::AddFOp>(user);
    if (!add || add.getLhs() == add.getRhs())
      continue;
    OpBuilder b(add);
    Value other = add.getLhs() == mask ? add.getRhs() : add.getLhs();
    auto extended = other.getDefiningOp<arith::ExtFOp>();
    for (Operation *reader : add->getUsers())
      if (extended && isa<arith::TruncFOp>(reader) &&
          reader->getResult(0).getType() == extended.getIn().getType())
        reader->replaceAllUsesWith(
            ValueRange{hiddenOr(b, isHidden, extended.getIn())});
    add.replaceAllUsesWith(hiddenOr(b, isHidden, other));
  }
}

static bool findsMaxima(ComputeOp op) {
  return reductionKindOf(op) == ReductionKind::Rows &&
         llvm::any_of(*op.getBlock(), [](Operation &inner) {
           return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner);
         });
}

/// Returns true if the tensor has the scores of a softmax: it is read by ops of
/// kernels alone, and one op of each kernel computes their maxima.
static bool areScores(Value tensor) {
  bool hasMaxima = false;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (auto op = dyn_cast<ComputeOp>(user)) {
      hasMaxima |= findsMaxima(op);
      continue;
    }
    Value passed;
    if (isa<YieldOp>(user))
      passed = user->getParentOp()->getResult(use.getOperandNumber());
    else if (auto kernel = dyn_cast<KernelOp>(user))
      if (auto in = llvm::find(kernel.getIns(), tensor);
          in != kernel.getIns().end())
        passed = kernel.getInArgument(in - kernel.getIns().begin());
    if (!passed || !areScores(passed))
      return false;
    hasMaxima = true;
  }
  return hasMaxima;
}

/// Erases what nothing in the payload uses any more.
static void eraseUnused(Block &payload) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(payload)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}

/// Lets the op compute what it reads of the mask by one input; false if that is
/// at other elements than those of two loops.
static bool computeMask(ComputeOp op, unsigned input,
                        const DiagonalMask &mask) {
  OpOperand &operand = *op.getDpsInputOperand(input);
  Subscripts access = op.getSubscripts(operand);
  std::optional<unsigned> row = mask.rows ? access[*mask.rows].getLoop()
                                          : std::nullopt,
                          column = access[mask.columns].getLoop();
  if ((mask.rows && !row) || !column || Access(operand).hasRanges())
    return false;
  SmallVector<StringRef> axes = op.getAxes();
  std::string rows = row ? axes[*row].str() : "", columns = axes[*column].str();
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  BlockArgument element = op.getBody()->getArgument(input);
  auto condition = [&](bool isTrue) {
    return isAfter(b, op, rows, columns, mask, isTrue);
  };
  replaceConditions(element, mask, condition);
  if (!element.use_empty()) {
    Location loc = op.getLoc();
    Value isHidden = condition(true);
    Value after = arith::ConstantOp::create(b, loc, mask.after),
          before = arith::ConstantOp::create(b, loc, mask.before);
    Value elements = arith::SelectOp::create(b, loc, isHidden, after, before);
    element.replaceAllUsesWith(elements);
    if (areScores(op.getResult(0)) && matchPattern(after, m_NegInfFloat()) &&
        matchPattern(before, m_AnyZeroFloat())) {
      hideInsteadOfAdding(elements, isHidden);
      eraseUnused(*op.getBlock());
    }
  }
  eraseInput(op, input);
  return true;
}

static bool hasReductions(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
    return op.getNumReductionLoops() != 0;
  });
}

namespace {
struct KrnlFoldMasksPass : impl::KrnlFoldMasksPassBase<KrnlFoldMasksPass> {
  using Base::Base;

  void runOnOperation() override {
    MaskFinder finder;
    SetVector<Operation *> changed;
    // Masks may be made of others, which come first.
    for (KernelOp kernel : kernelsOf(getOperation()))
      for (auto op : kernel.getBody().getOps<ComputeOp>()) {
        // A factor of products is data.
        if (reductionKindOf(op) == ReductionKind::Contraction)
          continue;
        for (unsigned input : llvm::reverse(llvm::seq(op.getNumDpsInputs()))) {
          int number = inputNumber(kernel, op.getInputs()[input]);
          if (number < 0 || !kernel.getRecipe().empty() ||
              !isa<RankedTensorType>(kernel.getIns()[number].getType()))
            continue;
          auto mask = finder.maskOf(kernel.getIns()[number]);
          if (mask && computeMask(op, input, *mask))
            changed.insert(kernel);
        }
      }
    IRRewriter rewriter(&getContext());
    for (Operation *kernel : changed)
      dropUnusedInputs(rewriter, cast<KernelOp>(kernel));
    // A processor computes a mask once for all heads and layers.
    if (!TargetAttr::processorOf(getOperation()).isDevice())
      return;
    for (KernelOp kernel : kernelsOf(getOperation())) {
      if (changed.contains(kernel) && !hasReductions(kernel))
        foldElementwise(rewriter, kernel);
      if (computesMask(kernel))
        inlineIntoReaders(rewriter, kernel);
    }
  }
};
} // namespace

} // namespace onnxc
