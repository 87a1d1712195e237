//===- RankRules.cpp - What operators take of ranks ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankRules.h"
#include "RankTable.h"
#include "Simplify/Simplify.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;
using namespace onnxc::onnx;

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

bool onnxc::onnx::isUnranked(Value value) {
  return isa<UnrankedTensorType>(value.getType());
}

OpOperand *onnxc::onnx::operandInSlot(Operation *op, unsigned slot) {
  MutableArrayRef<OpOperand> operands = operandsInSlot(op, slot);
  return operands.empty() ? nullptr : &operands.front();
}

/// "rank 3", "rank 3 to 4", "a rank of at least 3".
static std::string allowedRanks(const RankRule &rule) {
  if (rule.most == RankRule::unbounded)
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
           UniqueOp, MicrosoftQLinearSoftmaxOp,
           MicrosoftSimplifiedLayerNormalizationOp>(op))
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

/// A window has a size for each dimension but the batch and the channels.
static std::optional<std::string> checkWindow(Operation *op, RankOf rankOf) {
  auto window = dyn_cast_or_null<DenseI64ArrayAttr>(
      op->getInherentAttr("kernel_shape").value_or(Attribute()));
  std::optional<int64_t> rank = window && op->getNumOperands()
                                    ? rankOf(&op->getOpOperand(0))
                                    : std::nullopt;
  if (!rank || isa<Col2ImOp>(op) || *rank == window.size() + 2)
    return std::nullopt;
  return "has a window of " + std::to_string(window.size()) +
         " sizes for an operand of rank " + std::to_string(*rank);
}

/// Queries, keys and values may lie in one tensor, keys and values in another.
static std::optional<std::string> checkHeads(Operation *op, RankOf rankOf) {
  OpOperand *operands[] = {operandInSlot(op, 0), operandInSlot(op, 1),
                           operandInSlot(op, 2)};
  std::optional<int64_t> ranks[3];
  for (unsigned i = 0; i < 3; ++i)
    ranks[i] = rankOf(operands[i]);
  bool isQuery = !ranks[0] || ranks[0] == (operands[1] ? 3 : 5);
  bool isKey = !ranks[1] ||
               (operands[2] ? ranks[1] == 3 || ranks[1] == 4 : ranks[1] == 5);
  bool isValue = !ranks[2] || ((ranks[2] == 3 || ranks[2] == 4) &&
                               (!ranks[1] || ranks[1] == ranks[2]));
  if (isQuery && isKey && isValue)
    return std::nullopt;
  unsigned wrong = !isQuery ? 0 : !isKey ? 1 : 2;
  return "does not take rank " + std::to_string(*ranks[wrong]) +
         " of operand #" + std::to_string(operands[wrong]->getOperandNumber()) +
         " beside the others";
}

/// Blocks lie along another axis than the one that is gathered along; in bytes
/// along the last one.
static std::optional<std::string>
checkBlocks(MicrosoftGatherBlockQuantizedOp op, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  if (!rank)
    return std::nullopt;
  int64_t gather = op.getGatherAxis(), block = op.getQuantizeAxis();
  for (int64_t axis : {gather, block})
    if (axis < -*rank || axis >= *rank)
      return "has axis " + std::to_string(axis) + " for an operand of rank " +
             std::to_string(*rank);
  gather += gather < 0 ? *rank : 0;
  block += block < 0 ? *rank : 0;
  bool isBytes = getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(8);
  if (gather != block && (!isBytes || block == *rank - 1))
    return std::nullopt;
  return "does not take blocks along axis " + std::to_string(block) +
         " of an operand of rank " + std::to_string(*rank);
}

bool onnxc::onnx::isJoinedData(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return number >= 2 && (number - 2) % 3 == 0;
}

/// All that is joined has one rank, and the axis.
static std::optional<std::string> checkJoined(MicrosoftQLinearConcatOp op,
                                              RankOf rankOf) {
  std::optional<int64_t> first;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> rank =
        isJoinedData(operand) ? rankOf(&operand) : std::nullopt;
    if (!rank)
      continue;
    int64_t axis = op.getAxis();
    if (first.value_or(*rank) != *rank || axis < -*rank || axis >= *rank)
      return "does not join along axis " + std::to_string(axis) +
             " what has rank " + std::to_string(*rank);
    first = rank;
  }
  return std::nullopt;
}

bool onnxc::onnx::isReduction(Operation *op) {
  return isa<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp,
             ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
             ReduceSumSquareOp>(op);
}

/// The operand that lists axes of the first one, if there is one.
static OpOperand *axesOf(Operation *op) {
  if (isa<CumProdOp, CumSumOp>(op) || isReduction(op) || isa<SqueezeOp>(op))
    return operandInSlot(op, 1);
  return isa<PadOp, SliceOp>(op) ? operandInSlot(op, 3) : nullptr;
}

/// The axes of the first operand that `op` is known to name.
static SmallVector<int64_t> namedAxes(Operation *op) {
  if (isa<CenterCropPadOp, MeanVarianceNormalizationOp, ResizeOp>(op)) {
    auto given = dyn_cast_or_null<DenseI64ArrayAttr>(
        op->getInherentAttr("axes").value_or(Attribute()));
    return given ? SmallVector<int64_t>(given.asArrayRef())
                 : SmallVector<int64_t>();
  }
  OpOperand *operand = axesOf(op);
  return operand ? constantInts(operand->get()).value_or(SmallVector<int64_t>())
                 : SmallVector<int64_t>();
}

/// Axes that are constants are among those of the first operand.
static std::optional<std::string> checkConstantAxes(Operation *op,
                                                    RankOf rankOf) {
  SmallVector<int64_t> axes = namedAxes(op);
  std::optional<int64_t> rank =
      axes.empty() ? std::nullopt : rankOf(&op->getOpOperand(0));
  if (!rank)
    return std::nullopt;
  for (int64_t axis : axes)
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

/// Resize takes a scale or a size for each axis that it names, or for all.
static std::optional<std::string>
checkResize(ResizeOp op, RankOf rankOf, function_ref<Type(Value)> typeOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  Value numbers = op.getSizes() ? op.getSizes() : op.getScales();
  auto type = numbers ? dyn_cast<RankedTensorType>(typeOf(numbers))
                      : RankedTensorType();
  if (!rank || op.getAxes() || !type || type.getRank() != 1 ||
      type.isDynamicDim(0) || type.getDimSize(0) == *rank)
    return std::nullopt;
  return "resizes " + std::to_string(type.getDimSize(0)) +
         " dimensions of an operand of rank " + std::to_string(*rank);
}

/// A shape that is a constant has as many elements as the data, if all of their
/// sizes are known.
static std::optional<std::string> checkCount(ReshapeOp op,
                                             function_ref<Type(Value)> typeOf) {
  auto data = dyn_cast<RankedTensorType>(typeOf(op.getData()));
  std::optional<SmallVector<int64_t>> sizes = constantInts(op.getShape());
  if (!data || !data.hasStaticShape() || !sizes)
    return std::nullopt;
  int64_t count = 1, open = 0;
  for (int64_t size : *sizes) {
    // Sizes of 0 may stand for one of the data.
    if (size == 0 || llvm::MulOverflow(count, size < 0 ? 1 : size, count))
      return std::nullopt;
    open += size < 0;
  }
  int64_t given = data.getNumElements();
  if (open ? given % count == 0 : given == count)
    return std::nullopt;
  return "does not give " + std::to_string(given) + " elements a shape of " +
         (open ? "a multiple of " : "") + std::to_string(count);
}

std::optional<std::string>
onnxc::onnx::checkRanks(Operation *op, function_ref<Type(Value)> typeOf) {
  auto rankOf = [&](OpOperand *operand) -> std::optional<int64_t> {
    auto type = operand ? dyn_cast<RankedTensorType>(typeOf(operand->get()))
                        : RankedTensorType();
    return type ? std::optional<int64_t>(type.getRank()) : std::nullopt;
  };
  StringRef name = op->getName().getStringRef();
  for (const RankRule &rule : rankTable())
    if (name == rule.op)
      for (OpOperand &operand : operandsInSlot(op, rule.slot))
        if (auto error = checkRule(op, rule, &operand, rankOf))
          return error;
  if (auto error = checkAxis(op, rankOf))
    return error;
  if (auto error = checkConstantAxes(op, rankOf))
    return error;
  if (auto error = checkWindow(op, rankOf))
    return error;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return checkCount(reshape, typeOf);
  if (auto resize = dyn_cast<ResizeOp>(op))
    return checkResize(resize, rankOf, typeOf);
  if (auto scan = dyn_cast<ScanOp>(op))
    return checkScan(scan, rankOf);
  if (isa<MicrosoftMultiHeadAttentionOp>(op))
    return checkHeads(op, rankOf);
  if (auto concat = dyn_cast<MicrosoftQLinearConcatOp>(op))
    return checkJoined(concat, rankOf);
  if (auto gather = dyn_cast<MicrosoftGatherBlockQuantizedOp>(op))
    return checkBlocks(gather, rankOf);
  if (isa<QuantizeLinearOp, DequantizeLinearOp>(op))
    return checkScale(op, rankOf);
  if (isa<ScatterNDOp>(op))
    if (auto error = checkUpdates(op, rankOf))
      return error;
  if (isa<GatherNDOp, ScatterNDOp>(op))
    return checkTuples(op, rankOf, typeOf(op->getOperand(1)));
  bool hasAxes =
      (isReduction(op) || isa<SqueezeOp>(op)) && op->getNumOperands() > 1;
  return checkLengths(op, rankOf, hasAxes ? typeOf(op->getOperand(1)) : Type());
}

bool onnxc::onnx::isElementwise(Operation *op) {
  auto isScalar = [&](unsigned slot) {
    OpOperand *operand = operandInSlot(op, slot);
    auto type = operand ? dyn_cast<RankedTensorType>(operand->get().getType())
                        : RankedTensorType();
    return !operand || (type && type.getRank() == 0);
  };
  auto areScalars = [&](std::initializer_list<unsigned> slots) {
    return llvm::all_of(slots, isScalar);
  };
  // Elsewhere there are scales for each part of an axis.
  if (isa<QuantizeLinearOp, DequantizeLinearOp, MicrosoftQuantizeLinearOp,
          MicrosoftDequantizeLinearOp>(op))
    return areScalars({1, 2});
  if (isa<MicrosoftQLinearSigmoidOp, MicrosoftQLinearLeakyReluOp>(op))
    return areScalars({1, 2, 3, 4});
  if (isa<MicrosoftQLinearAddOp, MicrosoftQLinearMulOp>(op))
    return areScalars({1, 2, 4, 5, 6, 7});
  if (isa<MicrosoftQLinearWhereOp>(op))
    return areScalars({2, 3, 5, 6, 7, 8});
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
             ThresholdedReluOp, WhereOp, XorOp, MicrosoftBiasGeluOp,
             MicrosoftFastGeluOp, MicrosoftGeluOp, MicrosoftQuickGeluOp>(op);
}
