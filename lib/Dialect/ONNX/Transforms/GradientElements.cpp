//===- GradientElements.cpp - Gradients of simple operators -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// One operand, element by element: what dy is multiplied by
//===----------------------------------------------------------------------===//

namespace {
using Factor = Value (*)(Backward &, Value x, Value y);
}

template <Factor factor>
static LogicalResult elementwise(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.make("Mul", {dy, factor(back, x, op->getResult(0))}));
  return success();
}

static Value ofNeg(Backward &back, Value x, Value) {
  return back.number(-1, x);
}
static Value ofExp(Backward &, Value, Value y) { return y; }
static Value ofLog(Backward &back, Value x, Value) {
  return back.make("Reciprocal", x);
}
static Value ofSqrt(Backward &back, Value x, Value y) {
  return back.make("Div", {back.number(0.5, x), y});
}
static Value ofReciprocal(Backward &back, Value, Value y) {
  return back.make("Neg", back.make("Mul", {y, y}));
}
static Value ofSigmoid(Backward &back, Value x, Value y) {
  return back.make("Mul", {y, back.make("Sub", {back.number(1, x), y})});
}
static Value ofTanh(Backward &back, Value x, Value y) {
  return back.make("Sub", {back.number(1, x), back.make("Mul", {y, y})});
}
static Value ofSin(Backward &back, Value x, Value) {
  return back.make("Cos", x);
}
static Value ofCos(Backward &back, Value x, Value) {
  return back.make("Neg", back.make("Sin", x));
}
static Value ofAbs(Backward &back, Value x, Value) {
  return back.make("Sign", x);
}
static Value ofSoftplus(Backward &back, Value x, Value) {
  return back.make("Sigmoid", x);
}

/// Where x is not above 0, nothing of dy stays, were it infinite.
static LogicalResult relu(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), zero = back.number(0, x);
  back.give(x, back.make("Where", {back.make("Greater", {x, zero}), dy, zero}));
  return success();
}

static LogicalResult leakyRelu(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), zero = back.number(0, x);
  double alpha = double(cast<LeakyReluOp>(op).getAlpha());
  Value less = back.make("Mul", {dy, back.number(alpha, x)});
  back.give(x, back.make("Where", {back.make("Less", {x, zero}), less, dy}));
  return success();
}

static LogicalResult identity(Backward &back, Operation *op, Value dy) {
  back.give(op->getOperand(0), dy);
  return success();
}

//===----------------------------------------------------------------------===//
// Several operands, broadcast
//===----------------------------------------------------------------------===//

/// Add and Sum.
static LogicalResult add(Backward &back, Operation *op, Value dy) {
  for (Value operand : op->getOperands())
    back.giveBroadcast(operand, dy);
  return success();
}

static LogicalResult sub(Backward &back, Operation *op, Value dy) {
  back.giveBroadcast(op->getOperand(0), dy);
  if (back.needs(op->getOperand(1)))
    back.giveBroadcast(op->getOperand(1), back.make("Neg", dy));
  return success();
}

static LogicalResult mul(Backward &back, Operation *op, Value dy) {
  for (unsigned side : {0, 1})
    if (back.needs(op->getOperand(side)))
      back.giveBroadcast(op->getOperand(side),
                         back.make("Mul", {dy, op->getOperand(1 - side)}));
  return success();
}

static LogicalResult div(Backward &back, Operation *op, Value dy) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value share = back.make("Div", {dy, b});
  back.giveBroadcast(a, share);
  if (back.needs(b))
    back.giveBroadcast(
        b, back.make("Neg", back.make("Mul", {share, op->getResult(0)})));
  return success();
}

static LogicalResult pow(Backward &back, Operation *op, Value dy) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (a.getType() != b.getType() &&
      getElementTypeOrSelf(a.getType()) != getElementTypeOrSelf(b.getType()))
    return op->emitOpError("of two types has no gradient");
  if (back.needs(a)) {
    Value less = back.make("Sub", {b, back.number(1, b)});
    Value slope = back.make("Mul", {b, back.make("Pow", {a, less})});
    back.giveBroadcast(a, back.make("Mul", {dy, slope}));
  }
  if (back.needs(b)) {
    Value slope = back.make("Mul", {op->getResult(0), back.make("Log", a)});
    back.giveBroadcast(b, back.make("Mul", {dy, slope}));
  }
  return success();
}

static LogicalResult where(Backward &back, Operation *op, Value dy) {
  Value condition = op->getOperand(0), zero = back.number(0, dy);
  back.giveBroadcast(op->getOperand(1),
                     back.make("Where", {condition, dy, zero}));
  back.giveBroadcast(op->getOperand(2),
                     back.make("Where", {condition, zero, dy}));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and normalised rows
//===----------------------------------------------------------------------===//

/// dy of a reduction, spread over what was reduced.
static Value spread(Backward &back, Operation *op, Value dy, bool keepdims) {
  Value x = op->getOperand(0);
  if (!keepdims) {
    if (op->getNumOperands() > 1)
      dy = back.make("Unsqueeze", {dy, op->getOperand(1)});
    else
      // All axes: one number.
      dy = back.make("Reshape", {dy, back.ints({})});
  }
  return back.make("Expand", {dy, back.shapeOf(x)});
}

static LogicalResult reduceSum(Backward &back, Operation *op, Value dy) {
  auto sum = cast<ReduceSumOp>(op);
  if (sum.getNoopWithEmptyAxes() && op->getNumOperands() < 2)
    return identity(back, op, dy);
  back.give(op->getOperand(0), spread(back, op, dy, sum.getKeepdims()));
  return success();
}

/// Elements of x for each of y, as a float.
static Value share(Backward &back, Value x, Value y) {
  Value count = back.make("Div", {back.make("Size", x), back.make("Size", y)});
  return back.make("CastLike", {count, x});
}

static LogicalResult reduceMean(Backward &back, Operation *op, Value dy) {
  auto mean = cast<ReduceMeanOp>(op);
  if (mean.getNoopWithEmptyAxes() && op->getNumOperands() < 2)
    return identity(back, op, dy);
  Value x = op->getOperand(0);
  Value part = back.make("Div", {dy, share(back, x, op->getResult(0))});
  back.give(x, spread(back, op, part, mean.getKeepdims()));
  return success();
}

static LogicalResult globalAveragePool(Backward &back, Operation *op,
                                       Value dy) {
  Value x = op->getOperand(0);
  Value part = back.make("Div", {dy, share(back, x, op->getResult(0))});
  back.give(x, back.make("Expand", {part, back.shapeOf(x)}));
  return success();
}

static LogicalResult softmax(Backward &back, Operation *op, Value dy) {
  Value y = op->getResult(0), product = back.make("Mul", {dy, y});
  Value sum = back.make("ReduceSum",
                        {product, back.ints(cast<SoftmaxOp>(op).getAxis())});
  back.give(op->getOperand(0),
            back.make("Sub", {product, back.make("Mul", {y, sum})}));
  return success();
}

static LogicalResult logSoftmax(Backward &back, Operation *op, Value dy) {
  Value sum =
      back.make("ReduceSum", {dy, back.ints(cast<LogSoftmaxOp>(op).getAxis())});
  Value part = back.make("Mul", {back.make("Exp", op->getResult(0)), sum});
  back.give(op->getOperand(0), back.make("Sub", {dy, part}));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements that only move
//===----------------------------------------------------------------------===//

static LogicalResult expand(Backward &back, Operation *op, Value dy) {
  back.giveBroadcast(op->getOperand(0), dy);
  return success();
}

/// Cast and CastLike, between floats.
static LogicalResult castFloat(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  if (back.needs(x))
    back.give(x, back.make("CastLike", {dy, x}));
  return success();
}

/// Reshape, Flatten, Squeeze, Unsqueeze.
static LogicalResult view(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.make("Reshape", {dy, back.shapeOf(x)}));
  return success();
}

static LogicalResult transpose(Backward &back, Operation *op, Value dy) {
  auto perm = cast<TransposeOp>(op).getPerm();
  SmallVector<int64_t> inverse;
  if (perm) {
    inverse.resize(perm->size());
    for (auto [i, d] : llvm::enumerate(*perm)) {
      if (d < 0 || d >= int64_t(perm->size()))
        return op->emitOpError("has no permutation as perm");
      inverse[d] = i;
    }
  }
  SmallVector<NamedAttribute> attributes;
  if (perm)
    attributes.push_back(back.list("perm", inverse));
  back.give(op->getOperand(0), back.make("Transpose", dy, attributes));
  return success();
}

void onnxc::onnx::addElementGradients(GradientRules &rules) {
  rules["Abs"] = elementwise<ofAbs>;
  rules["Add"] = add;
  rules["Cast"] = castFloat;
  rules["CastLike"] = castFloat;
  rules["Cos"] = elementwise<ofCos>;
  rules["Div"] = div;
  rules["Exp"] = elementwise<ofExp>;
  rules["Expand"] = expand;
  rules["Flatten"] = view;
  rules["GlobalAveragePool"] = globalAveragePool;
  rules["Identity"] = identity;
  rules["LeakyRelu"] = leakyRelu;
  rules["Log"] = elementwise<ofLog>;
  rules["LogSoftmax"] = logSoftmax;
  rules["Mul"] = mul;
  rules["Neg"] = elementwise<ofNeg>;
  rules["Pow"] = pow;
  rules["Reciprocal"] = elementwise<ofReciprocal>;
  rules["ReduceMean"] = reduceMean;
  rules["ReduceSum"] = reduceSum;
  rules["Relu"] = relu;
  rules["Reshape"] = view;
  rules["Sigmoid"] = elementwise<ofSigmoid>;
  rules["Sin"] = elementwise<ofSin>;
  rules["Softmax"] = softmax;
  rules["Softplus"] = elementwise<ofSoftplus>;
  rules["Sqrt"] = elementwise<ofSqrt>;
  rules["Squeeze"] = view;
  rules["Sub"] = sub;
  rules["Sum"] = add;
  rules["Tanh"] = elementwise<ofTanh>;
  rules["Transpose"] = transpose;
  rules["Unsqueeze"] = view;
  rules["Where"] = where;
}
