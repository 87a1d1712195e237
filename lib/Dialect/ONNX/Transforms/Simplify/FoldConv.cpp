//===- FoldConv.cpp - Affine maps into convolution weights -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operators after a convolution that map each channel c to x * scale[c] +
// shift[c] with constants become part of the weights and the bias:
//
//   scale * (conv(x, w) + b) + shift == conv(x, w * scale) + (b * scale +
//   shift)
//
// The arithmetic is in double precision and rounded once.
//
//===----------------------------------------------------------------------===//
#include "ConstantFloats.h"
#include "Simplify.h"

#include "onnxc/Support/RewriteFunction.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// x * scale[c] + shift[c] on channel c.
struct ChannelMap {
  std::vector<double> scale, shift;
};

/// One value per channel from a constant that broadcasts against [n, c, h..]:
/// of one element, or of sizes 1 but for the channels.
std::optional<std::vector<double>> perChannel(Value value, size_t channels,
                                              int64_t rank) {
  std::optional<ConstantFloats> constant = ConstantFloats::read(value);
  if (!constant || constant->type.getRank() > rank)
    return std::nullopt;
  if (constant->values.size() == 1)
    return std::vector<double>(channels, constant->values.front());
  int64_t channelDim = constant->type.getRank() - (rank - 1);
  bool isVector =
      channelDim >= 0 && constant->values.size() == channels &&
      constant->type.getDimSize(channelDim) == static_cast<int64_t>(channels);
  if (!isVector)
    return std::nullopt;
  return std::move(constant->values);
}

/// The operand of a commutative `op` that is no constant, and the other.
std::pair<Value, Value> variableAndConstant(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  return constantValue(left) ? std::pair(right, left) : std::pair(left, right);
}

std::optional<ChannelMap> mapOf(BatchNormalizationOp op, size_t channels,
                                int64_t rank) {
  if (op.getTrainingMode() != 0)
    return std::nullopt;
  auto scale = ConstantFloats::read(op.getScale());
  auto shift = ConstantFloats::read(op.getB());
  auto mean = ConstantFloats::read(op.getInputMean());
  auto variance = ConstantFloats::read(op.getInputVar());
  if (!scale || !shift || !mean || !variance)
    return std::nullopt;
  for (const auto *part : {&*scale, &*shift, &*mean, &*variance})
    if (part->values.size() != channels)
      return std::nullopt;
  ChannelMap map;
  for (size_t c = 0; c < channels; ++c) {
    double factor = scale->values[c] /
                    std::sqrt(variance->values[c] + double(op.getEpsilon()));
    map.scale.push_back(factor);
    map.shift.push_back(shift->values[c] - mean->values[c] * factor);
  }
  return map;
}

std::optional<ChannelMap> mapOf(MulOp op, size_t channels, int64_t rank) {
  auto scale = perChannel(variableAndConstant(op).second, channels, rank);
  if (!scale)
    return std::nullopt;
  return ChannelMap{*scale, std::vector<double>(channels, 0)};
}

std::optional<ChannelMap> mapOf(AddOp op, size_t channels, int64_t rank) {
  auto shift = perChannel(variableAndConstant(op).second, channels, rank);
  if (!shift)
    return std::nullopt;
  return ChannelMap{std::vector<double>(channels, 1), *shift};
}

/// The weights of a convolution and where the output channel is in them.
struct Weights {
  ConstantFloats filter;
  ConstantFloats bias;
  unsigned channelDim;

  void apply(const ChannelMap &map) {
    size_t inner = 1, channels = map.scale.size();
    for (int64_t i = channelDim + 1; i < filter.type.getRank(); ++i)
      inner *= filter.type.getDimSize(i);
    for (auto [i, value] : llvm::enumerate(filter.values))
      value *= map.scale[i / inner % channels];
    for (auto [c, value] : llvm::enumerate(bias.values))
      value = value * map.scale[c] + map.shift[c];
  }
};

template <typename Conv>
std::optional<Weights> readWeights(Conv conv) {
  bool isTransposed = std::is_same_v<Conv, ConvTransposeOp>;
  if (isTransposed && conv.getGroup() != 1)
    return std::nullopt; // the output channel is not one dimension
  std::optional<ConstantFloats> filter = ConstantFloats::read(conv.getW());
  if (!filter || filter->type.getRank() < 3)
    return std::nullopt;
  unsigned channelDim = isTransposed ? 1 : 0;
  int64_t channels = filter->type.getDimSize(channelDim);
  auto biasType =
      RankedTensorType::get({channels}, filter->type.getElementType());
  ConstantFloats bias{biasType, std::vector<double>(channels, 0)};
  if (conv.getB()) {
    std::optional<ConstantFloats> given = ConstantFloats::read(conv.getB());
    if (!given || given->type != biasType)
      return std::nullopt;
    bias = std::move(*given);
  }
  return Weights{std::move(*filter), std::move(bias), channelDim};
}

/// batchnorm(conv(x, w, b)) -> conv(x, w', b'); mul and add of channels too
template <typename Follower, typename Conv>
LogicalResult foldIntoConv(Follower op, PatternRewriter &rewriter) {
  Value input = op->getOperand(0);
  if constexpr (!std::is_same_v<Follower, BatchNormalizationOp>)
    input = variableAndConstant(op).first;
  auto conv = input.template getDefiningOp<Conv>();
  if (!conv || !conv->hasOneUse())
    return rewriter.notifyMatchFailure(op, "follows no convolution alone");
  if (op->getNumResults() != 1)
    return rewriter.notifyMatchFailure(op, "has statistics as results");
  std::optional<Weights> weights = readWeights(conv);
  if (!weights)
    return rewriter.notifyMatchFailure(op, "the weights are not constant");
  std::optional<ChannelMap> map =
      mapOf(op, weights->bias.values.size(), weights->filter.type.getRank());
  if (!map)
    return rewriter.notifyMatchFailure(op, "is not a constant map of channels");
  weights->apply(*map);

  rewriter.setInsertionPoint(op);
  Value filter = weights->filter.create(rewriter, conv.getW().getLoc());
  Value bias = weights->bias.create(rewriter, op->getLoc());
  rewriter.replaceOpWithNewOp<Conv>(op, op->getResultTypes(),
                                    ValueRange{conv.getX(), filter, bias},
                                    conv->getAttrDictionary().getValue());
  return success();
}

} // namespace

void onnxc::onnx::populateFoldConvPatterns(RewritePatternSet &patterns) {
  addRewrites<foldIntoConv<AddOp, ConvOp>, foldIntoConv<AddOp, ConvTransposeOp>,
              foldIntoConv<BatchNormalizationOp, ConvOp>,
              foldIntoConv<BatchNormalizationOp, ConvTransposeOp>,
              foldIntoConv<MulOp, ConvOp>,
              foldIntoConv<MulOp, ConvTransposeOp>>(patterns);
}
