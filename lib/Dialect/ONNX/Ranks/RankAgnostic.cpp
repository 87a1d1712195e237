//===- RankAgnostic.cpp - Operations that need no rank ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Elementwise operations compute the same on any view of their elements. Where
// the operands have one shape they become lists, else they get dimensions of
// size 1 in front, which broadcasting ignores.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"

using namespace mlir;
using namespace onnxc::onnx;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

void onnxc::onnx::computeOn(Operation *op, ValueRange operands, int64_t rank,
                            NodeMaker &maker,
                            function_ref<Value(OpResult, Type)> restore) {
  Operation *inner = maker.builder.clone(*op);
  inner->setOperands(operands);
  inner->removeDiscardableAttr("onnx.dims");
  for (auto [result, computed] :
       llvm::zip_equal(op->getResults(), inner->getResults())) {
    computed.setType(SizeListMaker::typeLike(result, rank));
    result.replaceAllUsesWith(
        restore(cast<OpResult>(computed), result.getType()));
  }
  op->erase();
}

/// op(x) -> reshape(op(reshape(x, [-1])), shape(x))
static void computeFlat(Operation *op, Value x) {
  OpBuilder builder(op);
  SizeListMaker maker(builder, op->getLoc());
  Value sizes = maker.sizesOf(x), flat = maker.flatten(x);
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value v) { return v == x ? flat : v; });
  computeOn(op, operands, 1, maker, [&](OpResult y, Type type) {
    return maker.reshapeTo(y, sizes, type);
  });
}

/// op(x, y) -> reshape(op(pad(x), pad(y)), as many sizes as the larger has)
static void computePadded(Operation *op) {
  OpBuilder builder(op);
  SizeListMaker maker(builder, op->getLoc());
  llvm::DenseMap<Value, Value> padded;
  SmallVector<Value> operands, ranks;
  int64_t known = 0;
  for (Value x : op->getOperands()) {
    if (auto type = dyn_cast<RankedTensorType>(x.getType())) {
      known = std::max(known, type.getRank());
      operands.push_back(x);
      continue;
    }
    Value &view = padded[x];
    if (!view) {
      SizeListMaker::Wide wide = maker.widen(x);
      ranks.push_back(wide.rank);
      view = wide.view;
    }
    operands.push_back(view);
  }
  if (known > 0)
    ranks.push_back(maker.integerScalar(known));
  Value rank = ranks.size() == 1 ? ranks.front() : maker.make("Max", ranks);
  computeOn(op, operands, maxRank, maker, [&](OpResult y, Type type) {
    return maker.narrow({y, rank}, type);
  });
}

/// How many kinds of tensors an optimizer writes: the tensor and its averages.
static unsigned countKinds(Operation *op) {
  return isa<TrainingAdamOp>(op) ? 3 : 2;
}

static RankFreeForm optimizerForm(Operation *op) {
  bool isOptimizer =
      isa<TrainingAdagradOp, TrainingAdamOp, TrainingMomentumOp>(op) &&
      op->getNumResults() != 0 && op->getNumResults() % countKinds(op) == 0;
  return isOptimizer ? RankFreeForm::Always : RankFreeForm::None;
}

/// Result i has the shape of a tensor after the two numbers at the front.
static void computeGroupsFlat(Operation *op) {
  OpBuilder builder(op);
  SizeListMaker maker(builder, op->getLoc());
  unsigned groups = op->getNumResults() / countKinds(op);
  SmallVector<Value> operands(op->getOperands()), shapes;
  for (unsigned i = 0; i < groups; ++i)
    shapes.push_back(maker.sizesOf(operands[2 + i]));
  for (Value &operand : MutableArrayRef(operands).drop_front(2))
    operand = maker.flatten(operand);
  computeOn(op, operands, 1, maker, [&](OpResult y, Type type) {
    return maker.reshapeTo(y, shapes[y.getResultNumber() % groups], type);
  });
}

static RankFreeForm elementwiseForm(Operation *op) {
  if (!isElementwise(op))
    return RankFreeForm::None;
  return countUnranked(op) > 1 ? RankFreeForm::Always : RankFreeForm::Cheap;
}

static void rewriteElementwise(Operation *op) {
  Value only;
  for (Value operand : op->getOperands()) {
    if (isScalar(operand) || operand == only)
      continue;
    if (only || isa<RankedTensorType>(operand.getType()))
      return computePadded(op);
    only = operand;
  }
  // An operand that was broadcast before is fused with this without a view.
  if (SizeListMaker::isNarrowed(only))
    return computePadded(op);
  computeFlat(op, only);
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

namespace {
struct Kind {
  RankFreeForm (*form)(Operation *);
  void (*rewrite)(Operation *);
};
} // namespace

static constexpr Kind kinds[] = {{elementwiseForm, rewriteElementwise},
                                 {productForm, rewriteProduct},
                                 {axesForm, rewriteAxes},
                                 {tuplesForm, rewriteTuples},
                                 {optimizerForm, computeGroupsFlat}};

unsigned onnxc::onnx::countUnranked(Operation *op) {
  llvm::SmallPtrSet<Value, 4> values;
  for (Value operand : op->getOperands())
    if (isUnranked(operand))
      values.insert(operand);
  return values.size();
}

RankFreeForm onnxc::onnx::rankFreeForm(Operation *op) {
  for (const Kind &kind : kinds)
    if (RankFreeForm form = kind.form(op); form != RankFreeForm::None)
      return form;
  return RankFreeForm::None;
}

void onnxc::onnx::makeRankFree(Operation *op) {
  for (const Kind &kind : kinds)
    if (kind.form(op) != RankFreeForm::None)
      return kind.rewrite(op);
}

//===----------------------------------------------------------------------===//
// Scalars, lists and broadcast operands
//===----------------------------------------------------------------------===//

/// Gives an operand of unknown rank the rank that `form` demands; one that is
/// broadcast that of `like`. False if its rank is known or nothing demands one.
static bool settle(OpOperand &operand, OperandRank::Form form, Value like) {
  Value x = operand.get();
  auto likeType =
      like ? dyn_cast<RankedTensorType>(like.getType()) : RankedTensorType();
  if (!isUnranked(x) || (form == OperandRank::Broadcast && !likeType))
    return false;
  OpBuilder builder(operand.getOwner());
  SizeListMaker maker(builder, operand.getOwner()->getLoc());
  bool isBroadcast = form == OperandRank::Broadcast;
  if (form == OperandRank::Scalar)
    operand.set(maker.make<ReshapeOp>(SizeListMaker::typeLike(x, 0),
                                      {x, maker.ints({})}));
  else if (form == OperandRank::List)
    operand.set(maker.flatten(x));
  else if (isBroadcast && likeType.getRank() == 0)
    operand.set(maker.reshapeTo(x, maker.ints({}), 0));
  else if (isBroadcast)
    operand.set(
        maker.reshapeTo(x, maker.padded(maker.sizesOf(x), likeType.getRank()),
                        likeType.getRank()));
  else
    return false;
  return true;
}

/// Returns true for a product that broadcasts its matrices to those of the
/// other operand: with a vector the result had another rank.
static bool isBroadcastProduct(Operation *op, int64_t rank) {
  return isa<MatMulOp>(op) && rank >= 2 &&
         llvm::any_of(op->getOperandTypes(), [&](Type type) {
           auto ranked = dyn_cast<RankedTensorType>(type);
           return ranked && ranked.getRank() == rank;
         });
}

bool onnxc::onnx::padToResult(Operation *op) {
  auto type = op->getNumResults() == 0
                  ? RankedTensorType()
                  : dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !(isElementwise(op) || isBroadcastProduct(op, type.getRank())))
    return false;
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands())
    changed |= settle(operand, OperandRank::Broadcast, op->getResult(0));
  return changed;
}

bool onnxc::onnx::flattenStructuralOperands(Operation *op) {
  bool changed = false;
  if (isa<MicrosoftQLinearConcatOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      changed |= !isJoinedData(operand) &&
                 settle(operand, OperandRank::Scalar, op->getOperand(0));
  if (op->getNumOperands() > 0 && isNextCondition(op->getOpOperand(0)))
    changed |= settle(op->getOpOperand(0), OperandRank::Scalar, {});
  for (auto [slot, rank] : llvm::enumerate(OpRanks::of(op).operands))
    if (OpOperand *operand = operandInSlot(op, slot))
      changed |= settle(*operand, rank.form, op->getOperand(0));
  return changed;
}
