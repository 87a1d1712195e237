//===- RankTuples.cpp - Index tuples that need no rank ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// GatherND and ScatterND have three parts of data: the batch, the dimensions
// that a tuple indexes, and the slice at the tuple, which is one dimension
// here. Where the length of tuples is known at run time only, it is the
// maximum: zeros in front are indices of dimensions of size 1.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"

using namespace mlir;
using namespace onnxc::onnx;

/// How many numbers an index tuple has, if that is known.
static std::optional<int64_t> tupleLength(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  if (!type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return std::nullopt;
  return type.getShape().back();
}

static int64_t batchDims(Operation *op) {
  auto gather = dyn_cast<GatherNDOp>(op);
  return gather ? gather.getBatchDims() : 0;
}

RankFreeForm onnxc::onnx::tuplesForm(Operation *op) {
  if (!isa<GatherNDOp, ScatterNDOp>(op) || batchDims(op) < 0 ||
      batchDims(op) > maxRank)
    return RankFreeForm::None;
  bool isUnknown =
      isUnranked(op->getOperand(0)) || isUnranked(op->getOperand(1));
  return isUnknown && !tupleLength(op) ? RankFreeForm::Several
                                       : RankFreeForm::Costly;
}

namespace {

/// Writes one operation.
class TupleWriter {
public:
  explicit TupleWriter(Operation *op)
      : op(op), builder(op), maker(builder, op->getLoc()), batch(batchDims(op)),
        positions(tupleLength(op).value_or(maxRank)) {}

  void write() {
    Value data = op->getOperand(0), tuples = op->getOperand(1);
    sizes = maker.sizesOf(data);
    length = maker.ofLength(maker.sizesOf(tuples, -1), 1);
    outer = maker.sizesOf(tuples, 0, -1);
    end = batch ? maker.add(length, maker.ints({batch})) : length;
    rest = maker.cut(sizes, end, maker.ints({SizeListMaker::toEnd}));
    SmallVector<Value> operands{viewData(data), viewTuples(tuples)};
    if (isa<ScatterNDOp>(op))
      operands.push_back(maker.reshapeTo(
          op->getOperand(2), maker.joined({maker.product(outer), product}), 2));
    bool gathers = isa<GatherNDOp>(op);
    Value shape = gathers ? maker.joined({outer, rest}) : sizes;
    computeOn(
        op, operands, gathers ? batch + 2 : positions + 1, maker,
        [&](OpResult y, Type type) { return maker.reshapeTo(y, shape, type); });
  }

private:
  bool isUnresolved() { return !tupleLength(op).has_value(); }

  /// [batch.., positions.., slice at a tuple]
  Value viewData(Value data) {
    Value indexed = maker.cut(sizes, maker.ints({batch}), end);
    if (isUnresolved()) {
      Value ones = maker.ints(SmallVector<int64_t>(positions, 1));
      indexed = maker.joined(
          {maker.cut(ones, length, maker.ints({SizeListMaker::toEnd})),
           indexed});
    }
    product = maker.product(rest);
    Value view =
        afterBatch(sizes, {maker.ofLength(indexed, positions), product});
    return maker.reshapeTo(data, view, batch + positions + 1);
  }

  /// [batch.., tuples, positions]
  Value viewTuples(Value tuples) {
    Value inner = batch ? maker.cut(outer, batch, SizeListMaker::toEnd) : outer;
    Value view = afterBatch(outer, {maker.product(inner), length});
    Value list = maker.reshapeTo(tuples, view, batch + 2);
    return isUnresolved() ? padTuples(list) : list;
  }

  /// The sizes of the batch, which `list` begins with, and `parts`.
  Value afterBatch(Value list, ArrayRef<Value> parts) {
    SmallVector<Value> all(parts);
    if (batch)
      all.insert(all.begin(), maker.ofLength(maker.cut(list, 0, batch), batch));
    return maker.joined(all);
  }

  /// Zeros in front; a tuple that is too long stays so, for the run to refuse.
  Value padTuples(Value list) {
    Value missing = maker.make(
        "Max", {maker.sub(maker.ints({positions}), length), maker.ints({0})});
    SmallVector<int64_t> none(batch + 2, 0);
    Value pads = maker.joined(
        {maker.ints(ArrayRef(none).drop_back()), missing, maker.ints(none)});
    SmallVector<int64_t> shape(batch + 2, ShapedType::kDynamic);
    shape.back() = positions;
    return maker.make<IdentityOp>(
        RankedTensorType::get(shape, getElementTypeOrSelf(list.getType())),
        maker.make("Pad", {list, pads}));
  }

  Operation *op;
  OpBuilder builder;
  SizeListMaker maker;
  int64_t batch;
  /// How many dimensions a tuple indexes here.
  int64_t positions;
  /// Lists of numbers: the sizes of the data, those that are not indexed, and
  /// their product; the sizes of the indices but the last one, which is the
  /// length of a tuple; where the indexed sizes end.
  Value sizes, rest, product, outer, length, end;
};

} // namespace

void onnxc::onnx::rewriteTuples(Operation *op) { TupleWriter(op).write(); }
