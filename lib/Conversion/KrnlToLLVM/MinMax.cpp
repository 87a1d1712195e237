//===- MinMax.cpp - Cheaper minima and maxima -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// arith.maximumf and minimumf return NaN for NaN on either side and order the
// two zeros. No processor has that in one instruction; x86 takes six. Models do
// not tell the zeros apart here, and with a constant on one side
//
//   select (cmpf olt x, c), c, x
//
// is all there is to do, one instruction: NaN in x compares false and stays.
// Otherwise the order of the zeros is given up.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Is the value a constant that is no NaN?
static bool isNumber(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) && !constant.isNaN();
}

static void expandOne(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (isNumber(x))
    std::swap(x, y);
  if (!isNumber(y)) {
    op->setAttr("fastmath", arith::FastMathFlagsAttr::get(
                                op->getContext(), arith::FastMathFlags::nsz));
    return;
  }
  auto predicate = isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::OLT
                                              : arith::CmpFPredicate::OGT;
  Value other = arith::CmpFOp::create(builder, loc, predicate, x, y);
  Value result = arith::SelectOp::create(builder, loc, other, y, x);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void onnxc::expandMinMax(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      ops.push_back(op);
  });
  llvm::for_each(ops, expandOne);
}
