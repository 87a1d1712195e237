//===- NaNGuard.cpp - Functions that must return NaN for NaN ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The polynomials clamp their argument by comparisons that are true for NaN, so
// some turn it into a bound. A select on the argument puts it right.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

void onnxc::guardNaN(Operation *root) {
  SmallVector<Operation *> unsafe;
  root->walk([&](Operation *op) {
    if (isa<math::AcosOp, math::AsinOp, math::ErfcOp, math::Log1pOp>(op) &&
        getElementTypeOrSelf(op->getResult(0)).isF32())
      unsafe.push_back(op);
  });
  for (Operation *op : unsafe) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value x = op->getOperand(0), y = op->getResult(0);
    Value isNaN = arith::CmpFOp::create(builder, op->getLoc(),
                                        arith::CmpFPredicate::UNO, x, x);
    auto select = arith::SelectOp::create(builder, op->getLoc(), isNaN, x, y);
    y.replaceAllUsesExcept(select, select);
  }
}
