//===- RoiBins.cpp - Samples of the bins of regions -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "RoiBins.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using onnxc::krnl::KernelBuilder;

bool onnxc::hasRank(Value v, int64_t rank) {
  return rankedType(v).getRank() == rank;
}

Value onnxc::largestOf(OpBuilder &b, Location loc, Value table,
                       int64_t column) {
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
  // NaN, too, is above the limit.
  Value limit = host.constant(1 << 16);
  krnl::CheckOp::create(b, loc, host.le(largest, limit),
                        "a region has too many samples in a bin");
  return floatToIndex(host, largest, limit);
}

Value onnxc::makeRoiTable(
    OpBuilder &b, Location loc, Value rois, Type element,
    llvm::function_ref<Value(ScalarBuilder &, int64_t,
                             llvm::function_ref<Value(int64_t)>)>
        value) {
  Type compute = interpolationType(element);
  Value sizes[] = {sizeOf(b, loc, rois, 0), indexConstant(b, loc, NumColumns)};
  return generate(
      b, loc, "RoiBins", compute, sizes, {rois},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, compute);
        auto number = [&](int64_t i) {
          Value position[] = {at[0], indexConstant(nb, l, i)};
          return toInterpolation(
              nb, l, tensor::ExtractOp::create(nb, l, in[0], position),
              element);
        };
        Value y;
        for (int64_t column = 0; column < NumColumns; ++column) {
          Value own = value(s, column, number);
          Value here = s.math<arith::CmpIOp>(arith::CmpIPredicate::eq, at[1],
                                             indexConstant(nb, l, column));
          y = y ? s.select(here, own, y) : own;
        }
        return y;
      });
}

RoiPool onnxc::makeRoiPool(OpBuilder &b, Operation *op, Value x, Value table,
                           ArrayRef<int64_t> bins) {
  Location loc = op->getLoc();
  std::string message =
      (op->getName().stripDialect() + ": nothing to take elements from").str();
  for (int64_t d : {0, 2, 3})
    checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, x, d),
                message);
  SmallVector<Value> sizes{sizeOf(b, loc, table, 0), sizeOf(b, loc, x, 1)};
  for (int64_t size : bins)
    sizes.push_back(indexConstant(b, loc, size));
  return {b, loc, table, getElementTypeOrSelf(op->getOperand(0).getType()),
          knownSizes(b, loc, op->getResult(0), sizes)};
}

static SmallVector<Value> indicesOf(KernelBuilder &kernel, OpBuilder &b,
                                    Location loc, ArrayRef<AffineExpr> loops) {
  SmallVector<Value> indices;
  for (AffineExpr loop : loops)
    indices.push_back(kernel.index(b, loc, loop));
  return indices;
}

/// The result of a bin: `v` is the region's row of the table and the sum or the
/// maximum of the bin's samples.
static Value binResult(ScalarBuilder &s, ValueRange v, bool average) {
  Value value = v[NumColumns], zero = s.constant(0);
  if (!average)
    return s.select(s.eq(value, s.lowest()), zero, value);
  Value count = s.mul(v[Samples], v[Samples + 1]);
  return s.div(value, s.select(s.le(count, zero), s.constant(1), count));
}

namespace {
/// A kernel that combines the samples of every bin.
class BinKernel {
public:
  BinKernel(const RoiPool &pool, StringRef name, RankedTensorType type,
            ArrayRef<Value> counts, bool average, ArrayRef<Value> inputs)
      : pool(pool), average(average), kernel(pool.b, pool.loc, name),
        at(kernel.loopsOf(type)) {
    steps.push_back(kernel.loop("sy", counts[0]));
    steps.push_back(kernel.loop("sx", counts[1]));
    for (Value input : inputs)
      images.push_back(isa<ShapedType>(input.getType()) ? kernel.input(input)
                                                        : kernel.scalar(input));
    Value table = kernel.input(pool.table);
    for (int64_t column = 0; column < NumColumns; ++column)
      row.push_back({table, {at[0], kernel.constant(column)}});
  }

  /// The results of the bins, of memory of such sizes.
  Value finish(RankedTensorType type, ArrayRef<Value> sizes, OfSample sampleAt,
               OfSample takesPart);

private:
  /// The sum or the maximum of the samples of each bin.
  Value combine(Value like, OfSample sampleAt, OfSample takesPart);

  const RoiPool &pool;
  bool average;
  KernelBuilder kernel;
  /// Loops over the result, and over the samples of a bin.
  SmallVector<AffineExpr> at, steps;
  SmallVector<Value> images;
  /// Reads the region's row of the table.
  SmallVector<KernelBuilder::Access> row;
};
} // namespace

Value BinKernel::combine(Value like, OfSample sampleAt, OfSample takesPart) {
  Type compute = pool.compute();
  Value sum = kernel.temporaryLike(like, compute);
  ScalarBuilder inside(kernel.inside(), pool.loc, compute);
  sum = kernel.fill(average ? inside.constant(0) : inside.lowest(), {sum, at});
  return kernel.generic(
      row, {sum, at}, steps, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, compute);
        SmallVector<Value> columns(v.take_front(NumColumns));
        SmallVector<Value> position = indicesOf(kernel, nb, l, at);
        if (pool.channelsLast)
          std::rotate(position.begin() + 1, position.end() - 1, position.end());
        SmallVector<Value> step = indicesOf(kernel, nb, l, steps);
        Value sample = sampleAt(s, columns, position, step, images);
        Value counts = takesPart(s, columns, position, step, images);
        Value neutral = average ? s.constant(0) : s.lowest();
        sample = s.select(counts, sample, neutral);
        return average ? s.add(v.back(), sample) : s.max(v.back(), sample);
      });
}

Value BinKernel::finish(RankedTensorType type, ArrayRef<Value> sizes,
                        OfSample sampleAt, OfSample takesPart) {
  Value out = kernel.output(type, sizes);
  SmallVector<KernelBuilder::Access> ins(row);
  ins.push_back({combine(out, sampleAt, takesPart), at});
  Value y = kernel.generic(
      ins, {out, at}, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, pool.compute());
        Value value = binResult(s, v, average);
        return fromInterpolation(nb, l, value, pool.element);
      });
  return kernel.finish({y}).front();
}

Value onnxc::poolBins(const RoiPool &pool, StringRef name,
                      ArrayRef<Value> counts, bool average,
                      ArrayRef<Value> inputs, OfSample sampleAt,
                      OfSample takesPart) {
  SmallVector<Value> sizes = pool.inMemory(ArrayRef<Value>(pool.sizes));
  RankedTensorType type =
      typeOfSizes(sizes, ScalarBuilder::storageType(pool.element));
  BinKernel kernel(pool, name, type, counts, average, inputs);
  Value y = kernel.finish(type, sizes, sampleAt, takesPart);
  return pool.channelsLast ? channelsSecond(pool.b, pool.loc, name, y) : y;
}
