//===- Trilu.cpp - Triangles of matrices ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc {
namespace {

Lowered lowerTrilu(onnx::TriluOp op, onnx::TriluOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  if (type.getRank() < 2)
    return rewriter.notifyMatchFailure(op, "operand is not a matrix");
  Value k = indexConstant(rewriter, loc, 0);
  if (adaptor.getOperands().size() > 1)
    k = toIndex(rewriter, loc,
                onlyElement(rewriter, loc, adaptor.getOperands()[1]));
  // Farther away than any matrix is long: a sum with an index is exact.
  Value far = indexConstant(rewriter, loc, maxTensorBytes),
        near = indexConstant(rewriter, loc, -maxTensorBytes);
  k = maxIndex(rewriter, loc, minIndex(rewriter, loc, k, far), near);
  int64_t rank = type.getRank();
  bool upper = op.getUpper();
  Value zero = storedConstant(rewriter, loc, type.getElementType(), 0);
  return generate(
      rewriter, loc, "Trilu", type.getElementType(), sizesOf(rewriter, loc, x),
      {x, k, zero},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value diagonal = addIndex(b, l, at[rank - 2], in[1]);
        Value kept = compareIndex(
            b, l, upper ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle,
            at[rank - 1], diagonal);
        Value element = tensor::ExtractOp::create(b, l, in[0], at);
        return selectValue(b, l, kept, element, in[2]);
      });
}

} // namespace

void populateONNXToKrnlTriluPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerTrilu);
}

} // namespace onnxc
