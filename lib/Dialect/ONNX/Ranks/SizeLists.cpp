//===- SizeLists.cpp - Sizes of tensors of unknown rank --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "SizeLists.h"
#include "RankAgnostic.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using namespace onnxc::onnx;

static Type listType(OpBuilder &builder, int64_t length) {
  return RankedTensorType::get(length, builder.getI64Type());
}

Type SizeListMaker::typeLike(Value x, int64_t rank) {
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               getElementTypeOrSelf(x.getType()));
}

Value SizeListMaker::sizesOf(Value x) {
  // Another list would have no known length where the rank of `x` is known.
  auto view = x.getDefiningOp<ReshapeOp>();
  auto given = view ? view.getShape().getDefiningOp<ShapeOp>() : ShapeOp();
  if (given && view.getAllowzero() == 1 && given.getStart() == 0 &&
      !given.getEnd())
    return given;
  return shapeOf(x);
}

Value SizeListMaker::sizesOf(Value x, int64_t start,
                             std::optional<int64_t> end) {
  SmallVector<NamedAttribute> positions{integer("start", start)};
  if (end)
    positions.push_back(integer("end", *end));
  return make("Shape", x, positions);
}

Value SizeListMaker::product(Value list) {
  return make("ReduceProd", list, integer("keepdims", 1));
}

Value SizeListMaker::ofLength(Value list, int64_t length) {
  return make<IdentityOp>(listType(builder, length), list);
}

Value SizeListMaker::cut(Value list, int64_t start, int64_t end) {
  return cut(list, ints({start}), ints({end}));
}

Value SizeListMaker::cut(Value list, Value start, Value end) {
  return make("Slice", {list, start, end});
}

Value SizeListMaker::padded(Value list, int64_t length) {
  Value ones = ints(SmallVector<int64_t>(length, 1));
  return make<SliceOp>(listType(builder, length),
                       {joined({ones, list}), ints({-length}), ints({toEnd})});
}

Value SizeListMaker::last(Value list, int64_t length, Value count) {
  Value start = reshape(sub(integerScalar(length), count), {1});
  return cut(list, start, ints({length}));
}

Value SizeListMaker::reshapeTo(Value x, Value sizes, Type type) {
  return make<ReshapeOp>(type, {x, sizes}, integer("allowzero", 1));
}

Value SizeListMaker::flatten(Value x) {
  return make<ReshapeOp>(typeLike(x, 1), {x, ints({-1})});
}

static bool isConstant(Value value, int64_t number) {
  std::optional<SmallVector<int64_t>> given = constantInts(value);
  return given && given->size() == 1 && given->front() == number;
}

/// The parts of a result of `narrow`.
static std::optional<SizeListMaker::Wide> widened(Value x) {
  auto view = x.getDefiningOp<ReshapeOp>();
  auto slice = view ? view.getShape().getDefiningOp<SliceOp>() : SliceOp();
  auto shape = slice ? slice.getData().getDefiningOp<ShapeOp>() : ShapeOp();
  if (!shape || shape.getData() != view.getData() ||
      rankOf(view.getData()) != maxRank || view.getAllowzero() != 1)
    return std::nullopt;
  auto start = slice.getStarts().getDefiningOp<ReshapeOp>();
  auto rest = start ? start.getData().getDefiningOp<SubOp>() : SubOp();
  if (!rest || !isConstant(rest->getOperand(0), maxRank) ||
      !isConstant(slice.getEnds(), maxRank))
    return std::nullopt;
  return SizeListMaker::Wide{view.getData(), rest->getOperand(1)};
}

bool SizeListMaker::isNarrowed(Value x) { return widened(x).has_value(); }

SizeListMaker::Wide SizeListMaker::widen(Value x) {
  if (std::optional<Wide> wide = widened(x))
    return *wide;
  Value sizes = sizesOf(x), rank = make("Size", sizes);
  return {reshapeTo(x, padded(sizes, maxRank), maxRank), rank};
}

Value SizeListMaker::narrow(Wide wide, Type type) {
  return reshapeTo(wide.view, last(shapeOf(wide.view), maxRank, wide.rank),
                   type);
}
