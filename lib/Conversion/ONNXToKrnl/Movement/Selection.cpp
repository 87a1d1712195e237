//===- Selection.cpp - Results of data-dependent sizes ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// TopK, Unique, NonZero, Compress, NonMaxSuppression: sorting and choosing are
// calls into the runtime; a kernel moves the chosen elements.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

using namespace mlir;

namespace onnxc {
namespace {

SmallVector<Value> call(OpBuilder &b, Location loc, StringRef callee,
                        TypeRange results, ValueRange operands,
                        ArrayRef<int64_t> params) {
  auto made = krnl::CallOp::create(b, loc, results, callee, operands, params,
                                   /*stateful=*/false);
  return llvm::to_vector(ValueRange(made.getResults()));
}

/// The runtime's number of the element type of a graph value.
int64_t typeNumber(Value graphValue) {
  return onnx::getElementTypeNumber(getElementTypeOrSelf(graphValue.getType()));
}

/// Indices whose number is determined by the runtime.
RankedTensorType indexList(OpBuilder &b) {
  return RankedTensorType::get(ShapedType::kDynamic, b.getI64Type());
}

RankedTensorType withDim(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

Lowered lowerTopK(onnx::TopKOp op, onnx::TopKOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType type = rankedType(adaptor.getX()),
                   kType = rankedType(adaptor.getK());
  if (kType.getRank() > 1)
    return rewriter.notifyMatchFailure(op, "K is not a scalar or vector");
  int64_t axis = positiveAxis(op.getAxis(), type.getRank());
  if (axis < 0 || axis >= type.getRank())
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  Value k = structuralElement(rewriter, loc, op.getK(), adaptor.getK(), 0);
  auto known = getConstantIntValue(k);
  RankedTensorType values =
      withDim(type, axis, known && *known >= 0 ? *known : ShapedType::kDynamic);
  auto indices =
      RankedTensorType::get(values.getShape(), rewriter.getI64Type());
  SmallVector<Value> results =
      call(rewriter, loc, "onnxc_call_topk", {values, indices},
           {adaptor.getX(), k}, {typeNumber(op.getX()), axis, op.getLargest()});
  return results;
}

Lowered lowerUnique(onnx::UniqueOp op, onnx::UniqueOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(adaptor.getX());
  std::optional<int64_t> axis = op.getAxis();
  if (axis)
    axis = positiveAxis(*axis, type.getRank());
  if (axis && (*axis < 0 || *axis >= type.getRank()))
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  auto list = indexList(rewriter);
  RankedTensorType y =
      axis ? withDim(type, *axis, ShapedType::kDynamic)
           : RankedTensorType::get(ShapedType::kDynamic, type.getElementType());
  SmallVector<Value> results = call(rewriter, op.getLoc(), "onnxc_call_unique",
                                    {y, list, list, list}, adaptor.getX(),
                                    {typeNumber(op.getX()), op.getSorted(),
                                     axis.has_value(), axis.value_or(0)});
  // Results that the model leaves out are not among those of the op.
  Value graphResults[] = {op.getY(), op.getIndices(), op.getInverseIndices(),
                          op.getCounts()};
  SmallVector<Value> asked;
  for (auto [graphResult, result] : llvm::zip(graphResults, results))
    if (graphResult)
      asked.push_back(result);
  return asked;
}

Lowered lowerNonZero(onnx::NonZeroOp op, onnx::NonZeroOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(adaptor.getX());
  auto result = RankedTensorType::get({type.getRank(), ShapedType::kDynamic},
                                      rewriter.getI64Type());
  return call(rewriter, op.getLoc(), "onnxc_call_nonzero", result,
              adaptor.getX(), typeNumber(op.getX()));
}

/// The runtime lists the positions where the condition holds; a kernel gathers.
Lowered lowerCompress(onnx::CompressOp op, onnx::CompressOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], condition = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x), conditionType = rankedType(condition);
  if (conditionType.getRank() != 1)
    return rewriter.notifyMatchFailure(op, "condition is not of rank 1");
  SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
  int64_t axis = 0;
  if (op.getAxis()) {
    axis = positiveAxis(*op.getAxis(), type.getRank());
    if (axis < 0 || axis >= type.getRank())
      return rewriter.notifyMatchFailure(op, "axis is out of range");
  } else {
    sizes = {productOf(rewriter, loc, sizes)};
    x = reshapeTo(rewriter, loc, x, typeOfSizes(sizes, type.getElementType()),
                  sizes);
  }
  Value positions = call(rewriter, loc, "onnxc_call_true_positions",
                         indexList(rewriter), {condition, sizes[axis]}, {})
                        .front();
  sizes[axis] = sizeOf(rewriter, loc, positions, 0);
  return generate(
      rewriter, loc, "Compress", type.getElementType(), sizes, {x, positions},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> from(at);
        from[axis] =
            toIndex(b, l, tensor::ExtractOp::create(b, l, in[1], at[axis]));
        return tensor::ExtractOp::create(b, l, in[0], from).getResult();
      });
}

Lowered lowerNonMaxSuppression(onnx::NonMaxSuppressionOp op,
                               onnx::NonMaxSuppressionOp::Adaptor adaptor,
                               ConversionPatternRewriter &rewriter) {
  for (Value operand : {adaptor.getBoxes(), adaptor.getScores()})
    if (rankedType(operand).getRank() != 3)
      return rewriter.notifyMatchFailure(op, "operand is not of rank 3");
  SmallVector<Value> operands{adaptor.getBoxes(), adaptor.getScores()};
  Value limits[] = {adaptor.getMaxOutputBoxesPerClass(),
                    adaptor.getIouThreshold(), adaptor.getScoreThreshold()};
  int64_t present = 0;
  for (auto [i, limit] : llvm::enumerate(limits)) {
    present |= int64_t(limit != nullptr) << i;
    // The call has an operand for each; absent ones are not read.
    operands.push_back(limit ? limit : adaptor.getBoxes());
  }
  auto result =
      RankedTensorType::get({ShapedType::kDynamic, 3}, rewriter.getI64Type());
  return call(rewriter, op.getLoc(), "onnxc_call_non_max_suppression", result,
              operands, {present, op.getCenterPointBox()});
}

} // namespace

void populateONNXToKrnlSelectionPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCompress, lowerNonMaxSuppression,
               lowerNonZero, lowerTopK, lowerUnique);
}

} // namespace onnxc
