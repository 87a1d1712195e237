//===- SimplifyReshape.cpp - Views of the same elements --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Squeeze, Unsqueeze and Flatten become Reshape where a constant shape is
// enough, and chains of Reshape become the last one.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The constant shape that makes Reshape give `type`: at most one size may be
/// unknown, and no size zero beside it, for -1 would be ambiguous.
static FailureOr<SmallVector<int64_t>> constantShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getNumDynamicDims() > 1)
    return failure();
  SmallVector<int64_t> shape(tensor.getShape());
  bool hasZero = llvm::is_contained(shape, 0);
  if (hasZero && tensor.getNumDynamicDims() != 0)
    return failure();
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  return shape;
}

static ReshapeOp createReshape(PatternRewriter &rewriter, Operation *op,
                               Value data, ArrayRef<int64_t> shape) {
  // A size of zero is meant as such.
  bool allowZero = llvm::is_contained(shape, 0);
  SmallVector<NamedAttribute> attributes;
  if (allowZero)
    attributes.push_back(
        rewriter.getNamedAttr("allowzero", rewriter.getI64IntegerAttr(1)));
  Value target = NodeMaker(rewriter, op->getLoc()).ints(shape);
  return ReshapeOp::create(rewriter, op->getLoc(), op->getResultTypes(),
                           ValueRange{data, target}, attributes);
}

/// Returns true if the elements follow from the types: Squeeze of an unknown
/// size implies that it is 1, which no Reshape does.
static bool dropsOnlyOnes(Operation *squeeze) {
  auto from = dyn_cast<RankedTensorType>(squeeze->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(squeeze->getResult(0).getType());
  return from && to && from.getNumDynamicDims() == to.getNumDynamicDims();
}

Value onnxc::onnx::viewedData(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<ReshapeOp, SqueezeOp, UnsqueezeOp, FlattenOp>(op))
    return op->getOperand(0);
  return Value();
}

namespace {

/// squeeze(x[?, 1, 4], [1]) -> reshape(x, [-1, 4]); unsqueeze, flatten too
template <typename Op>
LogicalResult viewToReshape(Op op, PatternRewriter &rewriter) {
  FailureOr<SmallVector<int64_t>> shape =
      constantShape(op->getResult(0).getType());
  if (failed(shape))
    return rewriter.notifyMatchFailure(op, "the shape is not constant");
  if (std::is_same_v<Op, SqueezeOp> && !dropsOnlyOnes(op))
    return rewriter.notifyMatchFailure(
        op, "the shape is more precise than the types");
  rewriter.replaceOp(op,
                     createReshape(rewriter, op, op->getOperand(0), *shape));
  return success();
}

/// reshape(reshape(x, a), b) -> reshape(x, b), if b copies no size of its data
LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  Value data = viewedData(op.getData());
  if (!data)
    return rewriter.notifyMatchFailure(op, "the data is not a view");
  std::optional<SmallVector<int64_t>> shape = constantInts(op.getShape());
  if (!shape || (llvm::is_contained(*shape, 0) && !op.getAllowzero()))
    return rewriter.notifyMatchFailure(op, "the shape may copy sizes");
  rewriter.modifyOpInPlace(op, [&] { op.getDataMutable().assign(data); });
  return success();
}

/// reshape(x, [0, 0, -1]) -> reshape(x, [4, 5, -1]), for sizes that are known:
/// a shape that copies none does not depend on its operand. Not for shapes with
/// symbolic sizes that -1 would lose.
LogicalResult makeShapeExplicit(ReshapeOp op, PatternRewriter &rewriter) {
  std::optional<SmallVector<int64_t>> given = constantInts(op.getShape());
  FailureOr<SmallVector<int64_t>> shape =
      constantShape(op.getReshaped().getType());
  if (failed(shape) || !given)
    return rewriter.notifyMatchFailure(op, "the shape is not constant");
  if (*given == *shape)
    return rewriter.notifyMatchFailure(op, "the shape is explicit");
  rewriter.replaceOp(op, createReshape(rewriter, op, op.getData(), *shape));
  return success();
}

/// The types of both sides of a Reshape, if all sizes are known and it gives
/// each of the elements, of which there are some.
struct KnownReshape {
  RankedTensorType from, to;
};
std::optional<KnownReshape> knownReshape(ReshapeOp op) {
  auto elementsOf = [](RankedTensorType type) -> int64_t {
    bool isKnown = type && type.hasStaticShape() && onnxc::boundedBytes(type);
    return isKnown ? type.getNumElements() : 0;
  };
  auto from = dyn_cast<RankedTensorType>(op.getData().getType());
  auto to = dyn_cast<RankedTensorType>(op.getReshaped().getType());
  if (elementsOf(from) == 0 || elementsOf(from) != elementsOf(to))
    return std::nullopt;
  return KnownReshape{from, to};
}

/// Returns true for a Gather of the elements at one index, which drops a
/// dimension.
bool selectsOne(GatherOp gather) {
  auto indices = dyn_cast<RankedTensorType>(gather.getIndices().getType());
  return indices && indices.getRank() == 0;
}

/// Returns true if a Reshape of the value becomes one with what makes it.
bool isViewOrPart(Value value) {
  auto gather = value.getDefiningOp<GatherOp>();
  return viewedData(value) ||
         (gather && selectsOne(gather) && gather->hasOneUse());
}

/// reshape(gather(x[3, 8, 64], i), [8, 4, 16]) ->
/// gather(reshape(x, [3, 8, 4, 16]), i), for one index
LogicalResult reshapeBeforeGather(ReshapeOp op, PatternRewriter &rewriter) {
  auto gather = op.getData().getDefiningOp<GatherOp>();
  if (!gather || !selectsOne(gather) || !gather->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the data is not one part");
  std::optional<KnownReshape> known = knownReshape(op);
  auto data = dyn_cast<RankedTensorType>(gather.getData().getType());
  if (!known || !data || !data.hasStaticShape() ||
      data.getRank() != known->from.getRank() + 1)
    return rewriter.notifyMatchFailure(op, "a size is unknown");
  RankedTensorType to = known->to;
  std::optional<int64_t> axis = normalizeAxis(gather.getAxis(), data.getRank());
  if (!axis)
    return rewriter.notifyMatchFailure(op, "the axis is out of range");
  // The axis comes after as many elements as before.
  int64_t before =
      ShapedType::getNumElements(known->from.getShape().take_front(*axis));
  int64_t position = 0, passed = 1;
  while (passed < before)
    passed *= to.getDimSize(position++);
  if (passed != before)
    return rewriter.notifyMatchFailure(op, "a size spans the axis");
  SmallVector<int64_t> shape(to.getShape());
  shape.insert(shape.begin() + position, data.getDimSize(*axis));
  NodeMaker make(rewriter, op->getLoc());
  Value view =
      make.make<ReshapeOp>(RankedTensorType::get(shape, to.getElementType()),
                           {gather.getData(), make.ints(shape)});
  rewriter.replaceOp(op, make.make<GatherOp>(to, {view, gather.getIndices()},
                                             make.integer("axis", position)));
  return success();
}

/// For each dimension of `from` the dimensions of `to` that it is split into:
/// none for one of size 1. Fails if one of `to` stems from several.
FailureOr<SmallVector<SmallVector<int64_t>>> splitDims(ArrayRef<int64_t> from,
                                                       ArrayRef<int64_t> to) {
  SmallVector<SmallVector<int64_t>> parts(from.size());
  int64_t next = 0, end = int64_t(to.size());
  SmallVector<int64_t> *last = nullptr;
  for (auto [size, part] : llvm::zip_equal(from, parts)) {
    int64_t product = 1;
    while (product < size && next < end) {
      product *= to[next];
      part.push_back(next++);
    }
    if (product != size)
      return failure();
    if (!part.empty())
      last = &part;
  }
  if (!last)
    return failure();
  while (next < end)
    last->push_back(next++);
  return parts;
}

/// Where each dimension goes; nothing for what is no permutation.
std::optional<SmallVector<int64_t>> inverse(ArrayRef<int64_t> perm,
                                            int64_t rank) {
  SmallVector<int64_t> positions(rank, -1);
  for (auto [position, dim] : llvm::enumerate(perm)) {
    if (dim < 0 || dim >= rank || positions[dim] >= 0)
      return std::nullopt;
    positions[dim] = int64_t(position);
  }
  return llvm::is_contained(positions, -1) ? std::nullopt
                                           : std::optional(positions);
}

/// reshape(transpose(x[8, 2, 64]) {perm = [1, 0, 2]}, [2, 8, 4, 16]) ->
/// transpose(reshape(x, [8, 2, 4, 16])) {perm = [1, 0, 2, 3]}, where x is a
/// view: two become one, and the transposition stands beside what reads it.
LogicalResult reshapeBeforeTranspose(ReshapeOp op, PatternRewriter &rewriter) {
  auto transpose = op.getData().getDefiningOp<TransposeOp>();
  if (!transpose || !transpose->hasOneUse() || !transpose.getPerm() ||
      !isViewOrPart(transpose.getData()))
    return rewriter.notifyMatchFailure(op, "no transposition of a view");
  std::optional<KnownReshape> known = knownReshape(op);
  if (!known)
    return rewriter.notifyMatchFailure(op, "a size is unknown");
  auto [from, to] = *known;
  auto parts = splitDims(from.getShape(), to.getShape());
  if (failed(parts))
    return rewriter.notifyMatchFailure(op, "dimensions are merged");
  std::optional<SmallVector<int64_t>> positions =
      inverse(*transpose.getPerm(), from.getRank());
  if (!positions)
    return rewriter.notifyMatchFailure(op, "no permutation");
  SmallVector<int64_t> shape, perm(to.getRank());
  for (int64_t position : *positions)
    for (int64_t dim : (*parts)[position]) {
      perm[dim] = int64_t(shape.size());
      shape.push_back(to.getDimSize(dim));
    }
  NodeMaker make(rewriter, op->getLoc());
  Value view =
      make.make<ReshapeOp>(RankedTensorType::get(shape, from.getElementType()),
                           {transpose.getData(), make.ints(shape)});
  rewriter.replaceOp(op,
                     make.make<TransposeOp>(to, view, make.list("perm", perm)));
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyReshapePatterns(RewritePatternSet &patterns) {
  addRewrites<makeShapeExplicit, mergeReshapes, reshapeBeforeGather,
              reshapeBeforeTranspose, viewToReshape<FlattenOp>,
              viewToReshape<SqueezeOp>, viewToReshape<UnsqueezeOp>>(patterns);
}
