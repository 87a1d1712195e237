//===- Pooling.cpp - Gradients of pools and of resizing ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WindowGradients.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

//===----------------------------------------------------------------------===//
// AveragePool: a convolution of each channel with ones
//===----------------------------------------------------------------------===//

/// Ones of the shape [1, 1, ...], as large as x at the end.
static Value onesOver(Backward &back, Value x) {
  return back.make(
      "Expand",
      {back.number(1, x),
       back.joined({back.ints({1, 1}),
                    back.make("Shape", x, back.integer("start", 2))})});
}

static Value onesOfWindow(Backward &back, Value x, const WindowPlan &plan) {
  SmallVector<int64_t> shape{1, 1};
  llvm::append_range(shape, plan.window);
  return back.make("Expand", {back.number(1, x), back.ints(shape)});
}

/// How many elements each mean is taken of: [1, 1, ...].
static FailureOr<Value> countsOf(Backward &back, AveragePoolOp pool,
                                 const WindowPlan &plan) {
  bool isWhole = pool.getCountIncludePad(), roundsUp = pool.getCeilMode();
  if (isWhole && !roundsUp) {
    int64_t count = 1;
    for (int64_t n : plan.window)
      count *= n;
    return back.number(double(count), pool.getX());
  }
  SmallVector<int64_t> pads = plan.pads;
  for (size_t d = 0; d < plan.rank() && roundsUp; ++d) {
    if (!plan.isKnown(d))
      return pool.emitOpError("has a gradient with ceil_mode for known sizes "
                              "only");
    int64_t &after = pads[d + plan.rank()];
    after +=
        std::max<int64_t>(plan.span(d) - plan.in[d] - plan.pads[d] - after, 0);
  }
  Value ones = onesOver(back, pool.getX());
  if (isWhole) {
    // Padding counts, elements after it do not.
    SmallVector<int64_t> axes = range(2, int64_t(plan.rank()) + 2);
    ones = back.make("Pad", {ones, back.ints(plan.pads), back.number(1, ones),
                             back.ints(axes)});
    for (auto [pad, own] : llvm::zip(pads, plan.pads))
      pad -= own;
  }
  return back.make("Conv", {ones, onesOfWindow(back, ones, plan)},
                   {back.list("strides", plan.strides),
                    back.list("dilations", plan.dilations),
                    back.list("pads", pads)});
}

/// All images and channels as images of one channel.
static Value channelsAsImages(Backward &back, Value x) {
  Value sizes = back.make("Shape", x, back.integer("start", 2));
  return back.make("Reshape", {x, back.joined({back.ints({-1, 1}), sizes})});
}

static LogicalResult averagePool(Backward &back, Operation *op, Value dy) {
  auto pool = cast<AveragePoolOp>(op);
  FailureOr<WindowPlan> plan =
      WindowPlan::of(op, pool.getX(), pool.getKernelShape(), op->getResult(0));
  if (failed(plan))
    return failure();
  FailureOr<Value> counts = countsOf(back, pool, *plan);
  if (failed(counts))
    return failure();
  Value share = channelsAsImages(back, back.div(dy, *counts));
  Value flat = channelsAsImages(back, pool.getX());
  Value dx =
      backToInput(back, *plan, share, onesOfWindow(back, share, *plan), flat);
  back.give(pool.getX(), back.reshapeLike(dx, pool.getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// Resize: along each axis a product with a matrix
//===----------------------------------------------------------------------===//

/// The matrix [out, in] of one axis: the operator's result for the unit matrix.
static Value resizeMatrix(Backward &back, ResizeOp resize, int64_t axis,
                          int64_t position) {
  Value x = resize.getX();
  auto element = [&](Value vector) {
    return back.make(
        "Slice", {vector, back.ints({position}), back.ints({position + 1})});
  };
  Value size = back.sizeOf(x, axis);
  Value rows = back.unsqueeze(back.positions(x, axis), 1);
  Value columns = back.unsqueeze(back.positions(x, axis), 0);
  Value unit = back.castLike(back.make("Equal", {rows, columns}), x);
  SmallVector<Value> operands{unit, Value(), Value(), Value()};
  if (resize.getScales())
    operands[2] =
        back.joined({element(resize.getScales()),
                     back.castLike(back.ints({1}), resize.getScales())});
  else
    operands[3] = back.joined({element(resize.getSizes()), size});
  SmallVector<NamedAttribute> attributes;
  for (StringRef name :
       {"antialias", "coordinate_transformation_mode", "cubic_coeff_a",
        "exclude_outside", "mode", "nearest_mode"})
    if (Attribute value = resize->getAttr(name))
      attributes.push_back(back.builder.getNamedAttr(name, value));
  return back.make("Resize", operands, attributes);
}

static LogicalResult resize(Backward &back, Operation *op, Value dy) {
  auto resize = cast<ResizeOp>(op);
  int64_t rank = rankOf(resize.getX());
  auto policy = op->getAttrOfType<StringAttr>("keep_aspect_ratio_policy");
  auto mode = op->getAttrOfType<StringAttr>("coordinate_transformation_mode");
  if (rank < 0 || (mode && mode.getValue() == "tf_crop_and_resize") ||
      (policy && policy.getValue() != "stretch"))
    return op->emitOpError("has a gradient for whole images of a known rank, "
                           "stretched, only");
  SmallVector<int64_t> axes = range(0, rank);
  if (auto given = op->getAttrOfType<DenseI64ArrayAttr>("axes"))
    axes.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  for (auto [position, given] : llvm::enumerate(axes)) {
    // The verifier has compared the axes with the rank.
    int64_t axis = positiveAxis(given, rank);
    auto in = cast<RankedTensorType>(resize.getX().getType()),
         out = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (out && !in.isDynamicDim(axis) &&
        in.getDimSize(axis) == out.getDimSize(axis))
      continue;
    SmallVector<int64_t> perm = range(0, rank);
    std::swap(perm[axis], perm[rank - 1]);
    Value matrix = resizeMatrix(back, resize, axis, position);
    dy = back.transpose(back.make("MatMul", {back.transpose(dy, perm), matrix}),
                        perm);
  }
  back.give(resize.getX(), dy);
  return success();
}

//===----------------------------------------------------------------------===//
// Pools that are other operators
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<int64_t>> spatialAxes(Operation *op) {
  int64_t rank = rankOf(op->getOperand(0));
  if (rank < 0)
    return op->emitOpError("has no gradient for an unknown rank");
  return range(2, rank);
}

static LogicalResult globalMaxPool(NodeMaker &graph, Operation *op,
                                   SmallVectorImpl<Value> &results) {
  FailureOr<SmallVector<int64_t>> axes = spatialAxes(op);
  if (failed(axes))
    return failure();
  results.push_back(
      graph.reduce("ReduceMax", op->getOperand(0), *axes, /*keepdims=*/true));
  return success();
}

/// The root of a sum of powers.
static Value norm(NodeMaker &graph, Value x, int64_t p,
                  ArrayRef<int64_t> axes) {
  if (p == 1)
    return graph.reduce("ReduceL1", x, axes, /*keepdims=*/true);
  if (p == 2)
    return graph.reduce("ReduceL2", x, axes, /*keepdims=*/true);
  Value exponent = graph.number(double(p), x);
  Value powers = graph.make("Pow", {graph.make("Abs", x), exponent});
  Value sum = graph.reduce("ReduceSum", powers, axes, /*keepdims=*/true);
  return graph.make("Pow", {sum, graph.make("Reciprocal", exponent)});
}

static LogicalResult globalLpPool(NodeMaker &graph, Operation *op,
                                  SmallVectorImpl<Value> &results) {
  FailureOr<SmallVector<int64_t>> axes = spatialAxes(op);
  if (failed(axes))
    return failure();
  results.push_back(
      norm(graph, op->getOperand(0), integerOf(op, "p", 2), *axes));
  return success();
}

static LogicalResult lpNormalization(NodeMaker &graph, Operation *op,
                                     SmallVectorImpl<Value> &results) {
  Value x = op->getOperand(0);
  Value length =
      norm(graph, x, integerOf(op, "p", 2), {integerOf(op, "axis", -1)});
  // A row of zeros stays one.
  Value isZero = graph.make("Equal", {length, graph.number(0, x)});
  Value safe = graph.make("Where", {isZero, graph.number(1, x), length});
  results.push_back(graph.div(x, safe));
  return success();
}

ArrayRef<GradientRow> onnxc::training::poolingGradients() {
  static constexpr GradientRow rows[] = {
      {"AveragePool", averagePool},
      {"GlobalLpPool", nullptr, false, globalLpPool},
      {"GlobalMaxPool", nullptr, false, globalMaxPool},
      {"LpNormalization", nullptr, false, lpNormalization},
      {"Resize", resize},
  };
  return rows;
}
