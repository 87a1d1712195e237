//===- BlockQuantization.cpp - Data as bytes, block by block ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Quantization/BlockQuantization.h"

#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "Quantization/Quantization.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The largest number of a block.
constexpr double largestNumber = 127;

/// A kernel over all elements of a tensor, whose last dimension is reduced.
struct BlockKernel {
  BlockKernel(OpBuilder &b, Location loc, StringRef name, Value x)
      : loc(loc), type(rankedType(x)), kernel(b, loc, name),
        in(kernel.input(x)), all(kernel.loopsOf(type)),
        block(ArrayRef(all).drop_back()), sizes(sizesOf(b, loc, x)) {
    sizes.pop_back();
  }
  Value output(Type element) {
    auto result = RankedTensorType::get(type.getShape().drop_back(), element);
    return kernel.output(result, sizes);
  }
  /// Reduces a block to one value; `fn` gets the element and the value so far.
  Value reduce(Value start, KernelBuilder::Body fn) {
    Value into = kernel.temporaryLike(
        in, start.getType(), llvm::to_vector(llvm::seq(type.getRank() - 1)));
    return kernel.generic({{in, all}},
                          {kernel.fill(start, {into, block}), block},
                          {all.back()}, fn);
  }
  Value map(Value x, Value to, KernelBuilder::Body fn) {
    return kernel.generic({{x, block}}, {to, block}, {}, fn);
  }

  Location loc;
  RankedTensorType type;
  KernelBuilder kernel;
  Value in;
  SmallVector<AffineExpr> all, block;
  SmallVector<Value> sizes;
};

/// One scale for each block, and the factor of its elements.
SmallVector<Value> blockScales(OpBuilder &b, Location loc, Value x) {
  Type f32 = b.getF32Type();
  BlockKernel k(b, loc, "block scales", x);
  Value zero = k.kernel.constant(b.getF32FloatAttr(0));
  Value largest = k.reduce(zero, [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, f32);
    return s.max(v[1], s.abs(v[0]));
  });
  Value scales = k.map(largest, k.output(f32),
                       [&](OpBuilder &nb, Location l, ValueRange v) {
                         ScalarBuilder s(nb, l, f32);
                         return s.mul(v[0], s.constant(1 / largestNumber));
                       });
  Value factors = k.map(
      largest, k.output(f32), [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, f32);
        Value none = s.constant(0);
        return s.select(s.eq(v[0], none), none,
                        s.div(s.constant(largestNumber), v[0]));
      });
  return k.kernel.finish({scales, factors});
}

/// [.., blocks, parts, bytes] of [.., blocks, bytes, parts].
Value quantized(OpBuilder &b, Location loc, Value x, Value factors) {
  RankedTensorType type = rankedType(x);
  KernelBuilder kernel(b, loc, "quantize blocks");
  Value in = kernel.input(x);
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  SmallVector<AffineExpr> block(ArrayRef(at).drop_back(2)), to = at;
  std::swap(to[to.size() - 1], to[to.size() - 2]);
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  auto result = RankedTensorType::get(shape, b.getI8Type());
  Value y = kernel.generic({{in, at}, {kernel.input(factors), block}},
                           {kernel.output(result, sizes), to}, {},
                           [&](OpBuilder &nb, Location l, ValueRange v) {
                             ScalarBuilder real(nb, l, nb.getF32Type());
                             return quantizeScalar(real, real.mul(v[0], v[1]),
                                                   Value(), nb.getI8Type());
                           });
  return kernel.finish({y}).front();
}

Value blockSums(OpBuilder &b, Location loc, Value numbers, int64_t factor) {
  Type i32 = b.getI32Type();
  BlockKernel k(b, loc, "block sums", numbers);
  Value zero = k.kernel.constant(b.getI32IntegerAttr(0));
  Value sum = k.reduce(zero, [&](OpBuilder &nb, Location l, ValueRange v) {
    Value wide = arith::ExtSIOp::create(nb, l, i32, v[0]);
    return arith::AddIOp::create(nb, l, v[1], wide).getResult();
  });
  Value y = k.map(sum, k.output(i32),
                  [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                    return arith::MulIOp::create(
                        nb, l, v[0],
                        arith::ConstantIntOp::create(nb, l, i32, factor));
                  });
  return k.kernel.finish({y}).front();
}

} // namespace

Value reshapeLast(OpBuilder &b, Location loc, Value x, int64_t dropped,
                  ArrayRef<int64_t> last) {
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  SmallVector<int64_t> shape(rankedType(x).getShape().drop_back(dropped));
  sizes.truncate(shape.size());
  for (int64_t size : last) {
    shape.push_back(size);
    sizes.push_back(indexConstant(b, loc, size));
  }
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x.getType()));
  return reshapeTo(b, loc, x, type, sizes);
}

QuantizedBlocks quantizeBlocks(OpBuilder &b, Location loc, Value x,
                               int64_t parts, int64_t factor) {
  int64_t size = rankedType(x).getShape().back();
  SmallVector<Value> scales = blockScales(b, loc, x);
  QuantizedBlocks result;
  result.scales = scales[0];
  x = reshapeLast(b, loc, x, 1, {size / parts, parts});
  result.numbers = quantized(b, loc, x, scales[1]);
  Value lines = reshapeLast(b, loc, result.numbers, 2, {size});
  result.sums = blockSums(b, loc, lines, factor);
  return result;
}

} // namespace onnxc
