//===- Dropout.cpp - Dropout in inference and in training -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// In inference nothing is dropped. In training each element has its own random
// number, a hash of its position and the seed: the same in every run and for
// any number of threads.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Position of the element in memory order, as i64.
Value linearPosition(KernelBuilder &kernel, OpBuilder &b, Location loc,
                     ArrayRef<Value> sizes, ArrayRef<AffineExpr> loops) {
  Value position = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [size, loop] : llvm::zip(sizes, loops))
    position = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, position, size),
        kernel.index(b, loc, loop));
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
}

/// A number from [0, 1) that looks random: splitmix64 of the position.
Value randomNumber(OpBuilder &b, Location loc, Value position, uint64_t seed) {
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getI64IntegerAttr(int64_t(value)));
  };
  auto mix = [&](Value z, unsigned shift, uint64_t factor) -> Value {
    Value high = arith::ShRUIOp::create(b, loc, z, constant(shift));
    return arith::MulIOp::create(b, loc, arith::XOrIOp::create(b, loc, z, high),
                                 constant(factor));
  };
  Value z = arith::AddIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, position, constant(0x9e3779b97f4a7c15)),
      constant(seed + 0x9e3779b97f4a7c15));
  z = mix(mix(z, 30, 0xbf58476d1ce4e5b9), 27, 0x94d049bb133111eb);
  // 24 bits fill the mantissa of f32.
  Value bits = arith::TruncIOp::create(
      b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, z, constant(40)));
  Value scale = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(std::ldexp(1.0f, -24)));
  return arith::MulFOp::create(
      b, loc, arith::SIToFPOp::create(b, loc, b.getF32Type(), bits), scale);
}

/// Where a tensor of one element is read.
KernelBuilder::Access scalarAccess(KernelBuilder &kernel, Value scalar) {
  int64_t rank = cast<RankedTensorType>(scalar.getType()).getRank();
  return {kernel.input(scalar), SmallVector<AffineExpr>(rank, kernel.zero())};
}

struct DropoutLowering : public OpConversionPattern<onnx::DropoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::DropoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    for (Value operand : adaptor.getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        return rewriter.notifyMatchFailure(op, "operand has no rank");
    Value training = adaptor.getTrainingMode();
    auto constant = onnx::constantInts(op.getTrainingMode());
    bool never = !training ||
                 (constant && constant->size() == 1 && constant->front() == 0);
    SmallVector<Value> results =
        never ? infer(rewriter, op, adaptor) : train(rewriter, op, adaptor);
    results.truncate(op->getNumResults());
    replaceWithCasts(rewriter, *getTypeConverter(), op, results);
    return success();
  }

private:
  static RankedTensorType maskType(RankedTensorType type) {
    return RankedTensorType::get(type.getShape(),
                                 IntegerType::get(type.getContext(), 8));
  }

  static SmallVector<Value> infer(OpBuilder &b, onnx::DropoutOp op,
                                  OpAdaptor adaptor) {
    Value x = adaptor.getData();
    if (op->getNumResults() < 2)
      return {x};
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(x.getType());
    KernelBuilder kernel(b, loc, "Dropout");
    SmallVector<AffineExpr> loops = kernel.loopsOf(type);
    Value out =
        kernel.output(maskType(type), dynamicSizes(type, sizesOf(b, loc, x)));
    Value kept = kernel.constant(b.getI8IntegerAttr(1));
    return {x, kernel.finish({kernel.fill(kept, {out, loops})}).front()};
  }

  static SmallVector<Value> train(OpBuilder &b, onnx::DropoutOp op,
                                  OpAdaptor adaptor) {
    Location loc = op.getLoc();
    Value x = adaptor.getData(), ratio = adaptor.getRatio();
    auto type = cast<RankedTensorType>(x.getType());
    Type element = getElementTypeOrSelf(op.getData().getType());
    KernelBuilder kernel(b, loc, "Dropout");
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
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizes.push_back(
          tensor::DimOp::create(kernel.inside(), loc, ins[0].tensor, d));
    uint64_t seed = op.getSeed().value_or(0);
    return kernel.finish(kernel.generic(
        ins, outs, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
          ScalarBuilder s(nb, l, element), real(nb, l, nb.getF32Type());
          Value drop = real.constant(0.5);
          if (ratio) {
            ScalarBuilder r(nb, l, getElementTypeOrSelf(op.getRatio()));
            drop = r.castTo(r.widen(v[2]), nb.getF32Type());
          }
          // Without training the ratio is 0, which keeps everything as it is.
          drop = real.select(real.fromBool(v[1]), drop, real.constant(0));
          Value number = randomNumber(
              nb, l, linearPosition(kernel, nb, l, sizes, loops), seed);
          Value keep = real.le(drop, number);
          Value factor =
              real.div(real.constant(1), real.sub(real.constant(1), drop));
          Value scaled = s.mul(s.widen(v[0]), real.castTo(factor, element));
          Value y = s.select(keep, scaled, s.constant(0));
          return SmallVector<Value>{s.narrow(y), s.toBool(keep)};
        }));
  }
};

} // namespace

void populateONNXToKrnlDropoutPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<DropoutLowering>(converter, patterns.getContext());
}

} // namespace onnxc
