//===- BatchNormalization.cpp - Normalisation of channels -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// BatchNormalization with statistics that are given (inference) or those of
// the batch (training), and LRN, which reads adjacent channels.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

Type onnxElement(Value v) { return getElementTypeOrSelf(v.getType()); }

/// A stored element of type `from` in the compute type of `s`.
Value load(ScalarBuilder &s, Value stored, Type from, Type to) {
  ScalarBuilder source(s.builder(), s.getLoc(), from);
  return source.castTo(source.widen(stored), to);
}

class BatchKernel {
public:
  BatchKernel(OpBuilder &b, onnx::BatchNormalizationOp op,
              onnx::BatchNormalizationOp::Adaptor adaptor)
      : b(b), loc(op.getLoc()), op(op), adaptor(adaptor),
        kernel(b, loc, "BatchNormalization"),
        type(cast<RankedTensorType>(adaptor.getX().getType())),
        element(onnxElement(op.getX())),
        compute(ScalarBuilder::computeType(element)) {
    in = kernel.input(adaptor.getX());
    all = kernel.loopsOf(type);
    channel = type.getRank() > 1 ? all[1] : kernel.zero();
    for (auto [d, loop] : llvm::enumerate(all))
      if (loop != channel)
        reduced.push_back(loop);
  }

  SmallVector<Value> build();

private:
  using Access = KernelBuilder::Access;
  /// One value of the compute type for each channel.
  Access temporary() {
    if (type.getRank() > 1)
      return at(kernel.temporaryLike(in, compute, {1}));
    return at(kernel.temporary(RankedTensorType::get({1}, compute)));
  }
  Access at(Value perChannel) { return {perChannel, {channel}}; }
  Access parameter(Value v) { return at(kernel.input(v)); }
  Value map(ArrayRef<Access> ins, const Access &out,
            function_ref<Value(ScalarBuilder &, ValueRange)> fn,
            ArrayRef<AffineExpr> over = {}) {
    return kernel.generic(ins, out, over,
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, element);
                            return fn(s, v);
                          });
  }
  Value widened(Value original, Value converted) {
    return map(parameter(converted), temporary(),
               [&](ScalarBuilder &s, ValueRange v) {
                 return load(s, v[0], onnxElement(original), element);
               });
  }
  Value batchMean(Value center);
  Value running(Value original, Value converted, Value current, Value wanted);

  OpBuilder &b;
  Location loc;
  onnx::BatchNormalizationOp op;
  onnx::BatchNormalizationOp::Adaptor adaptor;
  KernelBuilder kernel;
  RankedTensorType type;
  Type element, compute;
  Value in, number;
  SmallVector<AffineExpr> all, reduced;
  AffineExpr channel;
};

/// Mean over a channel of the elements, or of the squares of their distances
/// to `center`.
Value BatchKernel::batchMean(Value center) {
  if (!number) {
    Value count = indexConstant(b, loc, 1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (all[d] != channel)
        count = mulIndex(b, loc, count, sizeOf(b, loc, adaptor.getX(), d));
    Value asInt = arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
    number = kernel.input(
        arith::SIToFPOp::create(b, loc, compute, asInt).getResult());
  }
  ScalarBuilder outside(kernel.inside(), loc, element);
  Value start = kernel.fill(outside.constant(0), temporary());
  SmallVector<Access> ins{{in, all}};
  if (center)
    ins.push_back(at(center));
  Value total = map(
      ins, at(start),
      [&](ScalarBuilder &s, ValueRange v) {
        Value x = s.widen(v[0]);
        x = center ? s.sub(x, v[1]) : x;
        return s.add(v.back(), center ? s.mul(x, x) : x);
      },
      reduced);
  return map(at(total), temporary(), [&](ScalarBuilder &s, ValueRange v) {
    return s.div(v[0], number);
  });
}

/// given * momentum + current * (1 - momentum)
Value BatchKernel::running(Value original, Value converted, Value current,
                           Value wanted) {
  Type to = onnxElement(wanted);
  auto outType = RankedTensorType::get(
      cast<RankedTensorType>(converted.getType()).getShape(),
      ScalarBuilder::storageType(to));
  Value out = kernel.output(outType, sizesOf(b, loc, converted));
  double momentum = op.getMomentum();
  return map({parameter(converted), at(current)}, at(out),
             [&](ScalarBuilder &s, ValueRange v) {
               Value old = load(s, v[0], onnxElement(original), element);
               Value y = s.add(s.mul(old, s.constant(momentum)),
                               s.mul(v[1], s.constant(1 - momentum)));
               ScalarBuilder stored(s.builder(), s.getLoc(), to);
               return stored.narrow(s.castTo(y, to));
             });
}

SmallVector<Value> BatchKernel::build() {
  bool training = op.getTrainingMode();
  Value mean = training ? batchMean({})
                        : widened(op.getInputMean(), adaptor.getInputMean());
  Value variance = training ? batchMean(mean)
                            : widened(op.getInputVar(), adaptor.getInputVar());
  double epsilon = op.getEpsilon();
  Value factor = map({at(variance), parameter(adaptor.getScale())}, temporary(),
                     [&](ScalarBuilder &s, ValueRange v) {
                       Value scale =
                           load(s, v[1], onnxElement(op.getScale()), element);
                       Value shifted = s.add(v[0], s.constant(epsilon));
                       return s.div(scale, s.sqrt(shifted));
                     });
  Value out = kernel.output(type, sizesOf(b, loc, adaptor.getX()));
  SmallVector<Value> results;
  results.push_back(
      map({{in, all}, at(mean), at(factor), parameter(adaptor.getB())},
          {out, all}, [&](ScalarBuilder &s, ValueRange v) {
            Value y = s.mul(s.sub(s.widen(v[0]), v[1]), v[2]);
            Value bias = load(s, v[3], onnxElement(op.getB()), element);
            return s.narrow(s.add(y, bias));
          }));
  if (Value wanted = op.getRunningMean())
    results.push_back(
        running(op.getInputMean(), adaptor.getInputMean(), mean, wanted));
  if (Value wanted = op.getRunningVar())
    results.push_back(
        running(op.getInputVar(), adaptor.getInputVar(), variance, wanted));
  return kernel.finish(results);
}

Lowered lowerBatchNorm(onnx::BatchNormalizationOp op,
                       onnx::BatchNormalizationOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (type.getRank() == 0)
    return rewriter.notifyMatchFailure(op, "operand has no channels");
  return BatchKernel(rewriter, op, adaptor).build();
}

Accumulation steps(onnx::LRNOp op) {
  double alpha = op.getAlpha() / double(op.getSize());
  double beta = op.getBeta(), bias = op.getBias();
  return {
      [](ScalarBuilder &s) { return s.constant(0); },
      [](ScalarBuilder &s, Value x) { return s.mul(x, x); },
      [](ScalarBuilder &s, Value total, Value x) { return s.add(total, x); },
      [=](ScalarBuilder &s, Value total, ValueRange others) {
        Value base = s.add(s.constant(bias), s.mul(s.constant(alpha), total));
        Value power = s.math<math::PowFOp>(base, s.constant(beta));
        return s.div(s.widen(others[0]), power);
      }};
}

/// x / (bias + alpha / size * sum of squares over `size` channels) ^ beta
Lowered lowerLRN(onnx::LRNOp op, onnx::LRNOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  auto type = dyn_cast<RankedTensorType>(x.getType());
  int64_t size = op.getSize();
  if (type.getRank() < 2 || size < 1)
    return rewriter.notifyMatchFailure(op, "operand has no channels");
  Type element = onnxElement(op.getX());
  SmallVector<Value> before(type.getRank(), indexConstant(rewriter, loc, 0));
  SmallVector<Value> after = before;
  before[1] = indexConstant(rewriter, loc, (size - 1) / 2);
  after[1] = indexConstant(rewriter, loc, size / 2);
  ScalarBuilder host(rewriter, loc, element);
  Value zero = host.narrow(host.constant(0));
  Value padded = padConstant(rewriter, loc, x, before, after, zero);

  KernelBuilder k(rewriter, loc, "LRN");
  SmallVector<AffineExpr> all = k.loopsOf(type);
  AffineExpr near = k.loop("k", size);
  SmallVector<AffineExpr> window = all;
  window[1] = all[1] + near;
  Value in = k.input(x), wide = k.input(padded);
  Value out = k.output(type, sizesOf(rewriter, loc, x));
  Value y = accumulate(k, loc, element, steps(op), {wide, window}, {out, all},
                       {near}, {{in, all}});
  return k.finish({y});
}

} // namespace

void populateONNXToKrnlBatchNormalizationPatterns(TypeConverter &converter,
                                                  RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerBatchNorm, lowerLRN);
}

} // namespace onnxc
