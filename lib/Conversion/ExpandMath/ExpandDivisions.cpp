//===- ExpandDivisions.cpp - Vectors of integers divided --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Processors have no division of vectors of integers. One of floats that hold
// all digits of both sides, rounded towards zero, is the same: a quotient that
// is no integer is further from the next one than half a unit in the last
// position.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// A vector of integers of up to 32 bits, divided by no constant: divisions by
/// constants become multiplications.
static bool isWanted(Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type && type.getElementType().isInteger() &&
         type.getElementTypeBitWidth() <= 32 &&
         !matchPattern(op->getOperand(1), m_Constant());
}

static Value quotient(ImplicitLocOpBuilder &b, Value x, Value y,
                      bool isSigned) {
  auto type = cast<VectorType>(x.getType());
  bool isWide = type.getElementTypeBitWidth() > 16;
  Type real = type.clone(isWide ? Type(b.getF64Type()) : b.getF32Type());
  // Wider than the result: -2^31 / -1 must wrap around.
  Type whole = type.clone(isWide ? b.getI64Type() : b.getI32Type());
  auto toReal = [&](Value v) -> Value {
    if (isSigned)
      return arith::SIToFPOp::create(b, real, v);
    return arith::UIToFPOp::create(b, real, v);
  };
  Value ratio = arith::DivFOp::create(b, toReal(x), toReal(y));
  Value rounded = arith::FPToSIOp::create(b, whole, ratio);
  return arith::TruncIOp::create(b, type, rounded);
}

static void expandOne(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value x = op->getOperand(0), y = op->getOperand(1);
  Value result = quotient(b, x, y, isa<arith::DivSIOp, arith::RemSIOp>(op));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    result = arith::SubIOp::create(b, x, arith::MulIOp::create(b, result, y));
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void onnxc::expandDivisions(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isWanted(op))
      ops.push_back(op);
  });
  llvm::for_each(ops, expandOne);
}
