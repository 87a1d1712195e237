//===- Backward.cpp - Gradients add up on the way back ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using namespace onnxc::training;

GradientTable::GradientTable() {
  for (ArrayRef<GradientRow> family :
       {elementwiseGradients(), reductionGradients(), movementGradients(),
        indexedGradients(), productGradients(), convolutionGradients(),
        poolingGradients(), normalizationGradients(), controlFlowGradients(),
        recurrentGradients()})
    for (const GradientRow &row : family)
      rows[row.name] = &row;
}

const GradientRow *GradientTable::find(Operation *op) const {
  return rows.lookup(op->getName().stripDialect());
}

void Backward::give(Value operand, Value gradient) {
  if (!needs(operand))
    return;
  // All gradients are values of this pass; inference has fewer of their sizes.
  bool isOwn = gradient.getDefiningOp() && gradient.use_empty();
  if (isOwn && isa<RankedTensorType>(operand.getType()))
    gradient.setType(operand.getType());
  Value &sum = gradients[operand];
  sum = sum ? add(sum, gradient) : gradient;
}

Value Backward::gradientOrZeros(Value value) {
  Value gradient = gradientOf(value);
  return gradient ? gradient : zerosLike(value);
}

std::optional<SmallVector<int64_t>> Backward::knownInts(Value value) {
  if (!value)
    return std::nullopt;
  auto known = onnx::constantInts(value);
  return known || !dims ? known : dims->constantContents(value);
}

std::optional<SmallVector<int64_t>>
Backward::broadcastAxes(Value operand, Value whole, int64_t same) {
  auto type = dyn_cast<RankedTensorType>(operand.getType()),
       wide = dyn_cast<RankedTensorType>(whole.getType());
  if (!type || !wide || type.getRank() > wide.getRank())
    return std::nullopt;
  int64_t lead = wide.getRank() - type.getRank();
  SmallVector<int64_t> axes = range(0, lead);
  for (int64_t d = lead; d < wide.getRank() - same; ++d) {
    if (type.getDimSize(d - lead) == 1) {
      if (wide.getDimSize(d) != 1)
        axes.push_back(d);
    } else if (type.isDynamicDim(d - lead) &&
               !(dims && dims->areEqual(operand, d - lead, whole, d))) {
      return std::nullopt;
    }
  }
  return axes;
}

/// Sums up the axes whose sizes turn out to differ, the operand's shape filled
/// up with 1.
Value Backward::sumAtRun(Value gradient, Value operand) {
  Value shape = shapeOf(operand), whole = shapeOf(gradient);
  Value missing = reshape(sub(make("Size", whole), make("Size", shape)),
                          ArrayRef<int64_t>{1});
  Value padded = joined({make("Expand", {ints({1}), missing}), shape});
  Value differs = make("Not", make("Equal", {padded, whole}));
  Value axes = reshape(make("NonZero", differs), {-1});
  Value sum =
      make("ReduceSum", {gradient, axes}, integer("noop_with_empty_axes", 1));
  // Inference fails on unknown axes; dimensions are kept.
  if (auto wide = dyn_cast<RankedTensorType>(gradient.getType()))
    sum.setType(RankedTensorType::get(
        SmallVector<int64_t>(wide.getRank(), ShapedType::kDynamic),
        wide.getElementType()));
  return make("Reshape", {sum, shape}, integer("allowzero", 1));
}

void Backward::giveBroadcast(Value operand, Value gradient, Value whole,
                             int64_t same) {
  if (!needs(operand))
    return;
  auto axes = broadcastAxes(operand, whole, same);
  if (!axes)
    return give(operand, sumAtRun(gradient, operand));
  int64_t lead = rankOf(whole) - rankOf(operand);
  if (!axes->empty()) {
    bool onlyLead = int64_t(axes->size()) == lead;
    gradient = reduce("ReduceSum", gradient, *axes, /*keepdims=*/!onlyLead);
    if (lead > 0 && !onlyLead)
      gradient = squeeze(gradient, range(0, lead));
  }
  give(operand, gradient);
}

LogicalResult Backward::run(ArrayRef<Operation *> path) {
  for (Operation *step : llvm::reverse(path)) {
    bool isReached = llvm::any_of(step->getResults(), [&](Value result) {
      return gradientOf(result) != nullptr;
    });
    if (!isReached)
      continue;
    const GradientRow *row = table.find(step);
    assert((row->takesAllResults ||
            llvm::none_of(step->getResults().drop_front(),
                          [&](Value other) { return gradientOf(other); })) &&
           "the results after the first one are integers");
    loc = step->getLoc();
    if (failed(row->rule(*this, step, gradientOf(step->getResult(0)))))
      return failure();
  }
  return success();
}
