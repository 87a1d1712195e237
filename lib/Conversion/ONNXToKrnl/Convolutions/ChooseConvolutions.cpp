//===- ChooseConvolutions.cpp - Algorithms of convolutions ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Winograd's algorithm has fewer products, but moves more: its filters take up
// to four times the memory, and its operand and result pass through it twice
// before and after the products. A sum over taps leaves out the products with
// the border, but the sums go through memory for each tap. The pass compares
// estimates of all, in the time of one product. On a device each kernel is a
// launch.
//===----------------------------------------------------------------------===//

#include "Convolutions/Taps.h"
#include "Convolutions/Winograd.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace onnxc {

#define GEN_PASS_DEF_ONNXCHOOSECONVOLUTIONSPASS
#include "onnxc/Conversion/ONNXToKrnl/Passes.h.inc"

namespace {

/// Elements of an operand whose height or width is dynamic: images of networks
/// become smaller as their channels become more.
constexpr double guessedElements = 128 * 28 * 28;
/// How much better the estimate has to be: Winograd's algorithm also rounds
/// more, a sum over taps does not.
constexpr double minWinogradGain = 1.3;
constexpr double minTapsGain = 1.1;
/// How much less time few results have to take directly, so that it is worth
/// keeping the filters twice.
constexpr double minDirectGain = 2;
/// Each tap is a kernel, which takes its time to compile.
constexpr size_t maxTaps = 64;

/// The size of a spatial dimension of so many, dynamic ones by a guess.
int64_t sizeOrGuess(int64_t size, int64_t channels, size_t spatialDims) {
  return ShapedType::isDynamic(size)
             ? int64_t(std::ceil(std::pow(guessedElements / double(channels),
                                          1.0 / double(spatialDims))))
             : size;
}

/// With sizes in place of those that are not known: one image, of no fewer
/// elements than one window needs.
TapConv withGuesses(TapConv conv) {
  if (ShapedType::isDynamic(conv.batch))
    conv.batch = 1;
  for (TapDim &dim : conv.dims)
    if (ShapedType::isDynamic(dim.in))
      dim.in = std::max(sizeOrGuess(dim.in, conv.inChannels, conv.dims.size()),
                        (dim.window - 1) * dim.dilation + 1 - dim.before -
                            dim.after);
  return conv;
}

/// The elements of boxes of these sizes that vectors compute. Without channels
/// that mix, vectors lie along rows, and the last of a row takes as long as a
/// full one.
double elementsInVectors(const TapConv &conv, ArrayRef<int64_t> sizes,
                         const target::Processor &target) {
  auto elements = double(conv.batch);
  for (int64_t size : sizes.drop_back())
    elements *= double(size);
  int64_t row = sizes.back();
  return elements *
         double(conv.isDepthwise && !target.isDevice()
                    ? llvm::alignTo(uint64_t(row),
                                    uint64_t(target.lanes(/*bits=*/32)))
                    : uint64_t(row));
}

double resultsOf(const TapConv &conv, const target::Processor &target) {
  return elementsInVectors(
      conv,
      llvm::map_to_vector(
          conv.dims, [](const TapDim &dim) { return dim.results(dim.in); }),
      target);
}

/// The operand is copied to a tensor with its border, if it has one.
double borderCost(const TapConv &conv, const target::Processor &target) {
  auto elements = double(conv.batch * conv.inChannels);
  for (const TapDim &dim : conv.dims)
    elements *= double(dim.in + dim.before + dim.after);
  bool hasBorder = llvm::any_of(conv.dims, [](const TapDim &dim) {
    return dim.before > 0 || dim.after > 0;
  });
  return hasBorder ? elements * target.intermediateElements / 2 : 0;
}

double directCost(const TapConv &conv, const target::Processor &target) {
  return double(conv.windowElements() * conv.terms() * conv.outChannels) *
             (resultsOf(conv, target) + target.filterProducts) +
         borderCost(conv, target);
}

/// Each tap reads sums and writes them, which takes longer where they leave the
/// caches: the zeros before the first tap are written as well, and the results
/// are not. A single tap has no sums.
double tapsCost(const TapConv &conv, const target::Processor &target) {
  auto ins = double(conv.terms()), outs = double(conv.outChannels);
  double results = resultsOf(conv, target), sum = target.intermediateElements;
  if (results * outs * sizeof(float) > double(target.l3) / 2)
    sum *= target.farTransformProducts / target.transformProducts;
  SmallVector<Tap> taps = conv.taps();
  double cost = taps.size() == 1 ? -results * outs * sum : 0;
  for (const Tap &tap : taps) {
    SmallVector<int64_t> counts;
    for (auto [dim, k] : llvm::zip_equal(conv.dims, tap))
      counts.push_back(dim.count(k, dim.in));
    double count = elementsInVectors(conv, counts, target);
    cost += outs * (ins * (count + target.filterProducts) + count * sum);
  }
  return cost + double(taps.size()) * target.launchProducts();
}

/// The operand and the result are transformed by two kernels each.
constexpr double transformKernels = 4;

/// Elements of the filters of all positions of a tile.
double transformedFilters(const WinogradConv &conv, int64_t side) {
  return double((side + 2) * (side + 2) * conv.inChannels * conv.outChannels);
}

/// The products and the transforms of a tile, of which those of one channel
/// take as long as `transform` products for tiles of four.
double tileCost(const WinogradConv &conv, int64_t side, double transform) {
  double channels = double(conv.inChannels + conv.outChannels);
  return transformedFilters(conv, side) +
         channels * transform * double((side + 2) * (side + 2)) / 36;
}

/// Transformed tensors stay in the caches if they take half of the last one,
/// and are not worth it if they take twice as much as it has.
double winogradCost(const WinogradConv &conv, const target::Processor &target,
                    int64_t side) {
  double bytes = conv.transformBytes(side) / double(conv.bands(side));
  auto cache = double(target.l3);
  if (bytes > 2 * cache)
    return std::numeric_limits<double>::infinity();
  double transform = bytes > cache / 2 ? target.farTransformProducts
                                       : target.transformProducts;
  return double(conv.tiles(side)) * tileCost(conv, side, transform) +
         transformedFilters(conv, side) * target.filterProducts +
         transformKernels * target.launchProducts();
}

/// What it takes to read filters in a run of few results: the larger they are
/// beside the second cache, the less of them stays there.
double fewResultsFilterCost(double elements, const target::Processor &target) {
  double share = elements * sizeof(float) / double(target.l2);
  return elements * target.filterProducts * std::min(share, 1.0);
}

/// From how many results on the algorithm takes less than sums over the
/// windows, in tensors that stay in the caches; nothing where these take nearly
/// as long for one tile.
std::optional<WinogradLimit> winogradLimit(const WinogradConv &conv,
                                           const target::Processor &target,
                                           int64_t side) {
  double products = 9 * double(conv.inChannels * conv.outChannels);
  double filters = fewResultsFilterCost(products, target);
  double transformed =
      fewResultsFilterCost(transformedFilters(conv, side), target);
  double tile = tileCost(conv, side, target.transformProducts);
  if (transformed + tile <
      minDirectGain * (filters + products * double(side * side)))
    return std::nullopt;
  return WinogradLimit{std::llround((transformed - filters) / products),
                       std::llround(tile / products)};
}

struct ChooseConvolutions
    : public impl::ONNXChooseConvolutionsPassBase<ChooseConvolutions> {
  void runOnOperation() override {
    target::Processor target = krnl::TargetAttr::processorOf(getOperation());
    getOperation()->walk([&](onnx::ConvOp op) {
      std::optional<TapConv> conv = TapConv::match(op);
      if (!conv)
        return report(op, "direct",
                      "not an f32 convolution of one group, or of one for "
                      "each channel, with constant windows");
      if (std::min(conv->inChannels, conv->outChannels) <
          target.winogradChannels)
        return report(
            op, "direct",
            llvm::formatv("fewer than {0} channels", target.winogradChannels));
      choose(op, *conv, target);
    });
  }

private:
  void choose(onnx::ConvOp op, const TapConv &conv,
              const target::Processor &target) {
    constexpr double never = std::numeric_limits<double>::infinity();
    TapConv guessed = withGuesses(conv);
    double direct = directCost(guessed, target), two = never, four = never,
           taps =
               conv.taps().size() > maxTaps ? never : tapsCost(guessed, target);
    if (std::optional<WinogradConv> small = WinogradConv::match(op)) {
      two = winogradCost(*small, target, 2);
      four = winogradCost(*small, target, 4);
    }
    std::string costs = llvm::formatv(
        "predicted time of it all, in products: direct {0:F0}, tap by tap "
        "{1:F0}, Winograd of 2x2 tiles {2:F0}, of 4x4 tiles {3:F0}",
        direct, taps, two, four);
    double winograd = std::min(two, four);
    bool isWinograd = winograd * minWinogradGain <= direct && winograd <= taps;
    if (!isWinograd && taps * minTapsGain > direct)
      return report(op, "direct", costs);
    if (!isWinograd) {
      op->setAttr(tapsAttr, UnitAttr::get(op.getContext()));
      return report(op, "tap by tap", costs);
    }
    chooseWinograd(op, two <= four ? 2 : 4, target, costs);
  }

  void chooseWinograd(onnx::ConvOp op, int64_t side,
                      const target::Processor &target, StringRef costs) {
    Builder b(op);
    op->setAttr(winogradAttr, b.getI64IntegerAttr(side));
    std::string algorithm = llvm::formatv("Winograd, {0}x{0} tiles", side);
    // On a device a kernel without iterations is a launch.
    WinogradConv conv = *WinogradConv::match(op);
    if (std::optional<WinogradLimit> limit = winogradLimit(conv, target, side);
        limit && conv.isDynamic() && !target.isDevice()) {
      op->setAttr(winogradLimitAttr,
                  b.getDenseI64ArrayAttr({limit->base, limit->ofTile}));
      algorithm += llvm::formatv(
          ", direct if results are fewer than {0} and {1} of each tile",
          limit->base, limit->ofTile);
    }
    report(op, algorithm, costs);
  }

  void report(onnx::ConvOp op, StringRef algorithm, const Twine &reason) {
    if (auto remark = remark::analysis(
            op.getLoc(),
            remark::RemarkOpts::name("Algorithm").category(getArgument())))
      remark << remark::add("{0}", algorithm.str())
             << remark::reason("{0}", reason.str());
  }
};

} // namespace

int64_t WinogradConv::tiles(int64_t side) const {
  int64_t count = ShapedType::isDynamic(batch) ? 1 : batch;
  for (int64_t size : out)
    count *= int64_t(
        llvm::divideCeil(sizeOrGuess(size, inChannels, out.size()), side));
  return count;
}

double WinogradConv::transformBytes(int64_t side) const {
  return double((side + 2) * (side + 2) * tiles(side)) *
         double(inChannels + outChannels) * sizeof(float);
}

int64_t WinogradConv::bands(int64_t side) const {
  if (ShapedType::isDynamic(out[0]))
    return 1;
  double bytes = transformBytes(side);
  double filters = double((side + 2) * (side + 2) * inChannels * outChannels) *
                   sizeof(float);
  // Each band reads all filters: more of them than data would be no gain.
  auto maxRows = int64_t(bytes / (2 * filters));
  auto wanted = int64_t(std::ceil(bytes / bandBytes));
  int64_t rows = llvm::divideCeil(out[0], side);
  return std::max<int64_t>(1, std::min({maxRows, wanted, rows}));
}

/// Returns true if the attribute is absent, or `number` for all dimensions.
static bool isAll(std::optional<ArrayRef<int64_t>> values, int64_t number) {
  return !values ||
         llvm::all_of(*values, [&](int64_t value) { return value == number; });
}

/// Returns true if each channel is a group: of the input and of the output.
static bool hasGroupPerChannel(onnx::ConvOp op, RankedTensorType x,
                               RankedTensorType w) {
  return op.getGroup() != 1 && w.getDimSize(1) == 1 &&
         x.getDimSize(1) == op.getGroup() && w.getDimSize(0) == op.getGroup();
}

/// Returns true for a convolution in f32 with windows of known size, of one
/// group or depthwise.
static bool hasKnownWindow(onnx::ConvOp op, RankedTensorType x,
                           RankedTensorType w, RankedTensorType y) {
  for (RankedTensorType type : {x, w, y})
    if (!type || type.getRank() < 3 || !type.getElementType().isF32() ||
        llvm::is_contained(type.getShape(), 0))
      return false;
  if (!w.hasStaticShape() || w.getRank() != x.getRank() ||
      y.getRank() != x.getRank() || w.getDimSize(0) != y.getDimSize(1))
    return false;
  bool isOfOneGroup = op.getGroup() == 1 && w.getDimSize(1) == x.getDimSize(1);
  if (!isOfOneGroup && !hasGroupPerChannel(op, x, w))
    return false;
  auto shape = op.getKernelShape();
  if (shape && *shape != w.getShape().drop_front(2))
    return false;
  if (op->getNumOperands() <= 2)
    return true;
  auto bias = dyn_cast<RankedTensorType>(op->getOperand(2).getType());
  return bias && bias.getShape() == ArrayRef(w.getDimSize(0));
}

/// Returns true for a convolution of images in f32 with windows of 3x3
/// elements, and strides and dilations of one.
static bool hasSmallWindow(onnx::ConvOp op, RankedTensorType x,
                           RankedTensorType w, RankedTensorType y) {
  return hasKnownWindow(op, x, w, y) && op.getGroup() == 1 &&
         w.getShape().drop_front(2) == ArrayRef<int64_t>{3, 3} &&
         isAll(op.getStrides(), 1) && isAll(op.getDilations(), 1);
}

/// The filters, if all their bytes are known; null if not.
static TypedAttr knownFilters(onnx::ConvOp op, RankedTensorType w) {
  TypedAttr filters = onnx::constantValue(op->getOperand(1));
  SmallVector<char> scratch;
  bool isKnown =
      filters && int64_t(onnx::constantBytes(filters, scratch).size()) ==
                     w.getNumElements() * int64_t(sizeof(float));
  return isKnown ? filters : TypedAttr();
}

std::optional<WinogradConv> WinogradConv::match(onnx::ConvOp op) {
  auto x = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto w = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  auto y = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!hasSmallWindow(op, x, w, y))
    return std::nullopt;
  TypedAttr filters = knownFilters(op, w);
  if (!filters)
    return std::nullopt;
  WinogradConv conv{x.getDimSize(0),
                    x.getDimSize(1),
                    y.getDimSize(1),
                    {x.getDimSize(2), x.getDimSize(3)},
                    {y.getDimSize(2), y.getDimSize(3)},
                    {0, 0},
                    {0, 0},
                    filters,
                    // A part of the last cache leaves room for all else.
                    double(krnl::TargetAttr::processorOf(op).l3) / 8};
  for (int64_t d : {0, 1}) {
    // Two elements of border keep the size; which side gets more of an even
    // number does not matter.
    if (op.getAutoPad().starts_with("SAME")) {
      conv.before[d] = conv.after[d] = 1;
    } else if (auto pads = op.getPads(); pads && op.getAutoPad() == "NOTSET") {
      conv.before[d] = (*pads)[d];
      conv.after[d] = (*pads)[d + 2];
    }
    if (conv.before[d] < 0 || conv.after[d] < 0)
      return std::nullopt;
    int64_t out = ShapedType::isDynamic(conv.in[d])
                      ? conv.in[d]
                      : conv.in[d] + conv.before[d] + conv.after[d] - 2;
    if (!ShapedType::isDynamic(out) &&
        (out <= 0 ||
         (!ShapedType::isDynamic(conv.out[d]) && out != conv.out[d])))
      return std::nullopt;
    conv.out[d] = out;
  }
  return conv;
}

/// An attribute with `count` numbers, or the same number for all; nothing where
/// there are others, or sizes computed from them may overflow.
static std::optional<SmallVector<int64_t>>
numbersOr(std::optional<ArrayRef<int64_t>> values, int64_t otherwise,
          int64_t count) {
  if (!values)
    return SmallVector<int64_t>(count, otherwise);
  bool isPlain = llvm::all_of(*values, [&](int64_t value) {
    return value >= otherwise && value <= INT32_MAX;
  });
  if (!isPlain || int64_t(values->size()) != count)
    return std::nullopt;
  return llvm::to_vector(*values);
}

/// Sets the border that `auto_pad` asks for. Returns false if it is known only
/// at run time.
static bool setSameBorder(TapDim &dim, bool isLower) {
  if (ShapedType::isDynamic(dim.in) && dim.stride != 1)
    return false;
  int64_t rest = dim.stride == 1 ? 0 : (dim.in - 1) % dim.stride;
  int64_t total = std::max<int64_t>(0, (dim.window - 1) * dim.dilation - rest);
  dim.before = isLower ? total - total / 2 : total / 2;
  dim.after = total - dim.before;
  return true;
}

/// The spatial dimensions of a convolution of known windows; nothing where a
/// border cuts elements off or is not known.
static std::optional<SmallVector<TapDim>>
spatialDims(onnx::ConvOp op, RankedTensorType x, RankedTensorType w) {
  int64_t count = x.getRank() - 2;
  StringRef autoPad = op.getAutoPad();
  auto strides = numbersOr(op.getStrides(), 1, count);
  auto dilations = numbersOr(op.getDilations(), 1, count);
  auto pads = numbersOr(autoPad == "NOTSET" ? op.getPads() : std::nullopt, 0,
                        2 * count);
  if (!strides || !dilations || !pads)
    return std::nullopt;
  SmallVector<TapDim> dims;
  for (int64_t d : llvm::seq(count)) {
    TapDim dim{x.getDimSize(d + 2), w.getDimSize(d + 2), (*strides)[d],
               (*dilations)[d],     (*pads)[d],          (*pads)[d + count]};
    if (dim.window > INT32_MAX ||
        (autoPad.starts_with("SAME") &&
         !setSameBorder(dim, autoPad == "SAME_LOWER")))
      return std::nullopt;
    if (!ShapedType::isDynamic(dim.in) && dim.results(dim.in) == 0)
      return std::nullopt;
    dims.push_back(dim);
  }
  return dims;
}

/// Filters that are not finite make NaN of the border, by definition.
static bool areFinite(TypedAttr filters) {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(filters, scratch);
  ArrayRef floats(reinterpret_cast<const float *>(bytes.data()),
                  bytes.size() / sizeof(float));
  return llvm::all_of(floats, [](float f) { return std::isfinite(f); });
}

std::optional<TapConv> TapConv::match(onnx::ConvOp op) {
  auto x = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto w = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  auto y = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!hasKnownWindow(op, x, w, y))
    return std::nullopt;
  TypedAttr filters = knownFilters(op, w);
  std::optional<SmallVector<TapDim>> dims = spatialDims(op, x, w);
  if (!filters || !dims || !areFinite(filters))
    return std::nullopt;
  for (auto [d, dim] : llvm::enumerate(*dims)) {
    int64_t size = y.getDimSize(int64_t(d) + 2);
    if (!ShapedType::isDynamic(dim.in) && !ShapedType::isDynamic(size) &&
        size != dim.results(dim.in))
      return std::nullopt;
  }
  return TapConv{x.getDimSize(0), x.getDimSize(1),
                 y.getDimSize(1), hasGroupPerChannel(op, x, w),
                 *dims,           filters};
}

} // namespace onnxc
