//===- MaxRoiPool.cpp - Maxima of the bins of regions -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "RoiBins.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc {
namespace {

Value makeTable(onnx::MaxRoiPoolOp op, OpBuilder &b, Value rois, Type element) {
  double scale = op.getSpatialScale();
  ArrayRef<int64_t> pooled = op.getPooledShape();
  return makeRoiTable(
      b, op.getLoc(), rois, element,
      [&](ScalarBuilder &s, int64_t column,
          llvm::function_ref<Value(int64_t)> number) {
        // A region is its image, x1, y1, x2, y2.
        int64_t first = column % 2 == 0 ? 2 : 1;
        auto positionOf = [&](int64_t i) {
          return s.math<math::RoundOp>(s.mul(number(i), s.constant(scale)));
        };
        Value low = positionOf(first), high = positionOf(first + 2);
        Value length =
            s.max(s.add(s.sub(high, low), s.constant(1)), s.constant(1));
        Value bin = s.div(length, s.constant(double(pooled[column % 2])));
        if (column < BinSize)
          return low;
        // A bin may touch one more row than it is high at either end.
        return column < Samples
                   ? bin
                   : s.add(s.math<math::CeilOp>(bin), s.constant(1));
      });
}

/// The row (or column) that a step stands for, and where the bin ends.
std::pair<Value, Value> range(ScalarBuilder &s, ArrayRef<Value> row,
                              ArrayRef<Value> at, ArrayRef<Value> step,
                              ArrayRef<Value>, int64_t d) {
  Value bin = indexToFloat(s, at[2 + d]), zero = s.constant(0);
  Value low = s.add(s.math<math::FloorOp>(s.mul(bin, row[BinSize + d])),
                    row[Start + d]);
  Value end = s.add(
      s.math<math::CeilOp>(s.mul(s.add(bin, s.constant(1)), row[BinSize + d])),
      row[Start + d]);
  return {s.add(s.max(low, zero), indexToFloat(s, step[d])), end};
}

/// Emits an i1 that is true if the step is in the bin and in the image.
Value isSample(ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value> at,
               ArrayRef<Value> step, ArrayRef<Value> in) {
  Value all;
  for (int64_t d = 0; d < 2; ++d) {
    auto [position, end] = range(s, row, at, step, in, d);
    Value fits = s.math<arith::AndIOp>(
        s.lt(position, end), s.lt(position, indexToFloat(s, in[2 + d])));
    all = all ? s.math<arith::AndIOp>(all, fits) : fits;
  }
  return all;
}

/// `in`: the operand's sizes, the operand and the regions.
Value sample(ScalarBuilder &s, const RoiPool &pool, ArrayRef<Value> row,
             ArrayRef<Value> at, ArrayRef<Value> step, ArrayRef<Value> in) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  Value roi[] = {at[0], indexConstant(b, loc, 0)};
  Value image = toInterpolation(
      b, loc, tensor::ExtractOp::create(b, loc, in[5], roi), pool.element);
  auto lastOf = [&](int64_t dim) {
    return s.sub(indexToFloat(s, in[dim]), s.constant(1));
  };
  Value whole[] = {
      floatToIndex(s, image, lastOf(0)), at[1],
      floatToIndex(s, range(s, row, at, step, in, 0).first, lastOf(2)),
      floatToIndex(s, range(s, row, at, step, in, 1).first, lastOf(3))};
  return toInterpolation(
      b, loc,
      tensor::ExtractOp::create(b, loc, in[4],
                                pool.inMemory(ArrayRef<Value>(whole))),
      pool.element);
}

Lowered lowerMaxRoiPool(onnx::MaxRoiPoolOp op,
                        onnx::MaxRoiPoolOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX(), rois = adaptor.getRois();
  if (!hasRank(x, 4) || !hasRank(rois, 2))
    return rewriter.notifyMatchFailure(op, "ranks do not fit");
  ArrayRef<int64_t> pooled = op.getPooledShape();
  if (pooled.size() != 2 || pooled[0] <= 0 || pooled[1] <= 0)
    return rewriter.notifyMatchFailure(op, "pooled_shape is not two sizes");
  checkEqualSizes(rewriter, loc, sizeOf(rewriter, loc, rois, 1),
                  indexConstant(rewriter, loc, 5),
                  "MaxRoiPool: a region is not five numbers");
  Type element = getElementTypeOrSelf(op.getX().getType());
  RoiPool pool = makeRoiPool(rewriter, op, x,
                             makeTable(op, rewriter, rois, element), pooled);
  SmallVector<Value> inputs = sizesOf(rewriter, loc, x), counts;
  // No bin is larger than the image.
  for (int64_t d = 0; d < 2; ++d)
    counts.push_back(
        minIndex(rewriter, loc, inputs[2 + d],
                 largestOf(rewriter, loc, pool.table, Samples + d)));
  // A bin is a few rows and columns.
  constexpr int64_t usualReads = 8;
  inputs.append({pool.channelsLastOperand("MaxRoiPool", x, usualReads), rois});
  return poolBins(
      pool, "MaxRoiPool", counts, /*average=*/false, inputs,
      [&](ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value> at,
          ArrayRef<Value> step,
          ArrayRef<Value> in) { return sample(s, pool, row, at, step, in); },
      isSample);
}

} // namespace

void populateONNXToKrnlMaxRoiPoolPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerMaxRoiPool);
}

} // namespace onnxc
