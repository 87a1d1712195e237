//===- Resize.cpp - Resampling ----------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What a position of the result takes from the operand depends on one dimension
// at a time. Each resized dimension gets tables, one small kernel each: the
// first sample of every position and, unless the nearest is taken, the weights
// of the samples from there on. Then one pass over the data for each dimension
// sums samples times weights; a single pass takes the nearest in all
// dimensions. What repeats each sample a whole number of times is a broadcast.
//===----------------------------------------------------------------------===//

#include "ResizeTables.h"

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

/// Lowers one Resize.
class Resizer {
public:
  Resizer(onnx::ResizeOp op, onnx::ResizeOp::Adaptor adaptor, OpBuilder &b,
          ResizeMode mode)
      : op(op), adaptor(adaptor), b(b), loc(op.getLoc()), mode(mode),
        host(b, loc, b.getF64Type()),
        element(getElementTypeOrSelf(op.getX().getType())),
        compute(interpolationType(element)) {}

  /// Null if some scale that the model says is not positive.
  Value run();

private:
  bool planDims();
  bool planByScales(ArrayRef<int64_t> axes);
  void checkLength(Value tensor, size_t length, StringRef message);
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

  std::optional<SmallVector<int64_t>> wholeFactors();
  Value repeat(Value x, ArrayRef<int64_t> factors);
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

static constexpr double largestScale = 1 << 30;

/// False for NaN, too.
static bool isScale(double scale) { return scale > 0 && scale < largestScale; }

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

void Resizer::checkLength(Value tensor, size_t length, StringRef message) {
  checkEqualSizes(b, loc, sizeOf(b, loc, tensor, 0),
                  indexConstant(b, loc, length), message);
}

/// The size is what the scale makes of the operand's, cut off.
bool Resizer::planByScales(ArrayRef<int64_t> axes) {
  checkLength(adaptor.getScales(), axes.size(),
              "Resize: expected a scale for each resized dimension");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value scale = floatElement(op.getScales(), adaptor.getScales(), i);
    FloatAttr known;
    bool isKnown = matchPattern(scale, m_Constant(&known));
    bool isUnit = isKnown && known.getValueAsDouble() == 1;
    if (isKnown && !isScale(known.getValueAsDouble()))
      return false;
    if (!isKnown)
      krnl::CheckOp::create(
          b, loc,
          host.math<arith::AndIOp>(host.lt(host.constant(0), scale),
                                   host.lt(scale, host.constant(largestScale))),
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
  return true;
}

/// The scale is what the sizes say; the smallest or the largest of them, if all
/// are to have one.
void Resizer::planBySizes(ArrayRef<int64_t> axes) {
  checkLength(adaptor.getSizes(), axes.size(),
              "Resize: expected a size for each resized dimension");
  SmallVector<Value> scales, sizes;
  Value common;
  StringRef policy = op.getKeepAspectRatioPolicy();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    sizes.push_back(
        structuralElement(b, loc, op.getSizes(), adaptor.getSizes(), i));
    checkAtMost(b, loc, indexConstant(b, loc, 0), sizes[i],
                "Resize: a size is negative");
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

bool Resizer::planDims() {
  inSizes = sizesOf(b, loc, adaptor.getX());
  outSizes = inSizes;
  SmallVector<int64_t> axes;
  if (auto given = op.getAxes())
    for (int64_t axis : *given)
      axes.push_back(positiveAxis(axis, inSizes.size()));
  else
    llvm::append_range(axes, llvm::seq<int64_t>(inSizes.size()));
  if (mode.isCrop())
    checkLength(adaptor.getRoi(), 2 * axes.size(),
                "Resize: expected a begin and an end for each resized "
                "dimension");
  if (op.getSizes())
    planBySizes(axes);
  else if (!planByScales(axes))
    return false;
  outSizes = knownSizes(b, loc, op->getResult(0), outSizes);
  for (const ResizedDim &dim : dims)
    checkAtMost(b, loc,
                minIndex(b, loc, outSizes[dim.dim], indexConstant(b, loc, 1)),
                inSizes[dim.dim], "Resize: nothing to take elements from");
  return true;
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

/// Is the nearest of position i in a dimension that is `factor` times as long
/// always sample i / factor?
static bool repeatsSamples(const ResizeMode &mode, int64_t factor) {
  StringRef nearest = mode.nearest;
  if (mode.coordinates == "asymmetric")
    return nearest == "floor" ||
           (nearest == "round_prefer_floor" && factor == 2);
  // Here all positions of a sample are less than half a sample away.
  bool isCentred = mode.coordinates == "half_pixel" ||
                   mode.coordinates == "pytorch_half_pixel" ||
                   mode.coordinates == "half_pixel_symmetric";
  return isCentred &&
         (nearest == "round_prefer_floor" || nearest == "round_prefer_ceil");
}

/// For each dimension how often each sample is repeated, if that is all there
/// is to do.
std::optional<SmallVector<int64_t>> Resizer::wholeFactors() {
  SmallVector<int64_t> factors(inSizes.size(), 1);
  for (const ResizedDim &dim : dims) {
    FloatAttr scale;
    if (!matchPattern(dim.scale, m_Constant(&scale)))
      return std::nullopt;
    double value = scale.getValueAsDouble();
    auto factor = int64_t(value);
    auto in = getConstantIntValue(inSizes[dim.dim]),
         out = getConstantIntValue(outSizes[dim.dim]);
    bool fits =
        in.has_value() == out.has_value() && (!in || *out == *in * factor);
    if (double(factor) != value || factor < 2 || !fits ||
        !repeatsSamples(mode, factor))
      return std::nullopt;
    factors[dim.dim] = factor;
  }
  return factors;
}

/// The repetitions are dimensions of their own, along which the operand is
/// broadcast.
Value Resizer::repeat(Value x, ArrayRef<int64_t> factors) {
  RankedTensorType type = rankedType(x);
  KernelBuilder kernel(b, loc, "Resize");
  SmallVector<AffineExpr> from, to;
  SmallVector<Value> parts, sizes;
  for (auto [d, factor] : llvm::enumerate(factors)) {
    std::string name = std::to_string(d);
    from.push_back(kernel.loop("d" + name, type.getDimSize(d)));
    to.push_back(from.back());
    parts.push_back(inSizes[d]);
    Value count = indexConstant(b, loc, factor);
    sizes.push_back(mulIndex(b, loc, inSizes[d], count));
    if (factor == 1)
      continue;
    to.push_back(kernel.loop("r" + name, factor));
    parts.push_back(count);
  }
  Value in = kernel.input(x);
  RankedTensorType wide = typeOfSizes(parts, type.getElementType());
  Value out = kernel.output(wide, dynamicSizes(wide, parts));
  Value y = kernel.generic(
      {{in, from}}, {out, to}, {},
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  return reshapeTo(b, loc, kernel.finish({y}).front(),
                   typeOfSizes(sizes, type.getElementType()), sizes);
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
  if (!planDims())
    return {};
  Value x = adaptor.getX();
  if (dims.empty())
    return x;
  bool isNearest = mode.interpolation == Interpolation::Nearest;
  if (auto factors = isNearest ? wholeFactors() : std::nullopt)
    return repeat(x, *factors);
  SmallVector<DimTables> tables;
  for (const ResizedDim &dim : dims)
    tables.push_back(
        buildResizeTables(b, loc, mode, compute, dim, outSizes[dim.dim]));
  if (isNearest)
    return takeNearest(x, tables);
  for (auto [i, dim] : llvm::enumerate(tables))
    x = sumPass(x, dim, i == 0 ? element : compute,
                i + 1 == tables.size() ? element : compute);
  return x;
}

namespace {

/// What the model says of a structural operand that cannot be; null: nothing.
StringRef problemWith(onnx::ResizeOp op, onnx::ResizeOp::Adaptor adaptor,
                      const ResizeMode &mode) {
  int64_t rank = rankedType(adaptor.getX()).getRank();
  int64_t count = op.getAxes() ? op.getAxes()->size() : rank;
  auto hasLength = [](Value tensor, int64_t length) {
    RankedTensorType type = tensor ? rankedType(tensor) : RankedTensorType();
    return !tensor || (type && type.getRank() == 1 &&
                       (type.isDynamicDim(0) || type.getDimSize(0) == length));
  };
  if (auto axes = op.getAxes())
    for (int64_t axis : *axes)
      if (int64_t d = positiveAxis(axis, rank); d < 0 || d >= rank)
        return "an axis is out of range";
  if (!hasLength(adaptor.getScales(), op.getSizes() ? 0 : count) &&
      !op.getSizes())
    return "expected a scale for each resized dimension";
  if (!hasLength(adaptor.getSizes(), count))
    return "expected a size for each resized dimension";
  if (mode.isCrop() && !hasLength(adaptor.getRoi(), 2 * count))
    return "expected a begin and an end for each resized dimension";
  if (!op.getSizes())
    return "";
  auto sizes = onnx::constantInts(op.getSizes());
  if (sizes && llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return "a size is negative";
  return "";
}

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
    if (StringRef problem = problemWith(op, adaptor, mode); !problem.empty())
      return rewriter.notifyMatchFailure(op, problem);
    Value y = Resizer(op, adaptor, rewriter, mode).run();
    if (!y)
      return rewriter.notifyMatchFailure(op, "a scale is not positive");
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
