//===- Reductions.cpp - Gradients of sums, extremes and rows ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

/// The axes that are reduced; null stands for all of them.
static Value axesOf(Operation *op) {
  if (op->getNumOperands() < 2)
    return {};
  auto known = constantInts(op->getOperand(1));
  return known && known->empty() ? Value() : op->getOperand(1);
}

/// Returns true if the operator has no axes and does nothing then.
static bool reducesNothing(Operation *op) {
  return !axesOf(op) && integerOf(op, "noop_with_empty_axes", 0);
}

/// A value of the shape of the result, with the reduced axes as sizes of 1.
static Value withAxes(Backward &back, Operation *op, Value value) {
  if (integerOf(op, "keepdims", 1) == 1)
    return value;
  if (Value axes = axesOf(op))
    return back.make("Unsqueeze", {value, axes});
  // All axes: one number.
  int64_t rank = rankOf(op->getOperand(0));
  if (rank < 0)
    return value;
  return back.reshape(value, SmallVector<int64_t>(rank, 1));
}

static Value spread(Backward &back, Operation *op, Value dy) {
  return back.make("Expand",
                   {withAxes(back, op, dy), back.shapeOf(op->getOperand(0))});
}

namespace {
/// The factor of the broadcast dy; y has the reduced axes as sizes of 1.
using Factor = Value (*)(Backward &, Value x, Value y);
} // namespace

template <Factor factor>
static LogicalResult reduced(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), y = op->getResult(0);
  bool isAlone = reducesNothing(op);
  Value wide = isAlone ? y : withAxes(back, op, y);
  Value slope = isAlone ? dy : withAxes(back, op, dy);
  back.give(x, back.mul(slope, factor(back, x, wide)));
  return success();
}

static Value ofL1(Backward &back, Value x, Value) {
  return back.make("Sign", x);
}
/// x / y; a row of zeros has no slope.
static Value ofL2(Backward &back, Value x, Value y) {
  Value zero = back.number(0, x);
  Value isZero = back.make("Equal", {y, zero});
  Value safe = back.make("Where", {isZero, back.number(1, x), y});
  return back.div(x, safe);
}
static Value ofSquares(Backward &back, Value x, Value) {
  return back.mul(back.number(2, x), x);
}
static Value ofLogSumExp(Backward &back, Value x, Value y) {
  return back.make("Exp", back.sub(x, y));
}
/// 1 / exp(y), of the shape of x.
static Value ofLogSum(Backward &back, Value x, Value y) {
  Value slope = back.make("Exp", back.make("Neg", y));
  return back.make("Expand", {slope, back.shapeOf(x)});
}

static LogicalResult reduceSum(Backward &back, Operation *op, Value dy) {
  back.give(op->getOperand(0), reducesNothing(op) ? dy : spread(back, op, dy));
  return success();
}

/// Elements of x for each of y, as a float.
static Value share(Backward &back, Value x, Value y) {
  return back.castLike(back.div(back.make("Size", x), back.make("Size", y)), x);
}

static LogicalResult reduceMean(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  if (!reducesNothing(op))
    dy = spread(back, op, back.div(dy, share(back, x, op->getResult(0))));
  back.give(x, dy);
  return success();
}

/// dy goes to the extremes, in equal parts if there are several.
static LogicalResult reduceExtreme(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  if (reducesNothing(op)) {
    back.give(x, dy);
    return success();
  }
  Value wide = withAxes(back, op, op->getResult(0));
  Value hits = back.castLike(back.make("Equal", {x, wide}), x);
  SmallVector<Value> operands{hits};
  if (Value axes = axesOf(op))
    operands.push_back(axes);
  int64_t isNoop = integerOf(op, "noop_with_empty_axes", 0);
  Value count = back.make("ReduceSum", operands,
                          {back.integer("keepdims", 1),
                           back.integer("noop_with_empty_axes", isNoop)});
  Value part = back.div(withAxes(back, op, dy), count);
  back.give(x, back.mul(hits, part));
  return success();
}

/// Over one axis: the product of all other elements, zeros among them or not.
static LogicalResult reduceProd(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), axis = axesOf(op);
  if (reducesNothing(op)) {
    back.give(x, dy);
    return success();
  }
  Value flat = x;
  if (!axis) {
    flat = back.reshape(x, {-1});
    axis = back.ints({0});
  }
  auto type = dyn_cast<RankedTensorType>(axis.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1)
    return op->emitOpError("has a gradient over one axis or all of them only");
  axis = back.reshape(axis, ArrayRef<int64_t>{});
  Value before =
      back.make("CumProd", {flat, axis}, back.integer("exclusive", 1));
  Value after =
      back.make("CumProd", {flat, axis},
                {back.integer("exclusive", 1), back.integer("reverse", 1)});
  Value others = back.reshapeLike(back.mul(before, after), x);
  back.give(x, back.mul(others, withAxes(back, op, dy)));
  return success();
}

static LogicalResult globalAveragePool(Backward &back, Operation *op,
                                       Value dy) {
  Value x = op->getOperand(0);
  Value part = back.div(dy, share(back, x, op->getResult(0)));
  back.give(x, back.make("Expand", {part, back.shapeOf(x)}));
  return success();
}

//===----------------------------------------------------------------------===//
// Rows that are normalised or run up
//===----------------------------------------------------------------------===//

static LogicalResult softmax(Backward &back, Operation *op, Value dy) {
  Value y = op->getResult(0), product = back.mul(dy, y);
  Value sum =
      back.reduce("ReduceSum", product, integerOf(op, "axis", -1), true);
  back.give(op->getOperand(0), back.sub(product, back.mul(y, sum)));
  return success();
}

static LogicalResult logSoftmax(Backward &back, Operation *op, Value dy) {
  Value sum = back.reduce("ReduceSum", dy, integerOf(op, "axis", -1), true);
  Value part = back.mul(back.make("Exp", op->getResult(0)), sum);
  back.give(op->getOperand(0), back.sub(dy, part));
  return success();
}

static LogicalResult cumSum(Backward &back, Operation *op, Value dy) {
  back.give(op->getOperand(0),
            back.make("CumSum", {dy, op->getOperand(1)},
                      {back.integer("exclusive", integerOf(op, "exclusive", 0)),
                       back.integer("reverse", !integerOf(op, "reverse", 0))}));
  return success();
}

ArrayRef<GradientRow> onnxc::training::reductionGradients() {
  static constexpr GradientRow rows[] = {
      {"CumSum", cumSum},
      {"GlobalAveragePool", globalAveragePool},
      {"LogSoftmax", logSoftmax},
      {"ReduceL1", reduced<ofL1>},
      {"ReduceL2", reduced<ofL2>},
      {"ReduceLogSum", reduced<ofLogSum>},
      {"ReduceLogSumExp", reduced<ofLogSumExp>},
      {"ReduceMax", reduceExtreme},
      {"ReduceMean", reduceMean},
      {"ReduceMin", reduceExtreme},
      {"ReduceProd", reduceProd},
      {"ReduceSum", reduceSum},
      {"ReduceSumSquare", reduced<ofSquares>},
      {"Softmax", softmax},
  };
  return rows;
}
