//===- InlineConstants.cpp - Numbers instead of constant tensors -*- C++-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %six = krnl.constant dense<6.0> : tensor<f32>
//   kernel ins(%x, %six) { generic ins(%p, %q) { min s, t } }
// -> kernel ins(%x)      { generic ins(%p)     { min s, 6.0 } }
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

/// The one number that all elements of the operand are, or null.
static TypedAttr scalarConstantOf(Value operand) {
  auto constant = operand.getDefiningOp<ConstantOp>();
  if (!constant || constant.getLayout())
    return {};
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat || !splat.getElementType().isIntOrFloat())
    return {};
  return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
}

void inlineConstants(RewriterBase &rewriter, KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [number, in] : llvm::enumerate(kernel.getIns())) {
    TypedAttr value = scalarConstantOf(in);
    if (!value)
      continue;
    BlockArgument image = kernel.getInArgument(number);
    SetVector<Operation *> users(image.user_begin(), image.user_end());
    for (Operation *user : users) {
      auto op = dyn_cast<ComputeOp>(user);
      if (!op)
        continue;
      for (unsigned i = op.getNumDpsInputs(); i-- > 0;) {
        if (op.getInputs()[i] != image)
          continue;
        rewriter.setInsertionPointToStart(op.getBody());
        rewriter.replaceAllUsesWith(
            op.getBody()->getArgument(i),
            arith::ConstantOp::create(rewriter, op.getLoc(), value)
                .getResult());
        eraseInput(op, i);
      }
    }
  }
}

} // namespace onnxc::krnl
