//===- MinMax.cpp - Cheaper minima and maxima -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// arith.maximumf and minimumf return NaN for NaN on either side and order the
// two zeros; maxnumf and minnumf return the number beside a NaN. x86 takes six
// and three instructions for that. Models do not tell the zeros apart here.
// With a number on one side of maximumf,
//
//   select (cmpf olt x, c), c, x
//
// is all there is to do, one instruction: NaN in x compares false and stays.
// With a number on one side of maxnumf it is the same with the other
// comparison, select (cmpf ogt x, c), x, c: NaN in x is left out.
//
// Numbers are constants, results of maxnumf with one, what branches and selects
// give that have one on either side, and what loops forward that begin with one
// and go on with one. So the maximum of a row is.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

static bool isMinMax(Operation *op) {
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return !reduction.getAcc() &&
           llvm::is_contained({vector::CombiningKind::MAXIMUMF,
                               vector::CombiningKind::MINIMUMF,
                               vector::CombiningKind::MAXNUMF,
                               vector::CombiningKind::MINNUMF},
                              reduction.getKind());
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp>(op);
}

namespace {

/// Which values are no NaN: the largest set of those whose operations say so.
class Numbers {
public:
  explicit Numbers(Operation *root) {
    do {
      hasChanged = false;
      root->walk([&](Operation *op) { visit(op); });
    } while (hasChanged);
  }
  bool contains(Value value) const { return !others.contains(value); }

private:
  void visit(Operation *op);
  bool isResultNumber(OpResult result) const;
  bool isCarriedNumber(LoopLikeOpInterface loop, OpOperand *init) const;
  void set(Value value, bool isNumber) {
    if (!isNumber)
      hasChanged |= others.insert(value).second;
  }

  DenseSet<Value> others;
  bool hasChanged = false;
};

} // namespace

void Numbers::visit(Operation *op) {
  for (OpResult result : op->getResults())
    set(result, isResultNumber(result));
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        set(argument,
            loop && isCarriedNumber(loop, loop.getTiedLoopInit(argument)));
}

bool Numbers::isResultNumber(OpResult result) const {
  Operation *op = result.getOwner();
  auto isNumber = [this](Value value) { return contains(value); };
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return isCarriedNumber(loop, loop.getTiedLoopInit(result));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return contains(branch.thenYield().getOperand(result.getResultNumber())) &&
           contains(branch.elseYield().getOperand(result.getResultNumber()));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return contains(select.getTrueValue()) && contains(select.getFalseValue());
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return llvm::any_of(op->getOperands(), isNumber);
  if (isa<vector::BroadcastOp>(op) || isMinMax(op))
    return llvm::all_of(op->getOperands(), isNumber);
  APFloat constant(0.0);
  return matchPattern(Value(result), m_ConstantFloat(&constant)) &&
         !constant.isNaN();
}

/// Returns true if a value that the loop carries to the next iteration is a
/// number in each of them.
bool Numbers::isCarriedNumber(LoopLikeOpInterface loop, OpOperand *init) const {
  BlockArgument argument = init ? loop.getTiedLoopRegionIterArg(init) : nullptr;
  OpOperand *yielded =
      argument ? loop.getTiedLoopYieldedValue(argument) : nullptr;
  return yielded && contains(init->get()) && contains(yielded->get());
}

/// The operands of the op, a number after the other one; nothing if neither is
/// one.
static std::optional<std::pair<Value, Value>>
withNumberLast(Operation *op, const Numbers &numbers) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (numbers.contains(y))
    return std::pair(x, y);
  if (numbers.contains(x))
    return std::pair(y, x);
  return std::nullopt;
}

static void giveUpZeros(Operation *op, arith::FastMathFlags others) {
  op->setAttr("fastmath",
              arith::FastMathFlagsAttr::get(
                  op->getContext(), arith::FastMathFlags::nsz | others));
}

/// `x op number` as a comparison and a select.
static Value expandWithNumber(OpBuilder &b, Operation *op, Value x,
                              Value number) {
  bool isLargest = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  bool keepsNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
  auto predicate = isLargest == keepsNaN ? arith::CmpFPredicate::OLT
                                         : arith::CmpFPredicate::OGT;
  Value holds = arith::CmpFOp::create(b, op->getLoc(), predicate, x, number);
  return keepsNaN ? arith::SelectOp::create(b, op->getLoc(), holds, number, x)
                  : arith::SelectOp::create(b, op->getLoc(), holds, x, number);
}

/// NaN if a lane is, else the largest or smallest lane: a tree of one
/// instruction each.
static Value expandReduction(OpBuilder &b, vector::ReductionOp op,
                             vector::CombiningKind ofNumbers) {
  Location loc = op.getLoc();
  Value lanes = op.getVector();
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, lanes, lanes);
  Value any =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isNaN);
  auto type = cast<FloatType>(op.getType());
  Value nan = arith::ConstantOp::create(
      b, loc, FloatAttr::get(type, APFloat::getQNaN(type.getFloatSemantics())));
  Value number = vector::ReductionOp::create(b, loc, ofNumbers, lanes,
                                             arith::FastMathFlags::nnan |
                                                 arith::FastMathFlags::nsz);
  return arith::SelectOp::create(b, loc, any, nan, number);
}

/// The cheaper form of a reduction of lanes; null where its flags do.
static Value expandLanes(OpBuilder &b, vector::ReductionOp op,
                         const Numbers &numbers) {
  switch (op.getKind()) {
  case vector::CombiningKind::MAXIMUMF:
    return expandReduction(b, op, vector::CombiningKind::MAXNUMF);
  case vector::CombiningKind::MINIMUMF:
    return expandReduction(b, op, vector::CombiningKind::MINNUMF);
  default:
    giveUpZeros(op, numbers.contains(op.getVector())
                        ? arith::FastMathFlags::nnan
                        : arith::FastMathFlags::none);
    return nullptr;
  }
}

static Value expandOne(OpBuilder &b, Operation *op, const Numbers &numbers) {
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return expandLanes(b, reduction, numbers);
  if (auto operands = withNumberLast(op, numbers))
    return expandWithNumber(b, op, operands->first, operands->second);
  giveUpZeros(op, arith::FastMathFlags::none);
  return nullptr;
}

void onnxc::expandMinMax(Operation *root) {
  auto target = krnl::TargetAttr::of(root);
  bool hasMaximum = target && target.getInstructions().contains("maximum");
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isMinMax(op))
      ops.push_back(op);
  });
  if (hasMaximum) {
    for (Operation *op : ops)
      giveUpZeros(op, arith::FastMathFlags::none);
    return;
  }
  // All forms are found before the first operation is replaced.
  Numbers numbers(root);
  SmallVector<std::pair<Operation *, Value>> expanded;
  for (Operation *op : ops) {
    OpBuilder b(op);
    if (Value result = expandOne(b, op, numbers))
      expanded.emplace_back(op, result);
  }
  for (auto [op, result] : expanded) {
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
