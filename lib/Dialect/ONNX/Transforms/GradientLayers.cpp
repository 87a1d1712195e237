//===- GradientLayers.cpp - Gradients of products and pools -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The last two dimensions change places.
static Value transposed(Backward &back, Value x) {
  SmallVector<int64_t> perm;
  for (int64_t d = 0; d < rankOf(x); ++d)
    perm.push_back(d);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return back.make("Transpose", x, back.list("perm", perm));
}

static LogicalResult matMul(Backward &back, Operation *op, Value dy) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (rankOf(a) < 2 || rankOf(b) < 2)
    return op->emitOpError("has no gradient for vectors or unknown ranks");
  if (back.needs(a))
    back.giveBroadcast(a, back.make("MatMul", {dy, transposed(back, b)}));
  if (back.needs(b))
    back.giveBroadcast(b, back.make("MatMul", {transposed(back, a), dy}));
  return success();
}

/// y = alpha * a' * b' + beta * c, ' standing for a transposition or none.
static LogicalResult gemm(Backward &back, Operation *op, Value dy) {
  auto product = cast<GemmOp>(op);
  Value a = product.getA(), b = product.getB();
  bool transA = product.getTransA(), transB = product.getTransB();
  float alpha = product.getAlpha();
  auto multiply = [&](Value x, bool transX, Value y, bool transY) {
    return back.make("Gemm", {x, y},
                     {back.integer("transA", transX),
                      back.integer("transB", transY),
                      back.real("alpha", alpha)});
  };
  if (back.needs(a))
    back.give(a, transA ? multiply(b, transB, dy, true)
                        : multiply(dy, false, b, !transB));
  if (back.needs(b))
    back.give(b, transB ? multiply(dy, true, a, transA)
                        : multiply(a, !transA, dy, false));
  Value c = product.getC();
  if (c && back.needs(c)) {
    Value beta = back.number(product.getBeta(), c);
    back.giveBroadcast(c, back.make("Mul", {dy, beta}));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// A convolution of known sizes.
struct Geometry {
  SmallVector<int64_t> in, window, out, strides, dilations, pads;

  /// Fails, with an error, where something is not known.
  static FailureOr<Geometry> of(ConvOp op);
};
} // namespace

FailureOr<Geometry> Geometry::of(ConvOp op) {
  auto x = dyn_cast<RankedTensorType>(op.getX().getType()),
       w = dyn_cast<RankedTensorType>(op.getW().getType()),
       y = dyn_cast<RankedTensorType>(op.getY().getType());
  if (!x || !w || !y || x.getRank() < 3 || w.getRank() != x.getRank())
    return op.emitOpError("has no gradient for unknown ranks");
  if (op.getAutoPad() != "NOTSET" && op.getAutoPad() != "VALID")
    return op.emitOpError("has a gradient for explicit pads only");
  Geometry geometry;
  size_t spatial = x.getRank() - 2;
  geometry.strides.assign(spatial, 1);
  geometry.dilations.assign(spatial, 1);
  geometry.pads.assign(2 * spatial, 0);
  auto take = [](SmallVector<int64_t> &to,
                 std::optional<ArrayRef<int64_t>> given) {
    if (given && given->size() == to.size())
      to.assign(given->begin(), given->end());
  };
  take(geometry.strides, op.getStrides());
  take(geometry.dilations, op.getDilations());
  take(geometry.pads, op.getPads());
  for (size_t d = 0; d < spatial; ++d) {
    for (auto [type, sizes] : {std::pair(x, &geometry.in),
                               {w, &geometry.window},
                               {y, &geometry.out}}) {
      if (type.isDynamicDim(d + 2))
        return op.emitOpError("has a gradient for known sizes only");
      sizes->push_back(type.getDimSize(d + 2));
    }
  }
  return geometry;
}

/// dx: each element of dy goes back to the window that it comes from.
static Value convInput(Backward &back, ConvOp op, const Geometry &geometry,
                       Value dy) {
  SmallVector<int64_t> more;
  size_t spatial = geometry.in.size();
  for (size_t d = 0; d < spatial; ++d) {
    int64_t reached = (geometry.out[d] - 1) * geometry.strides[d] +
                      (geometry.window[d] - 1) * geometry.dilations[d] + 1 -
                      geometry.pads[d] - geometry.pads[d + spatial];
    more.push_back(geometry.in[d] - reached);
  }
  return back.make("ConvTranspose", {dy, op.getW()},
                   {back.list("strides", geometry.strides),
                    back.list("dilations", geometry.dilations),
                    back.list("pads", geometry.pads),
                    back.list("output_padding", more),
                    back.integer("group", op.getGroup())});
}

/// dw: x and dy convolved over the images, strides and dilations having changed
/// places; what a stride leaves over at the end is cut off.
static Value convFilter(Backward &back, ConvOp op, const Geometry &geometry,
                        Value dy) {
  SmallVector<int64_t> perm{1, 0}, axes, zeros(geometry.in.size(), 0);
  for (size_t d = 0; d < geometry.in.size(); ++d) {
    perm.push_back(d + 2);
    axes.push_back(d + 2);
  }
  Value x = back.make("Transpose", op.getX(), back.list("perm", perm));
  Value filter = back.make("Transpose", dy, back.list("perm", perm));
  Value dw = back.make("Conv", {x, filter},
                       {back.list("strides", geometry.dilations),
                        back.list("dilations", geometry.strides),
                        back.list("pads", geometry.pads)});
  dw = back.make("Slice", {dw, back.ints(zeros), back.ints(geometry.window),
                           back.ints(axes)});
  return back.make("Transpose", dw, back.list("perm", perm));
}

static LogicalResult conv(Backward &back, Operation *op, Value dy) {
  auto convolution = cast<ConvOp>(op);
  FailureOr<Geometry> geometry = Geometry::of(convolution);
  if (failed(geometry))
    return failure();
  if (back.needs(convolution.getX()))
    back.give(convolution.getX(), convInput(back, convolution, *geometry, dy));
  if (back.needs(convolution.getW())) {
    if (convolution.getGroup() != 1)
      return op->emitOpError("of groups has no gradient by its weights");
    back.give(convolution.getW(), convFilter(back, convolution, *geometry, dy));
  }
  if (Value bias = convolution.getB(); bias && back.needs(bias)) {
    SmallVector<int64_t> axes{0};
    for (size_t d = 0; d < geometry->in.size(); ++d)
      axes.push_back(d + 2);
    back.give(bias, back.make("ReduceSum", {dy, back.ints(axes)},
                              back.integer("keepdims", 0)));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pooling and losses
//===----------------------------------------------------------------------===//

/// dy goes to where the largest elements are.
static LogicalResult maxPool(Backward &back, Operation *op, Value dy) {
  auto pool = cast<MaxPoolOp>(op);
  if (pool.getStorageOrder() != 0)
    return op->emitOpError("has a gradient for storage_order 0 only");
  Value x = pool.getX();
  NamedAttrList attributes(op->getAttrs());
  attributes.erase("resultSegmentSizes");
  Operation *indexed =
      back.makeOp("MaxPool", x, attributes.getAttrs(), /*results=*/2);
  Value flat = back.reshape(dy, -1),
        places = back.reshape(indexed->getResult(1), -1),
        zeros = back.reshape(back.zerosLike(x), -1);
  Builder builder(op->getContext());
  Value dx = back.make(
      "ScatterElements", {zeros, places, flat},
      builder.getNamedAttr("reduction", builder.getStringAttr("add")));
  back.give(x, back.make("Reshape", {dx, back.shapeOf(x)}));
  return success();
}

/// The mean or sum over rows of -log(softmax(scores)) at the label.
static LogicalResult crossEntropy(Backward &back, Operation *op, Value dy) {
  auto loss = cast<SoftmaxCrossEntropyLossOp>(op);
  Value scores = loss.getScores(), labels = loss.getLabels();
  auto type = dyn_cast<RankedTensorType>(scores.getType());
  if (loss.getWeights() || loss.getIgnoreIndex() || !type ||
      type.getRank() != 2 || type.isDynamicDim(1) ||
      loss.getReduction() == "none")
    return op->emitOpError("has a gradient for two dimensions, known classes, "
                           "no weights and no ignore_index only");
  Value classes = back.ints(type.getDimSize(1));
  Value values = back.make("Concat",
                           {back.reshape(back.number(0, scores), {1}),
                            back.reshape(back.number(1, scores), {1})},
                           back.integer("axis", 0));
  Value wanted = back.make("OneHot", {labels, classes, values});
  Value dx = back.make(
      "Sub", {back.make("Softmax", scores, back.integer("axis", 1)), wanted});
  if (loss.getReduction() == "mean") {
    Value rows = back.make("CastLike", {back.make("Size", labels), scores});
    dx = back.make("Div", {dx, rows});
  }
  back.give(scores, back.make("Mul", {dx, dy}));
  return success();
}

void onnxc::onnx::addLayerGradients(GradientRules &rules) {
  rules["Conv"] = conv;
  rules["Gemm"] = gemm;
  rules["MatMul"] = matMul;
  rules["MaxPool"] = maxPool;
  rules["SoftmaxCrossEntropyLoss"] = crossEntropy;
}
