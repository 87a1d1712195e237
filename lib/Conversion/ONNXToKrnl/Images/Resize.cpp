//===- Resize.cpp - Resampling ----------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The samples and weights of a result's position depend on one dimension at a
// time. Each resized dimension gets tables, one small kernel each: where the
// samples of every position lie and, unless the nearest is taken, their
// weights. Then one pass over the data for each dimension sums samples times
// weights; a single pass takes the nearest in all dimensions, and sums where
// the result has few of the samples. A Resize that repeats each sample an
// integer number of times is a broadcast.
//===----------------------------------------------------------------------===//

#include "ResizeDims.h"
#include "ResizeTables.h"

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
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
        element(getElementTypeOrSelf(op.getX().getType())),
        compute(interpolationType(element)) {}

  /// Null if a constant scale is not positive.
  Value run();

private:
  Value resample(Value x);
  std::optional<SmallVector<int64_t>> wholeFactors();
  Value repeat(Value x, ArrayRef<int64_t> factors);
  Value takeNearest(Value x, ArrayRef<DimTables> tables);
  /// The sums along one dimension.
  struct Pass {
    DimTables tables;
    /// The elements of the result along the dimension, and how many these are
    /// of each sample.
    Value size, scale;
  };
  Value sumPass(Value x, ArrayRef<Pass> passes, ArrayRef<Value> sizes,
                Type from, Type to);
  Value fromSums(KernelBuilder &kernel, ArrayRef<Pass> passes,
                 const KernelBuilder::Access &sum, Value out, Type to);
  Value sumPasses(Value x, ArrayRef<Pass> passes);
  Value readsLessAtOnce(ArrayRef<Pass> passes);
  Value sumAll(Value x, ArrayRef<Pass> passes, bool isOfImage);
  SmallVector<Pass> passesOf();
  bool mayKeepSize(const ResizedDim &dim);
  Value isKept(const ResizedDim &dim);
  Value areAllTrue(ArrayRef<Value> conditions);
  /// For each dimension of the operand, but shifted by one where the last one
  /// has channels: sizes, scales, and whether the size is kept.
  struct ImageSizes {
    SmallVector<Value> in, out, scales, kept;
    /// The elements of a pixel.
    Value channels;
  };
  ImageSizes imageSizes();
  Value sumImage(const ImageSizes &image, Value x);
  Value sumPassesOfImage(Value x);
  DimTables tablesOf(const ResizedDim &dim);
  Value choose(Value condition, RankedTensorType type,
               function_ref<Value()> whenTrue, function_ref<Value()> whenFalse);
  Value extrapolation(OpBuilder &builder, Location l);

  onnx::ResizeOp op;
  onnx::ResizeOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  ResizeMode mode;
  /// The types of the operand and of the sums, in the onnx dialect.
  Type element, compute;
  ResizeDims plan;
};

} // namespace

/// The time of a read of samples in order for that of one at a computed
/// position, or less.
static constexpr double inOrderShare = 1.0 / 3;

/// A result of `type` in either case.
Value Resizer::choose(Value condition, RankedTensorType type,
                      function_ref<Value()> whenTrue,
                      function_ref<Value()> whenFalse) {
  auto branch = scf::IfOp::create(b, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, whenTrue());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, whenFalse());
  return branch.getResult(0);
}

/// extrapolation_value as a stored element.
Value Resizer::extrapolation(OpBuilder &builder, Location l) {
  ScalarBuilder s(builder, l, compute);
  return fromInterpolation(builder, l, s.constant(op.getExtrapolationValue()),
                           element);
}

/// Returns true if the nearest sample of position i, in a dimension that
/// becomes `factor` times as long, is always sample i / factor.
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
  SmallVector<int64_t> factors(plan.inSizes.size(), 1);
  for (const ResizedDim &dim : plan.dims) {
    FloatAttr scale;
    if (!matchPattern(dim.scale, m_Constant(&scale)))
      return std::nullopt;
    double value = scale.getValueAsDouble();
    auto factor = int64_t(value);
    auto in = getConstantIntValue(plan.inSizes[dim.dim]),
         out = getConstantIntValue(plan.outSizes[dim.dim]);
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
    parts.push_back(plan.inSizes[d]);
    Value count = indexConstant(b, loc, factor);
    sizes.push_back(mulIndex(b, loc, plan.inSizes[d], count));
    if (factor == 1)
      continue;
    to.push_back(kernel.loop("r" + name, factor));
    parts.push_back(count);
  }
  Value in = kernel.input(x);
  RankedTensorType wide = typeOfSizes(parts, type.getElementType());
  Value out = kernel.output(wide, parts);
  Value y = kernel.generic(
      {{in, from}}, {out, to}, {},
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  return reshapeTo(b, loc, kernel.finish({y}).front(),
                   typeOfSizes(sizes, type.getElementType()), sizes);
}

Value Resizer::takeNearest(Value x, ArrayRef<DimTables> tables) {
  RankedTensorType type =
      typeOfSizes(plan.outSizes, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, "Resize");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  SmallVector<KernelBuilder::Access> ins;
  for (const DimTables &dim : tables)
    ins.push_back({kernel.input(dim.samples), {loops[dim.dim]}});
  if (mode.isCrop())
    for (const DimTables &dim : tables)
      ins.push_back({kernel.input(dim.outside), {loops[dim.dim]}});
  Value in = kernel.input(x);
  Value out = kernel.output(type, plan.outSizes);
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

/// The elements of type `to` that the sums become, in `out`, with the value
/// outside of the operand where the tables say so.
Value Resizer::fromSums(KernelBuilder &kernel, ArrayRef<Pass> passes,
                        const KernelBuilder::Access &sum, Value out, Type to) {
  SmallVector<KernelBuilder::Access> ins{sum};
  if (mode.isCrop())
    for (const Pass &pass : passes)
      ins.push_back(
          {kernel.input(pass.tables.outside), {sum.at[pass.tables.dim]}});
  return kernel.generic(
      ins, {out, sum.at}, {}, [&](OpBuilder &nb, Location l, ValueRange args) {
        ScalarBuilder s(nb, l, compute);
        Value value = args[0];
        for (Value outside : args.drop_front().drop_back())
          value = s.select(s.fromBool(outside),
                           s.constant(op.getExtrapolationValue()), value);
        return fromInterpolation(nb, l, value, to);
      });
}

/// Sums samples times weights along the dimensions of some passes at once; the
/// result has `sizes`. Elements of `from` (in the onnx dialect) become elements
/// of `to`.
Value Resizer::sumPass(Value x, ArrayRef<Pass> passes, ArrayRef<Value> sizes,
                       Type from, Type to) {
  RankedTensorType type = typeOfSizes(sizes, ScalarBuilder::storageType(to));
  KernelBuilder kernel(b, loc, "Resize");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type), taps;
  Value in = kernel.input(x);
  SmallVector<KernelBuilder::Access> ins;
  for (const auto &[tables, size, scale] : passes) {
    AffineExpr k =
        kernel.loop(passes.size() == 1 ? "k" : "k" + std::to_string(tables.dim),
                    rankedType(tables.weights).getDimSize(1));
    taps.push_back(k);
    ins.push_back({kernel.input(tables.samples), {loops[tables.dim], k}});
    ins.push_back({kernel.input(tables.weights), {loops[tables.dim], k}});
  }
  Value out = kernel.output(type, sizes);
  bool direct = from == compute && to == compute && !mode.isCrop();
  Value sum = direct || type.getElementType() == compute
                  ? out
                  : kernel.temporaryLike(out, compute);
  Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(compute)));
  sum = kernel.fill(zero, {sum, loops});
  sum = kernel.generic(
      ins, {sum, loops}, taps, [&](OpBuilder &nb, Location l, ValueRange args) {
        ScalarBuilder s(nb, l, compute);
        SmallVector<Value> at;
        for (AffineExpr loop : loops)
          at.push_back(kernel.index(nb, l, loop));
        Value weight;
        for (auto [i, pass] : llvm::enumerate(passes)) {
          at[pass.tables.dim] = toIndex(nb, l, args[2 * i]);
          Value here = args[2 * i + 1];
          weight = weight ? s.mul(weight, here) : here;
        }
        Value stored = tensor::ExtractOp::create(nb, l, in, at);
        return s.add(args.back(),
                     s.mul(toInterpolation(nb, l, stored, from), weight));
      });
  if (to == compute && !mode.isCrop())
    return kernel.finish({sum}).front();
  Value y = fromSums(kernel, passes, {sum, loops}, out, to);
  return kernel.finish({y}).front();
}

DimTables Resizer::tablesOf(const ResizedDim &dim) {
  return buildResizeTables(b, loc, mode, compute, dim, plan.outSizes[dim.dim],
                           indexConstant(b, loc, 1));
}

SmallVector<Resizer::Pass> Resizer::passesOf() {
  SmallVector<Pass> passes;
  for (const ResizedDim &dim : plan.dims)
    passes.push_back({tablesOf(dim), plan.outSizes[dim.dim], dim.scale});
  return passes;
}

/// One pass after the other.
Value Resizer::sumPasses(Value x, ArrayRef<Pass> passes) {
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  for (auto [i, pass] : llvm::enumerate(passes)) {
    sizes[pass.tables.dim] = pass.size;
    x = sumPass(x, pass, sizes, i == 0 ? element : compute,
                i + 1 == passes.size() ? element : compute);
  }
  return x;
}

/// An i1: all sums at once, which read the samples of all dimensions for each
/// element of the result, take less time than passes, which also write the
/// tensors between: these are large where the result has few of the samples.
Value Resizer::readsLessAtOnce(ArrayRef<Pass> passes) {
  auto no = [&] {
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  };
  // Narrow elements are read one by one, with antialiasing all of them are.
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  if (passes.size() < 2 || isNarrow || mode.antialias)
    return no();
  // For each element of the result.
  ScalarBuilder host(b, loc, b.getF64Type());
  auto taps = double(tapCount(mode.interpolation));
  Value inPasses = host.constant(taps),
        between = host.constant((taps + 1) * inOrderShare);
  for (const Pass &pass : llvm::reverse(passes.drop_front())) {
    between = b.createOrFold<arith::DivFOp>(loc, between, pass.scale);
    inPasses = b.createOrFold<arith::AddFOp>(loc, inPasses, between);
  }
  return b.createOrFold<arith::CmpFOp>(
      loc, arith::CmpFPredicate::OLT,
      host.constant(std::pow(taps, double(passes.size()))), inPasses);
}

/// The operator's result. `isOfImage` says that the operand has the shape of
/// sumImage().
Value Resizer::sumAll(Value x, ArrayRef<Pass> passes, bool isOfImage) {
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  for (const Pass &pass : passes)
    sizes[pass.tables.dim] = pass.size;
  RankedTensorType type =
      typeOfSizes(plan.outSizes, rankedType(x).getElementType());
  auto inShape = [&](Value y) {
    return isOfImage ? reshapeTo(b, loc, y, type, plan.outSizes) : y;
  };
  auto atOnce = [&] {
    return inShape(sumPass(x, passes, sizes, element, element));
  };
  auto inPasses = [&] { return inShape(sumPasses(x, passes)); };
  Value isAtOnce = readsLessAtOnce(passes);
  if (matchPattern(isAtOnce, m_Zero()))
    return inPasses();
  if (matchPattern(isAtOnce, m_One()))
    return atOnce();
  return choose(isAtOnce, type, atOnce, inPasses);
}

/// Returns true if the scale may turn out to be 1 at run time, so that each
/// position is that of its sample.
bool Resizer::mayKeepSize(const ResizedDim &dim) {
  auto in = getConstantIntValue(plan.inSizes[dim.dim]),
       out = getConstantIntValue(plan.outSizes[dim.dim]);
  return !matchPattern(dim.scale, m_Constant()) &&
         !(in && out && *in != *out) && !mode.isCrop() &&
         mode.coordinates != "tf_half_pixel_for_nn";
}

Value Resizer::isKept(const ResizedDim &dim) {
  ScalarBuilder scale(b, loc, dim.scale.getType());
  return b.createOrFold<arith::AndIOp>(
      loc, scale.eq(dim.scale, scale.constant(1)),
      compareIndex(b, loc, arith::CmpIPredicate::eq, plan.inSizes[dim.dim],
                   plan.outSizes[dim.dim]));
}

Value Resizer::areAllTrue(ArrayRef<Value> conditions) {
  Value all = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (Value condition : conditions)
    all = b.createOrFold<arith::AndIOp>(loc, all, condition);
  return all;
}

Resizer::ImageSizes Resizer::imageSizes() {
  unsigned rank = plan.inSizes.size(), columns = rank - 1;
  ScalarBuilder host(b, loc, b.getF64Type());
  Value one = indexConstant(b, loc, 1),
        yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  ImageSizes image{SmallVector<Value>(plan.inSizes),
                   SmallVector<Value>(plan.outSizes),
                   SmallVector<Value>(rank, host.constant(1)),
                   SmallVector<Value>(rank, yes),
                   {}};
  for (const ResizedDim &dim : plan.dims) {
    image.scales[dim.dim] = dim.scale;
    image.kept[dim.dim] = isKept(dim);
  }
  Value hasChannels = image.kept[columns];
  image.channels = selectValue(b, loc, hasChannels, image.in[columns], one);
  auto shift = [&](SmallVector<Value> &values, Value first) {
    for (unsigned d = rank; d-- > 0;)
      values[d] = selectValue(b, loc, hasChannels,
                              d == 0 ? first : values[d - 1], values[d]);
  };
  shift(image.in, one);
  shift(image.out, one);
  shift(image.scales, host.constant(1));
  shift(image.kept, yes);
  return image;
}

Value Resizer::sumImage(const ImageSizes &image, Value x) {
  unsigned rank = plan.inSizes.size(), rows = rank - 2, columns = rank - 1;
  ScalarBuilder host(b, loc, b.getF64Type());
  Value one = indexConstant(b, loc, 1);
  SmallVector<Value> sizes{
      productOf(b, loc, ArrayRef(image.in).take_front(rows)), image.in[rows],
      mulIndex(b, loc, image.in[columns], image.channels)};
  Value y = reshapeTo(
      b, loc, x, typeOfSizes(sizes, rankedType(x).getElementType()), sizes);
  SmallVector<Pass> passes;
  auto addPass = [&](unsigned d, int64_t dim, Value count) {
    ResizedDim resized{dim,
                       image.scales[d],
                       indexToFloat(host, image.in[d]),
                       indexToFloat(host, image.out[d]),
                       {},
                       {}};
    Value size = mulIndex(b, loc, image.out[d], count);
    passes.push_back(
        {buildResizeTables(b, loc, mode, compute, resized, size, count), size,
         image.scales[d]});
  };
  addPass(rows, 1, one);
  addPass(columns, 2, image.channels);
  return sumAll(y, passes, /*isOfImage=*/true);
}

/// Scales of batches and channels are inputs too, but mostly 1: their passes
/// would read and write all elements for nothing. Then the last two of the
/// other dimensions are resized, each element of later ones by itself.
Value Resizer::sumPassesOfImage(Value x) {
  ImageSizes image = imageSizes();
  Value isImage = areAllTrue(ArrayRef(image.kept).drop_back(2));
  RankedTensorType type =
      typeOfSizes(plan.outSizes, rankedType(x).getElementType());
  return choose(
      isImage, type, [&] { return sumImage(image, x); },
      [&] { return sumPasses(x, passesOf()); });
}

Value Resizer::run() {
  std::optional<ResizeDims> planned = planResize(b, op, adaptor, mode);
  if (!planned)
    return {};
  plan = std::move(*planned);
  Value x = adaptor.getX();
  if (plan.dims.empty())
    return x;
  if (!llvm::all_of(plan.dims,
                    [&](const ResizedDim &dim) { return mayKeepSize(dim); }))
    return resample(x);
  // Images that have the size which a model asks for already.
  Value areKept = areAllTrue(llvm::map_to_vector(
      plan.dims, [&](const ResizedDim &dim) { return isKept(dim); }));
  RankedTensorType type =
      typeOfSizes(plan.outSizes, rankedType(x).getElementType());
  return choose(
      areKept, type, [&] { return reshapeTo(b, loc, x, type, plan.outSizes); },
      [&] { return resample(x); });
}

/// Computes the samples of at least one dimension.
Value Resizer::resample(Value x) {
  bool isNearest = mode.interpolation == Interpolation::Nearest;
  if (auto factors = isNearest ? wholeFactors() : std::nullopt)
    return repeat(x, *factors);
  if (isNearest) {
    SmallVector<DimTables> tables;
    for (const ResizedDim &dim : plan.dims)
      tables.push_back(tablesOf(dim));
    return takeNearest(x, tables);
  }
  bool mayKeep = llvm::any_of(
      plan.dims, [&](const ResizedDim &dim) { return mayKeepSize(dim); });
  return mayKeep && plan.inSizes.size() > 1
             ? sumPassesOfImage(x)
             : sumAll(x, passesOf(), /*isOfImage=*/false);
}

namespace {

Lowered lowerResize(onnx::ResizeOp op, onnx::ResizeOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  auto interpolation = parseInterpolation(op.getMode());
  if (!interpolation || !isCoordinateMode(op.getCoordinateTransformationMode()))
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
    return rewriter.notifyMatchFailure(op, "elements that are not numbers");
  if (mode.isCrop() && !adaptor.getRoi())
    return rewriter.notifyMatchFailure(op, "no region to crop");
  if (!adaptor.getSizes() && !adaptor.getScales())
    return rewriter.notifyMatchFailure(op, "neither sizes nor scales");
  if (StringRef problem = problemWithResize(op, adaptor, mode);
      !problem.empty())
    return rewriter.notifyMatchFailure(op, problem);
  Value y = Resizer(op, adaptor, rewriter, mode).run();
  if (!y)
    return neverMade(rewriter, op,
                     "Resize: a scale is not above 0 and below 2^30");
  return y;
}

} // namespace

void populateONNXToKrnlResizePatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerResize);
}

} // namespace onnxc
