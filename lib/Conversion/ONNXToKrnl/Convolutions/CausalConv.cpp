//===- CausalConv.cpp - Convolution that looks back -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// CausalConvWithState: each channel with a window of its own, over the operand
// and, before it, the state that the call before has left.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Contractions/Contraction.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

void checkSizes(onnx::CausalConvWithStateOp::Adaptor adaptor, OpBuilder &b,
                Location loc) {
  Value x = adaptor.getInput(), w = adaptor.getWeight();
  Value one = indexConstant(b, loc, 1), window = sizeOf(b, loc, w, 2);
  auto check = [&](Value tensor, int64_t dim, Value wanted, StringRef message) {
    checkEqualSizes(b, loc, sizeOf(b, loc, tensor, dim), wanted, message);
  };
  check(w, 0, sizeOf(b, loc, x, 1),
        "CausalConvWithState: expected a window for each channel");
  check(w, 1, one, "CausalConvWithState: a window spans one channel");
  checkAtMost(b, loc, one, window, "CausalConvWithState: empty window");
  if (Value bias = adaptor.getBias())
    check(bias, 0, sizeOf(b, loc, x, 1),
          "CausalConvWithState: expected a bias for each channel");
  if (Value past = adaptor.getPastState()) {
    StringRef message = "CausalConvWithState: past_state does not fit";
    check(past, 0, sizeOf(b, loc, x, 0), message);
    check(past, 1, sizeOf(b, loc, x, 1), message);
    check(past, 2, subIndex(b, loc, window, one), message);
  }
}

/// The operand with `back` elements in front: the state, or zeros.
Value extended(onnx::CausalConvWithStateOp::Adaptor adaptor, OpBuilder &b,
               Location loc, Value back) {
  Value x = adaptor.getInput(), past = adaptor.getPastState();
  SmallVector<Value> sizes = sizesOf(b, loc, x), inputs{x, back, sizes[2]};
  sizes[2] = addIndex(b, loc, sizes[2], back);
  if (past)
    inputs.push_back(past);
  Type stored = rankedType(x).getElementType();
  return generate(
      b, loc, "CausalConvWithState.pad", stored, sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value own = subIndex(nb, l, at[2], in[1]);
        Value position[] = {at[0], at[1], clampIndex(nb, l, own, in[2])};
        Value now = tensor::ExtractOp::create(nb, l, in[0], position);
        Value before = storedConstant(nb, l, stored, 0);
        if (past) {
          position[2] = clampIndex(nb, l, at[2], in[1]);
          before = tensor::ExtractOp::create(nb, l, in[3], position);
        }
        return arith::SelectOp::create(nb, l, isInside(nb, l, own, in[2]), now,
                                       before)
            .getResult();
      });
}

Value convolve(onnx::CausalConvWithStateOp::Adaptor adaptor, OpBuilder &b,
               Location loc, Value padded, Type element, bool silu) {
  SmallVector<Value> sizes = sizesOf(b, loc, adaptor.getInput());
  RankedTensorType type =
      typeOfSizes(sizes, ScalarBuilder::storageType(element));
  KernelBuilder kernel(b, loc, "CausalConvWithState");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value w = adaptor.getWeight();
  AffineExpr k = kernel.loop("k", rankedType(w).getDimSize(2));
  KernelBuilder::Access in{kernel.input(padded), {at[0], at[1], at[2] + k}},
      window{kernel.input(w), {at[1], kernel.zero(), k}};
  Value out = kernel.output(type, sizes);
  auto total = [&](const KernelBuilder::Access &to) {
    return buildContraction(kernel, element, in, window, to, {k});
  };
  SmallVector<KernelBuilder::Access> bias;
  if (adaptor.getBias())
    bias.push_back({kernel.input(adaptor.getBias()), {at[1]}});
  FinishTotal finish = [&](ScalarBuilder &s, Value sum, ValueRange others) {
    if (!others.empty())
      sum = s.add(sum, s.widen(others[0]));
    if (!silu)
      return sum;
    // The activation is one of the rounded sum.
    sum = s.widen(s.narrow(sum));
    return s.mul(sum, s.sigmoid(sum));
  };
  return kernel
      .finish({storeTotals(kernel, element, {out, at}, total, finish, bias)})
      .front();
}

Lowered lowerCausalConv(onnx::CausalConvWithStateOp op,
                        onnx::CausalConvWithStateOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getInput(), w = adaptor.getWeight();
  for (Value v : {x, w})
    if (rankedType(v).getRank() != 3)
      return rewriter.notifyMatchFailure(op, "ranks are not 3");
  StringRef activation = op.getActivation();
  bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none")
    return rewriter.notifyMatchFailure(op, "unknown activation");
  checkSizes(adaptor, rewriter, loc);
  // The elements before the first one of a window.
  Value back = subIndex(rewriter, loc, sizeOf(rewriter, loc, w, 2),
                        indexConstant(rewriter, loc, 1));
  Value padded = extended(adaptor, rewriter, loc, back);
  Type element = getElementTypeOrSelf(op.getInput().getType());
  SmallVector<Value> results{
      convolve(adaptor, rewriter, loc, padded, element, silu)};
  SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
  Value zero = indexConstant(rewriter, loc, 0),
        one = indexConstant(rewriter, loc, 1);
  if (op->getNumResults() > 1)
    results.push_back(sliceOf(rewriter, loc, "CausalConvWithState.state",
                              padded, {zero, zero, sizes[2]}, {one, one, one},
                              {sizes[0], sizes[1], back}));
  return results;
}

} // namespace

void populateONNXToKrnlCausalConvPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCausalConv);
}

} // namespace onnxc
