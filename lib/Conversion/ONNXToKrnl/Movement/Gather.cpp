//===- Gather.cpp - Elements read at computed indices -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Gather, GatherElements, GatherND, ReverseSequence, TensorScatter: each result
// element is read at a computed index. Indices are brought into range, so that
// bad ones read no memory out of bounds.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

Value extract(OpBuilder &b, Location loc, Value tensor, ValueRange at) {
  return tensor::ExtractOp::create(b, loc, tensor, at);
}

/// The one index of the elements that are gathered, if it is known and in
/// range.
std::optional<int64_t> knownIndex(onnx::GatherOp op, int64_t axis,
                                  int64_t rank) {
  auto indices = dyn_cast<RankedTensorType>(op.getIndices().getType());
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  auto known = onnx::constantInts(op.getIndices());
  if (!indices || indices.getRank() != 0 || !data || rank < 2 || !known)
    return std::nullopt;
  int64_t size = data.getDimSize(axis), index = known->front();
  if (ShapedType::isDynamic(size) || index < -size || index >= size)
    return std::nullopt;
  return index < 0 ? index + size : index;
}

Lowered lowerGather(onnx::GatherOp op, onnx::GatherOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Value data = adaptor.getOperands()[0], indices = adaptor.getOperands()[1];
  int64_t rank = rankedType(data).getRank();
  int64_t axis = positiveAxis(op.getAxis(), rank);
  if (axis < 0 || axis >= rank)
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  if (std::optional<int64_t> index = knownIndex(op, axis, rank))
    return selectOf(rewriter, op.getLoc(), "Gather", data, axis, *index);
  return gatherOf(rewriter, op.getLoc(), data, indices, axis, op->getResult(0));
}

Lowered lowerGatherElements(onnx::GatherElementsOp op,
                            onnx::GatherElementsOp::Adaptor adaptor,
                            ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value data = adaptor.getOperands()[0], indices = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(data);
  int64_t axis = positiveAxis(op.getAxis(), type.getRank());
  if (axis < 0 || axis >= type.getRank())
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  SmallVector<Value> sizes = sizesOf(rewriter, loc, indices);
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != axis)
      checkAtMost(rewriter, loc, sizes[d], sizeOf(rewriter, loc, data, d),
                  "GatherElements: more indices than data");
  return generate(
      rewriter, loc, "GatherElements", type.getElementType(), sizes,
      {data, indices, sizeOf(rewriter, loc, data, axis)},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at);
        Value i = toIndex(b, l, extract(b, l, in[1], at));
        position[axis] = wrapIndex(b, l, i, in[2], axis);
        return extract(b, l, in[0], position);
      });
}

Lowered lowerGatherND(onnx::GatherNDOp op, onnx::GatherNDOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value data = adaptor.getOperands()[0], indices = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(data), indexType = rankedType(indices);
  int64_t batch = op.getBatchDims(), outer = indexType.getRank() - 1;
  int64_t depth = indexType.getDimSize(outer);
  // The result's rank determines it as well.
  if (ShapedType::isDynamic(depth))
    depth = type.getRank() - batch -
            (rankedType(op->getResult(0)).getRank() - outer);
  SmallVector<Value> dataSizes = sizesOf(rewriter, loc, data);
  SmallVector<Value> sizes = sizesOf(rewriter, loc, indices);
  checkEqualSizes(rewriter, loc, sizes.pop_back_val(),
                  indexConstant(rewriter, loc, depth),
                  "GatherND: the indices have another length");
  for (int64_t d = 0; d < batch; ++d)
    checkEqualSizes(rewriter, loc, sizes[d], dataSizes[d],
                    "GatherND: the indices have another batch size");
  llvm::append_range(sizes,
                     ArrayRef<Value>(dataSizes).drop_front(batch + depth));
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  SmallVector<Value> inputs{data, indices};
  llvm::append_range(inputs, ArrayRef<Value>(dataSizes).slice(batch, depth));
  return generate(
      rewriter, loc, "GatherND", type.getElementType(), sizes, inputs,
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> tuple(at.take_front(outer));
        SmallVector<Value> position(at.take_front(batch));
        for (int64_t k = 0; k < depth; ++k) {
          tuple.resize(outer);
          tuple.push_back(indexConstant(b, l, k));
          Value i = toIndex(b, l, extract(b, l, in[1], tuple));
          position.push_back(wrapIndex(b, l, i, in[2 + k], batch + k));
        }
        llvm::append_range(position, at.drop_front(outer));
        return extract(b, l, in[0], position);
      });
}

/// A number of elements that has to be between 0 and `maxCount`.
Value checkedCount(OpBuilder &b, Location loc, Value count, Value maxCount,
                   StringRef message,
                   std::optional<int64_t> dimension = std::nullopt) {
  return krnl::WrapIndexOp::create(
      b, loc, count, maxCount, b.getStringAttr(message),
      dimension ? b.getI64IntegerAttr(*dimension) : IntegerAttr(),
      /*count=*/true);
}

Lowered lowerReverseSequence(onnx::ReverseSequenceOp op,
                             onnx::ReverseSequenceOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], lengths = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x);
  int64_t time = positiveAxis(op.getTimeAxis(), type.getRank()),
          batch = positiveAxis(op.getBatchAxis(), type.getRank());
  auto isAxis = [&](int64_t d) { return d >= 0 && d < type.getRank(); };
  if (!isAxis(time) || !isAxis(batch) || rankedType(lengths).getRank() != 1)
    return rewriter.notifyMatchFailure(
        op, "an axis is out of range, or the lengths are not a vector");
  SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
  checkEqualSizes(rewriter, loc, sizeOf(rewriter, loc, lengths, 0),
                  sizes[batch],
                  "ReverseSequence: expected a length for each of the batch");
  return generate(
      rewriter, loc, "ReverseSequence", type.getElementType(), sizes,
      {x, lengths, sizes[time]},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at);
        Value length = checkedCount(
            b, l, toIndex(b, l, extract(b, l, in[1], at[batch])), in[2],
            "ReverseSequence: a length is not between 0 and that of the time "
            "axis",
            time);
        Value last = subIndex(b, l, length, indexConstant(b, l, 1));
        Value reversed =
            clampIndex(b, l, subIndex(b, l, last, at[time]), in[2]);
        Value inside = arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt,
                                             at[time], length);
        position[time] =
            arith::SelectOp::create(b, l, inside, reversed, at[time]);
        return extract(b, l, in[0], position);
      });
}

/// Checks that the update differs from the past in its length alone, is neither
/// empty nor longer, and has a position for each element of the batch.
void checkOperands(OpBuilder &b, Location loc, ValueRange operands,
                   int64_t axis) {
  SmallVector<Value> past = sizesOf(b, loc, operands[0]),
                     update = sizesOf(b, loc, operands[1]);
  for (auto [d, size] : llvm::enumerate(update))
    if (int64_t(d) != axis)
      checkEqualSizes(b, loc, size, past[d],
                      "TensorScatter: the update has another shape");
  checkAtMost(b, loc, indexConstant(b, loc, 1), update[axis],
              "TensorScatter: the update is empty");
  checkAtMost(b, loc, update[axis], past[axis],
              "TensorScatter: the update is longer than the past");
  if (operands.size() > 2)
    checkEqualSizes(b, loc, sizeOf(b, loc, operands[2], 0), past[0],
                    "TensorScatter: expected a position for each of the batch");
}

/// The past, with the update written from a position of its own in each batch.
Lowered lowerTensorScatter(onnx::TensorScatterOp op,
                           onnx::TensorScatterOp::Adaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ValueRange operands = adaptor.getOperands();
  Value past = operands[0], update = operands[1];
  RankedTensorType type = rankedType(past);
  if (rankedType(update).getRank() != type.getRank())
    return rewriter.notifyMatchFailure(op, "expects operands of one rank");
  int64_t axis = positiveAxis(op.getAxis(), type.getRank());
  if (axis < 0 || axis >= type.getRank())
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  bool circular = op.getMode() == "circular";
  SmallVector<Value> sizes = sizesOf(rewriter, loc, past);
  checkOperands(rewriter, loc, operands, axis);
  SmallVector<Value> inputs{past, update, sizes[axis],
                            sizeOf(rewriter, loc, update, axis)};
  if (operands.size() > 2)
    inputs.push_back(operands[2]);
  return generate(
      rewriter, loc, "TensorScatter", type.getElementType(), sizes, inputs,
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value zero = indexConstant(b, l, 0);
        Value start =
            in.size() > 4 ? toIndex(b, l, extract(b, l, in[4], at[0])) : zero;
        if (!circular && in.size() > 4)
          start = checkedCount(b, l, start, subIndex(b, l, in[2], in[3]),
                               "TensorScatter: the update ends after the "
                               "past, or begins before it");
        Value i = subIndex(b, l, at[axis], start);
        if (circular) {
          Value before =
              arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, i, zero);
          i = arith::SelectOp::create(b, l, before, addIndex(b, l, i, in[2]),
                                      i);
        }
        SmallVector<Value> position(at);
        position[axis] = clampIndex(b, l, i, in[3]);
        return arith::SelectOp::create(b, l, isInside(b, l, i, in[3]),
                                       extract(b, l, in[1], position),
                                       extract(b, l, in[0], at))
            .getResult();
      });
}

} // namespace

Value gatherOf(OpBuilder &b, Location loc, Value data, Value indices,
               int64_t axis, Value graphResult) {
  int64_t indexRank = rankedType(indices).getRank();
  SmallVector<Value> dataSizes = sizesOf(b, loc, data);
  SmallVector<Value> sizes(ArrayRef<Value>(dataSizes).take_front(axis));
  llvm::append_range(sizes, sizesOf(b, loc, indices));
  llvm::append_range(sizes, ArrayRef<Value>(dataSizes).drop_front(axis + 1));
  if (graphResult)
    sizes = knownSizes(b, loc, graphResult, sizes);
  return generate(
      b, loc, "Gather", rankedType(data).getElementType(), sizes,
      {data, indices, dataSizes[axis]},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value i =
            toIndex(nb, l, extract(nb, l, in[1], at.slice(axis, indexRank)));
        SmallVector<Value> position(at.take_front(axis));
        position.push_back(wrapIndex(nb, l, i, in[2], axis));
        llvm::append_range(position, at.drop_front(axis + indexRank));
        return extract(nb, l, in[0], position);
      });
}

void populateONNXToKrnlGatherPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerGather, lowerGatherElements,
               lowerGatherND, lowerReverseSequence, lowerTensorScatter);
}

} // namespace onnxc
