//===- Normalization.cpp - Decompose normalizations -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The operators that have no body in the standard. Their gradients are those of
// means and products, through the statistics of a batch as well.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

/// A vector over the channels as [1, c, 1, ...].
static Value overChannels(NodeMaker &graph, Value vector, int64_t rank,
                          Value like) {
  vector = graph.castLike(vector, like);
  return rank > 2 ? graph.unsqueeze(vector, range(1, rank - 1)) : vector;
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias
static Value normalized(NodeMaker &graph, Value centred, Value variance,
                        double epsilon, Value scale, Value bias) {
  Value root =
      graph.make("Sqrt", graph.add(variance, graph.number(epsilon, variance)));
  return graph.add(graph.mul(graph.div(centred, root), scale), bias);
}

/// The mean of all but one axis (or two), as sizes of 1.
static Value mean(NodeMaker &graph, Value x, ArrayRef<int64_t> axes) {
  return graph.reduce("ReduceMean", x, axes, /*keepdims=*/true);
}

/// momentum * old + (1 - momentum) * current, the current one a vector.
static Value running(NodeMaker &graph, Value old, Value current,
                     double momentum) {
  current = graph.castLike(graph.reshape(current, {-1}), old);
  return graph.add(graph.mul(old, graph.number(momentum, old)),
                   graph.mul(current, graph.number(1 - momentum, old)));
}

static LogicalResult batchNormalization(NodeMaker &graph, Operation *op,
                                        SmallVectorImpl<Value> &results) {
  auto norm = cast<BatchNormalizationOp>(op);
  Value x = norm.getX();
  int64_t rank = rankOf(x);
  if (rank < 2)
    return op->emitOpError("has no gradient for this rank");
  double epsilon = realOf(op, "epsilon", 1e-5),
         momentum = realOf(op, "momentum", 0.9);
  Value scale = overChannels(graph, norm.getScale(), rank, x);
  Value bias = overChannels(graph, norm.getB(), rank, x);
  if (!integerOf(op, "training_mode", 0)) {
    Value centred =
        graph.sub(x, overChannels(graph, norm.getInputMean(), rank, x));
    Value variance = overChannels(graph, norm.getInputVar(), rank, x);
    results.push_back(
        normalized(graph, centred, variance, epsilon, scale, bias));
    return success();
  }
  SmallVector<int64_t> axes{0};
  llvm::append_range(axes, range(2, rank));
  Value own = mean(graph, x, axes), centred = graph.sub(x, own);
  Value variance = mean(graph, graph.mul(centred, centred), axes);
  results.push_back(normalized(graph, centred, variance, epsilon, scale, bias));
  if (norm.getRunningMean())
    results.push_back(running(graph, norm.getInputMean(), own, momentum));
  if (norm.getRunningVar())
    results.push_back(running(graph, norm.getInputVar(), variance, momentum));
  return success();
}

static LogicalResult instanceNormalization(NodeMaker &graph, Operation *op,
                                           SmallVectorImpl<Value> &results) {
  auto norm = cast<InstanceNormalizationOp>(op);
  Value x = norm.getInput();
  int64_t rank = rankOf(x);
  if (rank < 3)
    return op->emitOpError("has no gradient for this rank");
  SmallVector<int64_t> axes = range(2, rank);
  Value centred = graph.sub(x, mean(graph, x, axes));
  Value variance = mean(graph, graph.mul(centred, centred), axes);
  results.push_back(normalized(graph, centred, variance,
                               realOf(op, "epsilon", 1e-5),
                               overChannels(graph, norm.getScale(), rank, x),
                               overChannels(graph, norm.getB(), rank, x)));
  return success();
}

/// The standard has bodies for some types only. Intermediate values are of the
/// type that stash_type names.
static LogicalResult layerNormalization(NodeMaker &graph, Operation *op,
                                        SmallVectorImpl<Value> &results) {
  auto norm = cast<LayerNormalizationOp>(op);
  Value x = norm.getX();
  int64_t rank = rankOf(x);
  int64_t axis = positiveAxis(integerOf(op, "axis", -1), rank);
  if (rank < 1 || axis < 0 || axis >= rank)
    return op->emitOpError("has no gradient for this rank");
  int64_t stash = integerOf(op, "stash_type", 1);
  Value wide = graph.make("Cast", x, graph.integer("to", stash));
  SmallVector<int64_t> axes = range(axis, rank);
  Value own = mean(graph, wide, axes), centred = graph.sub(wide, own);
  Value variance = mean(graph, graph.mul(centred, centred), axes);
  Value epsilon = graph.number(realOf(op, "epsilon", 1e-5), variance);
  Value inverse = graph.make("Reciprocal",
                             graph.make("Sqrt", graph.add(variance, epsilon)));
  Value y = graph.castLike(graph.mul(centred, inverse), x);
  y = graph.mul(y, norm.getScale());
  results.push_back(norm.getB() ? graph.add(y, norm.getB()) : y);
  if (norm.getMean())
    results.push_back(own);
  if (norm.getInvStdDev())
    results.push_back(inverse);
  return success();
}

/// (x - mean) / (deviation + 1e-9), for all types: the body is written in
/// numbers of one.
static LogicalResult meanVariance(NodeMaker &graph, Operation *op,
                                  SmallVectorImpl<Value> &results) {
  Value x = op->getOperand(0);
  SmallVector<int64_t> axes{0, 2, 3};
  if (auto given = op->getAttrOfType<DenseI64ArrayAttr>("axes"))
    axes.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  Value centred = graph.sub(x, mean(graph, x, axes));
  Value variance = mean(graph, graph.mul(centred, centred), axes);
  Value deviation =
      graph.add(graph.make("Sqrt", variance), graph.number(1e-9, x));
  results.push_back(graph.div(centred, deviation));
  return success();
}

/// x / (bias + alpha / size * (sum of squares over size channels)) ^ beta: the
/// sums are a pool over the channels.
static LogicalResult localResponse(NodeMaker &graph, Operation *op,
                                   SmallVectorImpl<Value> &results) {
  Value x = op->getOperand(0);
  if (rankOf(x) < 3)
    return op->emitOpError("has no gradient for this rank");
  int64_t size = integerOf(op, "size", 1);
  Value squares = graph.mul(x, x);
  // [n, 1, c, rest]
  Value shape = graph.joined({graph.sizeOf(x, 0), graph.ints({1}),
                              graph.sizeOf(x, 1), graph.ints({-1})});
  Value flat = graph.make("Reshape", {squares, shape});
  Value means = graph.make(
      "AveragePool", flat,
      {graph.list("kernel_shape", {size, 1}),
       graph.list("pads", {(size - 1) / 2, 0, size - 1 - (size - 1) / 2, 0}),
       graph.integer("count_include_pad", 1)});
  means = graph.reshapeLike(means, x);
  Value sum =
      graph.add(graph.mul(means, graph.number(realOf(op, "alpha", 1e-4), x)),
                graph.number(realOf(op, "bias", 1), x));
  results.push_back(graph.div(
      x, graph.make("Pow", {sum, graph.number(realOf(op, "beta", 0.75), x)})));
  return success();
}

/// In training the way back needs the mask of the same draw.
static LogicalResult dropoutWithMask(NodeMaker &graph, Operation *op,
                                     SmallVectorImpl<Value> &results) {
  auto drop = cast<DropoutOp>(op);
  if (!drop.getTrainingMode() || drop.getMask())
    return success();
  SmallVector<Value> operands{drop.getData(), drop.getRatio(),
                              drop.getTrainingMode()};
  results.push_back(
      graph.makeOp("Dropout", operands, attributesOf(op), 2)->getResult(0));
  return success();
}

/// The kept elements, scaled as in the forward pass.
static LogicalResult dropout(Backward &back, Operation *op, Value dy) {
  auto drop = cast<DropoutOp>(op);
  Value x = drop.getData(), trains = drop.getTrainingMode();
  if (!trains) {
    back.give(x, dy);
    return success();
  }
  Value ratio = drop.getRatio() ? back.castLike(drop.getRatio(), dy)
                                : back.number(0.5, dy);
  Value scaled = back.div(dy, back.sub(back.number(1, dy), ratio));
  Value zero = back.number(0, dy);
  Value kept = back.make("Where", {drop.getMask(), scaled, zero});
  back.give(x, back.make("Where", {trains, kept, dy}));
  return success();
}

ArrayRef<GradientRow> onnxc::training::normalizationGradients() {
  static constexpr GradientRow rows[] = {
      {"BatchNormalization", nullptr, false, batchNormalization},
      {"Dropout", dropout, false, dropoutWithMask},
      {"InstanceNormalization", nullptr, false, instanceNormalization},
      {"LRN", nullptr, false, localResponse},
      {"LayerNormalization", nullptr, false, layerNormalization},
      {"MeanVarianceNormalization", nullptr, false, meanVariance},
  };
  return rows;
}
