//===- CheckRanks.cpp - Ranks that operators accept ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;
using namespace onnxc::onnx;

using Error = std::optional<std::string>;
using RankOf = llvm::function_ref<std::optional<int64_t>(OpOperand *)>;

static std::string ofRank(int64_t rank) {
  return " for an operand of rank " + std::to_string(rank);
}

/// "rank 3", "rank 3 to 4", "a rank of at least 3".
static std::string allowedRanks(const OperandRank &rule) {
  if (rule.max == OperandRank::unbounded)
    return "a rank of at least " + std::to_string(rule.min);
  std::string text = "rank " + std::to_string(rule.min);
  return rule.min == rule.max ? text : text + " to " + std::to_string(rule.max);
}

static Error checkOperand(Operation *op, const OperandRank &rule,
                          OpOperand *operand, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(operand);
  if (!rank)
    return std::nullopt;
  std::string what = "expects " + inputName(*operand) + " to have ";
  std::string found = ", but it has rank " + std::to_string(*rank);
  if (*rank < rule.min || *rank > rule.max)
    return what + allowedRanks(rule) + found;
  bool isBroadcast = rule.form == OperandRank::Broadcast;
  int like = isBroadcast ? 0 : rule.like;
  OpOperand *other = like < 0 ? nullptr : operandInSlot(op, like);
  std::optional<int64_t> given = rankOf(other);
  if (!given || *rank == *given + rule.more || (isBroadcast && *rank < *given))
    return std::nullopt;
  return what + (isBroadcast ? "at most rank " : "rank ") +
         std::to_string(*given + rule.more) + ", as " + inputName(*other) +
         " says" + found;
}

static Error checkAxis(int64_t axis, std::optional<int64_t> rank) {
  if (!rank || (axis >= -*rank && axis < *rank))
    return std::nullopt;
  return "has axis " + std::to_string(axis) + ofRank(*rank);
}

/// Axes are those of the first operand, of Unsqueeze those of the result.
static Error checkAxes(Operation *op, RankOf rankOf) {
  SmallVector<int64_t> axes = knownAxes(op);
  if (axes.empty() || isa<UnsqueezeOp>(op))
    return std::nullopt;
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t axis : axes) {
    if (Error error = checkAxis(axis, rank))
      return error;
    bool isNew = !rank || seen.insert(axis < 0 ? axis + *rank : axis).second;
    if (!isNew && (isReduction(op) || isa<PadOp, SliceOp>(op)))
      return "names axis " + std::to_string(axis) + " twice";
  }
  return std::nullopt;
}

/// Queries, keys and values may lie in one tensor, keys and values in another.
static Error checkHeads(Operation *op, RankOf rankOf) {
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
  return "does not take rank " + std::to_string(*ranks[wrong]) + " of " +
         inputName(*operands[wrong]) + " beside the others";
}

/// Blocks lie along another axis than the one that is gathered along; in bytes
/// along the last one.
static Error checkBlocks(MicrosoftGatherBlockQuantizedOp op, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  if (!rank)
    return std::nullopt;
  int64_t gather = op.getGatherAxis(), block = op.getQuantizeAxis();
  for (int64_t axis : {gather, block})
    if (Error error = checkAxis(axis, rank))
      return error;
  gather += gather < 0 ? *rank : 0;
  block += block < 0 ? *rank : 0;
  bool isBytes = getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(8);
  if (gather != block && (!isBytes || block == *rank - 1))
    return std::nullopt;
  return "does not take blocks along axis " + std::to_string(block) +
         " of an operand of rank " + std::to_string(*rank);
}

/// All joined operands have one rank, and the axis.
static Error checkJoined(MicrosoftQLinearConcatOp op, RankOf rankOf) {
  std::optional<int64_t> first;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> rank =
        isJoinedData(operand) ? rankOf(&operand) : std::nullopt;
    if (!rank)
      continue;
    int64_t axis = op.getAxis();
    if (first.value_or(*rank) != *rank || axis < -*rank || axis >= *rank)
      return "does not join operands of rank " + std::to_string(*rank) +
             " along axis " + std::to_string(axis);
    first = rank;
  }
  return std::nullopt;
}

/// An index tuple has no more numbers than there are dimensions to index.
static Error checkTuples(Operation *op, RankOf rankOf, Type indices) {
  auto gather = dyn_cast<GatherNDOp>(op);
  int64_t batches = gather ? gather.getBatchDims() : 0;
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
  return "has index tuples of " + std::to_string(length) + " numbers" +
         ofRank(*rank);
}

/// The updates of ScatterND have the dimensions of the indices but the last,
/// and those of the data that the tuples do not index.
static Error checkUpdates(Operation *op, RankOf rankOf) {
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
/// zero point goes with it, and may be a list of one beside a scalar. One for
/// the tensor has no axis, and a list has but one.
static Error checkScale(Operation *op, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  std::optional<int64_t> scale = rankOf(&op->getOpOperand(1));
  std::optional<int64_t> zero = rankOf(operandInSlot(op, 2));
  if (!rank)
    return std::nullopt;
  auto fits = [&](std::optional<int64_t> part) {
    return !part || *part == 0 || *part == *rank || (*part == 1 && *rank > 1);
  };
  if (!fits(scale))
    return "has a scale of rank " + std::to_string(*scale) + ofRank(*rank);
  bool isPair = !scale || !zero || *scale == *zero || *scale == 0 || *zero == 0;
  if (!fits(zero) || !isPair)
    return "has a zero point of rank " + std::to_string(*zero) + ofRank(*rank);
  bool hasAxis = scale.value_or(0) > 0 || zero.value_or(0) > 0;
  return hasAxis && *rank > 1
             ? checkAxis(integerAttr(op, "axis").value_or(1), rank)
             : std::nullopt;
}

/// A Scan goes along an axis of each of its last operands.
static Error checkScan(ScanOp scan, RankOf rankOf) {
  int64_t count = scan.getNumScanInputs(), all = scan->getNumOperands();
  std::optional<ArrayRef<int64_t>> axes = scan.getScanInputAxes();
  for (int64_t i = 0; count <= all && i < count; ++i) {
    OpOperand &operand = scan->getOpOperand(all - count + i);
    int64_t axis =
        axes && i < static_cast<int64_t>(axes->size()) ? (*axes)[i] : 0;
    if (Error error = checkAxis(axis, rankOf(&operand)))
      return error;
  }
  return std::nullopt;
}

/// Checks that no more axes are dropped than there are.
static Error checkCount(Operation *op, RankOf rankOf, Type axes) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  auto list = dyn_cast<RankedTensorType>(axes);
  if (!rank || !list || list.getRank() != 1 || list.isDynamicDim(0) ||
      list.getDimSize(0) <= *rank)
    return std::nullopt;
  return "has " + std::to_string(list.getDimSize(0)) + " axes" + ofRank(*rank);
}

/// The rows of the tables are chosen by position_ids, or are those of each
/// batch; an input of rank 3 joins the heads in its last dimension.
static Error checkRotation(RotaryEmbeddingOp op, RankOf rankOf) {
  int64_t wanted = op.getPositionIds() ? 2 : 3;
  for (unsigned slot : {1, 2}) {
    OpOperand &table = op->getOpOperand(slot);
    int64_t rank = rankOf(&table).value_or(wanted);
    if (rank != wanted)
      return "expects " + inputName(table) + " to have rank " +
             std::to_string(wanted) + (wanted == 2 ? " with" : " without") +
             " position_ids, but it has rank " + std::to_string(rank);
  }
  if (rankOf(&op->getOpOperand(0)) == 3 && op.getNumHeads().value_or(0) <= 0)
    return "needs num_heads" + ofRank(3);
  return std::nullopt;
}

/// A permutation is of all dimensions.
static Error checkPermutation(TransposeOp op, RankOf rankOf) {
  std::optional<int64_t> rank = rankOf(&op->getOpOperand(0));
  if (!rank || !op.getPerm() ||
      static_cast<int64_t>(op.getPerm()->size()) == *rank)
    return std::nullopt;
  return "has a permutation of " + std::to_string(op.getPerm()->size()) +
         " axes" + ofRank(*rank);
}

/// Resize takes a scale or a size for each axis that it names, or for all.
static Error checkResize(ResizeOp op, RankOf rankOf,
                         function_ref<Type(Value)> typeOf) {
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
static Error checkElements(ReshapeOp op, function_ref<Type(Value)> typeOf) {
  auto data = dyn_cast<RankedTensorType>(typeOf(op.getData()));
  std::optional<SmallVector<int64_t>> sizes = constantInts(op.getShape());
  if (!data || !data.hasStaticShape() || !sizes)
    return std::nullopt;
  int64_t count = 1, dynamic = 0;
  for (int64_t size : *sizes) {
    // Sizes of 0 may stand for one of the data.
    if (size == 0 || llvm::MulOverflow(count, size < 0 ? 1 : size, count))
      return std::nullopt;
    dynamic += size < 0;
  }
  int64_t given = data.getNumElements();
  if (dynamic ? given % count == 0 : given == count)
    return std::nullopt;
  return "does not give " + std::to_string(given) + " elements a shape of " +
         (dynamic ? "a multiple of " : "") + std::to_string(count);
}

std::optional<std::string>
onnxc::onnx::checkRanks(Operation *op, function_ref<Type(Value)> typeOf) {
  auto rankOf = [&](OpOperand *operand) -> std::optional<int64_t> {
    auto type = operand ? dyn_cast<RankedTensorType>(typeOf(operand->get()))
                        : RankedTensorType();
    return type ? std::optional<int64_t>(type.getRank()) : std::nullopt;
  };
  for (auto [slot, rule] : llvm::enumerate(OpRanks::of(op).operands))
    for (OpOperand &operand : operandsInSlot(op, slot))
      if (Error error = checkOperand(op, rule, &operand, rankOf))
        return error;
  if (Error error = checkAxes(op, rankOf))
    return error;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return checkElements(reshape, typeOf);
  if (auto resize = dyn_cast<ResizeOp>(op))
    return checkResize(resize, rankOf, typeOf);
  if (auto scan = dyn_cast<ScanOp>(op))
    return checkScan(scan, rankOf);
  if (auto rotation = dyn_cast<RotaryEmbeddingOp>(op))
    return checkRotation(rotation, rankOf);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return checkPermutation(transpose, rankOf);
  if (isa<MicrosoftMultiHeadAttentionOp>(op))
    return checkHeads(op, rankOf);
  if (auto concat = dyn_cast<MicrosoftQLinearConcatOp>(op))
    return checkJoined(concat, rankOf);
  if (auto gather = dyn_cast<MicrosoftGatherBlockQuantizedOp>(op))
    return checkBlocks(gather, rankOf);
  if (isa<QuantizeLinearOp, DequantizeLinearOp>(op))
    return checkScale(op, rankOf);
  if (isa<ScatterNDOp>(op))
    if (Error error = checkUpdates(op, rankOf))
      return error;
  if (isa<GatherNDOp, ScatterNDOp>(op))
    return checkTuples(op, rankOf, typeOf(op->getOperand(1)));
  if ((isReduction(op) || isa<SqueezeOp>(op)) && op->getNumOperands() > 1)
    return checkCount(op, rankOf, typeOf(op->getOperand(1)));
  return std::nullopt;
}
