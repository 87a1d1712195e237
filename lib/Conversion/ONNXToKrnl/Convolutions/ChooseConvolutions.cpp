//===- ChooseConvolutions.cpp - Algorithms of convolutions ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Winograd's algorithm has fewer products, but moves more: its filters take up
// to four times the memory, and its operand and result pass through it twice
// before and after the products. The pass compares estimates of both, in the
// time of one product. On a device each of the four transforms is a launch.
//===----------------------------------------------------------------------===//

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
/// How much better the estimate has to be.
constexpr double minGain = 1.3;

double directCost(const WinogradConv &conv, const target::Processor &target) {
  double filters = 9.0 * double(conv.inChannels * conv.outChannels);
  return filters * (double(conv.tiles(1)) + target.filterProducts);
}

/// The operand and the result are transformed by two kernels each.
constexpr double transformKernels = 4;

/// Transformed tensors stay in the caches if they take half of the last one,
/// and are not worth it if they take twice as much as it has.
double winogradCost(const WinogradConv &conv, const target::Processor &target,
                    int64_t side) {
  int64_t positions = (side + 2) * (side + 2);
  double tiles = double(conv.tiles(side));
  double filters = double(positions * conv.inChannels * conv.outChannels);
  double channels = double(conv.inChannels + conv.outChannels);
  double bytes = conv.transformBytes(side) / double(conv.bands(side));
  auto cache = double(target.l3);
  if (bytes > 2 * cache)
    return std::numeric_limits<double>::infinity();
  double transform = bytes > cache / 2 ? target.farTransformProducts
                                       : target.transformProducts;
  return filters * (tiles + target.filterProducts) +
         tiles * channels * transform * double(positions) / 36 +
         transformKernels * target.launchProducts();
}

struct ChooseConvolutions
    : public impl::ONNXChooseConvolutionsPassBase<ChooseConvolutions> {
  void runOnOperation() override {
    target::Processor target = krnl::TargetAttr::processorOf(getOperation());
    getOperation()->walk([&](onnx::ConvOp op) {
      std::optional<WinogradConv> conv = WinogradConv::match(op);
      if (!conv)
        return report(op, "direct",
                      "not an f32 convolution of constant 3x3 windows that "
                      "move by one");
      if (std::min(conv->inChannels, conv->outChannels) <
          target.winogradChannels)
        return report(
            op, "direct",
            llvm::formatv("fewer than {0} channels", target.winogradChannels));
      double two = winogradCost(*conv, target, 2),
             four = winogradCost(*conv, target, 4),
             direct = directCost(*conv, target);
      std::string costs = llvm::formatv(
          "predicted time of it all, in products: direct {0:F0}, Winograd of "
          "2x2 tiles {1:F0}, of 4x4 tiles {2:F0}",
          direct, two, four);
      if (std::min(two, four) * minGain > direct)
        return report(op, "direct", costs);
      op->setAttr(winogradAttr,
                  Builder(op).getI64IntegerAttr(two <= four ? 2 : 4));
      report(op, two <= four ? "Winograd, 2x2 tiles" : "Winograd, 4x4 tiles",
             costs);
    });
  }

private:
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
  for (int64_t size : out) {
    if (ShapedType::isDynamic(size))
      size =
          int64_t(std::ceil(std::sqrt(guessedElements / double(inChannels))));
    count *= int64_t(llvm::divideCeil(size, side));
  }
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

/// Returns true for a convolution of images in f32 with constant windows of 3x3
/// elements, and strides and dilations of one.
static bool hasSmallWindow(onnx::ConvOp op, RankedTensorType x,
                           RankedTensorType w, RankedTensorType y) {
  for (RankedTensorType type : {x, w, y})
    if (!type || type.getRank() != 4 || !type.getElementType().isF32() ||
        llvm::is_contained(type.getShape(), 0))
      return false;
  if (!w.hasStaticShape() || w.getDimSize(2) != 3 || w.getDimSize(3) != 3 ||
      op.getGroup() != 1 || !isAll(op.getStrides(), 1) ||
      !isAll(op.getDilations(), 1) || w.getDimSize(1) != x.getDimSize(1) ||
      w.getDimSize(0) != y.getDimSize(1))
    return false;
  if (op->getNumOperands() <= 2)
    return true;
  auto bias = dyn_cast<RankedTensorType>(op->getOperand(2).getType());
  return bias && bias.getShape() == ArrayRef(w.getDimSize(0));
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

} // namespace onnxc
