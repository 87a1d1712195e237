//===- RankAgnostic.cpp - Operations that need no rank ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What is elementwise computes the same on any view of its elements. Where the
// operands have one shape they become lists, else they get dimensions of size 1
// in front, which broadcasting does not see.
//
//===----------------------------------------------------------------------===//
#include "RankRules.h"
#include "Simplify.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// Makes operations in front of one.
class Maker {
public:
  explicit Maker(Operation *op) : builder(op), loc(op->getLoc()) {}

  template <typename Op>
  Value make(Type type, ValueRange operands,
             ArrayRef<NamedAttribute> attributes = {}) {
    return Op::create(builder, loc, TypeRange(type), operands, attributes)
        ->getResult(0);
  }
  NamedAttribute integer(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  Value ints(ArrayRef<int64_t> values) {
    return createInts(builder, loc, values);
  }
  Value number(int64_t value) { return createNumber(builder, loc, value); }
  Type list(int64_t length) {
    return RankedTensorType::get(length, builder.getI64Type());
  }
  Type scalar() { return RankedTensorType::get({}, builder.getI64Type()); }

  /// Sizes of 0 are meant as such.
  Value reshape(Value x, Value shape, Type type) {
    return make<ReshapeOp>(type, {x, shape}, integer("allowzero", 1));
  }
  /// The elements of `x` in one dimension.
  Value flatten(Value x) {
    return make<ReshapeOp>(typeLike(x, {ShapedType::kDynamic}),
                           {x, ints({-1})});
  }
  /// The shape of `x`; what it was reshaped to, if it was by us.
  Value shapeOf(Value x) {
    auto view = x.getDefiningOp<ReshapeOp>();
    auto given = view ? view.getShape().getDefiningOp<ShapeOp>() : ShapeOp();
    if (given && view.getAllowzero() == 1 && given.getStart() == 0 &&
        !given.getEnd())
      return given;
    return make<ShapeOp>(list(ShapedType::kDynamic), x);
  }
  static Type typeLike(Value x, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, getElementTypeOrSelf(x.getType()));
  }

  OpBuilder builder;
  Location loc;
};

} // namespace

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Replaces `op` by itself on `operands`, with results of this shape, and
/// these as `restore` makes them of it.
static void computeOn(Operation *op, ValueRange operands,
                      ArrayRef<int64_t> shape, Maker &maker,
                      function_ref<Value(OpResult, Type)> restore) {
  Operation *inner = maker.builder.clone(*op);
  inner->setOperands(operands);
  inner->removeDiscardableAttr("onnx.dims");
  for (auto [result, computed] :
       llvm::zip_equal(op->getResults(), inner->getResults())) {
    computed.setType(Maker::typeLike(result, shape));
    result.replaceAllUsesWith(
        restore(cast<OpResult>(computed), result.getType()));
  }
  op->erase();
}

/// op(x) -> reshape(op(reshape(x, [-1])), shape(x))
static void computeFlat(Operation *op, Value x) {
  Maker maker(op);
  Value shape = maker.shapeOf(x), flat = maker.flatten(x);
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value v) { return v == x ? flat : v; });
  computeOn(
      op, operands, ShapedType::kDynamic, maker,
      [&](OpResult y, Type type) { return maker.reshape(y, shape, type); });
}

/// The last `rank` entries of `shape` with ones in front.
static Value padShape(Maker &maker, Value shape, int64_t rank) {
  Value ones = maker.ints(SmallVector<int64_t>(rank, 1));
  Value padded = maker.make<ConcatOp>(maker.list(ShapedType::kDynamic),
                                      {ones, shape}, maker.integer("axis", 0));
  return maker.make<SliceOp>(
      maker.list(rank), {padded, maker.ints({-rank}),
                         maker.ints({std::numeric_limits<int64_t>::max()})});
}

/// op(x, y) -> reshape(op(pad(x), pad(y)), as many sizes as the larger has)
static void computePadded(Operation *op) {
  Maker maker(op);
  SmallVector<int64_t> shape(maxRank, ShapedType::kDynamic);
  llvm::DenseMap<Value, Value> padded;
  SmallVector<Value> operands, ranks;
  int64_t known = 0;
  for (Value x : op->getOperands()) {
    if (auto type = dyn_cast<RankedTensorType>(x.getType())) {
      known = std::max(known, type.getRank());
      operands.push_back(x);
      continue;
    }
    Value &wide = padded[x];
    if (!wide) {
      Value sizes = maker.shapeOf(x);
      ranks.push_back(maker.make<SizeOp>(maker.scalar(), sizes));
      wide = maker.reshape(x, padShape(maker, sizes, maxRank),
                           Maker::typeLike(x, shape));
    }
    operands.push_back(wide);
  }
  ranks.push_back(maker.number(known));
  Value rank = maker.make<MaxOp>(maker.scalar(), ranks);
  Value start = maker.make<ReshapeOp>(
      maker.list(1),
      {maker.make<SubOp>(maker.scalar(), {maker.number(maxRank), rank}),
       maker.ints({1})});
  computeOn(op, operands, shape, maker, [&](OpResult y, Type type) {
    Value sizes =
        maker.make<SliceOp>(maker.list(ShapedType::kDynamic),
                            {maker.make<ShapeOp>(maker.list(maxRank), y), start,
                             maker.ints({maxRank})});
    return maker.reshape(y, sizes, type);
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
  Maker maker(op);
  unsigned groups = op->getNumResults() / countKinds(op);
  SmallVector<Value> operands(op->getOperands()), shapes;
  for (unsigned i = 0; i < groups; ++i)
    shapes.push_back(maker.shapeOf(operands[2 + i]));
  for (Value &operand : MutableArrayRef(operands).drop_front(2))
    operand = maker.flatten(operand);
  computeOn(op, operands, ShapedType::kDynamic, maker,
            [&](OpResult y, Type type) {
              Value shape = shapes[y.getResultNumber() % groups];
              return maker.reshape(y, shape, type);
            });
}

void onnxc::onnx::makeRankAgnostic(Operation *op) {
  if (isOptimizer(op))
    return computeGroupsFlat(op);
  Value only;
  for (Value operand : op->getOperands()) {
    if (isScalar(operand) || operand == only)
      continue;
    if (only || isa<RankedTensorType>(operand.getType()))
      return computePadded(op);
    only = operand;
  }
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
    {"onnx.ConstantOfShape", 0, slots({0})},
    {"onnx.CumProd", slots({1}), 0},
    {"onnx.CumSum", slots({1}), 0},
    {"onnx.DFT", slots({1, 2}), 0},
    {"onnx.Dropout", slots({1, 2}), 0},
    {"onnx.Expand", 0, slots({1})},
    {"onnx.HammingWindow", slots({0}), 0},
    {"onnx.HannWindow", slots({0}), 0},
    {"onnx.If", slots({0}), 0},
    {"onnx.LayerNormalization", 0, 0, slots({1, 2})},
    {"onnx.Loop", slots({0, 1}), 0},
    {"onnx.MaxUnpool", 0, slots({2})},
    {"onnx.MelWeightMatrix", slots({0, 1, 2, 3, 4}), 0},
    {"onnx.NonMaxSuppression", slots({2, 3, 4}), 0},
    {"onnx.OneHot", slots({1}), slots({2})},
    {"onnx.Pad", slots({2}), slots({1, 3})},
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
    {"onnx.Reshape", 0, slots({1})},
    {"onnx.Resize", 0, slots({1, 2, 3})},
    {"onnx.STFT", slots({1, 3}), 0},
    {"onnx.SequenceAt", slots({1}), 0},
    {"onnx.SequenceErase", slots({1}), 0},
    {"onnx.SequenceInsert", slots({2}), 0},
    {"onnx.Slice", 0, slots({1, 2, 3, 4})},
    {"onnx.Split", 0, slots({1})},
    {"onnx.Squeeze", 0, slots({1})},
    {"onnx.Tile", 0, slots({1})},
    {"onnx.TopK", 0, slots({1})},
    {"onnx.Trilu", slots({1}), 0},
    {"onnx.Unsqueeze", 0, slots({1})},
    {"onnx.ml.ArrayFeatureExtractor", 0, slots({1})},
    {"onnx.training.Adagrad", slots({0, 1}), 0},
    {"onnx.training.Adam", slots({0, 1}), 0},
    {"onnx.training.Momentum", slots({0, 1}), 0},
};

/// `x` with as many dimensions as `like` has; null if that is not known.
static Value broadcastLike(Maker &maker, Value x, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (!type)
    return Value();
  if (type.getRank() == 0)
    return maker.reshape(x, maker.ints({}), Maker::typeLike(x, {}));
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
  return maker.reshape(x, padShape(maker, maker.shapeOf(x), type.getRank()),
                       Maker::typeLike(x, shape));
}

bool onnxc::onnx::flattenStructuralOperands(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const auto *row = llvm::find_if(
      structuralSlots, [&](const StructuralSlots &r) { return r.op == name; });
  if (row == std::end(structuralSlots))
    return false;
  bool changed = false;
  for (unsigned slot = 0; slot < 8; ++slot) {
    uint32_t bit = 1u << slot;
    bool isStructural = (row->scalars | row->lists | row->broadcast) & bit;
    OpOperand *operand = isStructural ? operandInSlot(op, slot) : nullptr;
    if (!operand || !isa<UnrankedTensorType>(operand->get().getType()))
      continue;
    Maker maker(op);
    Value x = operand->get(), settled;
    if (row->scalars & bit)
      settled =
          maker.make<ReshapeOp>(Maker::typeLike(x, {}), {x, maker.ints({})});
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
