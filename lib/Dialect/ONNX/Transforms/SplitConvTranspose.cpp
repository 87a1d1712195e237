//===- SplitConvTranspose.cpp - Strided ConvTranspose as Conv --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// With steps of s, the result of a transposed convolution has s phases along
// each dimension, q * s + r for r = 0..s-1, and each uses the elements
// k = m * s + r of the filter alone:
//
//   y[q * s + r] = sum over m of x[q - m] * w[m * s + r]
//
// All phases together are a convolution without steps and with s times the
// channels, whose results are then put in their places. With steps of 1 there
// is one phase, and the filter is just read backwards. Zeros between the
// elements of x would be multiplied s times as often as anything else.
//
// Where s does not divide the filter, some phases have fewer elements than
// others, and zeros in one convolution. Each phase may be a convolution of its
// own, of the results that are kept alone.
//
//===----------------------------------------------------------------------===//
#include "PhaseFilters.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_SPLITCONVTRANSPOSE
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

namespace {

/// Each phase is a kernel to compile, which takes 15 ms (16 channels of 28 x 28
/// elements). Steps of 4 in both dimensions of an image are the most: such a
/// model compiles in 0.37 s instead of the 0.17 s of one convolution.
constexpr int64_t maxPhases = 16;
/// The assumed value of a dynamic size. Where a launch costs nothing, sizes do
/// not decide. On a GPU filters of 5 x 5 with steps of 2 are divided from 28 x
/// 28 elements on where they have 256 channels, from 112 x 112 on with 64, and
/// at 224 x 224 not yet with 16, so such dimensions are divided where there are
/// many channels.
constexpr int64_t guessedSize = 28;

/// Writes the operations that stand for one ConvTranspose.
class SplitWriter {
public:
  SplitWriter(PatternRewriter &rewriter, ConvTransposeOp op,
              const PhaseFilters &filters, ArrayRef<PhaseSplit> splits)
      : op(op), filters(filters), maker(rewriter, op.getLoc()), splits(splits),
        type(cast<RankedTensorType>(op.getX().getType())),
        phases(phasesOf(splits)) {}

  Value writeTogether();
  Value writeApart();

private:
  Value convolve(Value filter, Value bias, ArrayRef<PhaseWindow> windows);
  Value interleave(Value results, Value like, int64_t channels);
  Value cut(Value whole, ArrayRef<int64_t> before, ArrayRef<int64_t> after);
  Value sizes(Value like, ArrayRef<std::array<int64_t, 2>> wanted,
              ArrayRef<int64_t> known);
  Value reshape(Value data, Value like,
                ArrayRef<std::array<int64_t, 2>> wanted);
  RankedTensorType typeOf(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, type.getElementType());
  }
  static int64_t times(int64_t size, int64_t factor) {
    return ShapedType::isDynamic(size) ? size : size * factor;
  }

  ConvTransposeOp op;
  const PhaseFilters &filters;
  NodeMaker maker;
  ArrayRef<PhaseSplit> splits;
  RankedTensorType type;
  int64_t phases;
};

} // namespace

Value SplitWriter::convolve(Value filter, Value bias,
                            ArrayRef<PhaseWindow> windows) {
  SmallVector<int64_t> shape{
      type.getDimSize(0),
      cast<RankedTensorType>(filter.getType()).getDimSize(0)};
  SmallVector<int64_t> pads, ends;
  for (auto [d, window] : llvm::enumerate(windows)) {
    int64_t size = type.getDimSize(d + 2);
    shape.push_back(ShapedType::isDynamic(size)
                        ? size
                        : size + window.before + window.after - window.taps +
                              1);
    pads.push_back(window.before);
    ends.push_back(window.after);
  }
  llvm::append_range(pads, ends);
  SmallVector<Value> operands{op.getX(), filter};
  if (bias)
    operands.push_back(bias);
  return maker.make<ConvOp>(
      typeOf(shape), operands,
      {maker.integer("group", op.getGroup()), maker.list("pads", pads)});
}

/// The sizes `wanted`, a vector of integers; `known` has the static ones.
Value SplitWriter::sizes(Value like, ArrayRef<std::array<int64_t, 2>> wanted,
                         ArrayRef<int64_t> known) {
  if (!ShapedType::isDynamicShape(known))
    return maker.ints(known);
  SmallVector<Value> parts;
  for (auto [size, value] : llvm::zip_equal(wanted, known)) {
    auto [dim, factor] = size;
    if (!ShapedType::isDynamic(value)) {
      parts.push_back(maker.ints(value));
      continue;
    }
    parts.push_back(maker.sizeOf(like, dim));
    if (factor != 1)
      parts.back() = maker.mul(parts.back(), maker.ints(factor));
  }
  return maker.joined(parts);
}

/// Reshapes to the sizes `wanted`: each a dimension of `like` with a factor, or
/// -1 and a number.
Value SplitWriter::reshape(Value data, Value like,
                           ArrayRef<std::array<int64_t, 2>> wanted) {
  auto from = cast<RankedTensorType>(like.getType());
  SmallVector<int64_t> shape;
  for (auto [dim, factor] : wanted)
    shape.push_back(dim < 0 ? factor : times(from.getDimSize(dim), factor));
  // Sizes of zero are meant.
  return maker.make<ReshapeOp>(typeOf(shape),
                               {data, sizes(like, wanted, shape)},
                               maker.integer("allowzero", 1));
}

/// [n, m, s.., q..] in any shape -> [n, m, q * s..], where `like` is
/// [n, .., q..].
Value SplitWriter::interleave(Value results, Value like, int64_t channels) {
  if (phases == 1)
    return results;
  auto spatial = int64_t(splits.size());
  SmallVector<std::array<int64_t, 2>> apart{{0, 1}, {-1, channels}}, whole;
  SmallVector<int64_t> order{0, 1};
  whole = apart;
  for (const PhaseSplit &split : splits)
    apart.push_back({-1, split.stride});
  for (int64_t d = 0; d < spatial; ++d) {
    apart.push_back({d + 2, 1});
    whole.push_back({d + 2, splits[d].stride});
    order.append({2 + spatial + d, 2 + d});
  }
  Value split = reshape(results, like, apart);
  return reshape(maker.transpose(split, order), like, whole);
}

/// The tensor without `before` and `after` elements of each spatial dimension.
Value SplitWriter::cut(Value whole, ArrayRef<int64_t> before,
                       ArrayRef<int64_t> after) {
  SmallVector<int64_t> starts, ends, axes;
  for (auto [d, start, end] : llvm::enumerate(before, after)) {
    if (start == 0 && end == 0)
      continue;
    starts.push_back(start);
    ends.push_back(end ? -end : std::numeric_limits<int64_t>::max());
    axes.push_back(int64_t(d) + 2);
  }
  if (axes.empty())
    return whole;
  return maker.make<SliceOp>(
      op.getY().getType(),
      {whole, maker.ints(starts), maker.ints(ends), maker.ints(axes)});
}

/// All phases as channels of one convolution.
Value SplitWriter::writeTogether() {
  Value results =
      convolve(filters.allPhases(maker, splits), filters.bias(maker, phases),
               windowsOf(splits, 0, &PhaseSplit::shared));
  Value y = interleave(results, results, filters.channels());
  SmallVector<int64_t> before, after;
  for (const PhaseSplit &split : splits) {
    before.push_back(split.cut - split.skipped() * split.stride);
    after.push_back(split.beyond() * split.stride - split.end);
  }
  return cut(y, before, after);
}

/// A convolution for each phase of the results that are kept.
Value SplitWriter::writeApart() {
  SmallVector<Value> results;
  Value like;
  for (int64_t phase = 0; phase < phases; ++phase) {
    SmallVector<PhaseWindow> windows =
        windowsOf(splits, phase, &PhaseSplit::own);
    like = convolve(filters.own(maker, splits, windows), op.getB(), windows);
    results.push_back(maker.unsqueeze(like, {2}));
  }
  Value all = maker.make("Concat", results, maker.integer("axis", 2));
  SmallVector<int64_t> before(splits.size(), 0), after;
  for (const PhaseSplit &split : splits)
    after.push_back(llvm::mod(split.cut - split.end, split.stride));
  return cut(interleave(all, like, filters.channels()), before, after);
}

/// Returns true if convolutions of the phases take less time than one of all of
/// them. They multiply by no zeros, but fill vectors with fewer channels, and
/// are more kernels, which on a device are launches.
static bool paysApart(ConvTransposeOp op, ArrayRef<PhaseSplit> splits,
                      const target::Processor &target) {
  int64_t phases = phasesOf(splits), given = 1, grown = 1;
  auto filter = cast<RankedTensorType>(op.getW().getType());
  // A single channel has rows to share only where the phases are together.
  if (phases == 1 || phases > maxPhases || filter.getDimSize(1) == 1 ||
      !haveOwnWindows(splits))
    return false;
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto elements = double(filter.getDimSize(0));
  for (auto [d, split] : llvm::enumerate(splits)) {
    given *= split.kernel;
    grown *= split.taps() * split.stride;
    int64_t size = x.getDimSize(d + 2);
    elements *= double(ShapedType::isDynamic(size) ? guessedSize : size);
  }
  // Vectors of few channels lie along an image.
  int64_t lanes = target.lanes(filter.getElementTypeBitWidth());
  auto products = [&](int64_t channels, int64_t taps) {
    bool isFew = channels < target.layoutElements;
    return elements *
           double((isFew ? channels : llvm::alignTo(channels, lanes)) * taps);
  };
  int64_t channels = filter.getDimSize(1);
  double together = products(channels * phases, grown) / double(phases);
  return products(channels, given) + double(phases) * target.launchProducts() <
         together;
}

/// conv_transpose(x, w, b) {strides = [2, 2]} ->
///   slice(reshape(transpose(reshape(conv(x, w', b')))))
static LogicalResult split(ConvTransposeOp op, PatternRewriter &rewriter,
                           const target::Processor &target) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  auto result = dyn_cast<RankedTensorType>(op.getY().getType());
  std::optional<PhaseFilters> filters = PhaseFilters::get(op);
  if (!type || !result || !filters || type.getRank() < 3 ||
      int64_t(filters->shape().size()) != type.getRank() ||
      result.getRank() != type.getRank())
    return rewriter.notifyMatchFailure(op, "sizes of the filter or the bias "
                                           "are unknown or do not fit");
  std::optional<SmallVector<PhaseSplit>> splits =
      splitsOf(op, filters->shape().drop_front(2));
  if (!splits)
    return rewriter.notifyMatchFailure(op, "sizes or borders do not allow it");
  SplitWriter writer(rewriter, op, *filters, *splits);
  Value y = paysApart(op, *splits, target) ? writer.writeApart()
                                           : writer.writeTogether();
  y.setType(result);
  rewriter.replaceOp(op, y);
  return success();
}

namespace {

struct SplitConvTranspose final
    : onnx::impl::SplitConvTransposeBase<SplitConvTranspose> {
  void runOnOperation() override {
    SmallVector<ConvTransposeOp> ops;
    getOperation()->walk([&](ConvTransposeOp op) { ops.push_back(op); });
    target::Processor target = krnl::TargetAttr::processorOf(getOperation());
    PatternRewriter rewriter(&getContext());
    for (ConvTransposeOp op : ops) {
      rewriter.setInsertionPoint(op);
      // Others are lowered as they are.
      (void)split(op, rewriter, target);
    }
  }
};

} // namespace
