//===- RoiAlign.cpp - Averages and maxima of samples of regions -*- C++ -*-===//
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

void checkSizes(OpBuilder &b, Location loc, Value rois, Value batch) {
  checkEqualSizes(b, loc, sizeOf(b, loc, rois, 1), indexConstant(b, loc, 4),
                  "RoiAlign: a region is not four numbers");
  checkEqualSizes(b, loc, sizeOf(b, loc, rois, 0), sizeOf(b, loc, batch, 0),
                  "RoiAlign: expected a batch index for each region");
}

Value isSample(ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value>,
               ArrayRef<Value> step, ArrayRef<Value>) {
  return s.math<arith::AndIOp>(
      s.lt(indexToFloat(s, step[0]), row[Samples]),
      s.lt(indexToFloat(s, step[1]), row[Samples + 1]));
}

/// Start, bin size and number of samples of each region.
Value makeTable(onnx::RoiAlignOp op, OpBuilder &b, Value rois, Type element) {
  bool half = op.getCoordinateTransformationMode() == "half_pixel";
  int64_t bins[] = {op.getOutputHeight(), op.getOutputWidth()};
  double scale = op.getSpatialScale();
  return makeRoiTable(
      b, op.getLoc(), rois, element,
      [&](ScalarBuilder &s, int64_t column,
          llvm::function_ref<Value(int64_t)> number) {
        // A region is x1, y1, x2, y2.
        int64_t first = column % 2 == 0 ? 1 : 0;
        Value offset = s.constant(half ? 0.5 : 0);
        auto positionOf = [&](int64_t i) {
          return s.sub(s.mul(number(i), s.constant(scale)), offset);
        };
        Value low = positionOf(first), high = positionOf(first + 2);
        Value length = s.sub(high, low);
        if (!half)
          length = s.max(length, s.constant(1));
        Value bin = s.div(length, s.constant(double(bins[column % 2])));
        if (column < BinSize)
          return low;
        if (column < Samples)
          return bin;
        return op.getSamplingRatio() > 0
                   ? s.constant(double(op.getSamplingRatio()))
                   : s.max(s.math<math::CeilOp>(bin), s.constant(0));
      });
}

/// The two rows (or columns) around a position; beyond the last there is
/// none.
SmallVector<Tap> taps(ScalarBuilder &s, Value x, Value size) {
  Value last = s.sub(indexToFloat(s, size), s.constant(1));
  Value zero = s.constant(0), one = s.constant(1);
  x = s.select(s.lt(zero, x), x, zero);
  x = s.select(s.lt(x, last), x, last);
  Value low = s.math<math::FloorOp>(x);
  Value above = s.sub(x, low);
  return {{floatToIndex(s, low, last), s.sub(one, above), {}},
          {floatToIndex(s, s.add(low, one), last), above, {}}};
}

/// The largest of the weighted elements, not of their sums.
Value largest(ScalarBuilder &s, ArrayRef<SmallVector<Tap>> dims,
              llvm::function_ref<Value(ArrayRef<Value>)> read) {
  Value y;
  for (const Tap &row : dims[0])
    for (const Tap &column : dims[1]) {
      Value position[] = {row.index, column.index};
      Value part = s.mul(s.mul(row.weight, column.weight), read(position));
      y = y ? s.max(y, part) : part;
    }
  return y;
}

/// `in`: the operand's sizes, the operand and the batch indices.
Value sample(ScalarBuilder &s, const RoiPool &pool, ArrayRef<Value> row,
             ArrayRef<Value> at, ArrayRef<Value> step, ArrayRef<Value> in,
             bool average) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  SmallVector<SmallVector<Tap>> dims;
  Value inside;
  for (int64_t d = 0; d < 2; ++d) {
    Value bin = s.mul(indexToFloat(s, at[2 + d]), row[BinSize + d]);
    Value within = s.div(s.mul(s.add(indexToFloat(s, step[d]), s.constant(0.5)),
                               row[BinSize + d]),
                         row[Samples + d]);
    Value position = s.add(s.add(row[Start + d], bin), within);
    Value fits =
        s.math<arith::AndIOp>(s.le(s.constant(-1), position),
                              s.le(position, indexToFloat(s, in[2 + d])));
    inside = inside ? s.math<arith::AndIOp>(inside, fits) : fits;
    dims.push_back(taps(s, position, in[2 + d]));
  }
  Value image = wrapIndex(
      b, loc, toIndex(b, loc, tensor::ExtractOp::create(b, loc, in[5], at[0])),
      in[0], 0);
  auto read = [&](ArrayRef<Value> position) {
    Value whole[] = {image, at[1], position[0], position[1]};
    return toInterpolation(
        b, loc,
        tensor::ExtractOp::create(b, loc, in[4],
                                  pool.inMemory(ArrayRef<Value>(whole))),
        pool.element);
  };
  Value y = average ? interpolate(s, dims, read) : largest(s, dims, read);
  return s.select(inside, y, s.constant(0));
}

Lowered lowerRoiAlign(onnx::RoiAlignOp op, onnx::RoiAlignOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX(), rois = adaptor.getRois(),
        batch = adaptor.getBatchIndices();
  if (!hasRank(x, 4) || !hasRank(rois, 2) || !hasRank(batch, 1))
    return rewriter.notifyMatchFailure(op, "ranks do not fit");
  bool average = op.getMode() == "avg";
  if (!average && op.getMode() != "max")
    return rewriter.notifyMatchFailure(op, "unknown mode");
  if (op.getOutputHeight() <= 0 || op.getOutputWidth() <= 0)
    return rewriter.notifyMatchFailure(op, "output size is not positive");
  checkSizes(rewriter, loc, rois, batch);
  Type element = getElementTypeOrSelf(op.getX().getType());
  RoiPool pool =
      makeRoiPool(rewriter, op, x, makeTable(op, rewriter, rois, element),
                  {op.getOutputHeight(), op.getOutputWidth()});
  SmallVector<Value> counts;
  for (int64_t d = 0; d < 2; ++d)
    counts.push_back(op.getSamplingRatio() > 0
                         ? indexConstant(rewriter, loc, op.getSamplingRatio())
                         : largestOf(rewriter, loc, pool.table, Samples + d));
  SmallVector<Value> inputs = sizesOf(rewriter, loc, x);
  // Four samples around each position, and some positions in a bin.
  constexpr int64_t usualReads = 16;
  inputs.append({pool.channelsLastOperand("RoiAlign", x, usualReads), batch});
  return poolBins(
      pool, "RoiAlign", counts, average, inputs,
      [&](ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value> at,
          ArrayRef<Value> step, ArrayRef<Value> in) {
        return sample(s, pool, row, at, step, in, average);
      },
      isSample);
}

} // namespace

void populateONNXToKrnlRoiAlignPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerRoiAlign);
}

} // namespace onnxc
