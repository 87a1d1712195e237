//===- FuseQuantization.cpp - From real products to integers ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// dequantise -> operator -> quantise, and the operators that are defined as
// that, become what a processor does with bytes. Only products and movements
// have to be known here: what works on elements shares a kernel with its
// neighbours anyway and reads and writes bytes there.
//
//===----------------------------------------------------------------------===//
#include "ConstantFloats.h"
#include "PackWeights.h"
#include "QuantizedProduct.h"
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"

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

static bool areBytes(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(8);
}

static bool isF32(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// `value` as a dequantised tensor of bytes without blocks; null otherwise.
static DequantizeLinearOp dequantizedBytes(Value value) {
  auto op =
      value ? value.getDefiningOp<DequantizeLinearOp>() : DequantizeLinearOp();
  bool hasForm = op && areBytes(op.getX()) && rankOf(op.getX()) >= 0 &&
                 isF32(op.getXScale()) && isF32(op.getY()) &&
                 op.getBlockSize() == 0;
  return hasForm ? op : DequantizeLinearOp();
}

/// One scale and one zero point for all elements?
static bool isUniform(DequantizeLinearOp op) {
  return elementCount(op.getXScale()) == 1 &&
         (!op.getXZeroPoint() || elementCount(op.getXZeroPoint()) == 1);
}

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
struct ConvToInteger final : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
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
};

/// matmul(dequantize(x), dequantize(w)) -> matmul_integer(x, w) * scales
struct MatMulToInteger final : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
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
};

/// gemm(dequantize(x), dequantize(w), c)
///   -> matmul_integer(x', w') * scales * alpha + c * beta
struct GemmToInteger final : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
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
                 : maker.make(
                       "Mul",
                       {value, maker.number(factor, rewriter.getF32Type())});
    };
    Value y = scaled(maker, sums, times(x.getXScale(), double(op.getAlpha())),
                     w.getXScale(), 0);
    if (op.getC())
      y = maker.make("Add", {y, times(op.getC(), double(op.getBeta()))});
    return replaceWith(rewriter, op, y);
  }
};

/// matmul_integer(x, w, xz, wz) -> matmul_integer(x', w') + what the zero
/// points add
struct SettleMatMulInteger final : OpRewritePattern<MatMulIntegerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulIntegerOp op,
                                PatternRewriter &rewriter) const override {
    Bytes x{op.getA(), op.getAZeroPoint()}, w{op.getB(), op.getBZeroPoint()};
    if (isPlainProduct(x, w))
      return rewriter.notifyMatchFailure(op, "nothing to do");
    NodeMaker maker(rewriter, op.getLoc());
    Value sums = makeMatMulSums(maker, x, w);
    if (!sums)
      return rewriter.notifyMatchFailure(op, "zero points of rows");
    return replaceWith(rewriter, op, sums);
  }
};

struct SettleConvInteger final : OpRewritePattern<ConvIntegerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvIntegerOp op,
                                PatternRewriter &rewriter) const override {
    Bytes x{op.getX(), op.getXZeroPoint()}, w{op.getW(), op.getWZeroPoint()};
    if (isPlainProduct(x, w))
      return rewriter.notifyMatchFailure(op, "nothing to do");
    NodeMaker maker(rewriter, op.getLoc());
    Value sums = makeConvSums(maker, op, x, w);
    if (!sums)
      return rewriter.notifyMatchFailure(op, "borders or zero points");
    return replaceWith(rewriter, op, sums);
  }
};

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

/// Are all of these single numbers in f32?
static bool areScales(ValueRange values) {
  return llvm::all_of(values, [](Value value) {
    return isF32(value) && elementCount(value) == 1;
  });
}

namespace {

/// qlinear_conv(x, xs, xz, w, ws, wz, ys, yz, b)
///   -> quantize((conv_integer(x, w) + b) * scales)
struct QLinearConvToInteger final : OpRewritePattern<QLinearConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QLinearConvOp op,
                                PatternRewriter &rewriter) const override {
    bool isVector =
        elementCount(op.getWScale()) > 0 && rankOf(op.getWScale()) <= 1;
    if (!areScales({op.getXScale(), op.getYScale()}) || !isVector ||
        !isF32(op.getWScale()) || elementCount(op.getYZeroPoint()) != 1)
      return rewriter.notifyMatchFailure(op, "scales of another form");
    NodeMaker maker(rewriter, op.getLoc());
    Value sums = makeConvSums(maker, op, {op.getX(), op.getXZeroPoint()},
                              {op.getW(), op.getWZeroPoint()});
    if (!sums)
      return rewriter.notifyMatchFailure(op, "no form of ConvInteger");
    int64_t spatial = rankOf(op.getX()) - 2;
    if (op.getB())
      sums =
          maker.make("Add", {sums, alongDimension(maker, op.getB(), spatial)});
    return replaceWith(rewriter, op,
                       requantized(maker, sums, op.getXScale(), op.getWScale(),
                                   op.getYScale(), op.getYZeroPoint(),
                                   spatial));
  }
};

/// qlinear_matmul(a, as, az, b, bs, bz, ys, yz)
///   -> quantize(matmul_integer(a, b) * scales)
struct QLinearMatMulToInteger final : OpRewritePattern<QLinearMatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QLinearMatMulOp op,
                                PatternRewriter &rewriter) const override {
    bool isVector =
        elementCount(op.getBScale()) > 0 && rankOf(op.getBScale()) <= 1;
    if (!areScales({op.getAScale(), op.getYScale()}) || !isVector ||
        !isF32(op.getBScale()) || elementCount(op.getYZeroPoint()) != 1)
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
};

} // namespace

//===----------------------------------------------------------------------===//
// The way back to bytes
//===----------------------------------------------------------------------===//

/// Is `value` made of dequantised tensors and products so that a factor can be
/// worked into constants?
static bool takesFactor(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<DequantizeLinearOp>(op))
    return isFromConstants(op->getOperand(1)) && isF32(value) &&
           isF32(op->getOperand(1));
  if (!op->hasOneUse())
    return false;
  if (isa<MulOp>(op))
    return isFromConstants(op->getOperand(1)) && isF32(value);
  if (isa<ReluOp>(op))
    return takesFactor(op->getOperand(0), depth - 1);
  if (!isa<AddOp, SubOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isFromConstants(operand) || takesFactor(operand, depth - 1);
  });
}

/// value * factor, for a value that takes it.
static Value withFactor(NodeMaker &maker, Value value, Value factor) {
  if (isFromConstants(value))
    return maker.make("Mul", {value, factor});
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands(op->getOperands());
  if (isa<DequantizeLinearOp, MulOp>(op))
    operands[1] = maker.make("Mul", {operands[1], factor});
  else
    for (Value &operand : operands)
      operand = withFactor(maker, operand, factor);
  Operation *made = maker.builder.clone(*op);
  made->setOperands(operands);
  return made->getResult(0);
}

namespace {

/// quantize(x, ys) -> quantize(x * (1 / ys), 1), where the factor costs nothing
struct ScaleBeforeQuantize final : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    auto scale = ConstantFloats::read(op.getYScale());
    if (!scale || scale->values.size() != 1 || !isF32(op.getYScale()) ||
        !(scale->values[0] > 0) || scale->values[0] == 1 ||
        op.getBlockSize() != 0 || op.getPrecision() != 0 ||
        !areBytes(op.getY()))
      return rewriter.notifyMatchFailure(op, "no scale to take out");
    if (!takesFactor(op.getX()) || isCopy(op))
      return rewriter.notifyMatchFailure(op, "nothing takes the factor");
    NodeMaker maker(rewriter, op.getLoc());
    // Of the shape of the scale: that of the zero point.
    scale->values.front() = 1;
    Value one = scale->create(rewriter, op.getLoc());
    Value factor = maker.make("Div", {maker.number(1, rewriter.getF32Type()),
                                      maker.reshape(op.getYScale(), {})});
    Value x = withFactor(maker, op.getX(), factor);
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(x);
      op.getYScaleMutable().assign(one);
    });
    return success();
  }

  /// Left to RemoveRequantize.
  static bool isCopy(QuantizeLinearOp op) {
    return op.getX().getDefiningOp<DequantizeLinearOp>() != nullptr;
  }
};

/// quantize(dequantize(x, s, z), s, z) -> x
struct RemoveRequantize final : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    DequantizeLinearOp x = dequantizedBytes(op.getX());
    bool same = x && isUniform(x) && x.getXScale() == op.getYScale() &&
                x.getXZeroPoint() == op.getYZeroPoint() &&
                op.getBlockSize() == 0 && op.getPrecision() == 0 &&
                getElementTypeOrSelf(x.getX().getType()) ==
                    getElementTypeOrSelf(op.getY().getType());
    auto scale = same ? ConstantFloats::read(op.getYScale()) : std::nullopt;
    if (!scale || !std::isnormal(float(scale->values.front())))
      return rewriter.notifyMatchFailure(op, "other parameters than before");
    return replaceIfAsSharp(rewriter, op, x.getX());
  }
};

/// quantize(relu(x)) -> quantize(x), if what is below zero is cut off anyway
struct RemoveReluBeforeQuantize final : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    auto relu = op.getX().getDefiningOp<ReluOp>();
    auto scale = ConstantFloats::read(op.getYScale());
    if (!relu || !scale || !areBytes(op.getY()) || op.getBlockSize() != 0 ||
        !llvm::all_of(scale->values, [](double s) { return s > 0; }))
      return rewriter.notifyMatchFailure(op, "no relu before");
    bool isSigned =
        !getElementTypeOrSelf(op.getY().getType()).isUnsignedInteger();
    if (isSigned || !isZero(op.getYZeroPoint()))
      return rewriter.notifyMatchFailure(op, "bytes below zero");
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(relu.getX()); });
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

/// move(dequantize(x)) -> dequantize(move(x)); the move's other operands stay
template <typename Move>
struct MoveBytes final : OpRewritePattern<Move> {
  using OpRewritePattern<Move>::OpRewritePattern;

  LogicalResult matchAndRewrite(Move op,
                                PatternRewriter &rewriter) const override {
    DequantizeLinearOp first = dequantizedBytes(op->getOperand(0));
    // Weights are moved when the model is compiled, unless a run picks some.
    bool staysConstant =
        first && isFromConstants(first.getX()) &&
        llvm::all_of(op->getOperands().drop_front(),
                     [](Value operand) { return isFromConstants(operand); });
    if (!first || !isUniform(first) || staysConstant)
      return rewriter.notifyMatchFailure(op, "moves no uniform bytes");
    if (op->getNumResults() != 1 && !op->getResult(1).use_empty())
      return rewriter.notifyMatchFailure(op, "has other results");
    if (isa<MaxPoolOp>(op) && !isPositive(first.getXScale()))
      return rewriter.notifyMatchFailure(op, "the order may turn over");
    SmallVector<Value> operands(op->getOperands());
    unsigned data = isa<ConcatOp>(op) ? operands.size() : 1;
    for (Value &operand : MutableArrayRef(operands).take_front(data)) {
      DequantizeLinearOp part = dequantizedBytes(operand);
      if (!part || part.getXScale() != first.getXScale() ||
          part.getXZeroPoint() != first.getXZeroPoint() ||
          getElementTypeOrSelf(part.getX()) !=
              getElementTypeOrSelf(first.getX()))
        return rewriter.notifyMatchFailure(op, "joins different scales");
      operand = part.getX();
    }
    auto moved = cast<Move>(rewriter.clone(*op));
    moved->setOperands(operands);
    Type bytes = getElementTypeOrSelf(first.getX().getType());
    auto shape = cast<TensorType>(op->getResult(0).getType());
    moved->getResult(0).setType(shape.cloneWith(std::nullopt, bytes));
    NodeMaker maker(rewriter, op->getLoc());
    Value y =
        maker.make("DequantizeLinear", {moved->getResult(0), first.getXScale(),
                                        first.getXZeroPoint()});
    y.setType(shape);
    SmallVector<Value> results(moved->getResults());
    results[0] = y;
    rewriter.replaceOp(op, results);
    return success();
  }

  static bool isPositive(Value scale) {
    auto constant = ConstantFloats::read(scale);
    return constant && constant->values.front() > 0;
  }
};

struct FuseQuantization final
    : public onnxc::onnx::impl::FuseQuantizationBase<FuseQuantization> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvToInteger, GemmToInteger, MatMulToInteger,
                 QLinearConvToInteger, QLinearMatMulToInteger,
                 RemoveReluBeforeQuantize, RemoveRequantize,
                 ScaleBeforeQuantize, SettleConvInteger, SettleMatMulInteger>(
        &getContext());
    patterns.add<MoveBytes<ConcatOp>, MoveBytes<DepthToSpaceOp>,
                 MoveBytes<ExpandOp>, MoveBytes<FlattenOp>, MoveBytes<GatherOp>,
                 MoveBytes<MaxPoolOp>, MoveBytes<ReshapeOp>, MoveBytes<SliceOp>,
                 MoveBytes<SpaceToDepthOp>, MoveBytes<SqueezeOp>,
                 MoveBytes<TransposeOp>, MoveBytes<UnsqueezeOp>>(&getContext());
    populatePackWeightsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
