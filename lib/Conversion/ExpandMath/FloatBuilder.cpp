//===- FloatBuilder.cpp - Multiply-adds without an instruction --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A multiply-add that the processor has no instruction for is a call of libm
// for each lane. Most need no more than a product and a sum. Those whose sum
// cancels the product, so that the rounding error of the product is what is
// left, take the error of its parts: those of f32 in f64, and of f64 by the
// method of Dekker ("A floating-point technique for extending the available
// precision", 1971) with parts that are cut off instead of rounded.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "Expansions.h"

using namespace mlir;

namespace onnxc {

static bool hasFma(krnl::TargetAttr target, Type element) {
  if (!target)
    return true;
  return target.getInstructions().contains(element.isF64() ? "fma_f64"
                                                           : "fma_f32");
}

FloatBuilder::FloatBuilder(Operation *op)
    : b(op->getLoc(), op), type(op->getResult(0).getType()),
      target(krnl::TargetAttr::of(op)) {}

Value FloatBuilder::fma(Value x, Value y, Value z) {
  if (hasFma(target, element()))
    return math::FmaOp::create(b, x, y, z);
  return add(mul(x, y), z);
}

/// The first 26 bits of the fraction; the rest of x has 27 at most.
static Value upperPart(FloatBuilder &f, Value x) {
  constexpr int64_t cut = 27;
  return f.fromBits(
      arith::AndIOp::create(f.b, f.bits(x), f.integer(-(int64_t(1) << cut))));
}

Value FloatBuilder::cancellingFma(Value x, Value y, Value z) {
  if (hasFma(target, element()))
    return math::FmaOp::create(b, x, y, z);
  if (!element().isF64()) {
    FloatBuilder wide(*this, b.getF64Type());
    auto widen = [&](Value value) -> Value {
      return arith::ExtFOp::create(b, wide.type, value);
    };
    Value sum = wide.add(wide.mul(widen(x), widen(y)), widen(z));
    return arith::TruncFOp::create(b, type, sum);
  }
  Value product = mul(x, y);
  Value upperX = upperPart(*this, x), upperY = upperPart(*this, y);
  Value lowerX = sub(x, upperX), lowerY = sub(y, upperY);
  Value error = sub(mul(upperX, upperY), product);
  error = add(error, mul(upperX, lowerY));
  error = add(error, mul(lowerX, upperY));
  error = add(error, mul(lowerX, lowerY));
  return add(add(product, z), error);
}

void expandFma(Operation *root) {
  auto target = krnl::TargetAttr::of(root);
  root->walk([&](math::FmaOp op) {
    if (hasFma(target, getElementTypeOrSelf(op.getType())))
      return;
    FloatBuilder f(op);
    op.getResult().replaceAllUsesWith(f.fma(op.getA(), op.getB(), op.getC()));
    op.erase();
  });
}

} // namespace onnxc
