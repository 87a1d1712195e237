//===- Products.cpp - Gradients of products of matrices ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

/// The last two dimensions swap.
static Value transposed(Backward &back, Value x) {
  SmallVector<int64_t> perm = range(0, rankOf(x));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return back.transpose(x, perm);
}

/// A vector is a row on the left and a column on the right.
static LogicalResult matMul(Backward &back, Operation *op, Value dy) {
  Value a = op->getOperand(0), b = op->getOperand(1), y = op->getResult(0);
  if (rankOf(a) < 1 || rankOf(b) < 1)
    return op->emitOpError("has no gradient for unknown ranks");
  bool isRow = rankOf(a) == 1, isColumn = rankOf(b) == 1;
  Value left = isRow ? back.unsqueeze(a, 0) : a;
  Value right = isColumn ? back.unsqueeze(b, 1) : b;
  if (isColumn)
    dy = back.unsqueeze(dy, -1);
  if (isRow)
    dy = back.unsqueeze(dy, -2);
  if (back.needs(a)) {
    Value da = back.make("MatMul", {dy, transposed(back, right)});
    if (isRow) {
      da = back.squeeze(da, -2);
      back.giveBroadcast(a, da, da, /*same=*/1);
    } else if (isColumn) {
      back.give(a, da);
    } else {
      back.giveBroadcast(a, da, y, /*same=*/2);
    }
  }
  if (back.needs(b)) {
    Value db = back.make("MatMul", {transposed(back, left), dy});
    if (isColumn) {
      db = back.squeeze(db, -1);
      back.giveBroadcast(b, db, db, /*same=*/1);
    } else if (isRow) {
      back.give(b, db);
    } else {
      back.giveBroadcast(b, db, y, /*same=*/2);
    }
  }
  return success();
}

/// y = alpha * a' * b' + beta * c, ' standing for a transposition or none.
static LogicalResult gemm(Backward &back, Operation *op, Value dy) {
  auto product = cast<GemmOp>(op);
  Value a = product.getA(), b = product.getB();
  bool transA = product.getTransA(), transB = product.getTransB();
  double alpha = realOf(op, "alpha", 1), beta = realOf(op, "beta", 1);
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
  if (c && back.needs(c))
    back.giveBroadcast(c, beta == 1 ? dy : back.mul(dy, back.number(beta, c)),
                       op->getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

namespace {
/// The letters of an equation.
struct Equation {
  SmallVector<std::string> operands;
  std::string result;
};
} // namespace

/// The result of an equation without an arrow: the letters that appear once,
/// sorted.
static std::string impliedResult(ArrayRef<std::string> operands) {
  std::string all, once;
  for (const std::string &letters : operands)
    all += letters;
  for (char letter : all)
    if (llvm::count(all, letter) == 1)
      once += letter;
  llvm::sort(once);
  return once;
}

static FailureOr<Equation> parseEquation(Operation *op) {
  std::string text = cast<EinsumOp>(op).getEquation().str();
  llvm::erase(text, ' ');
  if (StringRef(text).contains('.'))
    return op->emitOpError("has a gradient for equations without '...' only");
  auto [left, right] = StringRef(text).split("->");
  Equation equation;
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  for (StringRef part : parts) {
    equation.operands.push_back(part.str());
    for (char letter : part)
      if (part.count(letter) > 1)
        return op->emitOpError("has no gradient where an operand repeats a "
                               "letter of the equation");
  }
  equation.result = StringRef(text).contains("->")
                        ? right.str()
                        : impliedResult(equation.operands);
  if (equation.operands.size() != op->getNumOperands())
    return op->emitOpError("does not fit its equation");
  return equation;
}

/// The gradient of operand `i`: dy and all other operands, with the operand's
/// letters as the result. A letter that only it has is a vector of ones.
static Value einsumOperand(Backward &back, Operation *op,
                           const Equation &equation, size_t i, Value dy) {
  const std::string &own = equation.operands[i];
  std::string text = equation.result, seen = equation.result;
  SmallVector<Value> operands{dy};
  for (auto [k, letters] : llvm::enumerate(equation.operands)) {
    if (k == i)
      continue;
    text += "," + letters;
    seen += letters;
    operands.push_back(op->getOperand(k));
  }
  for (auto [d, letter] : llvm::enumerate(own)) {
    if (StringRef(seen).contains(letter))
      continue;
    text += std::string(",") + letter;
    operands.push_back(back.make(
        "Expand", {back.number(1, dy), back.sizeOf(op->getOperand(i), d)}));
  }
  return back.make("Einsum", operands,
                   back.text("equation", text + "->" + own));
}

static LogicalResult einsum(Backward &back, Operation *op, Value dy) {
  FailureOr<Equation> equation = parseEquation(op);
  if (failed(equation))
    return failure();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!back.needs(operand))
      continue;
    if (rankOf(operand) != int64_t(equation->operands[i].size()))
      return op->emitOpError("has no gradient for unknown ranks");
    back.give(operand, einsumOperand(back, op, *equation, i, dy));
  }
  return success();
}

ArrayRef<GradientRow> onnxc::training::productGradients() {
  static constexpr GradientRow rows[] = {
      {"Einsum", einsum},
      {"Gemm", gemm},
      {"MatMul", matMul},
  };
  return rows;
}
