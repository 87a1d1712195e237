//===- RankAgnostic.cpp - Operations that need no rank ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What is elementwise computes the same on any view of its elements. Where the
// operands have one shape they become lists, else they get dimensions of size 1
// in front, which broadcasting does not see.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"
#include "RankRules.h"
#include "onnxc/Dialect/ONNX/Transforms/UnknownRanks.h"

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

bool onnxc::onnx::isOptimizer(Operation *op) {
  return isa<TrainingAdagradOp, TrainingAdamOp, TrainingMomentumOp>(op) &&
         op->getNumResults() != 0 && op->getNumResults() % countKinds(op) == 0;
}

/// Result i has the shape of a tensor behind the two numbers at the front.
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

bool onnxc::onnx::canBeRankAgnostic(Operation *op) {
  return isElementwise(op) || isMatrixProduct(op) || isAlongAxes(op) ||
         isAlongTuples(op) || isOptimizer(op);
}

void onnxc::onnx::makeRankAgnostic(Operation *op) {
  if (isOptimizer(op))
    return computeGroupsFlat(op);
  if (isMatrixProduct(op))
    return makeProductRankAgnostic(op);
  if (isAlongTuples(op))
    return makeTuplesRankAgnostic(op);
  if (isAlongAxes(op))
    return makeAxesRankAgnostic(op);
  Value only;
  for (Value operand : op->getOperands()) {
    if (isScalar(operand) || operand == only)
      continue;
    if (only || isa<RankedTensorType>(operand.getType()))
      return computePadded(op);
    only = operand;
  }
  // What was broadcast before is fused with this as it is.
  if (SizeListMaker::isNarrowed(only))
    return computePadded(op);
  computeFlat(op, only);
}

//===----------------------------------------------------------------------===//
// Scalars, lists and what is broadcast
//===----------------------------------------------------------------------===//

namespace {
/// The operands in these slots are one number each, or a list, or broadcast to
/// the first operand.
struct StructuralSlots {
  llvm::StringLiteral op;
  /// Bit i is for slot i.
  uint32_t scalars;
  uint32_t lists;
  uint32_t broadcast = 0;
};
} // namespace

/// No row speaks of a later slot.
static constexpr unsigned numSlots = 9;

static constexpr uint32_t slots(std::initializer_list<unsigned> numbers) {
  uint32_t bits = 0;
  for (unsigned number : numbers)
    bits |= 1u << number;
  return bits;
}

static constexpr StructuralSlots structuralSlots[] = {
    {"onnx.AffineGrid", 0, slots({1})},
    {"onnx.BlackmanWindow", slots({0}), 0},
    {"onnx.CenterCropPad", 0, slots({1})},
    {"onnx.Clip", slots({1, 2}), 0},
    {"onnx.Col2Im", 0, slots({1, 2})},
    {"onnx.CumProd", slots({1}), 0},
    {"onnx.CumSum", slots({1}), 0},
    {"onnx.DFT", slots({1, 2}), 0},
    {"onnx.Dropout", slots({1, 2}), 0},
    {"onnx.HammingWindow", slots({0}), 0},
    {"onnx.HannWindow", slots({0}), 0},
    {"onnx.If", slots({0}), 0},
    {"onnx.LayerNormalization", 0, 0, slots({1, 2})},
    {"onnx.Loop", slots({0, 1}), 0},
    {"onnx.MaxUnpool", 0, slots({2})},
    {"onnx.MelWeightMatrix", slots({0, 1, 2, 3, 4}), 0},
    {"onnx.NonMaxSuppression", slots({2, 3, 4}), 0},
    {"onnx.OneHot", slots({1}), slots({2})},
    {"onnx.Pad", slots({2}), slots({3})},
    {"onnx.QLinearConv", slots({1, 2, 6, 7}), 0},
    {"onnx.RMSNormalization", 0, 0, slots({1})},
    {"onnx.Range", slots({0, 1, 2}), 0},
    {"onnx.ReduceL1", 0, slots({1})},
    {"onnx.ReduceL2", 0, slots({1})},
    {"onnx.ReduceLogSum", 0, slots({1})},
    {"onnx.ReduceLogSumExp", 0, slots({1})},
    {"onnx.ReduceMax", 0, slots({1})},
    {"onnx.ReduceMean", 0, slots({1})},
    {"onnx.ReduceMin", 0, slots({1})},
    {"onnx.ReduceProd", 0, slots({1})},
    {"onnx.ReduceSum", 0, slots({1})},
    {"onnx.ReduceSumSquare", 0, slots({1})},
    {"onnx.Resize", 0, slots({1, 2, 3})},
    {"onnx.STFT", slots({1, 3}), 0},
    {"onnx.SequenceAt", slots({1}), 0},
    {"onnx.SequenceErase", slots({1}), 0},
    {"onnx.SequenceInsert", slots({2}), 0},
    {"onnx.Split", 0, slots({1})},
    {"onnx.Squeeze", 0, slots({1})},
    {"onnx.TopK", 0, slots({1})},
    {"onnx.Trilu", slots({1}), 0},
    {"onnx.Unsqueeze", 0, slots({1})},
    {"onnx.microsoft.Attention", slots({6}), 0},
    {"onnx.microsoft.BiasGelu", 0, slots({1})},
    {"onnx.microsoft.CropAndResize", 0, slots({2, 3})},
    {"onnx.microsoft.DecoderMaskedMultiHeadAttention", slots({7, 8}), 0},
    {"onnx.microsoft.DynamicQuantizeLSTM", 0, slots({4})},
    {"onnx.microsoft.EmbedLayerNormalization", 0, slots({5, 6})},
    {"onnx.microsoft.ExpandDims", slots({1}), 0},
    {"onnx.microsoft.FastGelu", 0, slots({1})},
    {"onnx.microsoft.FusedConv", 0, slots({2})},
    {"onnx.microsoft.GroupQueryAttention", slots({6}), slots({5})},
    {"onnx.microsoft.MatMulNBits", 0, slots({2, 3, 4, 5})},
    {"onnx.microsoft.MulInteger", slots({1, 3}), 0},
    {"onnx.microsoft.MultiHeadAttention", slots({8}), slots({3})},
    {"onnx.microsoft.Pad", slots({2}), slots({1})},
    {"onnx.microsoft.QAttention", slots({3, 6}), slots({2, 4, 7})},
    {"onnx.microsoft.QEmbedLayerNormalization",
     slots({8, 9, 10, 11, 12, 13, 14, 15, 16, 17}), 0},
    {"onnx.microsoft.QGemm", slots({1, 2, 7, 8}), slots({4, 5})},
    {"onnx.microsoft.QLinearAdd", slots({1, 2, 4, 5, 6, 7}), 0},
    {"onnx.microsoft.QLinearAveragePool", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearConv", slots({1, 2, 6, 7}), 0},
    {"onnx.microsoft.QLinearGlobalAveragePool", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearLeakyRelu", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearMul", slots({1, 2, 4, 5, 6, 7}), 0},
    {"onnx.microsoft.QLinearReduceMean", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearSigmoid", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearSoftmax", slots({1, 2, 3, 4}), 0},
    {"onnx.microsoft.QLinearWhere", slots({2, 3, 5, 6, 7, 8}), 0},
    {"onnx.microsoft.Range", slots({0, 1, 2}), 0},
    {"onnx.microsoft.RelativePositionBias", slots({1, 2}), 0},
    {"onnx.microsoft.SimplifiedLayerNormalization", 0, 0, slots({1})},
    {"onnx.microsoft.SkipLayerNormalization", 0, slots({2, 3, 4}), slots({1})},
    {"onnx.microsoft.SkipSimplifiedLayerNormalization", 0, slots({2, 3}),
     slots({1})},
    {"onnx.microsoft.Trilu", slots({1}), 0},
    {"onnx.microsoft.Unique", 0, slots({0})},
    {"onnx.ml.ArrayFeatureExtractor", 0, slots({1})},
    {"onnx.training.Adagrad", slots({0, 1}), 0},
    {"onnx.training.Adam", slots({0, 1}), 0},
    {"onnx.training.Momentum", slots({0, 1}), 0},
};

/// `x` with as many dimensions as `like` has; null if that is not known.
static Value broadcastLike(SizeListMaker &maker, Value x, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (!type)
    return Value();
  int64_t rank = type.getRank();
  if (rank == 0)
    return maker.reshapeTo(x, maker.ints({}), 0);
  return maker.reshapeTo(x, maker.padded(maker.sizesOf(x), rank), rank);
}

/// `x` as the one number that it has to be.
static Value toScalar(SizeListMaker &maker, Value x) {
  return maker.make<ReshapeOp>(SizeListMaker::typeLike(x, 0),
                               {x, maker.ints({})});
}

/// A product of the rank of one operand, which is no vector, has no vector for
/// the other one.
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
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<UnrankedTensorType>(operand.get().getType()) ||
        takesUnknownRank(operand))
      continue;
    OpBuilder builder(op);
    SizeListMaker maker(builder, op->getLoc());
    operand.set(broadcastLike(maker, operand.get(), op->getResult(0)));
    changed = true;
  }
  return changed;
}

/// Each operand of QLinearConcat comes with a scale and a zero point.
static bool flattenJoinedScales(MicrosoftQLinearConcatOp op) {
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isJoinedData(operand) ||
        !isa<UnrankedTensorType>(operand.get().getType()))
      continue;
    OpBuilder builder(op);
    SizeListMaker maker(builder, op->getLoc());
    operand.set(toScalar(maker, operand.get()));
    changed = true;
  }
  return changed;
}

bool onnxc::onnx::flattenStructuralOperands(Operation *op) {
  if (auto concat = dyn_cast<MicrosoftQLinearConcatOp>(op))
    return flattenJoinedScales(concat);
  StringRef name = op->getName().getStringRef();
  const auto *row = llvm::find_if(
      structuralSlots, [&](const StructuralSlots &r) { return r.op == name; });
  if (row == std::end(structuralSlots))
    return false;
  bool changed = false;
  for (unsigned slot = 0; slot < numSlots; ++slot) {
    uint32_t bit = 1u << slot;
    bool isStructural = (row->scalars | row->lists | row->broadcast) & bit;
    OpOperand *operand = isStructural ? operandInSlot(op, slot) : nullptr;
    if (!operand || !isa<UnrankedTensorType>(operand->get().getType()))
      continue;
    OpBuilder builder(op);
    SizeListMaker maker(builder, op->getLoc());
    Value x = operand->get(), settled;
    if (row->scalars & bit)
      settled = toScalar(maker, x);
    else if (row->lists & bit)
      settled = maker.flatten(x);
    else
      settled = broadcastLike(maker, x, op->getOperand(0));
    if (!settled)
      continue;
    operand->set(settled);
    changed = true;
  }
  return changed;
}
