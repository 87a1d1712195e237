//===- RankAxes.cpp - Operations along axes that need no rank --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations along one axis, or along adjacent ones, take the dimensions before
// them and those after them as one dimension each. Operations that only insert
// or remove dimensions of size 1 are views.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"

#include <numeric>

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// The axes of an operation
//===----------------------------------------------------------------------===//

namespace {
/// Axes beside each other, all counted from the same end.
struct AxisRange {
  int64_t first;
  int64_t last;

  int64_t length() const { return last - first + 1; }
  /// Returns true if no axis comes after the range.
  bool isAtEnd() const { return last == -1; }
};
} // namespace

static std::optional<AxisRange> rangeOf(SmallVector<int64_t> axes) {
  llvm::sort(axes);
  if (axes.empty() || (axes.front() < 0) != (axes.back() < 0) ||
      axes.front() < -maxRank || axes.back() >= maxRank)
    return std::nullopt;
  AxisRange range{axes.front(), axes.back()};
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != range.first + static_cast<int64_t>(i))
      return std::nullopt;
  return range;
}

/// The constant axes that `op` works along, if these are beside each other.
static std::optional<AxisRange> axesOf(Operation *op) {
  if (auto flatten = dyn_cast<FlattenOp>(op))
    return rangeOf({flatten.getAxis()});
  if ((OpRanks::of(op).flags & OpRanks::AlongAxes) == 0)
    return std::nullopt;
  std::optional<AxisRange> range = rangeOf(knownAxes(op));
  if (isa<LayerNormalizationOp, RMSNormalizationOp>(op))
    return range && range->isAtEnd() ? range : std::nullopt;
  if (isa<SliceOp>(op))
    return range && range->length() == 1 ? range : std::nullopt;
  return range;
}

/// Axes that Squeeze or Unsqueeze lists, all counted from the same end.
static std::optional<SmallVector<int64_t>> listedAxes(Operation *op) {
  if (!isa<SqueezeOp, UnsqueezeOp>(op) || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> axes = constantInts(op->getOperand(1));
  if (!axes || axes->empty())
    return std::nullopt;
  llvm::sort(*axes);
  bool isOrderly = llvm::adjacent_find(*axes) == axes->end() &&
                   (axes->front() < 0) == (axes->back() < 0) &&
                   axes->front() >= -maxRank && axes->back() < maxRank;
  return isOrderly ? axes : std::nullopt;
}

/// Parameters of a norm are one number for each position of the last axis.
static bool haveListOperands(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(), [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() <= 1;
  });
}

/// Returns true if the operation picks rows by indices of unknown rank from a
/// tensor of known rank.
static bool picksRows(Operation *op) {
  return isa<GatherOp, MicrosoftGatherBlockQuantizedOp>(op) &&
         isUnranked(op->getOperand(1)) && !isUnranked(op->getOperand(0));
}

/// A reduction along a dynamic list of axes.
static bool hasDynamicAxes(Operation *op) {
  return isReduction(op) && op->getNumOperands() > 1 &&
         rankOf(op->getOperand(1)) == 1 && !constantInts(op->getOperand(1));
}

static bool keepsDims(Operation *op) {
  return integerAttr(op, "keepdims").value_or(1) == 1;
}

static bool dropsUnknownAxes(Operation *op) {
  return hasDynamicAxes(op) && !keepsDims(op) &&
         isUnranked(op->getOperand(0)) &&
         cast<RankedTensorType>(op->getOperand(1).getType()).isDynamicDim(0);
}

/// Squeeze or Unsqueeze of an unknown rank by a dynamic list.
static bool changesListedAxes(Operation *op) {
  return isa<SqueezeOp, UnsqueezeOp>(op) && op->getNumOperands() == 2 &&
         isUnranked(op->getOperand(0)) && rankOf(op->getOperand(1)) == 1 &&
         !constantInts(op->getOperand(1));
}

/// Returns true if the elements of the result are some of the operand, each on
/// its own: sizes of 1 at listed axes come or go, or grow, or rows are picked
/// by indices of unknown rank.
static bool isSelection(Operation *op) {
  if (auto expand = dyn_cast<ExpandOp>(op))
    return !isUnranked(expand.getShape());
  return listedAxes(op) || changesListedAxes(op) || picksRows(op);
}

static bool isAlongAxes(Operation *op) {
  if (hasDynamicAxes(op))
    return true;
  if (op->getNumOperands() == 0 || !axesOf(op))
    return false;
  if (isa<LayerNormalizationOp, RMSNormalizationOp>(op))
    return haveListOperands(op);
  if (isa<ConcatOp, GatherOp>(op))
    return true;
  return llvm::none_of(op->getOperands().drop_front(), isUnranked);
}

RankFreeForm onnxc::onnx::axesForm(Operation *op) {
  if (isSelection(op))
    return RankFreeForm::Cheap;
  if (dropsUnknownAxes(op))
    return RankFreeForm::Several;
  return isAlongAxes(op) ? RankFreeForm::Costly : RankFreeForm::None;
}

//===----------------------------------------------------------------------===//
// Writing them
//===----------------------------------------------------------------------===//

namespace {

/// Writes one operation.
class AxisWriter {
public:
  explicit AxisWriter(Operation *op)
      : op(op), builder(op), maker(builder, op->getLoc()) {}

  void write() {
    if (isa<ExpandOp>(op))
      return writeExpand();
    if (isa<MicrosoftGatherBlockQuantizedOp>(op))
      return writeGather();
    if (std::optional<SmallVector<int64_t>> axes = listedAxes(op))
      return writeSizes(*axes);
    if (hasDynamicAxes(op))
      return writeDynamicAxes();
    if (changesListedAxes(op))
      return writeDynamicSizes();
    range = *axesOf(op);
    Value x = op->getOperand(0);
    if (isa<FlattenOp>(op))
      return writeFlatten(x);
    before = maker.sizesOf(x, 0, range.first);
    if (!range.isAtEnd())
      after = maker.sizesOf(x, range.last + 1);
    if (isa<GatherOp>(op))
      return writeGather();
    writeView();
  }

private:
  /// `x` with the axes as dimension 1 of two or three.
  Value view(Value x) {
    std::optional<int64_t> end;
    if (!range.isAtEnd())
      end = range.last + 1;
    Value along =
        maker.ofLength(maker.sizesOf(x, range.first, end), range.length());
    SmallVector<Value> parts{maker.product(maker.sizesOf(x, 0, range.first)),
                             maker.product(along)};
    if (end)
      parts.push_back(maker.product(maker.sizesOf(x, *end)));
    return maker.reshapeTo(x, maker.joined(parts), parts.size());
  }

  /// The sizes before the axes, `middle`, and the sizes after them.
  Value around(Value middle) {
    SmallVector<Value> parts{before};
    if (middle)
      parts.push_back(middle);
    if (after)
      parts.push_back(after);
    return parts.size() == 1 ? before : maker.joined(parts);
  }

  /// The sizes of a result in place of the axes.
  Value middleOf(Value result) {
    if (isReduction(op) || isa<ArgMaxOp, ArgMinOp>(op))
      return keepsDims(op) ? maker.ints(SmallVector<int64_t>(range.length(), 1))
                           : Value();
    return maker.make("Shape", result,
                      {maker.integer("start", 1), maker.integer("end", 2)});
  }

  /// The operation on views, along their axis 1.
  void writeView() {
    SmallVector<Value> operands(op->getOperands());
    unsigned data = isa<ConcatOp>(op) ? operands.size() : 1;
    for (Value &operand : MutableArrayRef(operands).take_front(data))
      operand = view(operand);
    Value axis = maker.ints({1});
    if (isReduction(op))
      operands[1] = axis;
    else if (isa<CumSumOp, CumProdOp>(op))
      operands[1] = maker.integerScalar(1);
    else if (isa<SliceOp>(op))
      operands[3] = maker.castLike(axis, operands[1]);
    int64_t rank = (range.isAtEnd() ? 2 : 3) - (keepsDims(op) ? 0 : 1);
    if (op->getInherentAttr("axis"))
      op->setAttr("axis", builder.getI64IntegerAttr(1));
    computeOn(op, operands, rank, maker, [&](OpResult y, Type type) {
      return maker.reshapeTo(y, around(middleOf(y)), type);
    });
  }

  /// The dimensions before the axis, and all from it on.
  void writeFlatten(Value x) {
    Value shape = maker.joined({maker.product(maker.sizesOf(x, 0, range.first)),
                                maker.product(maker.sizesOf(x, range.first))});
    replace(maker.reshapeTo(x, shape, 2));
  }

  /// Indices are a list, and their shape replaces it in the result. Data of
  /// known rank are unchanged.
  void writeGather() {
    SmallVector<Value> operands(op->getOperands());
    Value x = operands[0], indices = operands[1];
    operands[1] = maker.reshape(indices, {-1});
    int64_t rank = rankOf(x), axis = 0;
    if (auto gather = dyn_cast<MicrosoftGatherBlockQuantizedOp>(op))
      axis = gather.getGatherAxis();
    else
      axis = range.first;
    if (isUnranked(x)) {
      operands[0] = view(x);
      rank = rankOf(operands[0]);
      op->setAttr("axis", builder.getI64IntegerAttr(1));
    }
    axis += axis < 0 ? rank : 0;
    computeOn(op, operands, rank, maker, [&](OpResult y, Type type) {
      Value positions = maker.sizesOf(indices);
      Value sizes = isUnranked(x)
                        ? around(positions)
                        : maker.joined({maker.sizesOf(y, 0, axis), positions,
                                        maker.sizesOf(y, axis + 1)});
      return maker.reshapeTo(y, sizes, type);
    });
  }

  /// Sizes of 1 come, or go.
  void writeSizes(SmallVector<int64_t> axes) {
    Value x = op->getOperand(0), list = maker.sizesOf(x);
    bool inserts = isa<UnsqueezeOp>(op);
    // An axis counts the dimensions between it and the end that it starts from.
    if (inserts == (axes.front() < 0))
      std::reverse(axes.begin(), axes.end());
    for (int64_t axis : axes)
      list = inserts ? withOne(list, axis) : without(list, axis);
    replace(maker.reshapeTo(x, list, op->getResult(0).getType()));
  }

  Value withOne(Value list, int64_t axis) {
    Value one = maker.ints({1});
    if (axis == -1)
      return maker.joined({list, one});
    int64_t position = axis < 0 ? axis + 1 : axis;
    Value front = maker.cut(list, 0, position),
          back = maker.cut(list, position, SizeListMaker::toEnd);
    if (axis < 0)
      back = maker.ofLength(back, -position);
    else
      front = maker.ofLength(front, position);
    return maker.joined({front, one, back});
  }

  /// The data have to fit the rest, so that the size left out was 1.
  Value without(Value list, int64_t axis) {
    if (axis >= 0) {
      Value front = maker.ofLength(maker.cut(list, 0, axis + 1), axis + 1);
      return maker.joined({maker.cut(front, 0, axis),
                           maker.cut(list, axis + 1, SizeListMaker::toEnd)});
    }
    Value back =
        maker.ofLength(maker.cut(list, axis, SizeListMaker::toEnd), -axis);
    return maker.joined(
        {maker.cut(list, 0, axis), maker.cut(back, 1, SizeListMaker::toEnd)});
  }

  /// Both sides get ones in front.
  void writeExpand() {
    Value x = op->getOperand(0), list = op->getOperand(1);
    SizeListMaker::Wide wide = maker.widen(x);
    Value longest = maker.make("Max", {wide.rank, maker.make("Size", list)});
    Value y = maker.make<ExpandOp>(SizeListMaker::typeLike(x, maxRank),
                                   {wide.view, maker.padded(list, maxRank)});
    replace(maker.narrow({y, longest}, op->getResult(0).getType()));
  }

  /// Where axes of `rank` dimensions are among `maxRank` of them; an axis that
  /// there is not is none of these either, for the run to refuse.
  Value widenAxes(Value axes, Value rank) {
    Value zero = maker.integerScalar(0), limit = maker.integerScalar(maxRank);
    Value position = maker.make("Where", {maker.make("Less", {axes, zero}),
                                          maker.add(axes, rank), axes});
    Value isThere =
        maker.make("And", {maker.make("LessOrEqual", {zero, position}),
                           maker.make("Less", {position, rank})});
    Value moved = maker.add(position, maker.sub(limit, rank));
    return maker.make("Where", {isThere, moved, limit});
  }

  /// The last `rank` of `maxRank` sizes that are not at `axes`.
  Value sizesBeside(Value sizes, Value axes, Value rank) {
    SmallVector<int64_t> positions(maxRank);
    std::iota(positions.begin(), positions.end(), 0);
    Value start = maker.sub(maker.integerScalar(maxRank), rank);
    Value zeros = maker.mul(axes, maker.integerScalar(0));
    Value stays =
        maker.make("ScatterElements",
                   {maker.ints(SmallVector<int64_t>(maxRank, 1)), axes, zeros});
    Value isSize = maker.make(
        "And", {maker.cast(stays, builder.getI1Type()),
                maker.make("LessOrEqual", {start, maker.ints(positions)})});
    auto none = dyn_cast_or_null<IntegerAttr>(
        op->getInherentAttr("noop_with_empty_axes").value_or(Attribute()));
    // No axes are all of them, or none.
    if (!none || none.getInt() == 0)
      isSize = maker.make(
          "And", {isSize, maker.make("Less", {maker.integerScalar(0),
                                              maker.make("Size", axes)})});
    return maker.make("Compress", {sizes, isSize}, maker.integer("axis", 0));
  }

  void writeDynamicAxes() {
    SizeListMaker::Wide wide = maker.widen(op->getOperand(0));
    Value axes = widenAxes(op->getOperand(1), wide.rank);
    bool keeps = keepsDims(op);
    op->setAttr("keepdims", builder.getI64IntegerAttr(1));
    computeOn(op, {wide.view, axes}, maxRank, maker,
              [&](OpResult y, Type type) {
                if (keeps)
                  return maker.narrow({y, wide.rank}, type);
                Value sizes = sizesBeside(maker.shapeOf(y), axes, wide.rank);
                return maker.reshapeTo(y, sizes, type);
              });
  }

  /// As many numbers as in `length`, a list of one: `there` at the positions in
  /// `axes`, which may count from the end, and 0 or 1 elsewhere.
  Value marks(Value length, Value axes, int64_t there) {
    auto one = RankedTensorType::get(1, builder.getI64Type());
    Value others = maker.make(
        "ConstantOfShape", length,
        builder.getNamedAttr("value", DenseElementsAttr::get(one, 1 - there)));
    Value numbers =
        maker.make("Expand", {maker.integerScalar(there), maker.shapeOf(axes)});
    return maker.make("ScatterElements", {others, axes, numbers});
  }

  /// Writes the sizes for dynamic axes.
  void writeDynamicSizes() {
    Value x = op->getOperand(0), axes = op->getOperand(1);
    Value list = maker.sizesOf(x), rank = maker.shapeOf(list), sizes;
    if (isa<SqueezeOp>(op)) {
      Value stays = maker.cast(marks(rank, axes, 0), builder.getI1Type());
      sizes = maker.make("Compress", {list, stays}, maker.integer("axis", 0));
    } else {
      Value isNew = marks(maker.add(rank, maker.shapeOf(axes)), axes, 1);
      Value isOld = maker.sub(maker.ints({1}), isNew);
      // New dimensions take the 1 in front. If an axis occurs twice, there are
      // more old sizes than positions.
      Value position = maker.mul(
          isOld, maker.make("CumSum", {isOld, maker.integerScalar(0)}));
      sizes = maker.make("Gather",
                         {maker.joined({maker.ints({1}), list}), position});
    }
    replace(maker.reshapeTo(x, sizes, op->getResult(0).getType()));
  }

  void replace(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Operation *op;
  OpBuilder builder;
  SizeListMaker maker;
  AxisRange range = {0, 0};
  /// Sizes of operand 0 before the axes, and after them if there can be any.
  Value before, after;
};

} // namespace

void onnxc::onnx::rewriteAxes(Operation *op) { AxisWriter(op).write(); }
