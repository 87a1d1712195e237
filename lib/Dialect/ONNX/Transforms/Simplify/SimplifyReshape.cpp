//===- SimplifyReshape.cpp - Views of the same elements --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Squeeze, Unsqueeze and Flatten become Reshape where a constant shape is
// enough, and chains of Reshape become the last one.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
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

} // namespace

void onnxc::onnx::populateSimplifyReshapePatterns(RewritePatternSet &patterns) {
  addRewrites<makeShapeExplicit, mergeReshapes, viewToReshape<FlattenOp>,
              viewToReshape<SqueezeOp>, viewToReshape<UnsqueezeOp>>(patterns);
}
