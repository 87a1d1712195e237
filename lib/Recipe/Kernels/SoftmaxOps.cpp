//===- SoftmaxOps.cpp - A softmax among the ops of a kernel -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/SoftmaxOps.h"

#include "Kernels/KernelShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The only value that the payload yields.
static Value yieldedBy(ComputeOp op) {
  return op && op.getNumDpsInits() == 1
             ? op.getBlock()->getTerminator()->getOperand(0)
             : Value();
}

Value withoutRounding(Value value) {
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A number, or the rounded one if it is finite.
static Value withoutChoice(Value value) {
  if (auto choice =
          value ? value.getDefiningOp<arith::SelectOp>() : arith::SelectOp())
    if (withoutRounding(choice.getTrueValue()) == choice.getFalseValue())
      return choice.getFalseValue();
  return value;
}

/// The number that is chosen unless it is one that `isReplaced` matches, for
/// which there is a constant.
template <typename Matcher>
static Value withoutGuard(Value value, Matcher isReplaced) {
  auto choice =
      value ? value.getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  bool isGuard = compare &&
                 compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                 compare.getLhs() == choice.getFalseValue() &&
                 matchPattern(compare.getRhs(), isReplaced) &&
                 matchPattern(choice.getTrueValue(), m_Constant());
  return isGuard ? choice.getFalseValue() : value;
}

/// The total that the divisor is; `isGuarded` if it is replaced where it is
/// zero.
static Value totalOf(Value divisor, bool &isGuarded) {
  Value stored = withoutChoice(divisor),
        total = withoutGuard(stored, m_AnyZeroFloat());
  isGuarded = total != stored;
  return total;
}

/// The operand of the op whose element the value is; null if it is none.
static OpOperand *operandOf(ComputeOp op, Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBlock()
             ? op.getMatchingOpOperand(argument)
             : nullptr;
}

/// The op that writes what the operand reads, at the same loops.
static ComputeOp makerOf(OpOperand *operand) {
  auto maker =
      operand ? operand->get().getDefiningOp<ComputeOp>() : ComputeOp();
  if (!maker)
    return nullptr;
  auto reader = cast<ComputeOp>(operand->getOwner());
  OpOperand &init = *maker.getTiedOpOperand(cast<OpResult>(operand->get()));
  Subscripts written = maker.getSubscripts(init),
             read = reader.getSubscripts(*operand);
  SmallVector<StringRef> from = maker.getAxes(), to = reader.getAxes();
  bool isSame = llvm::all_of(llvm::zip_equal(written, read), [&](auto pair) {
    auto [at, there] = pair;
    std::optional<unsigned> loop = at.getLoop(), other = there.getLoop();
    return loop && other
               ? from[*loop] == to[*other]
               : isa<AffineConstantExpr>(at.index) && at.index == there.index;
  });
  return isSame ? maker : ComputeOp();
}

/// The input of an op that combines its elements along the row by one of
/// `Combiners` alone.
template <typename... Combiners>
static OpOperand *reducedInput(ComputeOp op, StringRef row) {
  Value yielded = yieldedBy(op);
  Operation *combine = yielded ? yielded.getDefiningOp() : nullptr;
  if (!isa_and_present<Combiners...>(combine) ||
      reducedLoops(op) != SmallVector<std::string>{row.str()})
    return nullptr;
  for (unsigned side : {0, 1}) {
    OpOperand *sum = operandOf(op, combine->getOperand(side));
    OpOperand *input =
        operandOf(op, withoutRounding(combine->getOperand(1 - side)));
    if (sum && input && op.isDpsInit(sum) && op.isDpsInput(input))
      return input;
  }
  return nullptr;
}

/// The input of an op that is the maximum along the row.
static OpOperand *maximumInput(ComputeOp op, StringRef row) {
  return reducedInput<arith::MaximumFOp, arith::MaxNumFOp>(op, row);
}

/// The operand of the op that is the maximum along the row of the x that the op
/// yields exp(x - maximum) of; null if it yields something else. The maximum of
/// another number, or an x that depends on it, is not that of a part.
static OpOperand *findShift(ComputeOp op, StringRef row) {
  auto exp = withoutRounding(yieldedBy(op)).getDefiningOp<math::ExpOp>();
  auto distance =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!distance)
    return nullptr;
  OpOperand *x = operandOf(op, withoutRounding(distance.getLhs())),
            *shift =
                operandOf(op, withoutGuard(distance.getRhs(), m_NegInfFloat()));
  OpOperand *reduced = maximumInput(makerOf(shift), row);
  // Both read what one op writes, at its loops.
  return reduced && makerOf(reduced) && makerOf(x) && x->get() == reduced->get()
             ? shift
             : nullptr;
}

/// Returns true for an op without reductions and with one result, which may
/// write over what it reads.
static bool isElementwise(ComputeOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1;
}

/// The op whose result the reciprocals are of, by totalOf().
static ComputeOp invertedBy(ComputeOp op, bool &isGuarded) {
  auto quotient = isElementwise(op)
                      ? yieldedBy(op).getDefiningOp<arith::DivFOp>()
                      : arith::DivFOp();
  if (!quotient || !matchPattern(quotient.getLhs(), m_OneFloat()))
    return nullptr;
  return makerOf(operandOf(op, totalOf(quotient.getRhs(), isGuarded)));
}

/// Returns true if only `readers` read the op's result.
static bool isReadBy(ComputeOp op, ArrayRef<Operation *> readers) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return llvm::is_contained(readers, user);
  });
}

bool startsAtZero(ComputeOp sum) {
  auto start = sum.getDpsInits().front().getDefiningOp<ComputeOp>();
  Value value =
      start && start.getNumDpsInputs() == 0 ? yieldedBy(start) : Value();
  return value && matchPattern(value, m_AnyZeroFloat());
}

bool SoftmaxOps::findQuotient(SmallVector<Operation *> &readers) {
  readers.push_back(weights);
  Value number = withoutRounding(yieldedBy(weights));
  quotient = number.getDefiningOp();
  auto operandAt = [&](unsigned side) {
    return operandOf(weights, withoutRounding(quotient->getOperand(side)));
  };
  if (auto division = dyn_cast_if_present<arith::DivFOp>(quotient)) {
    numerator = 0;
    exponentials = makerOf(operandAt(0));
    total = makerOf(
        operandOf(weights, totalOf(division.getRhs(), hiddenRowsAreZero)));
    return exponentials && total;
  }
  if (!isa_and_present<arith::MulFOp>(quotient))
    return false;
  for (unsigned side : {0, 1}) {
    ComputeOp inverse = makerOf(operandAt(1 - side));
    total = inverse ? invertedBy(inverse, hiddenRowsAreZero) : ComputeOp();
    if (!total || !isReadBy(inverse, {weights}))
      continue;
    numerator = side;
    exponentials = makerOf(operandAt(side));
    readers.push_back(inverse);
    return exponentials != nullptr;
  }
  return false;
}

std::optional<SoftmaxOps> SoftmaxOps::find(ComputeOp weights, StringRef row) {
  SoftmaxOps ops;
  ops.weights = weights;
  SmallVector<Operation *> readers;
  if (!isElementwise(weights) || !ops.findQuotient(readers))
    return std::nullopt;
  OpOperand *summed = reducedInput<arith::AddFOp>(ops.total, row);
  if (!isElementwise(ops.exponentials) || !summed ||
      makerOf(summed) != ops.exponentials || !startsAtZero(ops.total) ||
      !isReadBy(ops.total, readers) ||
      !isReadBy(ops.exponentials, {ops.total, weights}))
    return std::nullopt;
  ops.shift = findShift(ops.exponentials, row);
  ops.largest = makerOf(ops.shift);
  // Parts are combined in this type.
  if (!ops.largest || !isReadBy(ops.largest, {ops.exponentials}) ||
      !yieldedBy(ops.largest).getType().isF32() ||
      !yieldedBy(ops.total).getType().isF32())
    return std::nullopt;
  ops.scores = makerOf(maximumInput(ops.largest, row));
  return ops;
}

} // namespace onnxc
