//===- RowSums.cpp - Sums along the rows of a kernel ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/RowSums.h"

#include "Kernels/KernelShape.h"
#include "Kernels/SoftmaxOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

const RowSum *RowSums::find(Operation *op) const {
  const auto *found =
      llvm::find_if(sums, [&](const RowSum &sum) { return sum.op == op; });
  return found == sums.end() ? nullptr : found;
}

OpOperand &termOf(ComputeOp op) {
  Operation *combiner = combinerOf(op, 0);
  Value running = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  return combiner->getOpOperand(combiner->getOperand(0) == running ? 1 : 0);
}

Value RowSum::term() const { return termOf(op).get(); }

//===----------------------------------------------------------------------===//
// Separating ops
//===----------------------------------------------------------------------===//

/// Reads the values that the op writes over as an input, and writes another
/// tensor.
static void writeElsewhere(RewriterBase &rewriter, ComputeOp op) {
  OpOperand &init = *op.getDpsInitOperand(0);
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<Subscripts> accesses = op.getSubscripts();
  bool isRead = op.payloadUsesValueFromOperand(&init);
  if (isRead) {
    inputs.push_back(init.get());
    accesses.push_back(accesses.back());
  }
  rewriter.setInsertionPoint(op);
  Value to;
  for (OpOperand &use : op->getUses())
    if (isa<YieldOp>(use.getOwner()))
      to = op->getParentOfType<KernelOp>().getOutArgument(
          use.getOperandNumber());
  if (!to)
    to = TemporaryOp::create(rewriter, op.getLoc(), init.get().getType());
  auto made = ComputeOp::create(
      rewriter, op.getLoc(), inputs, to, accesses, op.getAxes(),
      op.getNumParallelLoops(), op.getNameAttr(),
      [&](OpBuilder &, Location, ValueRange args) {
        Block *body = args.front().getParentBlock();
        SmallVector<Value> old(args.take_front(op.getNumDpsInputs()));
        old.push_back(args[op.getNumDpsInputs()]);
        rewriter.inlineBlockBefore(op.getBody(), body, body->end(), old);
      });
  rewriter.replaceOp(op, made->getResults());
}

static bool isElementwise(ComputeOp op) {
  return op.getNumReductionLoops() == 0 && op->getNumResults() == 1;
}

/// Returns true if a sum begins with the result of the op.
static bool isStart(ComputeOp op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<ComputeOp>(use.getOwner());
    return user && user.isDpsInit(&use) && user.getNumReductionLoops() > 0;
  });
}

/// Gives each reader of the op but the first a copy of it, and counts these;
/// false where there are too many.
static bool copyForReaders(RewriterBase &rewriter, ComputeOp op,
                           unsigned &copied) {
  SetVector<Operation *> readers(op->user_begin(), op->user_end());
  for (Operation *reader :
       readers.getArrayRef().drop_front(readers.empty() ? 0 : 1)) {
    if (isa<YieldOp>(reader) || ++copied > maxCopiedOps)
      return false;
    rewriter.setInsertionPoint(op);
    auto to =
        TemporaryOp::create(rewriter, op.getLoc(), op->getResult(0).getType());
    auto copy = cast<ComputeOp>(rewriter.clone(*op));
    copy.getDpsInitsMutable().assign(to.getTensor());
    op->getResult(0).replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
      return use.getOwner() == reader;
    });
  }
  return true;
}

/// Returns true if the op writes into the result of another one, or into a
/// result of the kernel.
static bool isInPlace(ComputeOp op) {
  OpOperand &init = *op.getDpsInitOperand(0);
  return op.payloadUsesValueFromOperand(&init) ||
         !init.get().getDefiningOp<TemporaryOp>();
}

bool separateRows(RewriterBase &rewriter, KernelOp kernel) {
  SmallVector<std::string> reduced;
  for (auto op :
       llvm::make_early_inc_range(kernel.getBody().getOps<ComputeOp>())) {
    llvm::append_range(reduced, reducedLoops(op));
    if (isElementwise(op) && !isStart(op) && !scatterStoreOf(op, 0) &&
        isInPlace(op))
      writeElsewhere(rewriter, op);
  }
  unsigned copied = 0;
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  for (ComputeOp op : llvm::reverse(ops)) {
    bool isAlongRow = llvm::any_of(op.getAxes(), [&](StringRef axis) {
      return llvm::is_contained(reduced, axis);
    });
    if (isElementwise(op) && isAlongRow &&
        !copyForReaders(rewriter, op, copied))
      return false;
  }
  foldElementwise(rewriter, kernel);
  return true;
}

//===----------------------------------------------------------------------===//
// Sums that depend on others
//===----------------------------------------------------------------------===//

/// Returns true if the values of two payloads of ops over the same loops follow
/// in the same way from the same elements.
static bool isSame(ComputeOp op, Value value, ComputeOp other, Value there) {
  auto argument = dyn_cast<BlockArgument>(value),
       second = dyn_cast<BlockArgument>(there);
  if (argument && second && argument.getOwner() == op.getBody() &&
      second.getOwner() == other.getBody()) {
    OpOperand *a = op.getMatchingOpOperand(argument),
              *b = other.getMatchingOpOperand(second);
    return op.isDpsInput(a) && other.isDpsInput(b) && a->get() == b->get() &&
           op.getAxes() == other.getAxes() &&
           op.getSubscripts(*a) == other.getSubscripts(*b);
  }
  Operation *maker = value.getDefiningOp(), *peer = there.getDefiningOp();
  if (value == there)
    return true;
  if (!maker || !peer || maker->getName() != peer->getName() ||
      maker->getAttrs() != peer->getAttrs() ||
      maker->getNumOperands() != peer->getNumOperands() ||
      maker->getNumOperands() == 0 || maker->getNumResults() != 1 ||
      value.getType() != there.getType())
    return false;
  return llvm::all_of(
      llvm::zip_equal(maker->getOperands(), peer->getOperands()),
      [&](auto pair) {
        return isSame(op, std::get<0>(pair), other, std::get<1>(pair));
      });
}

/// The sum of x - m: x, if m is the shift.
static Value shiftedBy(Value difference, Value shift) {
  auto sub = difference.getDefiningOp<arith::SubFOp>();
  return sub && sub.getRhs() == shift ? sub.getLhs() : Value();
}

/// The operand that the value compares with m by equality; null for other
/// values.
static Value equalTo(Value value, Value shift) {
  Operation *compare = value.getDefiningOp();
  auto number = dyn_cast_if_present<arith::CmpFOp>(compare);
  auto integer = dyn_cast_if_present<arith::CmpIOp>(compare);
  if (!(number && number.getPredicate() == arith::CmpFPredicate::OEQ) &&
      !(integer && integer.getPredicate() == arith::CmpIPredicate::eq))
    return {};
  for (unsigned side : {0, 1})
    if (compare->getOperand(side) == shift)
      return compare->getOperand(1 - side);
  return {};
}

/// The x of which the condition says whether it is equal to m, or NaN;
/// null if it says something else.
static Value comparedWith(Value condition, Value shift) {
  auto either = condition.getDefiningOp<arith::OrIOp>();
  if (!either)
    return equalTo(condition, shift);
  for (unsigned side : {0, 1}) {
    Value x = equalTo(either->getOperand(side), shift);
    auto isNone = either->getOperand(1 - side).getDefiningOp<arith::CmpFOp>();
    if (x && isNone && isNone.getPredicate() == arith::CmpFPredicate::UNO &&
        isNone.getLhs() == x && isNone.getRhs() == x)
      return x;
  }
  return {};
}

/// Returns true if the op's result is its operand where that is finite, and 0
/// where it is infinite.
static bool isFiniteOrZero(ComputeOp op) {
  auto choice = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  auto abs =
      compare ? compare.getLhs().getDefiningOp<math::AbsFOp>() : math::AbsFOp();
  if (!abs || !isa<BlockArgument>(abs.getOperand()) ||
      !matchPattern(compare.getRhs(), m_PosInfFloat()))
    return false;
  Value finite = choice.getTrueValue(), infinite = choice.getFalseValue();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    std::swap(finite, infinite);
    break;
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::ULT:
    break;
  default:
    return false;
  }
  return finite == abs.getOperand() && matchPattern(infinite, m_AnyZeroFloat());
}

/// Returns true if the value is the result of the sum, or 0 in its place where
/// that is not finite.
static bool isChosen(Value value, const RowSum &of) {
  if (value == of.op->getResult(0))
    return true;
  auto op = value.getDefiningOp<ComputeOp>();
  if (!op || op.getNumReductionLoops() > 0 || !isFiniteOrZero(op))
    return false;
  SmallVector<OpOperand *> inputs = readInputs(op);
  return inputs.size() == 1 && isChosen(inputs[0]->get(), of);
}

OpOperand *RowSum::shiftSource() const {
  auto maker = shift->get().getDefiningOp<ComputeOp>();
  if (!maker || maker.getNumReductionLoops() > 0)
    return nullptr;
  for (OpOperand *input : readInputs(maker))
    if (input->get() == of->getResult(0))
      return input;
  return nullptr;
}

/// Returns true if combining a number several times is the same as combining it
/// once.
static bool isExtremum(Operation *combiner) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp>(combiner);
}

/// A sum in a type that has the number of elements of a row: f16 ends at 65504.
static bool isWide(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  return isa<arith::AddFOp>(combiner) && type.getIntOrFloatBitWidth() >= 32;
}

/// Sets the kind of a sum that reads a result of the row.
static bool findShift(RowSum &sum, const RowSum &of) {
  ComputeOp op = sum.op;
  Value shift = op.getMatchingBlockArgument(sum.shift), term = sum.term(), x;
  bool isDirect = sum.shift->get() == of.op->getResult(0);
  // Where an element is NaN, so are these.
  bool keepsNaN = isExtremum(of.combiner) &&
                  !isa<arith::MaxNumFOp, arith::MinNumFOp>(of.combiner);
  if (auto exp = withoutRounding(term).getDefiningOp<math::ExpOp>();
      exp && isChosen(sum.shift->get(), of) && isWide(sum.combiner) &&
      isa<arith::MaximumFOp, arith::MaxNumFOp>(of.combiner)) {
    sum.kind = ShiftKind::Exponential;
    // Weights are extended to the type of the sum, or rounded to it.
    Type type = exp.getType(), total = sum.combiner->getResult(0).getType();
    if (type == total ||
        type.getIntOrFloatBitWidth() != total.getIntOrFloatBitWidth())
      x = shiftedBy(exp.getOperand(), shift);
  } else if (auto square = term.getDefiningOp<arith::MulFOp>();
             square && square.getLhs() == square.getRhs() &&
             sum.shiftSource() && isWide(sum.combiner) &&
             isa<arith::AddFOp>(of.combiner) &&
             term.getType() == of.combiner->getResult(0).getType()) {
    sum.kind = ShiftKind::Square;
    x = shiftedBy(square.getLhs(), shift);
  } else if (auto choice = term.getDefiningOp<arith::SelectOp>();
             choice && isDirect && keepsNaN && isExtremum(sum.combiner)) {
    sum.kind = ShiftKind::Choice;
    sum.compared = x = comparedWith(choice.getCondition(), shift);
    // The part that loses has nothing.
    if (choice.getFalseValue().getParentBlock() == op.getBody())
      return false;
  }
  return x && isSame(op, x, of.op, of.term());
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The sums that the value of a row follows from.
static void collectSums(Value value, const RowSums &found,
                        SetVector<Operation *> &sums) {
  SmallVector<Value> open{value};
  SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    auto op = open.pop_back_val().getDefiningOp<ComputeOp>();
    if (!op || !seen.insert(op).second)
      continue;
    if (found.find(op))
      sums.insert(op);
    else
      llvm::append_range(open, op->getOperands());
  }
}

/// Adds an op that reduces the row.
static bool addSum(KernelOp kernel, ComputeOp op, RowSums &found) {
  RowSum sum;
  sum.op = op;
  if (isOrdered(op) || op.getNumDpsInits() != 1 ||
      !op.getBody()->getOps<tensor::ExtractOp>().empty())
    return false;
  sum.combiner = combinerOf(op, 0);
  auto start = op.getDpsInits().front().getDefiningOp<ComputeOp>();
  if (!sum.combiner || !start || start.getNumReductionLoops() > 0 ||
      start.getNumDpsInputs() > 0)
    return false;
  sum.neutral = neutralElementOf(sum.combiner);
  for (OpOperand *input : readInputs(op)) {
    if (inputNumber(kernel, input->get()) >= 0)
      continue;
    SetVector<Operation *> sums;
    collectSums(input->get(), found, sums);
    if (sum.shift || sums.size() != 1)
      return false;
    const RowSum &of = *found.find(sums.front());
    sum.shift = input;
    sum.of = of.op;
    if (of.shift || !findShift(sum, of))
      return false;
  }
  found.sums.push_back(sum);
  return true;
}

/// Returns true if the op is computed once for each element of a row, after all
/// sums.
static bool isOfTail(ComputeOp op) {
  return isElementwise(op) && isa<BlockArgument>(op.getDpsInits().front()) &&
         op.getBody()->getOps<tensor::ExtractOp>().empty() &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) { return isa<YieldOp>(user); });
}

std::optional<RowSums> findRowSums(KernelOp kernel, bool keepOrder) {
  RowSums found;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    SmallVector<std::string> reduced = reducedLoops(op);
    if (reduced.empty())
      continue;
    if (reduced.size() != 1 || (!found.row.empty() && found.row != reduced[0]))
      return std::nullopt;
    found.row = reduced[0];
  }
  if (found.row.empty())
    return std::nullopt;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (!llvm::is_contained(op.getAxes(), found.row))
      continue;
    if (op.getNumReductionLoops() > 0) {
      if (!addSum(kernel, op, found) ||
          (keepOrder && !found.sums.back().neutral.getType().isInteger()))
        return std::nullopt;
    } else if (isOfTail(op)) {
      found.tail.push_back(op);
    } else {
      return std::nullopt;
    }
  }
  return found;
}

} // namespace onnxc
