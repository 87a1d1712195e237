//===- RankRules.cpp - What operators take of ranks ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankRules.h"
#include "Simplify.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// The rank of the operand in `slot` is at least `least` and at most `most`,
/// and that of the operand in `like` plus `more`, if there is one: no larger,
/// if `isBroadcast`.
struct RankRule {
  llvm::StringLiteral op;
  unsigned slot;
  int64_t least;
  int64_t most;
  int like = -1;
  int64_t more = 0;
  bool isBroadcast = false;
};

} // namespace

/// Any number of dimensions.
static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

static constexpr RankRule rules[] = {
    {"onnx.AffineGrid", 0, 3, 3},
    {"onnx.Attention", 0, 3, 4},
    {"onnx.Attention", 1, 3, 4, 0},
    {"onnx.Attention", 2, 3, 4, 0},
    {"onnx.Attention", 3, 1, 4},
    {"onnx.Attention", 4, 4, 4},
    {"onnx.Attention", 5, 4, 4},
    {"onnx.Attention", 6, 1, 1},
    {"onnx.AveragePool", 0, 3, unbounded},
    {"onnx.BatchNormalization", 0, 1, unbounded},
    {"onnx.BatchNormalization", 1, 1, 1},
    {"onnx.BatchNormalization", 2, 1, 1},
    {"onnx.BatchNormalization", 3, 1, 1},
    {"onnx.BatchNormalization", 4, 1, 1},
    {"onnx.CausalConvWithState", 0, 3, unbounded},
    {"onnx.Col2Im", 0, 2, 3},
    {"onnx.Compress", 1, 1, 1},
    {"onnx.ConstantOfShape", 0, 1, 1},
    {"onnx.Conv", 0, 3, unbounded},
    {"onnx.Conv", 1, 3, unbounded, 0},
    {"onnx.Conv", 2, 1, 1},
    {"onnx.ConvInteger", 0, 3, unbounded},
    {"onnx.ConvInteger", 1, 3, unbounded, 0},
    {"onnx.ConvInteger", 2, 0, 1},
    {"onnx.ConvInteger", 3, 0, 1},
    {"onnx.ConvTranspose", 0, 3, unbounded},
    {"onnx.ConvTranspose", 1, 3, unbounded, 0},
    {"onnx.ConvTranspose", 2, 1, 1},
    {"onnx.CumProd", 0, 1, unbounded},
    {"onnx.CumSum", 0, 1, unbounded},
    {"onnx.DFT", 0, 2, unbounded},
    {"onnx.DeformConv", 0, 3, unbounded},
    {"onnx.DeformConv", 1, 3, unbounded, 0},
    {"onnx.DeformConv", 2, 3, unbounded, 0},
    {"onnx.DeformConv", 3, 1, 1},
    {"onnx.DeformConv", 4, 3, unbounded, 0},
    {"onnx.DepthToSpace", 0, 4, 4},
    // Quantisers write a scale of one element with a scalar zero point.
    {"onnx.Det", 0, 2, unbounded},
    {"onnx.EyeLike", 0, 2, 2},
    {"onnx.Expand", 1, 1, 1},
    {"onnx.GRU", 0, 3, 3},
    {"onnx.GRU", 1, 3, 3},
    {"onnx.GRU", 2, 3, 3},
    {"onnx.GRU", 3, 2, 2},
    {"onnx.GRU", 4, 1, 1},
    {"onnx.GRU", 5, 3, 3},
    {"onnx.GatherElements", 0, 1, unbounded},
    {"onnx.GatherElements", 1, 1, unbounded, 0},
    {"onnx.GatherND", 0, 1, unbounded},
    {"onnx.GatherND", 1, 1, unbounded},
    {"onnx.Gemm", 2, 0, 2},
    {"onnx.GlobalAveragePool", 0, 2, unbounded},
    {"onnx.GlobalLpPool", 0, 2, unbounded},
    {"onnx.GlobalMaxPool", 0, 2, unbounded},
    {"onnx.GridSample", 0, 3, unbounded},
    {"onnx.GridSample", 1, 3, unbounded, 0},
    {"onnx.GroupNormalization", 0, 2, unbounded},
    {"onnx.GroupNormalization", 1, 1, 1},
    {"onnx.GroupNormalization", 2, 1, 1},
    {"onnx.InstanceNormalization", 0, 3, unbounded},
    {"onnx.InstanceNormalization", 1, 1, 1},
    {"onnx.InstanceNormalization", 2, 1, 1},
    {"onnx.LRN", 0, 2, unbounded},
    {"onnx.LSTM", 0, 3, 3},
    {"onnx.LSTM", 1, 3, 3},
    {"onnx.LSTM", 2, 3, 3},
    {"onnx.LSTM", 3, 2, 2},
    {"onnx.LSTM", 4, 1, 1},
    {"onnx.LSTM", 5, 3, 3},
    {"onnx.LSTM", 6, 3, 3},
    {"onnx.LSTM", 7, 2, 2},
    {"onnx.LayerNormalization", 1, 0, unbounded, 0, 0, true},
    {"onnx.LayerNormalization", 2, 0, unbounded, 0, 0, true},
    {"onnx.LinearAttention", 0, 3, 4},
    {"onnx.LinearAttention", 1, 3, 4, 0},
    {"onnx.LinearAttention", 2, 3, 4, 0},
    {"onnx.LpPool", 0, 3, unbounded},
    {"onnx.MaxPool", 0, 3, unbounded},
    {"onnx.MaxRoiPool", 0, 4, 4},
    {"onnx.MaxRoiPool", 1, 2, 2},
    {"onnx.MaxUnpool", 0, 3, unbounded},
    {"onnx.MaxUnpool", 1, 3, unbounded, 0},
    {"onnx.NegativeLogLikelihoodLoss", 0, 2, unbounded},
    {"onnx.NegativeLogLikelihoodLoss", 1, 1, unbounded, 0, -1},
    {"onnx.NegativeLogLikelihoodLoss", 2, 1, 1},
    {"onnx.NonMaxSuppression", 0, 3, 3},
    {"onnx.NonMaxSuppression", 1, 3, 3},
    {"onnx.PRelu", 1, 0, unbounded, 0, 0, true},
    {"onnx.Pad", 1, 1, 1},
    {"onnx.QLinearConv", 0, 3, unbounded},
    {"onnx.QLinearConv", 3, 3, unbounded, 0},
    {"onnx.QLinearConv", 4, 0, 1},
    {"onnx.QLinearConv", 5, 0, 1},
    {"onnx.QLinearConv", 8, 1, 1},
    {"onnx.RMSNormalization", 1, 0, unbounded, 0, 0, true},
    {"onnx.RNN", 0, 3, 3},
    {"onnx.RNN", 1, 3, 3},
    {"onnx.RNN", 2, 3, 3},
    {"onnx.RNN", 3, 2, 2},
    {"onnx.RNN", 4, 1, 1},
    {"onnx.RNN", 5, 3, 3},
    {"onnx.Reshape", 1, 1, 1},
    {"onnx.ReverseSequence", 0, 2, unbounded},
    {"onnx.ReverseSequence", 1, 1, 1},
    {"onnx.RoiAlign", 0, 4, 4},
    {"onnx.RoiAlign", 1, 2, 2},
    {"onnx.RoiAlign", 2, 1, 1},
    {"onnx.RotaryEmbedding", 0, 3, 4},
    {"onnx.RotaryEmbedding", 1, 2, 3},
    {"onnx.RotaryEmbedding", 2, 2, 3, 1},
    {"onnx.RotaryEmbedding", 3, 2, 2},
    {"onnx.STFT", 0, 3, 3},
    {"onnx.STFT", 2, 1, 1},
    {"onnx.ScatterElements", 0, 1, unbounded},
    {"onnx.ScatterElements", 1, 1, unbounded, 0},
    {"onnx.ScatterElements", 2, 1, unbounded, 0},
    {"onnx.ScatterND", 0, 1, unbounded},
    {"onnx.ScatterND", 1, 1, unbounded},
    {"onnx.Slice", 1, 1, 1},
    {"onnx.Slice", 2, 1, 1},
    {"onnx.Slice", 3, 1, 1},
    {"onnx.Slice", 4, 1, 1},
    {"onnx.SoftmaxCrossEntropyLoss", 0, 2, unbounded},
    {"onnx.SoftmaxCrossEntropyLoss", 1, 1, unbounded, 0, -1},
    {"onnx.SoftmaxCrossEntropyLoss", 2, 1, 1},
    {"onnx.SpaceToDepth", 0, 4, 4},
    {"onnx.SplitToSequence", 1, 0, 1},
    {"onnx.StringNormalizer", 0, 1, 2},
    {"onnx.TfIdfVectorizer", 0, 1, 2},
    {"onnx.Tile", 1, 1, 1},
    {"onnx.TopK", 0, 1, unbounded},
    {"onnx.Trilu", 0, 2, unbounded},
    {"onnx.ml.ArrayFeatureExtractor", 0, 1, unbounded},
    {"onnx.ml.FeatureVectorizer", 0, 1, 2},
    {"onnx.ml.Imputer", 0, 1, 2},
    {"onnx.ml.LinearClassifier", 0, 1, 2},
    {"onnx.ml.LinearRegressor", 0, 1, 2},
    {"onnx.ml.Normalizer", 0, 1, 2},
    {"onnx.ml.SVMClassifier", 0, 1, 2},
    {"onnx.ml.Scaler", 0, 1, 2},
    {"onnx.ml.SVMRegressor", 0, 1, 2},
    {"onnx.ml.TreeEnsemble", 0, 1, 2},
    {"onnx.ml.TreeEnsembleClassifier", 0, 1, 2},
    {"onnx.ml.TreeEnsembleRegressor", 0, 1, 2},
    {"onnx.ml.ZipMap", 0, 1, 2},
    {"onnx.preview.FlexAttention", 0, 4, 4},
    {"onnx.preview.FlexAttention", 1, 4, 4},
    {"onnx.preview.FlexAttention", 2, 4, 4},
};

/// All operands in a slot, of which a variadic one has several.
static MutableArrayRef<OpOperand> operandsInSlot(Operation *op, unsigned slot) {
  FailureOr<SmallVector<int32_t>> sizes = getSegmentSizes(op, false);
  if (failed(sizes) || slot >= sizes->size())
    return {};
  size_t number = 0;
  for (unsigned before = 0; before < slot; ++before)
    number += (*sizes)[before];
  size_t count = (*sizes)[slot];
  return number + count <= op->getNumOperands()
             ? op->getOpOperands().slice(number, count)
             : MutableArrayRef<OpOperand>();
}

OpOperand *onnxc::onnx::operandInSlot(Operation *op, unsigned slot) {
  MutableArrayRef<OpOperand> operands = operandsInSlot(op, slot);
  return operands.empty() ? nullptr : &operands.front();
}

/// "rank 3", "rank 3 to 4", "a rank of at least 3".
static std::string allowedRanks(const RankRule &rule) {
  if (rule.most == unbounded)
    return "a rank of at least " + std::to_string(rule.least);
  std::string text = "rank " + std::to_string(rule.least);
  return rule.least == rule.most ? text
                                 : text + " to " + std::to_string(rule.most);
}

using RankOf = llvm::function_ref<std::optional<int64_t>(OpOperand *)>;

static std::optional<std::string> checkRule(Operation *op, const RankRule &rule,
                                            OpOperand *operand, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(operand);
  if (!rank)
    return std::nullopt;
  std::string what = "expects operand #" +
                     std::to_string(operand->getOperandNumber()) + " to have ";
  std::string found = ", but it has rank " + std::to_string(*rank);
  if (*rank < rule.least || *rank > rule.most)
    return what + allowedRanks(rule) + found;
  OpOperand *other = rule.like < 0 ? nullptr : operandInSlot(op, rule.like);
  std::optional<int64_t> like = rankOf(other);
  bool isRight = !like || *rank == *like + rule.more ||
                 (rule.isBroadcast && *rank < *like);
  if (!isRight)
    return what + (rule.isBroadcast ? "at most rank " : "rank ") +
           std::to_string(*like + rule.more) + ", as operand #" +
           std::to_string(other->getOperandNumber()) + " says" + found;
  return std::nullopt;
}

/// An axis is one of those of the first operand.
static std::optional<std::string> checkAxis(Operation *op, RankOf rankOf) {
  if (!isa<ArgMaxOp, ArgMinOp, CompressOp, ConcatOp, GatherElementsOp, GatherOp,
           HardmaxOp, LayerNormalizationOp, LogSoftmaxOp, LpNormalizationOp,
           RMSNormalizationOp, ScatterElementsOp, SoftmaxOp, SplitOp, TopKOp,
           UniqueOp>(op))
    return std::nullopt;
  auto given = dyn_cast_or_null<IntegerAttr>(
      op->getInherentAttr("axis").value_or(Attribute()));
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  // Without an axis these two look at all elements.
  if (!rank || (!given && isa<CompressOp, UniqueOp>(op)))
    return std::nullopt;
  int64_t axis = given ? given.getInt() : 0;
  if (axis >= -*rank && axis < *rank)
    return std::nullopt;
  return "has axis " + std::to_string(axis) + " for an operand of rank " +
         std::to_string(*rank);
}

static bool dropsAxes(Operation *op) {
  return isa<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp,
             ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
             ReduceSumSquareOp, SqueezeOp>(op);
}

/// The operand that lists axes of the first one, if there is one.
static OpOperand *axesOf(Operation *op) {
  if (isa<CumProdOp, CumSumOp>(op) || dropsAxes(op))
    return operandInSlot(op, 1);
  return isa<PadOp, SliceOp>(op) ? operandInSlot(op, 3) : nullptr;
}

/// Axes that are constants are among those of the first operand.
static std::optional<std::string> checkConstantAxes(Operation *op,
                                                    RankOf rankOf) {
  OpOperand *operand = axesOf(op);
  std::optional<int64_t> rank =
      operand ? rankOf(&op->getOpOperand(0)) : std::nullopt;
  if (!rank)
    return std::nullopt;
  for (int64_t axis :
       constantInts(operand->get()).value_or(SmallVector<int64_t>()))
    if (axis < -*rank || axis >= *rank)
      return "has axis " + std::to_string(axis) + " for an operand of rank " +
             std::to_string(*rank);
  return std::nullopt;
}

/// An index tuple has no more numbers than there are dimensions to index.
static std::optional<std::string> checkTuples(Operation *op, RankOf rankOf,
                                              Type indices) {
  int64_t batches = 0;
  if (auto gather = dyn_cast<GatherNDOp>(op))
    batches = gather.getBatchDims();
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  auto type = dyn_cast<RankedTensorType>(indices);
  if (!type || type.getRank() == 0)
    return std::nullopt;
  int64_t length = type.getShape().back();
  if (batches < 0 || batches >= type.getRank() || (rank && batches >= *rank))
    return "has " + std::to_string(batches) +
           " batch dimensions for indices of rank " +
           std::to_string(type.getRank());
  if (!rank || ShapedType::isDynamic(length) || length + batches <= *rank)
    return std::nullopt;
  return "has index tuples of " + std::to_string(length) +
         " numbers for an operand of rank " + std::to_string(*rank);
}

/// The updates of ScatterND have the dimensions of the indices but the last,
/// and those of the data that the tuples do not index.
static std::optional<std::string> checkUpdates(Operation *op, RankOf rankOf) {
  std::optional<int64_t> ranks[3];
  for (unsigned i = 0; i < 3; ++i)
    ranks[i] = rankOf(&op->getOpOperand(i));
  if (!ranks[0] || !ranks[1] || !ranks[2])
    return std::nullopt;
  int64_t length = *ranks[1] - 1 + *ranks[0] - *ranks[2];
  if (length >= 0 && length <= *ranks[0])
    return std::nullopt;
  return "has updates of rank " + std::to_string(*ranks[2]) +
         " for data of rank " + std::to_string(*ranks[0]) +
         " and indices of rank " + std::to_string(*ranks[1]);
}

/// A scale is for the tensor, for each part of an axis, or for each block; a
/// zero point goes with it, and may be a list of one beside a scalar.
static std::optional<std::string> checkScale(Operation *op, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  std::optional<int64_t> scale = rankOf(&op->getOpOperand(1));
  std::optional<int64_t> zero = rankOf(operandInSlot(op, 2));
  auto fits = [&](std::optional<int64_t> part) {
    return !rank || !part || *part == 0 || *part == *rank ||
           (*part == 1 && *rank > 1);
  };
  std::string found =
      " for an operand of rank " + (rank ? std::to_string(*rank) : "");
  if (!fits(scale))
    return "has a scale of rank " + std::to_string(*scale) + found;
  bool isPair = !scale || !zero || *scale == *zero || *scale == 0 || *zero == 0;
  if (!fits(zero) || (rank && !isPair))
    return "has a zero point of rank " + std::to_string(*zero) + found;
  return std::nullopt;
}

/// A Scan goes along an axis of each of its last operands.
static std::optional<std::string> checkScan(ScanOp scan, RankOf rankOf) {
  int64_t count = scan.getNumScanInputs(), all = scan->getNumOperands();
  std::optional<ArrayRef<int64_t>> axes = scan.getScanInputAxes();
  for (int64_t i = 0; count <= all && i < count; ++i) {
    std::optional<int64_t> rank =
        rankOf(&scan->getOpOperand(static_cast<unsigned>(all - count + i)));
    int64_t axis =
        axes && i < static_cast<int64_t>(axes->size()) ? (*axes)[i] : 0;
    if (rank && (axis < -*rank || axis >= *rank))
      return "goes along axis " + std::to_string(axis) +
             " of an operand of rank " + std::to_string(*rank);
  }
  return std::nullopt;
}

/// A permutation is of all dimensions; no more axes are dropped than there are.
static std::optional<std::string> checkLengths(Operation *op, RankOf rankOf,
                                               Type axes) {
  std::optional<int64_t> rank =
      op->getNumOperands() ? rankOf(&op->getOpOperand(0)) : std::nullopt;
  auto transpose = dyn_cast<TransposeOp>(op);
  if (transpose && rank && transpose.getPerm() &&
      static_cast<int64_t>(transpose.getPerm()->size()) != *rank)
    return "has a permutation of " +
           std::to_string(transpose.getPerm()->size()) +
           " axes for an operand of rank " + std::to_string(*rank);
  auto list = dyn_cast_or_null<RankedTensorType>(axes);
  if (rank && list && list.getRank() == 1 && !list.isDynamicDim(0) &&
      list.getDimSize(0) > *rank)
    return "has " + std::to_string(list.getDimSize(0)) +
           " axes for an operand of rank " + std::to_string(*rank);
  return std::nullopt;
}

std::optional<std::string>
onnxc::onnx::checkRanks(Operation *op, function_ref<Type(Value)> typeOf) {
  auto rankOf = [&](OpOperand *operand) -> std::optional<int64_t> {
    auto type = operand ? dyn_cast<RankedTensorType>(typeOf(operand->get()))
                        : RankedTensorType();
    return type ? std::optional<int64_t>(type.getRank()) : std::nullopt;
  };
  StringRef name = op->getName().getStringRef();
  for (const RankRule &rule : rules)
    if (name == rule.op)
      for (OpOperand &operand : operandsInSlot(op, rule.slot))
        if (auto error = checkRule(op, rule, &operand, rankOf))
          return error;
  if (auto error = checkAxis(op, rankOf))
    return error;
  if (auto error = checkConstantAxes(op, rankOf))
    return error;
  if (auto scan = dyn_cast<ScanOp>(op))
    return checkScan(scan, rankOf);
  if (isa<QuantizeLinearOp, DequantizeLinearOp>(op))
    return checkScale(op, rankOf);
  if (isa<ScatterNDOp>(op))
    if (auto error = checkUpdates(op, rankOf))
      return error;
  if (isa<GatherNDOp, ScatterNDOp>(op))
    return checkTuples(op, rankOf, typeOf(op->getOperand(1)));
  bool hasAxes = dropsAxes(op) && op->getNumOperands() > 1;
  return checkLengths(op, rankOf, hasAxes ? typeOf(op->getOperand(1)) : Type());
}

bool onnxc::onnx::isElementwise(Operation *op) {
  auto isScalar = [&](unsigned slot) {
    OpOperand *operand = operandInSlot(op, slot);
    auto type = operand ? dyn_cast<RankedTensorType>(operand->get().getType())
                        : RankedTensorType();
    return !operand || (type && type.getRank() == 0);
  };
  // Elsewhere there are scales for each part of an axis.
  if (isa<QuantizeLinearOp, DequantizeLinearOp>(op))
    return isScalar(1) && isScalar(2);
  if (isa<BitCastOp>(op))
    return true;
  return isa<AbsOp, AcosOp, AcoshOp, AddOp, AndOp, AsinOp, AsinhOp, AtanOp,
             AtanhOp, BernoulliOp, BitShiftOp, BitwiseAndOp, BitwiseNotOp,
             BitwiseOrOp, BitwiseXorOp, CastOp, CeilOp, CeluOp, ClipOp, CosOp,
             CoshOp, DivOp, DropoutOp, EluOp, EqualOp, ErfOp, ExpOp, FloorOp,
             GeluOp, GreaterOp, GreaterOrEqualOp, HardSigmoidOp, HardSwishOp,
             IsInfOp, IsNaNOp, LeakyReluOp, LessOp, LessOrEqualOp, LogOp, MaxOp,
             MeanOp, MinOp, MishOp, ModOp, MulOp, NegOp, NotOp, OrOp, PReluOp,
             PowOp, ReciprocalOp, RegexFullMatchOp, ReluOp, RoundOp, SeluOp,
             ShrinkOp, SigmoidOp, SignOp, SinOp, SinhOp, SoftplusOp, SoftsignOp,
             SqrtOp, StringConcatOp, SubOp, SumOp, SwishOp, TanOp, TanhOp,
             ThresholdedReluOp, WhereOp, XorOp>(op);
}
