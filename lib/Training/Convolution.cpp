//===- Convolution.cpp - Gradients of convolutions --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WindowGradients.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

bool WindowPlan::isKnown(size_t d) const {
  return !ShapedType::isDynamic(in[d]) && !ShapedType::isDynamic(out[d]) &&
         !ShapedType::isDynamic(window[d]);
}

static void takeAttribute(Operation *op, StringRef name,
                          SmallVectorImpl<int64_t> &to) {
  auto given = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (given && size_t(given.size()) == to.size())
    to.assign(given.asArrayRef().begin(), given.asArrayRef().end());
}

/// SAME_UPPER puts the odd element after, SAME_LOWER in front.
static LogicalResult padAutomatically(Operation *op, WindowPlan &plan) {
  auto kind = op->getAttrOfType<StringAttr>("auto_pad");
  if (!kind || kind.getValue() == "NOTSET" || kind.getValue() == "VALID")
    return success();
  for (size_t d = 0; d < plan.rank(); ++d) {
    if (!plan.isKnown(d))
      return op->emitOpError("has a gradient with auto_pad for known sizes "
                             "only");
    int64_t total = std::max<int64_t>(plan.span(d) - plan.in[d], 0);
    int64_t less = total / 2;
    bool upper = kind.getValue() == "SAME_UPPER";
    plan.pads[d] = upper ? less : total - less;
    plan.pads[d + plan.rank()] = total - plan.pads[d];
  }
  return success();
}

FailureOr<WindowPlan> WindowPlan::of(Operation *op, Value in,
                                     ArrayRef<int64_t> window, Value out) {
  auto inType = dyn_cast<RankedTensorType>(in.getType()),
       outType = dyn_cast<RankedTensorType>(out.getType());
  if (!inType || inType.getRank() < 3 ||
      (outType && outType.getRank() != inType.getRank()) ||
      int64_t(window.size()) != inType.getRank() - 2)
    return op->emitOpError("has no gradient for unknown ranks");
  WindowPlan plan;
  llvm::append_range(plan.in, inType.getShape().drop_front(2));
  plan.out.assign(plan.in.size(), ShapedType::kDynamic);
  if (outType)
    llvm::copy(outType.getShape().drop_front(2), plan.out.begin());
  plan.window.assign(window.begin(), window.end());
  plan.strides.assign(plan.rank(), 1);
  plan.dilations.assign(plan.rank(), 1);
  plan.pads.assign(2 * plan.rank(), 0);
  takeAttribute(op, "strides", plan.strides);
  takeAttribute(op, "dilations", plan.dilations);
  takeAttribute(op, "pads", plan.pads);
  plan.group = integerOf(op, "group", 1);
  if (failed(padAutomatically(op, plan)))
    return failure();
  return plan;
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// Where sizes are not known, all that windows span is cut, or filled up, to
/// the size of `x`.
static Value backToUnknown(Backward &back, const WindowPlan &plan, Value dy,
                           Value weights, Value x) {
  Value all = back.make("ConvTranspose", {dy, weights},
                        {back.list("strides", plan.strides),
                         back.list("dilations", plan.dilations),
                         back.integer("group", plan.group)});
  SmallVector<int64_t> before;
  for (size_t d = 0; d < plan.rank(); ++d)
    before.push_back(-plan.pads[d]);
  Value front = back.ints(before);
  Value missing = back.sub(back.make("Shape", x, back.integer("start", 2)),
                           back.make("Shape", all, back.integer("start", 2)));
  Value pads = back.joined({front, back.sub(missing, front)});
  SmallVector<int64_t> axes = range(2, int64_t(plan.rank()) + 2);
  return back.make("Pad", {all, pads, Value(), back.ints(axes)});
}

Value onnxc::training::backToInput(Backward &back, const WindowPlan &plan,
                                   Value dy, Value weights, Value x) {
  SmallVector<int64_t> more, pads(plan.pads);
  for (size_t d = 0; d < plan.rank(); ++d) {
    if (!plan.isKnown(d))
      return backToUnknown(back, plan, dy, weights, x);
    int64_t &after = pads[d + plan.rank()];
    int64_t missing = plan.in[d] - (plan.span(d) - pads[d] - after);
    // The last window may end after the padding, where sizes are rounded up.
    after -= std::min<int64_t>(missing, 0);
    more.push_back(std::max<int64_t>(missing, 0));
  }
  return back.make("ConvTranspose", {dy, weights},
                   {back.list("strides", plan.strides),
                    back.list("dilations", plan.dilations),
                    back.list("pads", pads), back.list("output_padding", more),
                    back.integer("group", plan.group)});
}

/// [n, group * c, ...] --> [c, group * n, ...], or with `groupsFirst`
/// [group * c, n, ...]: images take the place of channels.
static Value imagesAsChannels(Backward &back, Value x, const WindowPlan &plan,
                              bool groupsFirst) {
  int64_t rank = int64_t(plan.rank()) + 2, group = plan.group;
  SmallVector<int64_t> perm = range(0, rank);
  std::swap(perm[0], perm[1]);
  if (group == 1 || groupsFirst)
    return back.transpose(x, perm);
  Value sizes = back.make("Shape", x, back.integer("start", 2));
  Value apart = back.make(
      "Reshape",
      {x, back.joined({back.sizeOf(x, 0), back.ints({group, -1}), sizes})});
  SmallVector<int64_t> order{2, 1, 0};
  llvm::append_range(order, range(3, rank + 1));
  apart = back.transpose(apart, order);
  Value channels = back.make("Div", {back.sizeOf(x, 1), back.ints({group})});
  return back.make("Reshape",
                   {apart, back.joined({channels, back.ints({-1}), sizes})});
}

/// Strides and dilations swap; elements that a stride leaves over at the end
/// are cut off.
Value onnxc::training::backToWeights(Backward &back, const WindowPlan &plan,
                                     Value x, Value dy, Value weights) {
  Value images = imagesAsChannels(back, x, plan, /*groupsFirst=*/false);
  Value filter = imagesAsChannels(back, dy, plan, /*groupsFirst=*/true);
  Value dw = back.make("Conv", {images, filter},
                       {back.list("strides", plan.dilations),
                        back.list("dilations", plan.strides),
                        back.list("pads", plan.pads),
                        back.integer("group", plan.group)});
  SmallVector<int64_t> perm = range(0, int64_t(plan.rank()) + 2);
  SmallVector<int64_t> axes = range(2, int64_t(plan.rank()) + 2);
  SmallVector<int64_t> zeros(plan.rank(), 0);
  std::swap(perm[0], perm[1]);
  Value window = llvm::any_of(plan.window, ShapedType::isDynamic)
                     ? back.make("Shape", weights, back.integer("start", 2))
                     : back.ints(plan.window);
  dw = back.make("Slice", {dw, back.ints(zeros), window, back.ints(axes)});
  return back.transpose(dw, perm);
}

static void backToBias(Backward &back, Value bias, Value dy,
                       const WindowPlan &plan) {
  if (!bias || !back.needs(bias))
    return;
  SmallVector<int64_t> axes{0};
  llvm::append_range(axes, range(2, int64_t(plan.rank()) + 2));
  back.give(bias, back.reduce("ReduceSum", dy, axes, /*keepdims=*/false));
}

/// The last dimensions of the weights.
static ArrayRef<int64_t> windowOf(Value weights) {
  auto type = dyn_cast<RankedTensorType>(weights.getType());
  return type && type.getRank() >= 3 ? type.getShape().drop_front(2)
                                     : ArrayRef<int64_t>();
}

static LogicalResult conv(Backward &back, Operation *op, Value dy) {
  auto convolution = cast<ConvOp>(op);
  Value x = convolution.getX(), w = convolution.getW();
  FailureOr<WindowPlan> plan =
      WindowPlan::of(op, x, windowOf(w), op->getResult(0));
  if (failed(plan))
    return failure();
  if (back.needs(x))
    back.give(x, backToInput(back, *plan, dy, w, x));
  if (back.needs(w))
    back.give(w, backToWeights(back, *plan, x, dy, w));
  backToBias(back, convolution.getB(), dy, *plan);
  return success();
}

/// The transposition of a convolution that leads from y to x.
static LogicalResult convTranspose(Backward &back, Operation *op, Value dy) {
  auto convolution = cast<ConvTransposeOp>(op);
  Value x = convolution.getX(), w = convolution.getW();
  if (op->getAttr("output_shape"))
    return op->emitOpError("has a gradient without output_shape only");
  FailureOr<WindowPlan> plan =
      WindowPlan::of(op, op->getResult(0), windowOf(w), x);
  if (failed(plan))
    return failure();
  SmallVector<int64_t> more(plan->rank(), 0);
  takeAttribute(op, "output_padding", more);
  for (auto [n, stride] : llvm::zip(more, plan->strides))
    if (n >= stride)
      return op->emitOpError("has no gradient for an output_padding as large "
                             "as the stride");
  if (back.needs(x))
    back.give(x, back.make("Conv", {dy, w},
                           {back.list("strides", plan->strides),
                            back.list("dilations", plan->dilations),
                            back.list("pads", plan->pads),
                            back.integer("group", plan->group)}));
  if (back.needs(w))
    back.give(w, backToWeights(back, *plan, dy, x, w));
  backToBias(back, convolution.getB(), dy, *plan);
  return success();
}

ArrayRef<GradientRow> onnxc::training::convolutionGradients() {
  static constexpr GradientRow rows[] = {
      {"Conv", conv},
      {"ConvTranspose", convTranspose},
  };
  return rows;
}
