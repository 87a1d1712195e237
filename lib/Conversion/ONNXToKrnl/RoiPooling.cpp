//===- RoiPooling.cpp - Pooling of regions ----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// RoiAlign and MaxRoiPool. A table says where the bins of each region begin and
// how large they are. How many samples a bin has may differ from region to
// region: the loops go as far as the largest needs, the others stop mattering.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Interpolation.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Columns of the table of regions, all in the type that is computed with. Of
/// each pair the first is for rows, the second for columns of the image.
enum Column { Start, BinSize = 2, Samples = 4, NumColumns = 6 };

bool hasRank(Value v, int64_t rank) {
  return rankedType(v) && rankedType(v).getRank() == rank;
}

/// The largest of one column, as an index.
Value largestOf(OpBuilder &b, Location loc, Value table, int64_t column) {
  RankedTensorType type = rankedType(table);
  Type element = type.getElementType();
  KernelBuilder kernel(b, loc, "LargestBin");
  AffineExpr n = kernel.loop("n", type.getDimSize(0));
  Value in = kernel.input(table);
  Value out = kernel.output(RankedTensorType::get({}, element));
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(element)));
  Value init = kernel.fill(zero, {out, {}});
  Value y =
      kernel.generic({{in, {n, kernel.constant(column)}}}, {init, {}}, {n},
                     [&](OpBuilder &nb, Location l, ValueRange v) {
                       return ScalarBuilder(nb, l, element).max(v[0], v[1]);
                     });
  Value largest = onlyElement(b, loc, kernel.finish({y}).front());
  ScalarBuilder host(b, loc, element);
  // NaN, too, is more than anybody means.
  Value most = host.constant(1 << 16);
  krnl::CheckOp::create(b, loc, host.le(largest, most),
                        "a region has too many samples in a bin");
  return floatToIndex(host, largest, most);
}

/// What the two operators have in common.
struct RoiPool {
  OpBuilder &b;
  Location loc;
  Value table;
  Type element;
  /// Of the result: regions, channels, rows and columns.
  SmallVector<Value> sizes;
  /// The image and the result have their channels last.
  bool channelsLast = false;

  /// A position of the result, or a type, in the order that it has in memory.
  template <typename T>
  SmallVector<T> inMemory(ArrayRef<T> place) const {
    SmallVector<T> order(place);
    if (channelsLast)
      std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    return order;
  }
  /// `x` as the samples are read from it.
  Value turned(StringRef name, Value x, int64_t reads) {
    channelsLast = channelsLastPays(
        rankedType(x), typeOfSizes(sizes, rankedType(x).getElementType()),
        reads);
    return channelsLast ? onnxc::channelsLast(b, loc, name, x) : x;
  }

  Type compute() const { return interpolationType(element); }
};

/// Something about one sample: `row` is the region's row of the table, `at` the
/// position of the result, `step` the number of the sample in the bin, `images`
/// the inputs inside the kernel.
using OfSample = llvm::function_ref<Value(
    ScalarBuilder &, ArrayRef<Value> row, ArrayRef<Value> at,
    ArrayRef<Value> step, ArrayRef<Value> images)>;

SmallVector<Value> indicesOf(KernelBuilder &kernel, OpBuilder &b, Location loc,
                             ArrayRef<AffineExpr> loops) {
  SmallVector<Value> indices;
  for (AffineExpr loop : loops)
    indices.push_back(kernel.index(b, loc, loop));
  return indices;
}

/// What all samples of a bin make: `v` is the region's row of the table and
/// their sum or the largest of them.
Value binResult(ScalarBuilder &s, ValueRange v, bool average) {
  Value value = v[NumColumns], zero = s.constant(0);
  if (!average)
    return s.select(s.eq(value, s.lowest()), zero, value);
  Value count = s.mul(v[Samples], v[Samples + 1]);
  return s.div(value, s.select(s.le(count, zero), s.constant(1), count));
}

/// Combines the samples of every bin, those of a bin that has none giving 0.
/// `counts` are the extents of the loops over samples.
Value poolBins(const RoiPool &pool, StringRef name, ArrayRef<Value> counts,
               bool average, ArrayRef<Value> inputs, OfSample sampleAt,
               OfSample takesPart) {
  OpBuilder &b = pool.b;
  Type compute = pool.compute();
  SmallVector<Value> sizes = pool.inMemory(ArrayRef<Value>(pool.sizes));
  RankedTensorType type =
      typeOfSizes(sizes, ScalarBuilder::storageType(pool.element));
  KernelBuilder kernel(b, pool.loc, name);
  SmallVector<AffineExpr> at = kernel.loopsOf(type), steps;
  steps.push_back(kernel.loop("sy", counts[0]));
  steps.push_back(kernel.loop("sx", counts[1]));
  SmallVector<Value> images;
  for (Value input : inputs)
    images.push_back(isa<ShapedType>(input.getType()) ? kernel.input(input)
                                                      : kernel.scalar(input));
  Value table = kernel.input(pool.table);
  Value out = kernel.output(type, dynamicSizes(type, sizes));
  SmallVector<KernelBuilder::Access> row;
  for (int64_t column = 0; column < NumColumns; ++column)
    row.push_back({table, {at[0], kernel.constant(column)}});
  Value sum = kernel.temporaryLike(out, compute);
  ScalarBuilder inside(kernel.inside(), pool.loc, compute);
  sum = kernel.fill(average ? inside.constant(0) : inside.lowest(), {sum, at});
  sum = kernel.generic(
      row, {sum, at}, steps, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, compute);
        SmallVector<Value> columns(v.take_front(NumColumns));
        SmallVector<Value> place = indicesOf(kernel, nb, l, at);
        if (pool.channelsLast)
          std::rotate(place.begin() + 1, place.end() - 1, place.end());
        SmallVector<Value> step = indicesOf(kernel, nb, l, steps);
        Value sample = sampleAt(s, columns, place, step, images);
        Value counts = takesPart(s, columns, place, step, images);
        Value neutral = average ? s.constant(0) : s.lowest();
        sample = s.select(counts, sample, neutral);
        return average ? s.add(v.back(), sample) : s.max(v.back(), sample);
      });
  row.push_back({sum, at});
  Value y = kernel.generic(
      row, {out, at}, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, compute);
        Value value = binResult(s, v, average);
        return fromInterpolation(nb, l, value, pool.element);
      });
  y = kernel.finish({y}).front();
  return pool.channelsLast ? channelsSecond(b, pool.loc, name, y) : y;
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

class RoiAlignLowering : public OpConversionPattern<onnx::RoiAlignOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::RoiAlignOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
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
    checkSizes(rewriter, loc, x, rois, batch);
    Type element = getElementTypeOrSelf(op.getX().getType());
    RoiPool pool{rewriter,
                 loc,
                 makeTable(op, rewriter, rois, element),
                 element,
                 {sizeOf(rewriter, loc, rois, 0), sizeOf(rewriter, loc, x, 1),
                  indexConstant(rewriter, loc, op.getOutputHeight()),
                  indexConstant(rewriter, loc, op.getOutputWidth())}};
    pool.sizes = knownSizes(rewriter, loc, op->getResult(0), pool.sizes);
    SmallVector<Value> counts;
    for (int64_t d = 0; d < 2; ++d)
      counts.push_back(op.getSamplingRatio() > 0
                           ? indexConstant(rewriter, loc, op.getSamplingRatio())
                           : largestOf(rewriter, loc, pool.table, Samples + d));
    SmallVector<Value> inputs = sizesOf(rewriter, loc, x);
    // Four samples around each place, and some places in a bin.
    constexpr int64_t usualReads = 16;
    inputs.append({pool.turned("RoiAlign", x, usualReads), batch});
    Value y = poolBins(
        pool, "RoiAlign", counts, average, inputs,
        [&](ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value> at,
            ArrayRef<Value> step, ArrayRef<Value> in) {
          return sample(s, pool, row, at, step, in, average);
        },
        isSample);
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  static void checkSizes(OpBuilder &b, Location loc, Value x, Value rois,
                         Value batch) {
    checkEqualSizes(b, loc, sizeOf(b, loc, rois, 1), indexConstant(b, loc, 4),
                    "RoiAlign: a region is not four numbers");
    checkEqualSizes(b, loc, sizeOf(b, loc, rois, 0), sizeOf(b, loc, batch, 0),
                    "RoiAlign: expected a batch index for each region");
    for (int64_t d : {0, 2, 3})
      checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, x, d),
                  "RoiAlign: nothing to sample from");
  }

  static Value isSample(ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value>,
                        ArrayRef<Value> step, ArrayRef<Value>) {
    return s.math<arith::AndIOp>(
        s.lt(indexToFloat(s, step[0]), row[Samples]),
        s.lt(indexToFloat(s, step[1]), row[Samples + 1]));
  }

  /// Start, bin size and number of samples of each region.
  static Value makeTable(onnx::RoiAlignOp op, OpBuilder &b, Value rois,
                         Type element) {
    Location loc = op.getLoc();
    Type compute = interpolationType(element);
    bool half = op.getCoordinateTransformationMode() == "half_pixel";
    int64_t bins[] = {op.getOutputHeight(), op.getOutputWidth()};
    double scale = op.getSpatialScale();
    Value sizes[] = {sizeOf(b, loc, rois, 0),
                     indexConstant(b, loc, NumColumns)};
    auto columnOf = [&](ScalarBuilder &s, int64_t column, Value low,
                        Value high) {
      Value offset = s.constant(half ? 0.5 : 0);
      low = s.sub(s.mul(low, s.constant(scale)), offset);
      high = s.sub(s.mul(high, s.constant(scale)), offset);
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
    };
    return generate(
        b, loc, "RoiBins", compute, sizes, {rois},
        [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
          ScalarBuilder s(nb, l, compute);
          auto coordinate = [&](int64_t i) {
            Value place[] = {at[0], indexConstant(nb, l, i)};
            return toInterpolation(
                nb, l, tensor::ExtractOp::create(nb, l, in[0], place), element);
          };
          // A region is x1, y1, x2, y2.
          Value y;
          for (int64_t column = 0; column < NumColumns; ++column) {
            int64_t first = column % 2 == 0 ? 1 : 0;
            Value value =
                columnOf(s, column, coordinate(first), coordinate(first + 2));
            Value here = s.math<arith::CmpIOp>(arith::CmpIPredicate::eq, at[1],
                                               indexConstant(nb, l, column));
            y = y ? s.select(here, value, y) : value;
          }
          return y;
        });
  }

  /// The two rows (or columns) around a place; beyond the last there is none.
  static SmallVector<Tap> taps(ScalarBuilder &s, Value x, Value size) {
    Value last = s.sub(indexToFloat(s, size), s.constant(1));
    Value zero = s.constant(0), one = s.constant(1);
    x = s.select(s.lt(zero, x), x, zero);
    x = s.select(s.lt(x, last), x, last);
    Value low = s.math<math::FloorOp>(x);
    Value above = s.sub(x, low);
    return {{floatToIndex(s, low, last), s.sub(one, above), {}},
            {floatToIndex(s, s.add(low, one), last), above, {}}};
  }

  /// `in`: the operand's sizes, the operand and the batch indices.
  static Value sample(ScalarBuilder &s, const RoiPool &pool,
                      ArrayRef<Value> row, ArrayRef<Value> at,
                      ArrayRef<Value> step, ArrayRef<Value> in, bool average) {
    OpBuilder &b = s.builder();
    Location loc = s.getLoc();
    SmallVector<SmallVector<Tap>> dims;
    Value inside;
    for (int64_t d = 0; d < 2; ++d) {
      Value bin = s.mul(indexToFloat(s, at[2 + d]), row[BinSize + d]);
      Value within =
          s.div(s.mul(s.add(indexToFloat(s, step[d]), s.constant(0.5)),
                      row[BinSize + d]),
                row[Samples + d]);
      Value place = s.add(s.add(row[Start + d], bin), within);
      Value fits = s.math<arith::AndIOp>(
          s.le(s.constant(-1), place), s.le(place, indexToFloat(s, in[2 + d])));
      inside = inside ? s.math<arith::AndIOp>(inside, fits) : fits;
      dims.push_back(taps(s, place, in[2 + d]));
    }
    Value image = wrapIndex(
        b, loc,
        toIndex(b, loc, tensor::ExtractOp::create(b, loc, in[5], at[0])),
        in[0]);
    auto read = [&](ArrayRef<Value> place) {
      Value whole[] = {image, at[1], place[0], place[1]};
      return toInterpolation(
          b, loc,
          tensor::ExtractOp::create(b, loc, in[4],
                                    pool.inMemory(ArrayRef<Value>(whole))),
          pool.element);
    };
    Value y = average ? interpolate(s, dims, read) : largest(s, dims, read);
    return s.select(inside, y, s.constant(0));
  }

  /// The largest of the weighted neighbours, not of their sums.
  static Value largest(ScalarBuilder &s, ArrayRef<SmallVector<Tap>> dims,
                       llvm::function_ref<Value(ArrayRef<Value>)> read) {
    Value y;
    for (const Tap &row : dims[0])
      for (const Tap &column : dims[1]) {
        Value place[] = {row.index, column.index};
        Value part = s.mul(s.mul(row.weight, column.weight), read(place));
        y = y ? s.max(y, part) : part;
      }
    return y;
  }
};

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

class MaxRoiPoolLowering : public OpConversionPattern<onnx::MaxRoiPoolOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MaxRoiPoolOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
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
    for (int64_t d : {0, 2, 3})
      checkAtMost(rewriter, loc, indexConstant(rewriter, loc, 1),
                  sizeOf(rewriter, loc, x, d),
                  "MaxRoiPool: nothing to take elements from");
    Type element = getElementTypeOrSelf(op.getX().getType());
    RoiPool pool{rewriter,
                 loc,
                 makeTable(op, rewriter, rois, element),
                 element,
                 {sizeOf(rewriter, loc, rois, 0), sizeOf(rewriter, loc, x, 1),
                  indexConstant(rewriter, loc, pooled[0]),
                  indexConstant(rewriter, loc, pooled[1])}};
    pool.sizes = knownSizes(rewriter, loc, op->getResult(0), pool.sizes);
    SmallVector<Value> inputs = sizesOf(rewriter, loc, x), counts;
    // No bin is larger than the image.
    for (int64_t d = 0; d < 2; ++d)
      counts.push_back(
          minIndex(rewriter, loc, inputs[2 + d],
                   largestOf(rewriter, loc, pool.table, Samples + d)));
    // A bin is a few rows and columns.
    constexpr int64_t usualReads = 8;
    inputs.append({pool.turned("MaxRoiPool", x, usualReads), rois});
    Value y = poolBins(
        pool, "MaxRoiPool", counts, /*average=*/false, inputs,
        [&](ScalarBuilder &s, ArrayRef<Value> row, ArrayRef<Value> at,
            ArrayRef<Value> step,
            ArrayRef<Value> in) { return sample(s, pool, row, at, step, in); },
        isSample);
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  /// Does the step lie in the bin and in the image?
  static Value isSample(ScalarBuilder &s, ArrayRef<Value> row,
                        ArrayRef<Value> at, ArrayRef<Value> step,
                        ArrayRef<Value> in) {
    Value all;
    for (int64_t d = 0; d < 2; ++d) {
      auto [place, end] = range(s, row, at, step, in, d);
      Value fits = s.math<arith::AndIOp>(
          s.lt(place, end), s.lt(place, indexToFloat(s, in[2 + d])));
      all = all ? s.math<arith::AndIOp>(all, fits) : fits;
    }
    return all;
  }

  static Value makeTable(onnx::MaxRoiPoolOp op, OpBuilder &b, Value rois,
                         Type element) {
    Location loc = op.getLoc();
    Type compute = interpolationType(element);
    double scale = op.getSpatialScale();
    ArrayRef<int64_t> pooled = op.getPooledShape();
    Value sizes[] = {sizeOf(b, loc, rois, 0),
                     indexConstant(b, loc, NumColumns)};
    return generate(
        b, loc, "RoiBins", compute, sizes, {rois},
        [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
          ScalarBuilder s(nb, l, compute);
          auto coordinate = [&](int64_t i) {
            Value place[] = {at[0], indexConstant(nb, l, i)};
            Value x = toInterpolation(
                nb, l, tensor::ExtractOp::create(nb, l, in[0], place), element);
            return s.math<math::RoundOp>(s.mul(x, s.constant(scale)));
          };
          Value y;
          for (int64_t column = 0; column < NumColumns; ++column) {
            int64_t first = column % 2 == 0 ? 2 : 1;
            Value low = coordinate(first), high = coordinate(first + 2);
            Value length =
                s.max(s.add(s.sub(high, low), s.constant(1)), s.constant(1));
            Value bin = s.div(length, s.constant(double(pooled[column % 2])));
            // A bin may touch one more row than it is high at either end.
            Value value = column < BinSize ? low
                          : column < Samples
                              ? bin
                              : s.add(s.math<math::CeilOp>(bin), s.constant(1));
            Value here = s.math<arith::CmpIOp>(arith::CmpIPredicate::eq, at[1],
                                               indexConstant(nb, l, column));
            y = y ? s.select(here, value, y) : value;
          }
          return y;
        });
  }

  /// The row (or column) that a step stands for, and where the bin ends.
  static std::pair<Value, Value> range(ScalarBuilder &s, ArrayRef<Value> row,
                                       ArrayRef<Value> at, ArrayRef<Value> step,
                                       ArrayRef<Value>, int64_t d) {
    Value bin = indexToFloat(s, at[2 + d]), zero = s.constant(0);
    Value low = s.add(s.math<math::FloorOp>(s.mul(bin, row[BinSize + d])),
                      row[Start + d]);
    Value end = s.add(s.math<math::CeilOp>(
                          s.mul(s.add(bin, s.constant(1)), row[BinSize + d])),
                      row[Start + d]);
    return {s.add(s.max(low, zero), indexToFloat(s, step[d])), end};
  }

  /// `in`: the operand's sizes, the operand and the regions.
  static Value sample(ScalarBuilder &s, const RoiPool &pool,
                      ArrayRef<Value> row, ArrayRef<Value> at,
                      ArrayRef<Value> step, ArrayRef<Value> in) {
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
};

} // namespace

void populateONNXToKrnlRoiPoolingPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<MaxRoiPoolLowering, RoiAlignLowering>(converter,
                                                     patterns.getContext());
}

} // namespace onnxc
