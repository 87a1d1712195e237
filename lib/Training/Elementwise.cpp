//===- Elementwise.cpp - Gradients element by element -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

//===----------------------------------------------------------------------===//
// One operand: the factor of dy
//===----------------------------------------------------------------------===//

namespace {
using Factor = Value (*)(Backward &, Value x, Value y);
}

template <Factor factor>
static LogicalResult scaled(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.mul(dy, factor(back, x, op->getResult(0))));
  return success();
}

/// x * x + offset, and 1 divided by its root.
static Value square(Backward &back, Value x, double offset) {
  return back.add(back.mul(x, x), back.number(offset, x));
}
static Value oneOverRoot(Backward &back, Value x) {
  return back.make("Reciprocal", back.make("Sqrt", x));
}
/// 1 - x * x.
static Value oneMinusSquare(Backward &back, Value x) {
  return back.sub(back.number(1, x), back.mul(x, x));
}

static Value ofNeg(Backward &back, Value x, Value) {
  return back.number(-1, x);
}
static Value ofExp(Backward &, Value, Value y) { return y; }
static Value ofLog(Backward &back, Value x, Value) {
  return back.make("Reciprocal", x);
}
static Value ofSqrt(Backward &back, Value x, Value y) {
  return back.div(back.number(0.5, x), y);
}
static Value ofReciprocal(Backward &back, Value, Value y) {
  return back.make("Neg", back.mul(y, y));
}
static Value ofSigmoid(Backward &back, Value x, Value y) {
  return back.mul(y, back.sub(back.number(1, x), y));
}
static Value ofTanh(Backward &back, Value, Value y) {
  return oneMinusSquare(back, y);
}
static Value ofAbs(Backward &back, Value x, Value) {
  return back.make("Sign", x);
}
static Value ofSoftplus(Backward &back, Value x, Value) {
  return back.make("Sigmoid", x);
}
/// 2 / sqrt(pi) * exp(-x * x)
static Value ofErf(Backward &back, Value x, Value) {
  Value falling = back.make("Exp", back.make("Neg", back.mul(x, x)));
  return back.mul(back.number(1.1283791670955126, x), falling);
}
static Value ofSin(Backward &back, Value x, Value) {
  return back.make("Cos", x);
}
static Value ofCos(Backward &back, Value x, Value) {
  return back.make("Neg", back.make("Sin", x));
}
static Value ofTan(Backward &back, Value, Value y) {
  return square(back, y, 1);
}
static Value ofSinh(Backward &back, Value x, Value) {
  return back.make("Cosh", x);
}
static Value ofCosh(Backward &back, Value x, Value) {
  return back.make("Sinh", x);
}
static Value ofAsin(Backward &back, Value x, Value) {
  return oneOverRoot(back, oneMinusSquare(back, x));
}
static Value ofAcos(Backward &back, Value x, Value y) {
  return back.make("Neg", ofAsin(back, x, y));
}
static Value ofAtan(Backward &back, Value x, Value) {
  return back.make("Reciprocal", square(back, x, 1));
}
static Value ofAsinh(Backward &back, Value x, Value) {
  return oneOverRoot(back, square(back, x, 1));
}
static Value ofAcosh(Backward &back, Value x, Value) {
  return oneOverRoot(back, square(back, x, -1));
}
static Value ofAtanh(Backward &back, Value x, Value) {
  return back.make("Reciprocal", oneMinusSquare(back, x));
}

//===----------------------------------------------------------------------===//
// One operand, with a bend
//===----------------------------------------------------------------------===//

/// dy where x is above 0, else `below`: the other operand of the select must
/// not contribute, even if infinite.
static LogicalResult bent(Backward &back, Operation *op, Value dy,
                          Value below) {
  Value x = op->getOperand(0);
  Value above = back.make("Greater", {x, back.number(0, x)});
  back.give(x, back.make("Where", {above, dy, below}));
  return success();
}

static LogicalResult relu(Backward &back, Operation *op, Value dy) {
  return bent(back, op, dy, back.number(0, dy));
}

static LogicalResult leakyRelu(Backward &back, Operation *op, Value dy) {
  return bent(back, op, dy,
              back.mul(dy, back.number(realOf(op, "alpha", 0.01), dy)));
}

/// y = alpha * (exp(x) - 1) below 0: the slope is y + alpha.
static LogicalResult elu(Backward &back, Operation *op, Value dy) {
  Value slope =
      back.add(op->getResult(0), back.number(realOf(op, "alpha", 1), dy));
  return bent(back, op, dy, back.mul(dy, slope));
}

/// y = alpha * (exp(x / alpha) - 1) below 0: the slope is y / alpha + 1.
static LogicalResult celu(Backward &back, Operation *op, Value dy) {
  Value alpha = back.number(realOf(op, "alpha", 1), dy);
  Value slope = back.add(back.div(op->getResult(0), alpha), back.number(1, dy));
  return bent(back, op, dy, back.mul(dy, slope));
}

/// gamma times Elu.
static LogicalResult selu(Backward &back, Operation *op, Value dy) {
  double alpha = realOf(op, "alpha", 1.67326319217681884765625);
  double gamma = realOf(op, "gamma", 1.05070102214813232421875);
  Value slope = back.add(op->getResult(0), back.number(alpha * gamma, dy));
  Value below = back.mul(dy, slope);
  return bent(back, op, back.mul(dy, back.number(gamma, dy)), below);
}

static LogicalResult identity(Backward &back, Operation *op, Value dy) {
  back.give(op->getOperand(0), dy);
  return success();
}

/// Steps: they are flat wherever they have a slope.
static LogicalResult flat(Backward &, Operation *, Value) { return success(); }

/// Cast and CastLike, between floats.
static LogicalResult castFloat(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  if (back.needs(x))
    back.give(x, back.castLike(dy, x));
  return success();
}

//===----------------------------------------------------------------------===//
// Several operands, broadcast
//===----------------------------------------------------------------------===//

/// Add and Sum.
static LogicalResult add(Backward &back, Operation *op, Value dy) {
  for (Value operand : op->getOperands())
    back.giveBroadcast(operand, dy, op->getResult(0));
  return success();
}

static LogicalResult mean(Backward &back, Operation *op, Value dy) {
  return add(back, op, back.div(dy, back.number(op->getNumOperands(), dy)));
}

static LogicalResult sub(Backward &back, Operation *op, Value dy) {
  Value y = op->getResult(0);
  back.giveBroadcast(op->getOperand(0), dy, y);
  if (back.needs(op->getOperand(1)))
    back.giveBroadcast(op->getOperand(1), back.make("Neg", dy), y);
  return success();
}

static LogicalResult mul(Backward &back, Operation *op, Value dy) {
  for (unsigned side : {0, 1})
    if (back.needs(op->getOperand(side)))
      back.giveBroadcast(op->getOperand(side),
                         back.mul(dy, op->getOperand(1 - side)),
                         op->getResult(0));
  return success();
}

static LogicalResult div(Backward &back, Operation *op, Value dy) {
  Value b = op->getOperand(1), y = op->getResult(0);
  Value share = back.div(dy, b);
  back.giveBroadcast(op->getOperand(0), share, y);
  if (back.needs(b))
    back.giveBroadcast(b, back.make("Neg", back.mul(share, y)), y);
  return success();
}

/// The exponent may be of another type, which the slope is computed without. At
/// the base 0 the formulas are products of 0 and infinity where the function is
/// constant: by the base for the exponent 0, by the exponent if it is positive.
static LogicalResult pow(Backward &back, Operation *op, Value dy) {
  Value a = op->getOperand(0), b = op->getOperand(1), y = op->getResult(0);
  Value exponent = back.castLike(b, a);
  if (back.needs(a)) {
    Value zero = back.number(0, a);
    Value less = back.sub(exponent, back.number(1, a));
    Value slope = back.mul(exponent, back.make("Pow", {a, less}));
    Value isConstant = back.make("Equal", {exponent, zero});
    slope = back.make("Where", {isConstant, zero, slope});
    back.giveBroadcast(a, back.mul(dy, slope), y);
  }
  if (back.needs(b)) {
    Value zero = back.number(0, a);
    Value slope = back.mul(y, back.make("Log", a));
    Value isConstant =
        back.make("And", {back.make("Equal", {a, zero}),
                          back.make("Greater", {exponent, zero})});
    slope = back.make("Where", {isConstant, zero, slope});
    back.giveBroadcast(b, back.castLike(back.mul(dy, slope), b), y);
  }
  return success();
}

static LogicalResult where(Backward &back, Operation *op, Value dy) {
  Value condition = op->getOperand(0), zero = back.number(0, dy);
  Value y = op->getResult(0);
  back.giveBroadcast(op->getOperand(1),
                     back.make("Where", {condition, dy, zero}), y);
  back.giveBroadcast(op->getOperand(2),
                     back.make("Where", {condition, zero, dy}), y);
  return success();
}

/// Max and Min: dy goes to the operand that was taken, in equal parts if there
/// are several.
static LogicalResult extreme(Backward &back, Operation *op, Value dy) {
  Value y = op->getResult(0), count;
  SmallVector<Value> taken;
  for (Value operand : op->getOperands()) {
    Value hit = back.castLike(back.make("Equal", {operand, y}), dy);
    count = count ? back.add(count, hit) : hit;
    taken.push_back(hit);
  }
  Value part = back.div(dy, count);
  for (auto [operand, hit] : llvm::zip(op->getOperands(), taken))
    if (back.needs(operand))
      back.giveBroadcast(operand, back.mul(part, hit), y);
  return success();
}

static constexpr GradientRow rows[] = {
    {"Abs", scaled<ofAbs>},
    {"Acos", scaled<ofAcos>},
    {"Acosh", scaled<ofAcosh>},
    {"Add", add},
    {"Asin", scaled<ofAsin>},
    {"Asinh", scaled<ofAsinh>},
    {"Atan", scaled<ofAtan>},
    {"Atanh", scaled<ofAtanh>},
    {"Cast", castFloat},
    {"CastLike", castFloat},
    {"Ceil", flat},
    {"Celu", celu},
    {"Cos", scaled<ofCos>},
    {"Cosh", scaled<ofCosh>},
    {"Div", div},
    {"Elu", elu},
    {"Erf", scaled<ofErf>},
    {"Exp", scaled<ofExp>},
    {"Floor", flat},
    {"Hardmax", flat},
    {"Identity", identity},
    {"LeakyRelu", leakyRelu},
    {"Log", scaled<ofLog>},
    {"Max", extreme},
    {"Mean", mean},
    {"Min", extreme},
    {"Mul", mul},
    {"Neg", scaled<ofNeg>},
    {"Pow", pow},
    {"Reciprocal", scaled<ofReciprocal>},
    {"Relu", relu},
    {"Round", flat},
    {"Selu", selu},
    {"Sigmoid", scaled<ofSigmoid>},
    {"Sign", flat},
    {"Sin", scaled<ofSin>},
    {"Sinh", scaled<ofSinh>},
    {"Softplus", scaled<ofSoftplus>},
    {"Sqrt", scaled<ofSqrt>},
    {"Sub", sub},
    {"Sum", add},
    {"Tan", scaled<ofTan>},
    {"Tanh", scaled<ofTanh>},
    {"Where", where},
};

ArrayRef<GradientRow> onnxc::training::elementwiseGradients() { return rows; }
