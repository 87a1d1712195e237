//===- Random.cpp - Tensors of random numbers -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// RandomUniform, RandomNormal, their "Like" forms, Bernoulli and Multinomial:
// kernels that compute each number from its position.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/RandomNumbers.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Computes an element from its four random words and the element of the
/// operand at its position.
using FromWords =
    llvm::function_ref<Value(ScalarBuilder &, ArrayRef<Value> words, Value x)>;

/// A tensor of `element` with the sizes of `sizes`; `x`, if there is one, has
/// these sizes too.
Value randomTensor(OpBuilder &b, Location loc, StringRef name, Type element,
                   ArrayRef<Value> sizes, Value x, std::optional<float> seed,
                   FromWords fn) {
  RandomDraw draw = RandomDraw::get(b, loc, seed);
  SmallVector<Value> inputs{draw.key, draw.number};
  llvm::append_range(inputs, sizes);
  if (x)
    inputs.push_back(x);
  return generate(
      b, loc, name, ScalarBuilder::storageType(element), sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value position = linearPosition(nb, l, in.slice(2, at.size()), at);
        SmallVector<Value> words = randomWords(nb, l, {in[0], in[1]}, position);
        Value here;
        if (x)
          here = tensor::ExtractOp::create(nb, l, in.back(), at);
        ScalarBuilder s(nb, l, element);
        return s.narrow(fn(s, words, here));
      });
}

/// low + u * (high - low).
Value uniform(ScalarBuilder &s, ArrayRef<Value> words, double low,
              double high) {
  Value u = uniformNumber(s, words[0], words[1]);
  return s.add(s.constant(low), s.mul(u, s.constant(high - low)));
}

/// mean + scale * n, n by the method of Box and Muller.
Value normal(ScalarBuilder &s, ArrayRef<Value> words, double mean,
             double scale) {
  constexpr double twoPi = 6.283185307179586476925286766559;
  Value radius = s.sqrt(
      s.mul(s.constant(-2), s.log(openUniformNumber(s, words[0], words[1]))));
  Value angle = s.mul(s.constant(twoPi), uniformNumber(s, words[2], words[3]));
  Value n = s.mul(radius, s.math<math::CosOp>(angle));
  return s.add(s.constant(mean), s.mul(n, s.constant(scale)));
}

/// Shared by RandomNormal, RandomUniform and their Like forms.
template <typename OnnxOp, bool isNormal, bool isLike>
Lowered lowerRandom(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() < 16)
    return rewriter.notifyMatchFailure(op, "numbers of this type are not "
                                           "random");
  SmallVector<Value> sizes;
  if constexpr (isLike) {
    sizes = sizesOf(rewriter, loc, adaptor.getInput());
  } else {
    for (int64_t size : op.getShape())
      sizes.push_back(indexConstant(rewriter, loc, size));
  }
  return randomTensor(rewriter, loc, op->getName().stripDialect(), element,
                      sizes, Value(), op.getSeed(),
                      [&](ScalarBuilder &s, ArrayRef<Value> words, Value) {
                        if constexpr (isNormal)
                          return normal(s, words, op.getMean(), op.getScale());
                        else
                          return uniform(s, words, op.getLow(), op.getHigh());
                      });
}

/// 1 with the probability in the input, else 0.
Lowered lowerBernoulli(onnx::BernoulliOp op, onnx::BernoulliOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getInput();
  Type input = getElementTypeOrSelf(op.getInput().getType());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return randomTensor(rewriter, loc, "Bernoulli", element,
                      sizesOf(rewriter, loc, x), x, op.getSeed(),
                      [&](ScalarBuilder &s, ArrayRef<Value> words, Value p) {
                        ScalarBuilder from(s.builder(), s.getLoc(), input);
                        Value u = uniformNumber(from, words[0], words[1]);
                        return s.select(from.lt(u, from.widen(p)),
                                        s.constant(1), s.constant(0));
                      });
}

/// The exponentials of logarithms of probabilities, the largest of them 1.
Value weights(OpBuilder &b, Location loc, Value x, Type element) {
  KernelBuilder kernel(b, loc, "Multinomial");
  SmallVector<AffineExpr> at = kernel.loopsOf(rankedType(x));
  Value in = kernel.input(x);
  ScalarBuilder outside(kernel.inside(), loc, element);
  RankedTensorType type = rankedType(x).clone(outside.type());
  Value out = kernel.output(type, sizesOf(b, loc, x));
  KernelBuilder::Access row{kernel.temporaryLike(in, outside.type(), {0}),
                            {at[0]}};
  row.tensor = kernel.fill(outside.lowest(), row);
  row.tensor = kernel.generic({{in, at}}, row, at[1],
                              [&](OpBuilder &nb, Location l, ValueRange v) {
                                ScalarBuilder s(nb, l, element);
                                return s.max(v[1], s.widen(v[0]));
                              });
  Value y = kernel.generic({{in, at}, row}, {out, at}, {},
                           [&](OpBuilder &nb, Location l, ValueRange v) {
                             ScalarBuilder s(nb, l, element);
                             return s.exp(s.sub(s.widen(v[0]), v[1]));
                           });
  return kernel.finish({y}).front();
}

/// Running sums along the rows, and the sums of the rows, both in f64.
SmallVector<Value> runningSums(OpBuilder &b, Location loc, Value x) {
  KernelBuilder kernel(b, loc, "Multinomial");
  Type wide = b.getF64Type();
  SmallVector<AffineExpr> at = kernel.loopsOf(rankedType(x));
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value in = kernel.input(x);
  RankedTensorType type = rankedType(x).clone(wide),
                   totalType = typeOfSizes(sizes[0], wide);
  Value sums = kernel.output(type, sizes),
        totals = kernel.output(totalType, sizes[0]);
  ScalarBuilder outside(kernel.inside(), loc, wide);
  KernelBuilder::Access total{totals, {at[0]}};
  total.tensor = kernel.fill(outside.constant(0), total);
  SmallVector<Value> results =
      kernel.generic({{in, at}}, {total, {sums, at}}, at[1],
                     [&](OpBuilder &nb, Location l, ValueRange v) {
                       ScalarBuilder s(nb, l, wide),
                           from(nb, l, v[0].getType());
                       Value next = s.add(v[1], from.castTo(v[0], wide));
                       return SmallVector<Value>{next, next};
                     });
  return kernel.finish({results[1], results[0]});
}

/// The part of the row's total up to which a sample is drawn: less than the
/// total however it is rounded, as it is at most the number below 1 times the
/// total, so that some class is always above it. `extents` are those of `at`.
Value drawPart(KernelBuilder &kernel, const RandomDraw &draw, Value totals,
               Value like, ArrayRef<AffineExpr> at, ArrayRef<Value> extents) {
  Type wide = cast<RankedTensorType>(totals.getType()).getElementType();
  return kernel.generic(
      {{totals, {at[0]}}},
      {kernel.temporaryLike(like, wide), llvm::to_vector(at)}, {},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, wide);
        Value position = linearPosition(
            nb, l, extents,
            {kernel.index(nb, l, at[0]), kernel.index(nb, l, at[1])});
        SmallVector<Value> words = randomWords(nb, l, draw, position);
        return s.mul(uniformNumber(s, words[0], words[1]), v[0]);
      });
}

Value build(OpBuilder &b, onnx::MultinomialOp op, Value x) {
  Location loc = op.getLoc();
  RankedTensorType type = rankedType(x);
  Type element = getElementTypeOrSelf(op.getInput().getType()),
       result = getElementTypeOrSelf(op->getResult(0).getType());
  RandomDraw hostDraw = RandomDraw::get(b, loc, op.getSeed());
  SmallVector<Value> sums = runningSums(b, loc, weights(b, loc, x, element));
  SmallVector<Value> sizes{sizeOf(b, loc, x, 0),
                           indexConstant(b, loc, op.getSampleSize())};
  RankedTensorType outType =
      typeOfSizes(sizes, ScalarBuilder::storageType(result));
  KernelBuilder kernel(b, loc, "Multinomial");
  AffineExpr batch = kernel.loop("b", type.getDimSize(0)),
             sample = kernel.loop("s", op.getSampleSize()),
             label = kernel.loop("c", type.getDimSize(1));
  SmallVector<AffineExpr> at{batch, sample};
  Value running = kernel.input(sums[0]), totals = kernel.input(sums[1]);
  RandomDraw draw = hostDraw.inside(kernel);
  SmallVector<Value> extents{kernel.scalar(sizes[0]), kernel.scalar(sizes[1])};
  Value out = kernel.output(outType, sizes);
  Value part = drawPart(kernel, draw, totals, out, at, extents);
  Value none = storedConstant(kernel.inside(), loc, result, 0);
  Value found = kernel.generic(
      {{running, {batch, label}}, {part, at}},
      {kernel.fill(none, {out, at}), at}, label,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, nb.getF64Type()), count(nb, l, result);
        Value isBelow = s.le(v[0], v[1]);
        Value one = count.select(isBelow, count.constant(1), count.constant(0));
        return count.add(v[2], one);
      });
  return kernel.finish({found}).front();
}

/// The first class at which the running sum of the probabilities is above a
/// random part of all of them.
Lowered lowerMultinomial(onnx::MultinomialOp op,
                         onnx::MultinomialOp::Adaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(adaptor.getInput());
  if (type.getRank() != 2)
    return rewriter.notifyMatchFailure(op, "operand is not of rank 2");
  if (op.getSampleSize() < 0)
    return rewriter.notifyMatchFailure(op, "sample_size is negative");
  return build(rewriter, op, adaptor.getInput());
}

} // namespace

void populateONNXToKrnlRandomPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns,
               lowerRandom<onnx::RandomNormalOp, true, false>,
               lowerRandom<onnx::RandomNormalLikeOp, true, true>,
               lowerRandom<onnx::RandomUniformOp, false, false>,
               lowerRandom<onnx::RandomUniformLikeOp, false, true>,
               lowerBernoulli, lowerMultinomial);
}

} // namespace onnxc
