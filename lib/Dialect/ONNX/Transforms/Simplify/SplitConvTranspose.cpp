//===- SplitConvTranspose.cpp - Strided ConvTranspose as Conv --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// With steps of s, the result of a transposed convolution has s kinds of
// positions along each dimension, q * s + r for r = 0..s-1, and those of one
// kind use the elements k = m * s + r of the filter alone:
//
//   y[q * s + r] = sum over m of x[q - m] * w[m * s + r]
//
// All kinds together are a convolution without steps and with s times the
// channels, whose results are then put in their places. With steps of 1 there
// is one kind, and the filter is just read backwards. Zeros between the
// elements of x would be multiplied s times as often as anything else.
//
//===----------------------------------------------------------------------===//
#include "ConstantFloats.h"
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// Along one spatial dimension of the convolution.
struct Split {
  int64_t stride, kernel;
  /// Elements of the filter that one result uses.
  int64_t taps() const { return llvm::divideCeil(kernel, stride); }
  /// The elements that the convolution reads before the first element of x and
  /// after the last.
  int64_t before, after;
  /// Results that are cut off at the beginning and at the end.
  int64_t cutBefore, cutAfter;
};

/// Larger filters than this many times the given one are mostly zeros.
constexpr int64_t maxGrowth = 4;

int64_t at(std::optional<ArrayRef<int64_t>> values, size_t i,
           int64_t otherwise) {
  return values && i < values->size() ? (*values)[i] : otherwise;
}

/// The split of each dimension; nothing where it would not do.
std::optional<SmallVector<Split>> splitsOf(ConvTransposeOp op,
                                           ArrayRef<int64_t> kernel) {
  StringRef pad = op.getAutoPad();
  if (op.getOutputShape())
    return std::nullopt;
  SmallVector<Split> splits;
  int64_t given = 1, grown = 1;
  for (auto [d, size] : llvm::enumerate(kernel)) {
    Split split{at(op.getStrides(), d, 1), size, 0, 0, 0, 0};
    if (split.stride < 1 || size < 1 || at(op.getDilations(), d, 1) != 1)
      return std::nullopt;
    int64_t extra = at(op.getOutputPadding(), d, 0);
    // The last result that is kept lies `end` beyond stride * the size of x.
    int64_t end = size + extra - split.stride;
    if (pad.starts_with("SAME")) {
      int64_t total = std::max<int64_t>(end, 0);
      split.cutBefore = pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      end = split.cutBefore;
    } else if (pad == "NOTSET") {
      split.cutBefore = at(op.getPads(), d, 0);
      end -= at(op.getPads(), d + kernel.size(), 0);
    }
    // Also rounds up below zero.
    split.after = -llvm::divideFloorSigned(-end, split.stride);
    split.cutAfter = split.after * split.stride - end;
    if (split.after < 0 || split.cutBefore < 0)
      return std::nullopt;
    // Whole steps that are cut off need not be computed.
    int64_t skipped =
        std::min(split.cutBefore / split.stride, split.taps() - 1);
    split.before = split.taps() - 1 - skipped;
    split.cutBefore -= skipped * split.stride;
    given *= size;
    grown *= split.taps() * split.stride;
    splits.push_back(split);
  }
  if (grown > maxGrowth * given)
    return std::nullopt;
  return splits;
}

/// w[c, m, k..] -> [m * s.., c / group, taps..], the taps backwards.
ConstantFloats splitFilter(const ConstantFloats &filter, int64_t group,
                           ArrayRef<Split> splits) {
  ArrayRef<int64_t> from = filter.type.getShape();
  int64_t inGroup = from[0] / group, outGroup = from[1];
  int64_t steps = 1, taps = 1;
  for (const Split &split : splits) {
    steps *= split.stride;
    taps *= split.taps();
  }
  SmallVector<int64_t> shape{outGroup * group * steps, inGroup};
  for (const Split &split : splits)
    shape.push_back(split.taps());
  ConstantFloats result{
      RankedTensorType::get(shape, filter.type.getElementType()),
      std::vector<double>(shape[0] * inGroup * taps, 0)};
  for (auto [position, value] : llvm::enumerate(filter.values)) {
    size_t rest = position;
    int64_t phase = 0, tap = 0, phases = 1, allTaps = 1;
    for (const Split &split : llvm::reverse(splits)) {
      int64_t k = int64_t(rest) % split.kernel;
      rest /= split.kernel;
      phase += k % split.stride * phases;
      tap += (split.taps() - 1 - k / split.stride) * allTaps;
      phases *= split.stride;
      allTaps *= split.taps();
    }
    int64_t m = int64_t(rest) % outGroup, c = int64_t(rest) / outGroup;
    int64_t channel = ((c / inGroup) * outGroup + m) * steps + phase;
    result.values[(channel * inGroup + c % inGroup) * taps + tap] = value;
  }
  return result;
}

/// Each element `times` times.
ConstantFloats repeat(const ConstantFloats &bias, int64_t times) {
  int64_t size = int64_t(bias.values.size());
  ConstantFloats result{
      RankedTensorType::get({size * times}, bias.type.getElementType()), {}};
  for (double value : bias.values)
    result.values.insert(result.values.end(), times, value);
  return result;
}

/// Does a rewrite fold the user into the weights?
bool awaitsFolding(ConvTransposeOp op) {
  if (!op->hasOneUse() || op.getGroup() != 1)
    return false;
  Operation *user = *op->user_begin();
  if (auto norm = dyn_cast<BatchNormalizationOp>(user))
    return norm->getNumResults() == 1 && ConstantFloats::read(norm.getScale());
  return isa<AddOp, MulOp>(user) &&
         llvm::any_of(user->getOperands(),
                      [](Value v) { return constantValue(v) != nullptr; });
}

/// Writes the operations that stand for one ConvTranspose.
class SplitWriter {
public:
  SplitWriter(PatternRewriter &rewriter, ConvTransposeOp op,
              ArrayRef<Split> splits)
      : rewriter(rewriter), op(op), loc(op.getLoc()), splits(splits),
        type(cast<RankedTensorType>(op.getX().getType())) {
    for (const Split &split : splits)
      steps *= split.stride;
  }

  Value write(const ConstantFloats &filter, const ConstantFloats *bias);

private:
  Value convolve(const ConstantFloats &filter, const ConstantFloats *bias);
  Value interleave(Value phases);
  Value cut(Value whole);
  Value reshape(Value data, Value like, ArrayRef<std::array<int64_t, 2>> sizes);
  static int64_t times(int64_t size, int64_t factor) {
    return ShapedType::isDynamic(size) ? size : size * factor;
  }

  PatternRewriter &rewriter;
  ConvTransposeOp op;
  Location loc;
  ArrayRef<Split> splits;
  RankedTensorType type;
  int64_t steps = 1, channels = 0;
};

} // namespace

Value SplitWriter::convolve(const ConstantFloats &filter,
                            const ConstantFloats *bias) {
  ConstantFloats split = splitFilter(filter, op.getGroup(), splits);
  channels = split.type.getDimSize(0) / steps;
  SmallVector<int64_t> shape{type.getDimSize(0), split.type.getDimSize(0)};
  SmallVector<int64_t> pads, ends;
  for (auto [d, s] : llvm::enumerate(splits)) {
    int64_t size = type.getDimSize(d + 2);
    shape.push_back(ShapedType::isDynamic(size)
                        ? size
                        : size + s.before + s.after - s.taps() + 1);
    pads.push_back(s.before);
    ends.push_back(s.after);
  }
  llvm::append_range(pads, ends);
  SmallVector<Value> operands{op.getX(),
                              split.create(rewriter, op.getW().getLoc())};
  if (bias)
    operands.push_back(
        repeat(*bias, steps).create(rewriter, op.getB().getLoc()));
  NamedAttribute attributes[] = {
      rewriter.getNamedAttr("group", rewriter.getI64IntegerAttr(op.getGroup())),
      rewriter.getNamedAttr("pads", rewriter.getDenseI64ArrayAttr(pads))};
  return ConvOp::create(
             rewriter, loc,
             TypeRange(RankedTensorType::get(shape, type.getElementType())),
             operands, attributes)
      ->getResult(0);
}

/// Reshapes to `sizes`: each a dimension of `like` with a factor, or -1 and a
/// number.
Value SplitWriter::reshape(Value data, Value like,
                           ArrayRef<std::array<int64_t, 2>> sizes) {
  auto from = cast<RankedTensorType>(like.getType());
  SmallVector<Value> parts;
  SmallVector<int64_t> shape;
  auto one = RankedTensorType::get({1}, rewriter.getI64Type());
  for (auto [dim, factor] : sizes) {
    shape.push_back(dim < 0 ? factor : times(from.getDimSize(dim), factor));
    if (!ShapedType::isDynamic(shape.back())) {
      parts.push_back(NodeMaker(rewriter, loc).ints(shape.back()));
      continue;
    }
    NamedAttribute range[] = {
        rewriter.getNamedAttr("start", rewriter.getI64IntegerAttr(dim)),
        rewriter.getNamedAttr("end", rewriter.getI64IntegerAttr(dim + 1))};
    Value size =
        ShapeOp::create(rewriter, loc, TypeRange(one), ValueRange(like), range)
            ->getResult(0);
    if (factor != 1)
      size =
          MulOp::create(rewriter, loc, TypeRange(one),
                        ValueRange{size, NodeMaker(rewriter, loc).ints(factor)})
              ->getResult(0);
    parts.push_back(size);
  }
  auto vector =
      RankedTensorType::get({int64_t(parts.size())}, rewriter.getI64Type());
  Value target = ConcatOp::create(rewriter, loc, TypeRange(vector), parts,
                                  rewriter.getNamedAttr(
                                      "axis", rewriter.getI64IntegerAttr(0)))
                     ->getResult(0);
  // Sizes of zero are meant.
  return ReshapeOp::create(
             rewriter, loc,
             TypeRange(RankedTensorType::get(shape, type.getElementType())),
             ValueRange{data, target},
             rewriter.getNamedAttr("allowzero", rewriter.getI64IntegerAttr(1)))
      ->getResult(0);
}

/// [n, m * s.., q..] -> [n, m, q * s..]
Value SplitWriter::interleave(Value phases) {
  if (steps == 1)
    return phases;
  int64_t spatial = splits.size();
  SmallVector<std::array<int64_t, 2>> apart{{0, 1}, {-1, channels}}, whole;
  SmallVector<int64_t> order{0, 1};
  whole = apart;
  for (const Split &split : splits)
    apart.push_back({-1, split.stride});
  for (int64_t d = 0; d < spatial; ++d) {
    apart.push_back({d + 2, 1});
    whole.push_back({d + 2, splits[d].stride});
    order.append({2 + spatial + d, 2 + d});
  }
  Value split = reshape(phases, phases, apart);
  auto splitType = cast<RankedTensorType>(split.getType());
  SmallVector<int64_t> shape = llvm::map_to_vector(
      order, [&](int64_t d) { return splitType.getDimSize(d); });
  Value flipped =
      TransposeOp::create(
          rewriter, loc,
          TypeRange(RankedTensorType::get(shape, type.getElementType())),
          ValueRange(split),
          rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr(order)))
          ->getResult(0);
  return reshape(flipped, phases, whole);
}

Value SplitWriter::cut(Value whole) {
  SmallVector<int64_t> starts, ends, axes;
  for (auto [d, split] : llvm::enumerate(splits)) {
    if (split.cutBefore == 0 && split.cutAfter == 0)
      continue;
    starts.push_back(split.cutBefore);
    ends.push_back(split.cutAfter ? -split.cutAfter
                                  : std::numeric_limits<int64_t>::max());
    axes.push_back(int64_t(d) + 2);
  }
  if (axes.empty())
    return whole;
  return SliceOp::create(rewriter, loc, op->getResultTypes(),
                         ValueRange{whole,
                                    NodeMaker(rewriter, loc).ints(starts),
                                    NodeMaker(rewriter, loc).ints(ends),
                                    NodeMaker(rewriter, loc).ints(axes)})
      ->getResult(0);
}

Value SplitWriter::write(const ConstantFloats &filter,
                         const ConstantFloats *bias) {
  return cut(interleave(convolve(filter, bias)));
}

namespace {

/// conv_transpose(x, w, b) {strides = [2, 2]} ->
///   slice(reshape(transpose(reshape(conv(x, w', b')))))
LogicalResult splitConvTranspose(ConvTransposeOp op,
                                 PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  auto result = dyn_cast<RankedTensorType>(op.getY().getType());
  std::optional<ConstantFloats> filter = ConstantFloats::read(op.getW());
  if (!type || !result || !filter || type.getRank() < 3 ||
      filter->type.getRank() != type.getRank() ||
      result.getRank() != type.getRank())
    return rewriter.notifyMatchFailure(op, "ranks or weights are unknown");
  ArrayRef<int64_t> sizes = filter->type.getShape();
  if (op.getGroup() < 1 || sizes[0] % op.getGroup() != 0)
    return rewriter.notifyMatchFailure(op, "groups of unequal channels");
  std::optional<ConstantFloats> bias;
  if (op.getB() && !(bias = ConstantFloats::read(op.getB())))
    return rewriter.notifyMatchFailure(op, "the bias is not constant");
  if (bias && int64_t(bias->values.size()) != sizes[1] * op.getGroup())
    return rewriter.notifyMatchFailure(op, "the bias has another size");
  std::optional<SmallVector<Split>> splits = splitsOf(op, sizes.drop_front(2));
  if (!splits)
    return rewriter.notifyMatchFailure(op, "sizes or borders do not allow it");
  if (awaitsFolding(op))
    return rewriter.notifyMatchFailure(op, "nodes after it are folded first");
  SplitWriter writer(rewriter, op, *splits);
  Value y = writer.write(*filter, bias ? &*bias : nullptr);
  y.setType(result);
  rewriter.replaceOp(op, y);
  return success();
}

} // namespace

void onnxc::onnx::populateSplitConvTransposePatterns(
    RewritePatternSet &patterns) {
  addRewrites<splitConvTranspose>(patterns);
}
