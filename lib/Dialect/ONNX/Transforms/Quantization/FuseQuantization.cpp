//===- FuseQuantization.cpp - From real products to integers ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// dequantise -> operator -> quantise, and the operators that are defined as
// that, become operations on bytes. Only products and movements have rules
// here: elementwise operators are fused with those around them anyway and read
// and write bytes in that kernel.
//
//===----------------------------------------------------------------------===//
#include "PackWeights.h"
#include "QuantizedProduct.h"
#include "Requantize.h"
#include "Simplify/Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Support/KeepNodes.h"
#include "onnxc/Support/RewriteFunction.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_FUSEQUANTIZATION
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Dequantised tensors
//===----------------------------------------------------------------------===//

/// Uniform, or with vectors along dimension `axis`, counted from the front.
static bool isUniformOrAlong(DequantizeLinearOp op, int64_t axis) {
  int64_t rank = rankOf(op.getX());
  int64_t own = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  if (isUniform(op))
    return true;
  auto fits = [&](Value parameter) {
    return !parameter || elementCount(parameter) == 1 || rankOf(parameter) == 1;
  };
  return own == axis && fits(op.getXScale()) && fits(op.getXZeroPoint());
}

static Bytes bytesOf(DequantizeLinearOp op) {
  return {op.getX(), op.getXZeroPoint()};
}

/// A vector as [n, 1, ..] with `after` ones; a single number as a scalar.
static Value alongDimension(NodeMaker &maker, Value vector, int64_t after) {
  SmallVector<int64_t> shape(after + 1, 1);
  shape[0] = -1;
  if (elementCount(vector) == 1)
    shape.clear();
  return maker.reshape(vector, shape);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// sums * xs * ws, where ws may be a vector along the dimension before the last
/// `after` ones of the result.
static Value scaled(NodeMaker &maker, Value sums, Value xScale, Value wScale,
                    int64_t after) {
  Value factor = maker.make(
      "Mul", {maker.reshape(xScale, {}), alongDimension(maker, wScale, after)});
  return maker.make("Mul",
                    {maker.cast(sums, maker.builder.getF32Type()), factor});
}

static LogicalResult replaceWith(PatternRewriter &rewriter, Operation *op,
                                 Value value) {
  // The shape is the one that the operation had.
  value.setType(op->getResult(0).getType());
  rewriter.replaceOp(op, value);
  return success();
}

namespace {

/// conv(dequantize(x), dequantize(w), b)
///   -> conv_integer(x, w) * scales + b
LogicalResult convToInteger(ConvOp op, PatternRewriter &rewriter) {
  DequantizeLinearOp x = dequantizedBytes(op.getX()),
                     w = dequantizedBytes(op.getW());
  if (!x || !w || !isUniform(x) || !isUniformOrAlong(w, 0))
    return rewriter.notifyMatchFailure(op, "no product of bytes");
  NodeMaker maker(rewriter, op.getLoc());
  Value sums = makeConvSums(maker, op, bytesOf(x), bytesOf(w));
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no form of ConvInteger");
  int64_t spatial = rankOf(op.getX()) - 2;
  Value y = scaled(maker, sums, x.getXScale(), w.getXScale(), spatial);
  if (op.getB())
    y = maker.make("Add", {y, alongDimension(maker, op.getB(), spatial)});
  return replaceWith(rewriter, op, y);
}

/// matmul(dequantize(x), dequantize(w)) -> matmul_integer(x, w) * scales
LogicalResult matMulToInteger(MatMulOp op, PatternRewriter &rewriter) {
  DequantizeLinearOp x = dequantizedBytes(op.getA()),
                     w = dequantizedBytes(op.getB());
  if (!x || !w || !isUniform(x) || !isUniformOrAlong(w, rankOf(w.getX()) - 1))
    return rewriter.notifyMatchFailure(op, "no product of bytes");
  NodeMaker maker(rewriter, op.getLoc());
  Value sums = makeMatMulSums(maker, bytesOf(x), bytesOf(w));
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no form of MatMulInteger");
  return replaceWith(rewriter, op,
                     scaled(maker, sums, x.getXScale(), w.getXScale(), 0));
}

/// gemm(dequantize(x), dequantize(w), c)
///   -> matmul_integer(x', w') * scales * alpha + c * beta
LogicalResult gemmToInteger(GemmOp op, PatternRewriter &rewriter) {
  DequantizeLinearOp x = dequantizedBytes(op.getA()),
                     w = dequantizedBytes(op.getB());
  if (!x || !w || rankOf(x.getX()) != 2 || rankOf(w.getX()) != 2 ||
      !isUniform(x) || !isUniformOrAlong(w, op.getTransB() ? 0 : 1))
    return rewriter.notifyMatchFailure(op, "no product of bytes");
  NodeMaker maker(rewriter, op.getLoc());
  auto transposed = [&](Bytes bytes, bool wanted) -> Bytes {
    if (!wanted)
      return bytes;
    NamedAttribute perm =
        rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr({1, 0}));
    return {maker.make("Transpose", bytes.value, perm), bytes.zero};
  };
  Value sums = makeMatMulSums(maker, transposed(bytesOf(x), op.getTransA()),
                              transposed(bytesOf(w), op.getTransB()));
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no form of MatMulInteger");
  auto times = [&](Value value, double factor) {
    return factor == 1
               ? value
               : maker.make("Mul", {value, maker.number(
                                               factor, rewriter.getF32Type())});
  };
  Value y = scaled(maker, sums, times(x.getXScale(), double(op.getAlpha())),
                   w.getXScale(), 0);
  if (op.getC())
    y = maker.make("Add", {y, times(op.getC(), double(op.getBeta()))});
  return replaceWith(rewriter, op, y);
}

/// matmul_integer(x, w, xz, wz) -> matmul_integer(x', w') + the terms of the
/// zero points; conv_integer alike
template <typename Op>
LogicalResult settleInteger(Op op, PatternRewriter &rewriter) {
  auto bytes = [&](unsigned i) {
    auto zero = op.getODSOperands(i + 2);
    return Bytes{op->getOperand(i), zero.empty() ? Value() : zero.front()};
  };
  Bytes x = bytes(0), w = bytes(1);
  if (isPlainProduct(x, w))
    return rewriter.notifyMatchFailure(op, "nothing to do");
  NodeMaker maker(rewriter, op.getLoc());
  Value sums;
  if constexpr (std::is_same_v<Op, ConvIntegerOp>)
    sums = makeConvSums(maker, op, x, w);
  else
    sums = makeMatMulSums(maker, x, w);
  if (!sums)
    return rewriter.notifyMatchFailure(op, "borders or zero points of rows");
  return replaceWith(rewriter, op, sums);
}

} // namespace

/// quantize(sums * xs * ws / ys) with the type and zero point of `zero`.
static Value requantized(NodeMaker &maker, Value sums, Value xScale,
                         Value wScale, Value yScale, Value zero,
                         int64_t after) {
  Value ratio =
      maker.make("Div", {maker.reshape(xScale, {}), maker.reshape(yScale, {})});
  Value y = scaled(maker, sums, ratio, wScale, after);
  Value one = maker.number(1, maker.builder.getF32Type());
  return maker.make("QuantizeLinear", {y, one, maker.reshape(zero, {})});
}

/// Returns true if the scales are f32, those of the weights at most a vector,
/// and all others and the zero point of the result scalars.
static bool areScales(Value x, Value weights, Value y, Value zeroPoint) {
  auto isNumber = [](Value scale) {
    return isF32(scale) && elementCount(scale) == 1;
  };
  return isNumber(x) && isNumber(y) && isF32(weights) &&
         elementCount(weights) > 0 && rankOf(weights) <= 1 &&
         elementCount(zeroPoint) == 1;
}

namespace {

/// qlinear_conv(x, xs, xz, w, ws, wz, ys, yz, b)
///   -> quantize((conv_integer(x, w) + b) * scales)
LogicalResult qLinearConvToInteger(QLinearConvOp op,
                                   PatternRewriter &rewriter) {
  if (!areScales(op.getXScale(), op.getWScale(), op.getYScale(),
                 op.getYZeroPoint()))
    return rewriter.notifyMatchFailure(op, "scales of another form");
  NodeMaker maker(rewriter, op.getLoc());
  Value sums = makeConvSums(maker, op, {op.getX(), op.getXZeroPoint()},
                            {op.getW(), op.getWZeroPoint()});
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no form of ConvInteger");
  int64_t spatial = rankOf(op.getX()) - 2;
  if (op.getB())
    sums = maker.make("Add", {sums, alongDimension(maker, op.getB(), spatial)});
  return replaceWith(rewriter, op,
                     requantized(maker, sums, op.getXScale(), op.getWScale(),
                                 op.getYScale(), op.getYZeroPoint(), spatial));
}

/// qlinear_matmul(a, as, az, b, bs, bz, ys, yz)
///   -> quantize(matmul_integer(a, b) * scales)
LogicalResult qLinearMatMulToInteger(QLinearMatMulOp op,
                                     PatternRewriter &rewriter) {
  if (!areScales(op.getAScale(), op.getBScale(), op.getYScale(),
                 op.getYZeroPoint()))
    return rewriter.notifyMatchFailure(op, "scales of another form");
  NodeMaker maker(rewriter, op.getLoc());
  Value sums = makeMatMulSums(maker, {op.getA(), op.getAZeroPoint()},
                              {op.getB(), op.getBZeroPoint()});
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no form of MatMulInteger");
  return replaceWith(rewriter, op,
                     requantized(maker, sums, op.getAScale(), op.getBScale(),
                                 op.getYScale(), op.getYZeroPoint(), 0));
}

} // namespace

namespace {
struct FuseQuantization final
    : public onnxc::onnx::impl::FuseQuantizationBase<FuseQuantization> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    onnxc::addRewrites<convToInteger, gemmToInteger, matMulToInteger,
                       qLinearConvToInteger, qLinearMatMulToInteger,
                       settleInteger<ConvIntegerOp>,
                       settleInteger<MatMulIntegerOp>>(patterns);
    populateRequantizePatterns(patterns);
    populatePackWeightsPatterns(patterns);
    onnxc::KeepNodes keepNodes(getArgument());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setListener(&keepNodes);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
