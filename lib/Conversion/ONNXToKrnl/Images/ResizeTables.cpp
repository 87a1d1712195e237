//===- ResizeTables.cpp - Tables of a Resize --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ResizeTables.h"

#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

class TableBuilder {
public:
  TableBuilder(OpBuilder &b, Location loc, const ResizeMode &mode, Type compute)
      : b(b), loc(loc), mode(mode), compute(compute),
        host(b, loc, b.getF64Type()) {}

  DimTables build(const ResizedDim &dim, Value size, Value inner);

private:
  template <typename Op>
  Value fold(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value tapExtent(const ResizedDim &dim);
  Value sourceOf(ScalarBuilder &f, const ResizedDim &dim, Value position);
  Value nearestOf(KernelBuilder &kernel, const ResizedDim &dim, AffineExpr o,
                  Value size);
  Value samplesOf(KernelBuilder &kernel, const ResizedDim &dim, AffineExpr o,
                  AffineExpr k, Value size, Value taps, Value inner);
  Value outsideOf(KernelBuilder &kernel, const ResizedDim &dim, AffineExpr o,
                  Value size);
  Value weightsOf(KernelBuilder &kernel, const ResizedDim &dim, AffineExpr o,
                  AffineExpr k, Value size, Value taps, Value inner);
  Value normalized(KernelBuilder &kernel, Value raw, AffineExpr o, AffineExpr k,
                   Value out);

  OpBuilder &b;
  Location loc;
  const ResizeMode &mode;
  Type compute;
  ScalarBuilder host;
};

} // namespace

/// How many samples take part: an index.
Value TableBuilder::tapExtent(const ResizedDim &dim) {
  if (!mode.antialias)
    return indexConstant(b, loc, tapCount(mode.interpolation));
  // A result that has positions is not so small that more samples than these
  // take part in one.
  Value first = firstTap(host, mode, dim.scale);
  Value maxCount = fold<arith::MulFOp>(dim.inSize, host.constant(8));
  maxCount = fold<arith::AddFOp>(maxCount, host.constant(8));
  FloatAttr scale, bound;
  if (matchPattern(dim.scale, m_Constant(&scale)) &&
      matchPattern(maxCount, m_Constant(&bound))) {
    int64_t reach = tapCount(mode.interpolation) / 2;
    double low =
        std::floor(-reach / std::min(scale.getValueAsDouble(), 1.0)) + 1;
    return indexConstant(
        b, loc, int64_t(std::min(2 - 2 * low, bound.getValueAsDouble())));
  }
  // From the first, which lies below, to its mirror image above.
  Value count = host.sub(host.constant(2), host.mul(host.constant(2), first));
  return floatToIndex(host, count, maxCount);
}

/// Positions far outside, of excessive scales and regions, are as good as
/// others.
static Value bounded(ScalarBuilder &f, Value x) {
  constexpr double farAway = 1e15;
  x = f.select(f.lt(x, f.constant(farAway)), x, f.constant(farAway));
  return f.select(f.lt(f.constant(-farAway), x), x, f.constant(-farAway));
}

static ResizedDim inside(KernelBuilder &kernel, ResizedDim dim) {
  for (Value *value : {&dim.scale, &dim.inSize, &dim.outSize, &dim.regionStart,
                       &dim.regionEnd})
    if (*value)
      *value = kernel.scalar(*value);
  return dim;
}

/// Where the position (an index) of the result lies in the operand.
Value TableBuilder::sourceOf(ScalarBuilder &f, const ResizedDim &dim,
                             Value position) {
  return bounded(
      f, sourceCoordinate(f, mode.coordinates, dim, indexToFloat(f, position)));
}

/// The position of an element of which there are `inner` for each.
static Value positionOf(OpBuilder &b, Location loc, Value element,
                        Value inner) {
  return isOneInteger(inner)
             ? element
             : Value(arith::DivUIOp::create(b, loc, element, inner));
}

DimTables TableBuilder::build(const ResizedDim &hostDim, Value size,
                              Value hostInner) {
  KernelBuilder kernel(b, loc, "ResizeTables");
  ResizedDim dim = inside(kernel, hostDim);
  AffineExpr o = kernel.loopsOf(typeOfSizes(size, b.getI64Type())).front();
  SmallVector<Value> results;
  bool isNearest = mode.interpolation == Interpolation::Nearest;
  if (isNearest) {
    results.push_back(nearestOf(kernel, dim, o, size));
  } else {
    Value taps = tapExtent(hostDim);
    AffineExpr k = kernel.loop(
        "k", getConstantIntValue(taps).value_or(ShapedType::kDynamic));
    // Known not to be zero, divisions by it may be moved.
    Value inner =
        kernel.scalar(maxIndex(b, loc, hostInner, indexConstant(b, loc, 1)));
    results.push_back(samplesOf(kernel, dim, o, k, size, taps, inner));
    results.push_back(weightsOf(kernel, dim, o, k, size, taps, inner));
  }
  if (mode.isCrop())
    results.push_back(outsideOf(kernel, dim, o, size));
  SmallVector<Value> built = kernel.finish(results);
  DimTables tables{dim.dim, built[0], {}, {}};
  if (!isNearest)
    tables.weights = built[1];
  if (mode.isCrop())
    tables.outside = built.back();
  return tables;
}

Value TableBuilder::nearestOf(KernelBuilder &kernel, const ResizedDim &dim,
                              AffineExpr o, Value size) {
  Value out = kernel.output(typeOfSizes(size, b.getI64Type()), size);
  return kernel.generic(
      {}, {out, {o}}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        ScalarBuilder f(nb, l, nb.getF64Type());
        Value x = sourceOf(f, dim, kernel.index(nb, l, o));
        Value last = f.sub(dim.inSize, f.constant(1));
        Value sample = floatToIndex(f, nearestSample(f, mode.nearest, x), last);
        return f.math<arith::IndexCastOp>(nb.getI64Type(), sample);
      });
}

/// Positions outside are clamped to the last sample.
Value TableBuilder::samplesOf(KernelBuilder &kernel, const ResizedDim &dim,
                              AffineExpr o, AffineExpr k, Value size,
                              Value taps, Value inner) {
  Value out =
      kernel.output(typeOfSizes({size, taps}, b.getI64Type()), {size, taps});
  return kernel.generic(
      {}, {out, {o, k}}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        ScalarBuilder f(nb, l, nb.getF64Type());
        Value element = kernel.index(nb, l, o),
              position = positionOf(nb, l, element, inner);
        Value low = f.add(f.math<math::FloorOp>(sourceOf(f, dim, position)),
                          firstTap(f, mode, dim.scale));
        Value sample = f.add(low, indexToFloat(f, kernel.index(nb, l, k)));
        Value at = floatToIndex(f, sample, f.sub(dim.inSize, f.constant(1)));
        if (!isOneInteger(inner))
          at = addIndex(nb, l, mulIndex(nb, l, at, inner),
                        arith::RemUIOp::create(nb, l, element, inner));
        return f.math<arith::IndexCastOp>(nb.getI64Type(), at);
      });
}

/// 1 where a position lies outside of the operand.
Value TableBuilder::outsideOf(KernelBuilder &kernel, const ResizedDim &dim,
                              AffineExpr o, Value size) {
  RankedTensorType flags = typeOfSizes(size, b.getI8Type());
  Value outside = kernel.output(flags, size);
  return kernel.generic(
      {}, {outside, {o}}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        ScalarBuilder f(nb, l, nb.getF64Type());
        Value x = sourceOf(f, dim, kernel.index(nb, l, o));
        Value within = isWithin(f, x, f.sub(dim.inSize, f.constant(1)));
        return f.select(within, storedConstant(nb, l, nb.getI8Type(), 0),
                        storedConstant(nb, l, nb.getI8Type(), 1));
      });
}

Value TableBuilder::weightsOf(KernelBuilder &kernel, const ResizedDim &dim,
                              AffineExpr o, AffineExpr k, Value size,
                              Value taps, Value inner) {
  RankedTensorType type = typeOfSizes({size, taps}, compute);
  Value out = kernel.output(type, {size, taps});
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    Value x =
        sourceOf(f, dim, positionOf(nb, l, kernel.index(nb, l, o), inner));
    Value sample = f.add(f.math<math::FloorOp>(x),
                         f.add(firstTap(f, mode, dim.scale),
                               indexToFloat(f, kernel.index(nb, l, k))));
    Value distance = f.mul(f.sub(sample, x), filterScale(f, mode, dim.scale));
    Value weight =
        tapWeight(f, mode.interpolation, distance, mode.cubicCoefficient);
    if (mode.excludeOutside)
      weight = f.select(isWithin(f, sample, f.sub(dim.inSize, f.constant(1))),
                        weight, f.constant(0));
    return f.castTo(weight, compute);
  };
  if (!mode.normalizes())
    return kernel.generic({}, {out, {o, k}}, {}, body);
  Value raw = kernel.temporaryLike(out, compute);
  return normalized(kernel, kernel.generic({}, {raw, {o, k}}, {}, body), o, k,
                    out);
}

/// The weights of each position divided by their sum.
Value TableBuilder::normalized(KernelBuilder &kernel, Value raw, AffineExpr o,
                               AffineExpr k, Value out) {
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  Value sum = kernel.fill(zero, {kernel.temporaryLike(out, compute, {0}), {o}});
  sum = kernel.generic({{raw, {o, k}}}, {sum, {o}}, {k},
                       [&](OpBuilder &nb, Location l, ValueRange v) {
                         return ScalarBuilder(nb, l, compute).add(v[0], v[1]);
                       });
  return kernel.generic({{raw, {o, k}}, {sum, {o}}}, {out, {o, k}}, {},
                        [&](OpBuilder &nb, Location l, ValueRange v) {
                          ScalarBuilder s(nb, l, compute);
                          Value isZero = s.eq(v[1], s.constant(0));
                          return s.div(v[0],
                                       s.select(isZero, s.constant(1), v[1]));
                        });
}

DimTables buildResizeTables(OpBuilder &b, Location loc, const ResizeMode &mode,
                            Type compute, const ResizedDim &dim, Value size,
                            Value inner) {
  return TableBuilder(b, loc, mode, compute).build(dim, size, inner);
}

} // namespace onnxc
