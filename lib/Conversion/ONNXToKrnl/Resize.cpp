//===- Resize.cpp - Resampling ----------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What a position of the result takes from the operand depends on one dimension
// at a time. Each resized dimension gets tables, one small kernel each: the
// first sample of every position and, unless the nearest is taken, the weights
// of the samples from there on. Then one pass over the data for each dimension
// sums samples times weights; a single pass takes the nearest in all
// dimensions.
//===----------------------------------------------------------------------===//

#include "ResizeCoordinates.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Tables over the positions of the result along one dimension.
struct DimTables {
  int64_t dim;
  /// i64: the first sample, which may lie outside of the operand.
  Value first;
  /// Positions x samples, null for the nearest.
  Value weights;
  /// i8: 1 where extrapolation_value stands; null unless cropping.
  Value outside;
};

/// Lowers one Resize.
class Resizer {
public:
  Resizer(onnx::ResizeOp op, onnx::ResizeOp::Adaptor adaptor, OpBuilder &b,
          ResizeMode mode)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()), mode(mode),
        host(b, loc, b.getF64Type()),
        element(getElementTypeOrSelf(op.getX().getType())),
        compute(interpolationType(element)) {}

  Value run();

private:
  void planDims();
  void planByScales(ArrayRef<int64_t> axes);
  void planBySizes(ArrayRef<int64_t> axes);
  void addDim(int64_t axis, size_t i, size_t count, Value scale, Value size,
              bool isUnit);
  Value floatElement(Value original, Value tensor, int64_t i);
  Value toFloat(Value index) {
    if (auto known = getConstantIntValue(index))
      return host.constant(double(*known));
    return indexToFloat(host, index);
  }
  template <typename Op>
  Value fold(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }

  DimTables buildTables(const ResizedDim &dim, Value size);
  Value tapExtent(const ResizedDim &dim);
  Value weightsOf(KernelBuilder &kernel, const ResizedDim &dim, AffineExpr o,
                  AffineExpr k, Value size, Value taps);
  Value normalized(KernelBuilder &kernel, Value raw, AffineExpr o, AffineExpr k,
                   Value out);
  Value takeNearest(Value x, ArrayRef<DimTables> tables);
  Value sumPass(Value x, const DimTables &tables, Type from, Type to);
  Value extrapolation(OpBuilder &builder, Location l);

  onnx::ResizeOp op;
  onnx::ResizeOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  ResizeMode mode;
  ScalarBuilder host;
  /// Of the operand, and of the sums, in the onnx dialect.
  Type element, compute;
  SmallVector<Value> inSizes, outSizes;
  SmallVector<ResizedDim> dims;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sizes and scales
//===----------------------------------------------------------------------===//

/// Element `i` of a structural operand of floats as f64, constant if the model
/// says it.
Value Resizer::floatElement(Value original, Value tensor, int64_t i) {
  SmallVector<char> scratch;
  TypedAttr value = onnx::constantValue(original);
  ArrayRef<char> bytes =
      value ? onnx::constantBytes(value, scratch) : ArrayRef<char>();
  Type type = rankedType(tensor).getElementType();
  if (type.isF32() && bytes.size() >= (i + 1) * sizeof(float)) {
    float number;
    std::memcpy(&number, bytes.data() + i * sizeof(float), sizeof(float));
    return host.constant(number);
  }
  Value number =
      tensor::ExtractOp::create(b, loc, tensor, indexConstant(b, loc, i));
  return type.isF64()
             ? number
             : Value(arith::ExtFOp::create(b, loc, b.getF64Type(), number));
}

void Resizer::addDim(int64_t axis, size_t i, size_t count, Value scale,
                     Value size, bool isUnit) {
  outSizes[axis] = size;
  if (isUnit && !mode.isCrop())
    return;
  ResizedDim dim{axis, scale, toFloat(inSizes[axis]), toFloat(size), {}, {}};
  if (mode.isCrop()) {
    dim.regionStart = floatElement(op.getRoi(), adaptor.getRoi(), i);
    dim.regionEnd = floatElement(op.getRoi(), adaptor.getRoi(), count + i);
  }
  dims.push_back(dim);
}

/// The size is what the scale makes of the operand's, cut off.
void Resizer::planByScales(ArrayRef<int64_t> axes) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value scale = floatElement(op.getScales(), adaptor.getScales(), i);
    FloatAttr known;
    bool isKnown = matchPattern(scale, m_Constant(&known));
    bool isUnit = isKnown && known.getValueAsDouble() == 1;
    if (!isKnown)
      krnl::CheckOp::create(
          b, loc,
          host.math<arith::AndIOp>(host.lt(host.constant(0), scale),
                                   host.lt(scale, host.constant(1 << 30))),
          "Resize: a scale is not positive");
    Value size = inSizes[axis];
    auto in = getConstantIntValue(size);
    if (isKnown && in)
      size = indexConstant(b, loc,
                           int64_t(double(*in) * known.getValueAsDouble()));
    else if (!isUnit)
      size = arith::IndexCastOp::create(
          b, loc, b.getIndexType(),
          arith::FPToSIOp::create(b, loc, b.getI64Type(),
                                  host.mul(toFloat(size), scale)));
    addDim(axis, i, axes.size(), scale, size, isUnit);
  }
}

/// The scale is what the sizes say; the smallest or the largest of them, if all
/// are to have one.
void Resizer::planBySizes(ArrayRef<int64_t> axes) {
  SmallVector<Value> scales, sizes;
  Value common;
  StringRef policy = op.getKeepAspectRatioPolicy();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    sizes.push_back(
        structuralElement(b, loc, op.getSizes(), adaptor.getSizes(), i));
    scales.push_back(
        fold<arith::DivFOp>(toFloat(sizes[i]), toFloat(inSizes[axis])));
    if (!common)
      common = scales[i];
    else if (policy == "not_larger")
      common = fold<arith::MinimumFOp>(common, scales[i]);
    else
      common = fold<arith::MaximumFOp>(common, scales[i]);
  }
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (policy != "stretch") {
      scales[i] = common;
      Value rounded = host.add(host.mul(common, toFloat(inSizes[axis])),
                               host.constant(0.5));
      sizes[i] = arith::IndexCastOp::create(
          b, loc, b.getIndexType(),
          arith::FPToSIOp::create(b, loc, b.getI64Type(), rounded));
    }
    bool isUnit = policy == "stretch" &&
                  isEqualConstantIntOrValue(sizes[i], inSizes[axis]);
    addDim(axis, i, axes.size(), scales[i], sizes[i], isUnit);
  }
}

void Resizer::planDims() {
  inSizes = sizesOf(b, loc, adaptor.getX());
  outSizes = inSizes;
  SmallVector<int64_t> axes;
  if (auto given = op.getAxes())
    for (int64_t axis : *given)
      axes.push_back(positiveAxis(axis, inSizes.size()));
  else
    llvm::append_range(axes, llvm::seq<int64_t>(inSizes.size()));
  if (op.getSizes())
    planBySizes(axes);
  else
    planByScales(axes);
  outSizes = knownSizes(b, loc, op->getResult(0), outSizes);
  for (const ResizedDim &dim : dims)
    checkAtMost(b, loc,
                minIndex(b, loc, outSizes[dim.dim], indexConstant(b, loc, 1)),
                inSizes[dim.dim], "Resize: nothing to take elements from");
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// How many samples take part: an index.
Value Resizer::tapExtent(const ResizedDim &dim) {
  if (!mode.antialias)
    return indexConstant(b, loc, tapCount(mode.interpolation));
  // From the first, which lies below, to its mirror image above.
  Value first = firstTap(host, mode, dim.scale);
  Value count = host.sub(host.constant(2), host.mul(host.constant(2), first));
  FloatAttr known;
  if (matchPattern(dim.scale, m_Constant(&known))) {
    double reach = double(tapCount(mode.interpolation) / 2);
    double scale = std::min(known.getValueAsDouble(), 1.0);
    double low = std::floor(-reach / scale) + 1;
    return indexConstant(b, loc, int64_t(2 - 2 * low));
  }
  return arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      arith::FPToSIOp::create(b, loc, b.getI64Type(), count));
}

/// Positions far outside, of absurd scales and regions, are as good as others.
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

DimTables Resizer::buildTables(const ResizedDim &hostDim, Value size) {
  KernelBuilder kernel(b, loc, "ResizeTables");
  ResizedDim dim = inside(kernel, hostDim);
  RankedTensorType type = typeOfSizes(size, b.getI64Type());
  AffineExpr o = kernel.loopsOf(type).front();
  Value first = kernel.output(type, dynamicSizes(type, size));
  bool isNearest = mode.interpolation == Interpolation::Nearest;
  auto place = [&](ScalarBuilder &f) {
    Value i = indexToFloat(f, kernel.index(f.builder(), f.getLoc(), o));
    return bounded(f, sourceCoordinate(f, mode.coordinates, dim, i));
  };
  SmallVector<Value> results;
  results.push_back(kernel.generic(
      {}, {first, {o}}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        ScalarBuilder f(nb, l, nb.getF64Type());
        Value x = place(f);
        if (isNearest) {
          Value last = f.sub(dim.inSize, f.constant(1));
          Value sample =
              floatToIndex(f, nearestSample(f, mode.nearest, x), last);
          return f.math<arith::IndexCastOp>(nb.getI64Type(), sample);
        }
        Value low =
            f.add(f.math<math::FloorOp>(x), firstTap(f, mode, dim.scale));
        return f.math<arith::FPToSIOp>(nb.getI64Type(), low);
      }));
  if (!isNearest) {
    Value taps = tapExtent(hostDim);
    AffineExpr k = kernel.loop(
        "k", getConstantIntValue(taps).value_or(ShapedType::kDynamic));
    results.push_back(weightsOf(kernel, dim, o, k, size, taps));
  }
  if (mode.isCrop()) {
    RankedTensorType flags = typeOfSizes(size, b.getI8Type());
    Value outside = kernel.output(flags, dynamicSizes(flags, size));
    results.push_back(kernel.generic(
        {}, {outside, {o}}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
          ScalarBuilder f(nb, l, nb.getF64Type());
          Value within =
              isWithin(f, place(f), f.sub(dim.inSize, f.constant(1)));
          return f.select(within, storedConstant(nb, l, nb.getI8Type(), 0),
                          storedConstant(nb, l, nb.getI8Type(), 1));
        }));
  }
  SmallVector<Value> built = kernel.finish(results);
  DimTables tables{dim.dim, built[0], {}, {}};
  if (!isNearest)
    tables.weights = built[1];
  if (mode.isCrop())
    tables.outside = built.back();
  return tables;
}

Value Resizer::weightsOf(KernelBuilder &kernel, const ResizedDim &dim,
                         AffineExpr o, AffineExpr k, Value size, Value taps) {
  RankedTensorType type = typeOfSizes({size, taps}, compute);
  Value out = kernel.output(type, dynamicSizes(type, {size, taps}));
  auto body = [&](OpBuilder &nb, Location l, ValueRange) {
    ScalarBuilder f(nb, l, nb.getF64Type());
    Value i = indexToFloat(f, kernel.index(nb, l, o));
    Value x = bounded(f, sourceCoordinate(f, mode.coordinates, dim, i));
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
Value Resizer::normalized(KernelBuilder &kernel, Value raw, AffineExpr o,
                          AffineExpr k, Value out) {
  auto type = cast<RankedTensorType>(out.getType());
  SmallVector<std::pair<Value, int64_t>> like;
  if (type.isDynamicDim(0))
    like.push_back({out, 0});
  Value sum = kernel.temporary(
      RankedTensorType::get({type.getDimSize(0)}, compute), like);
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  sum = kernel.fill(zero, {sum, {o}});
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

//===----------------------------------------------------------------------===//
// Passes over the data
//===----------------------------------------------------------------------===//

/// extrapolation_value as a stored element.
Value Resizer::extrapolation(OpBuilder &builder, Location l) {
  ScalarBuilder s(builder, l, compute);
  return fromInterpolation(builder, l, s.constant(op.getExtrapolationValue()),
                           element);
}

Value Resizer::takeNearest(Value x, ArrayRef<DimTables> tables) {
  RankedTensorType type = typeOfSizes(outSizes, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, "Resize");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  SmallVector<KernelBuilder::Access> ins;
  for (const DimTables &dim : tables)
    ins.push_back({kernel.input(dim.first), {loops[dim.dim]}});
  if (mode.isCrop())
    for (const DimTables &dim : tables)
      ins.push_back({kernel.input(dim.outside), {loops[dim.dim]}});
  Value in = kernel.input(x);
  Value out = kernel.output(type, dynamicSizes(type, outSizes));
  Value y = kernel.generic(
      ins, {out, loops}, {},
      [&](OpBuilder &nb, Location l, ValueRange args) -> Value {
        SmallVector<Value> at;
        for (AffineExpr loop : loops)
          at.push_back(kernel.index(nb, l, loop));
        for (auto [i, dim] : llvm::enumerate(tables))
          at[dim.dim] = toIndex(nb, l, args[i]);
        Value taken = tensor::ExtractOp::create(nb, l, in, at);
        if (!mode.isCrop())
          return taken;
        Value outside;
        for (Value flag : args.slice(tables.size(), tables.size()))
          outside = outside ? arith::OrIOp::create(nb, l, outside, flag) : flag;
        if (!outside)
          return taken;
        ScalarBuilder flags(nb, l, nb.getI1Type());
        return flags.select(flags.fromBool(outside), extrapolation(nb, l),
                            taken);
      });
  return kernel.finish({y}).front();
}

/// Sums samples times weights along one dimension. Elements of `from` (in the
/// onnx dialect) become elements of `to`.
Value Resizer::sumPass(Value x, const DimTables &tables, Type from, Type to) {
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value inSize = sizes[tables.dim];
  sizes[tables.dim] = outSizes[tables.dim];
  RankedTensorType type = typeOfSizes(sizes, ScalarBuilder::storageType(to));
  KernelBuilder kernel(b, loc, "Resize");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  AffineExpr o = loops[tables.dim];
  AffineExpr k = kernel.loop("k", rankedType(tables.weights).getDimSize(1));
  Value in = kernel.input(x), size = kernel.scalar(inSize);
  Value first = kernel.input(tables.first),
        weights = kernel.input(tables.weights);
  Value out = kernel.output(type, dynamicSizes(type, sizes));
  bool direct = from == compute && to == compute && !tables.outside;
  Value sum = direct || type.getElementType() == compute
                  ? out
                  : kernel.temporaryLike(out, compute);
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  sum = kernel.fill(zero, {sum, loops});
  sum = kernel.generic(
      {{first, {o}}, {weights, {o, k}}}, {sum, loops}, {k},
      [&](OpBuilder &nb, Location l, ValueRange args) {
        SmallVector<Value> at;
        for (AffineExpr loop : loops)
          at.push_back(kernel.index(nb, l, loop));
        Value sample =
            addIndex(nb, l, toIndex(nb, l, args[0]), kernel.index(nb, l, k));
        at[tables.dim] = clampIndex(nb, l, sample, size);
        Value stored = tensor::ExtractOp::create(nb, l, in, at);
        ScalarBuilder s(nb, l, compute);
        return s.add(args[2],
                     s.mul(toInterpolation(nb, l, stored, from), args[1]));
      });
  if (to == compute && !tables.outside)
    return kernel.finish({sum}).front();
  SmallVector<KernelBuilder::Access> ins{{sum, loops}};
  if (tables.outside)
    ins.push_back({kernel.input(tables.outside), {o}});
  Value y = kernel.generic(
      ins, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange args) {
        ScalarBuilder s(nb, l, compute);
        Value value = args[0];
        if (tables.outside)
          value = s.select(s.fromBool(args[1]),
                           s.constant(op.getExtrapolationValue()), value);
        return fromInterpolation(nb, l, value, to);
      });
  return kernel.finish({y}).front();
}

Value Resizer::run() {
  planDims();
  Value x = adaptor.getX();
  if (dims.empty())
    return x;
  SmallVector<DimTables> tables;
  for (const ResizedDim &dim : dims)
    tables.push_back(buildTables(dim, outSizes[dim.dim]));
  if (mode.interpolation == Interpolation::Nearest)
    return takeNearest(x, tables);
  for (auto [i, dim] : llvm::enumerate(tables))
    x = sumPass(x, dim, i == 0 ? element : compute,
                i + 1 == tables.size() ? element : compute);
  return x;
}

namespace {

class ResizeLowering : public OpConversionPattern<onnx::ResizeOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::ResizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!rankedType(adaptor.getX()))
      return rewriter.notifyMatchFailure(op, "rank is not known");
    auto interpolation = parseInterpolation(op.getMode());
    if (!interpolation ||
        !isCoordinateMode(op.getCoordinateTransformationMode()))
      return rewriter.notifyMatchFailure(op, "unknown mode");
    ResizeMode mode{*interpolation,
                    op.getCoordinateTransformationMode(),
                    op.getNearestMode(),
                    op.getAntialias() != 0,
                    op.getExcludeOutside() != 0,
                    op.getCubicCoeffA()};
    bool isNumber = getElementTypeOrSelf(op.getX().getType()).isIntOrFloat();
    if (!isNumber &&
        (mode.interpolation != Interpolation::Nearest || mode.isCrop()))
      return rewriter.notifyMatchFailure(op, "elements that are no numbers");
    if (mode.isCrop() && !adaptor.getRoi())
      return rewriter.notifyMatchFailure(op, "no region to crop");
    if (!adaptor.getSizes() && !adaptor.getScales())
      return rewriter.notifyMatchFailure(op, "neither sizes nor scales");
    Value y = Resizer(op, adaptor, rewriter, mode).run();
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

} // namespace

void populateONNXToKrnlResizePatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ResizeLowering>(converter, patterns.getContext());
}

} // namespace onnxc
