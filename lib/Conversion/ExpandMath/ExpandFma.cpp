//===- ExpandFma.cpp - Multiply-adds without an instruction -----*- C++ -*-===//
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

#include "Expansions.h"
#include "FloatBuilder.h"

using namespace mlir;

namespace onnxc {

/// Unit attribute of a multiply-add whose sum cancels the product.
static constexpr llvm::StringLiteral cancelsAttrName = "krnl.cancels";

Value FloatBuilder::cancellingFma(Value x, Value y, Value z) {
  auto op = math::FmaOp::create(b, x, y, z);
  op->setAttr(cancelsAttrName, b.getUnitAttr());
  return op;
}

/// The first 26 bits of the fraction; the rest of x has 27 at most.
static Value upperPart(FloatBuilder &f, Value x) {
  constexpr int64_t cut = 27;
  return f.fromBits(
      arith::AndIOp::create(f.b, f.bits(x), f.integer(-(int64_t(1) << cut))));
}

/// x y + z for z near -x y.
static Value cancelled(FloatBuilder &f, Value x, Value y, Value z) {
  if (!f.element().isF64()) {
    FloatBuilder wide(f, f.b.getF64Type());
    auto widen = [&](Value value) -> Value {
      return arith::ExtFOp::create(f.b, wide.type, value);
    };
    Value sum = wide.add(wide.mul(widen(x), widen(y)), widen(z));
    return arith::TruncFOp::create(f.b, f.type, sum);
  }
  Value product = f.mul(x, y);
  Value upperX = upperPart(f, x), upperY = upperPart(f, y);
  Value lowerX = f.sub(x, upperX), lowerY = f.sub(y, upperY);
  Value error = f.sub(f.mul(upperX, upperY), product);
  error = f.add(error, f.mul(upperX, lowerY));
  error = f.add(error, f.mul(lowerX, upperY));
  error = f.add(error, f.mul(lowerX, lowerY));
  return f.add(f.add(product, z), error);
}

static bool hasFma(krnl::TargetAttr target, Type element) {
  if (!target)
    return true;
  return target.getInstructions().contains(element.isF64() ? "fma_f64"
                                                           : "fma_f32");
}

void expandFma(Operation *root, bool isStrict) {
  auto target = krnl::TargetAttr::of(root);
  root->walk([&](math::FmaOp op) {
    bool cancels = bool(op->removeAttr(cancelsAttrName));
    if (isStrict || hasFma(target, getElementTypeOrSelf(op.getType())))
      return;
    FloatBuilder f(op);
    Value x = op.getA(), y = op.getB(), z = op.getC();
    op.getResult().replaceAllUsesWith(cancels ? cancelled(f, x, y, z)
                                              : f.add(f.mul(x, y), z));
    op.erase();
  });
}

} // namespace onnxc
