//===- Dropout.cpp - Dropout in inference and in training -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// In inference nothing is dropped. In training each element has its own random
// number, which depends on its position and on the run.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/RandomNumbers.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Where a tensor of one element is read.
KernelBuilder::Access scalarAccess(KernelBuilder &kernel, Value scalar) {
  int64_t rank = cast<RankedTensorType>(scalar.getType()).getRank();
  return {kernel.input(scalar), SmallVector<AffineExpr>(rank, kernel.zero())};
}

RankedTensorType maskType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(),
                               IntegerType::get(type.getContext(), 8));
}

SmallVector<Value> infer(OpBuilder &b, onnx::DropoutOp op,
                         onnx::DropoutOp::Adaptor adaptor) {
  Value x = adaptor.getData();
  if (op->getNumResults() < 2)
    return {x};
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  KernelBuilder kernel(b, loc, "Dropout");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  Value out = kernel.output(maskType(type), sizesOf(b, loc, x));
  Value kept = kernel.constant(b.getI8IntegerAttr(1));
  return {x, kernel.finish({kernel.fill(kept, {out, loops})}).front()};
}

/// The element `x`, of type `element`, and whether it is kept. `probability` is
/// that of dropping it, and `words` are its random ones.
SmallVector<Value> dropOrScale(ScalarBuilder &real, Value x, Type element,
                               Value probability, ArrayRef<Value> words) {
  ScalarBuilder s(real.builder(), real.getLoc(), element);
  Value keep = real.le(probability, uniformNumber(real, words[0], words[1]));
  Value factor =
      real.div(real.constant(1), real.sub(real.constant(1), probability));
  Value scaled = s.mul(s.widen(x), real.castTo(factor, element));
  Value y = s.select(keep, scaled, s.constant(0));
  return {s.narrow(y), s.toBool(keep)};
}

SmallVector<Value> train(OpBuilder &b, onnx::DropoutOp op,
                         onnx::DropoutOp::Adaptor adaptor) {
  Location loc = op.getLoc();
  Value x = adaptor.getData(), ratio = adaptor.getRatio();
  auto type = cast<RankedTensorType>(x.getType());
  Type element = getElementTypeOrSelf(op.getData().getType());
  RandomDraw hostDraw = RandomDraw::get(b, loc, op.getSeed());
  KernelBuilder kernel(b, loc, "Dropout");
  RandomDraw draw = hostDraw.inside(kernel);
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  SmallVector<KernelBuilder::Access> ins{
      {kernel.input(x), loops},
      scalarAccess(kernel, adaptor.getTrainingMode())};
  if (ratio)
    ins.push_back(scalarAccess(kernel, ratio));
  SmallVector<Value> dynamic = dynamicSizes(type, sizesOf(b, loc, x));
  SmallVector<KernelBuilder::Access> outs{
      {kernel.output(type, dynamic), loops},
      {kernel.output(maskType(type), dynamic), loops}};
  SmallVector<Value> sizes;
  for (Value size : sizesOf(b, loc, x))
    sizes.push_back(kernel.scalar(size));
  return kernel.finish(kernel.generic(
      ins, outs, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder real(nb, l, nb.getF32Type());
        Value drop = real.constant(0.5);
        if (ratio) {
          ScalarBuilder r(nb, l, getElementTypeOrSelf(op.getRatio()));
          drop = r.castTo(r.widen(v[2]), nb.getF32Type());
        }
        // Without training the ratio is 0, which keeps everything as it is.
        drop = real.select(real.fromBool(v[1]), drop, real.constant(0));
        SmallVector<Value> index;
        for (AffineExpr loop : loops)
          index.push_back(kernel.index(nb, l, loop));
        SmallVector<Value> words =
            randomWords(nb, l, draw, linearPosition(nb, l, sizes, index));
        return dropOrScale(real, v[0], element, drop, words);
      }));
}

Lowered lowerDropout(onnx::DropoutOp op, onnx::DropoutOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Value training = adaptor.getTrainingMode();
  auto constant = onnx::constantInts(op.getTrainingMode());
  bool never = !training ||
               (constant && constant->size() == 1 && constant->front() == 0);
  SmallVector<Value> results =
      never ? infer(rewriter, op, adaptor) : train(rewriter, op, adaptor);
  results.truncate(op->getNumResults());
  return results;
}

} // namespace

void populateONNXToKrnlDropoutPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDropout);
}

} // namespace onnxc
