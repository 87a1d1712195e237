//===- SimplifyFill.cpp - Tensors of one number ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// Returns true if Expand takes elements of this type: all but those of a byte
/// or less that are neither integers of 8 bits nor bools.
bool isExpandable(Type element) {
  if (!element.isIntOrFloat())
    return isa<StringType, ComplexType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  return width > 8 || (element.isInteger() && (width == 8 || width == 1));
}

/// cast(constant_of_shape(s, v)) -> expand(cast(v), s): the cast of a constant
/// is evaluated.
LogicalResult castFill(CastOp op, PatternRewriter &rewriter) {
  auto fill = op.getInput().getDefiningOp<ConstantOfShapeOp>();
  if (!fill)
    return rewriter.notifyMatchFailure(op, "the operand is no fill");
  Type to = getElementTypeOrSelf(op.getOutput());
  if (!isExpandable(to))
    return rewriter.notifyMatchFailure(op, "Expand does not take the elements");
  NodeMaker make(rewriter, op.getLoc());
  auto scalar = RankedTensorType::get(
      {}, getElementTypeOrSelf(fill->getResult(0).getType()));
  auto number = dyn_cast_or_null<DenseElementsAttr>(fill.getValueAttr());
  if (fill.getValueAttr() && !number)
    return rewriter.notifyMatchFailure(op, "the value is not known");
  Value value = make.constant(
      number ? number.reshape(scalar)
             : DenseElementsAttr::get(
                   scalar, rewriter.getZeroAttr(scalar.getElementType())));
  Value cast =
      make.make<CastOp>(RankedTensorType::get({}, to), value, op->getAttrs());
  rewriter.replaceOp(op, make.make<ExpandOp>(op.getOutput().getType(),
                                             {cast, fill.getInput()}));
  return success();
}

/// expand(constant of one number v, s) -> constant_of_shape(s, v), unless the
/// constant has more dimensions than the result of that.
LogicalResult expandToFill(ExpandOp op, PatternRewriter &rewriter) {
  auto number =
      dyn_cast_or_null<DenseElementsAttr>(constantValue(op.getInput()));
  if (!number || number.getNumElements() != 1 ||
      !number.getElementType().isIntOrFloat())
    return rewriter.notifyMatchFailure(op, "the operand is not one number");
  auto shape = dyn_cast<RankedTensorType>(op.getShape().getType());
  if (number.getType().getRank() != 0 &&
      (!shape || shape.getRank() != 1 || shape.isDynamicDim(0) ||
       shape.getDimSize(0) < number.getType().getRank()))
    return rewriter.notifyMatchFailure(op, "the shape may be too short");
  auto value =
      number.reshape(RankedTensorType::get({1}, number.getElementType()));
  NodeMaker make(rewriter, op.getLoc());
  rewriter.replaceOp(
      op, make.make<ConstantOfShapeOp>(op.getOutput().getType(), op.getShape(),
                                       rewriter.getNamedAttr("value", value)));
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyFillPatterns(RewritePatternSet &patterns) {
  addRewrites<castFill, expandToFill>(patterns);
}
