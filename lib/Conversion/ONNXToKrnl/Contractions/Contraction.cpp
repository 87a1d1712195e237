//===- Contraction.cpp - MatMul and Gemm ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Contraction.h"
#include "onnxc/Conversion/ONNXToKrnl/Broadcasting.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

Value buildContraction(KernelBuilder &kernel, ContractionTypes types,
                       const KernelBuilder::Access &lhs,
                       const KernelBuilder::Access &rhs,
                       const KernelBuilder::Access &out,
                       ArrayRef<AffineExpr> reduced) {
  Type accumulator = getElementTypeOrSelf(out.tensor.getType());
  Value zero = kernel.constant(cast<TypedAttr>(
      Builder(accumulator.getContext()).getZeroAttr(accumulator)));
  Value init = kernel.fill(zero, out);
  return kernel.generic(
      {lhs, rhs}, {init, out.at}, reduced,
      [&](OpBuilder &b, Location l, ValueRange x) {
        ScalarBuilder s(b, l, types.sum);
        auto cast = [&](Value stored, Type from) {
          ScalarBuilder operand(b, l, from);
          Value wide = operand.widen(stored);
          return from == types.sum ? wide : operand.castTo(wide, types.sum);
        };
        Value product = s.mul(cast(x[0], types.lhs), cast(x[1], types.rhs));
        return s.add(x[2], product);
      });
}

Value widenHalves(OpBuilder &b, Location loc, Value x) {
  RankedTensorType type = rankedType(x);
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16())
    return x;
  RankedTensorType wide = type.clone(b.getF32Type());
  KernelBuilder kernel(b, loc, "widen");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value in = kernel.input(x);
  Value out = kernel.output(wide, dynamicSizes(wide, sizesOf(b, loc, x)));
  Value y = kernel.generic({{in, at}}, {out, at}, {},
                           [&](OpBuilder &nb, Location l, ValueRange v) {
                             return ScalarBuilder(nb, l, element).widen(v[0]);
                           });
  return kernel.finish({y}).front();
}

/// Checks that two dimensions have one size, and lets both types say it where
/// one does.
static void unify(OpBuilder &b, Location loc, Value &x, int64_t xDim, Value &y,
                  int64_t yDim, StringRef message) {
  checkEqualSizes(b, loc, sizeOf(b, loc, x, xDim), sizeOf(b, loc, y, yDim),
                  message);
  x = withSize(b, loc, x, xDim, rankedType(y).getDimSize(yDim));
  y = withSize(b, loc, y, yDim, rankedType(x).getDimSize(xDim));
}

/// Is there a leading dimension, of both operands, which one of them may turn
/// out to repeat only at run time?
static bool mayRepeat(Value lhs, Value rhs) {
  ArrayRef<int64_t> x = rankedType(lhs).getShape().drop_back(2),
                    y = rankedType(rhs).getShape().drop_back(2);
  size_t common = std::min(x.size(), y.size());
  for (auto [m, n] : llvm::zip_equal(x.take_back(common), y.take_back(common)))
    if (m != 1 && n != 1 &&
        (ShapedType::isDynamic(m) || ShapedType::isDynamic(n)))
      return true;
  return false;
}

/// A * B over the last two dimensions, leading ones broadcast; a vector on
/// either side has its missing dimension left out of the result.
Value buildMatMul(OpBuilder &b, Location loc, Value lhs, Value rhs,
                  ContractionTypes types) {
  int64_t lhsRank = rankedType(lhs).getRank();
  int64_t rhsRank = rankedType(rhs).getRank();
  int64_t batches = std::max<int64_t>({lhsRank - 2, rhsRank - 2, 0});
  bool hasM = lhsRank > 1, hasN = rhsRank > 1;
  unify(b, loc, lhs, lhsRank - 1, rhs, hasN ? rhsRank - 2 : 0,
        "MatMul: inner sizes of the operands differ");
  if (hasM && hasN && batches > 0 && mayRepeat(lhs, rhs)) {
    SmallVector<Value> values = broadcastOperands(b, loc, {lhs, rhs}, 2).values;
    lhs = values[0];
    rhs = values[1];
  }
  for (int64_t i = 0; i < batches; ++i) {
    int64_t l = i - (batches - (lhsRank - 2)),
            r = i - (batches - (rhsRank - 2));
    if (hasM && hasN && l >= 0 && r >= 0 &&
        rankedType(lhs).getDimSize(l) != 1 &&
        rankedType(rhs).getDimSize(r) != 1)
      unify(b, loc, lhs, l, rhs, r,
            "MatMul: leading sizes of the operands differ");
  }
  RankedTensorType lhsType = rankedType(lhs), rhsType = rankedType(rhs);

  // A single row is widened while it waits for the columns.
  if (hasM && hasN && lhsType.getDimSize(lhsRank - 2) != 1) {
    lhs = widenHalves(b, loc, lhs);
    lhsType = rankedType(lhs);
  }
  KernelBuilder kernel(b, loc, "MatMul");
  KernelBuilder::Access a{kernel.input(lhs), {}}, x{kernel.input(rhs), {}};
  SmallVector<AffineExpr> outAt;
  SmallVector<Value> sizes;
  SmallVector<std::pair<Value, int64_t>> dynamicLike;
  SmallVector<int64_t> shape;
  auto addOut = [&](AffineExpr loop, Value host, Value inside, int64_t dim) {
    sizes.push_back(sizeOf(b, loc, host, dim));
    shape.push_back(rankedType(host).getDimSize(dim));
    if (ShapedType::isDynamic(shape.back()))
      dynamicLike.push_back({inside, dim});
    outAt.push_back(loop);
  };
  for (int64_t i = 0; i < batches; ++i) {
    int64_t l = i - (batches - (lhsRank - 2)),
            r = i - (batches - (rhsRank - 2));
    bool fromLhs = hasM && l >= 0 && lhsType.getDimSize(l) != 1;
    bool fromRhs = hasN && r >= 0 && rhsType.getDimSize(r) != 1;
    bool useRhs = fromRhs && (!fromLhs || lhsType.isDynamicDim(l));
    bool useLhs = !useRhs && hasM && l >= 0;
    AffineExpr loop =
        kernel.loop("b" + std::to_string(i),
                    useLhs ? lhsType.getDimSize(l) : rhsType.getDimSize(r));
    addOut(loop, useLhs ? lhs : rhs, useLhs ? a.tensor : x.tensor,
           useLhs ? l : r);
    if (hasM && l >= 0)
      a.at.push_back(fromLhs ? loop : kernel.zero());
    if (hasN && r >= 0)
      x.at.push_back(fromRhs ? loop : kernel.zero());
  }
  if (hasM) {
    AffineExpr m = kernel.loop("m", lhsType.getDimSize(lhsRank - 2));
    a.at.push_back(m);
    addOut(m, lhs, a.tensor, lhsRank - 2);
  }
  AffineExpr n;
  if (hasN) {
    n = kernel.loop("n", rhsType.getDimSize(rhsRank - 1));
    addOut(n, rhs, x.tensor, rhsRank - 1);
  }
  int64_t kExtent = lhsType.getDimSize(lhsRank - 1);
  AffineExpr k = kernel.loop("k", kExtent);
  a.at.push_back(k);
  x.at.push_back(k);
  if (n)
    x.at.push_back(n);

  auto type =
      RankedTensorType::get(shape, ScalarBuilder::storageType(types.sum));
  Value out = kernel.output(type, dynamicSizes(type, sizes));
  Type compute = ScalarBuilder::computeType(types.sum);
  Value result;
  if (compute == type.getElementType()) {
    result = buildContraction(kernel, types, a, x, {out, outAt}, {k});
  } else {
    Value wide =
        kernel.temporary(RankedTensorType::get(shape, compute), dynamicLike);
    Value sum = buildContraction(kernel, types, a, x, {wide, outAt}, {k});
    result =
        kernel.generic({{sum, outAt}}, {out, outAt}, {},
                       [&](OpBuilder &nb, Location l, ValueRange v) {
                         return ScalarBuilder(nb, l, types.sum).narrow(v[0]);
                       });
  }
  return kernel.finish({result}).front();
}

namespace {

struct MatMulLowering : public OpConversionPattern<onnx::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MatMulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value lhs = adaptor.getOperands()[0], rhs = adaptor.getOperands()[1];
    for (Value operand : {lhs, rhs})
      if (!rankedType(operand) || rankedType(operand).getRank() == 0)
        return rewriter.notifyMatchFailure(op,
                                           "operand has no rank, or rank 0");
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    replaceWithCasts(rewriter, *getTypeConverter(), op,
                     buildMatMul(rewriter, op.getLoc(), lhs, rhs, element));
    return success();
  }
};

/// alpha * A' * B' + beta * C, C broadcast to the result.
struct GemmLowering : public OpConversionPattern<onnx::GemmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lhs = adaptor.getOperands()[0], rhs = adaptor.getOperands()[1];
    RankedTensorType lhsType = rankedType(lhs), rhsType = rankedType(rhs);
    if (!lhsType || !rhsType || lhsType.getRank() != 2 ||
        rhsType.getRank() != 2)
      return rewriter.notifyMatchFailure(op, "operand is not of rank 2");
    bool transA = op.getTransA(), transB = op.getTransB();
    int64_t mDim = transA ? 1 : 0, nDim = transB ? 0 : 1;
    unify(rewriter, loc, lhs, 1 - mDim, rhs, 1 - nDim,
          "Gemm: inner sizes of the operands differ");
    lhsType = rankedType(lhs);
    rhsType = rankedType(rhs);
    KernelBuilder kernel(rewriter, loc, "Gemm");
    AffineExpr m = kernel.loop("m", lhsType.getDimSize(mDim));
    AffineExpr n = kernel.loop("n", rhsType.getDimSize(nDim));
    int64_t kExtent = lhsType.getDimSize(1 - mDim);
    AffineExpr k = kernel.loop("k", kExtent);
    KernelBuilder::Access a{kernel.input(lhs), {}}, x{kernel.input(rhs), {}};
    a.at =
        transA ? SmallVector<AffineExpr>{k, m} : SmallVector<AffineExpr>{m, k};
    x.at =
        transB ? SmallVector<AffineExpr>{n, k} : SmallVector<AffineExpr>{k, n};
    SmallVector<Value> sizes{sizeOf(rewriter, loc, lhs, mDim),
                             sizeOf(rewriter, loc, rhs, nDim)};
    SmallVector<int64_t> shape{lhsType.getDimSize(mDim),
                               rhsType.getDimSize(nDim)};
    SmallVector<std::pair<Value, int64_t>> like;
    if (ShapedType::isDynamic(shape[0]))
      like.push_back({a.tensor, mDim});
    if (ShapedType::isDynamic(shape[1]))
      like.push_back({x.tensor, nDim});

    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    auto type = RankedTensorType::get(shape, lhsType.getElementType());
    Type compute = ScalarBuilder::computeType(element);
    double alpha = op.getAlpha();
    double beta = op.getBeta();
    bool hasC = adaptor.getOperands().size() > 2 && beta != 0;
    Value out = kernel.output(type, dynamicSizes(type, sizes));
    SmallVector<AffineExpr> outAt{m, n};
    Value result;
    if (!hasC && alpha == 1 && compute == type.getElementType()) {
      result = buildContraction(kernel, element, a, x, {out, outAt}, {k});
    } else {
      Value wide =
          kernel.temporary(RankedTensorType::get(shape, compute), like);
      Value sum = buildContraction(kernel, element, a, x, {wide, outAt}, {k});
      SmallVector<KernelBuilder::Access> ins{{sum, outAt}};
      if (hasC) {
        // Next to the result's sizes, C's are known to be those or 1.
        Value sized = tensor::EmptyOp::create(rewriter, loc, type,
                                              dynamicSizes(type, sizes));
        BroadcastOperands operands =
            broadcastOperands(rewriter, loc, {adaptor.getOperands()[2], sized});
        ins.push_back(broadcastAccess(kernel, operands.values.front(), outAt));
      }
      result = kernel.generic(
          ins, {out, outAt}, {}, [&](OpBuilder &b, Location l, ValueRange v) {
            ScalarBuilder s(b, l, element);
            Value y = v[0];
            if (alpha != 1)
              y = s.mul(y, s.constant(alpha));
            if (hasC) {
              Value c = s.widen(v[1]);
              y = s.add(y, beta == 1 ? c : s.mul(c, s.constant(beta)));
            }
            return s.narrow(y);
          });
    }
    replaceWithCasts(rewriter, *getTypeConverter(), op,
                     kernel.finish({result}));
    return success();
  }
};

} // namespace

void populateONNXToKrnlContractionPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<GemmLowering, MatMulLowering>(converter, patterns.getContext());
}

} // namespace onnxc
