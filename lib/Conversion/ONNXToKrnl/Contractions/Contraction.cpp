//===- Contraction.cpp - MatMul and Gemm ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Contractions/Contraction.h"
#include "Builders/Accumulate.h"
#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Target/IR/Target.h"

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
  Value out = kernel.output(wide, sizesOf(b, loc, x));
  Value y = kernel.generic({{in, at}}, {out, at}, {},
                           [&](OpBuilder &nb, Location l, ValueRange v) {
                             return ScalarBuilder(nb, l, element).widen(v[0]);
                           });
  return kernel.finish({y}).front();
}

Value widenFactor(OpBuilder &b, Location loc, Value x, Value other) {
  krnl::MatrixProduct product;
  product.element = rankedType(x).getElementType();
  if (product.element != rankedType(other).getElementType() ||
      !product.element.isIntOrFloat())
    return widenHalves(b, loc, x);
  auto target = krnl::TargetAttr::of(b.getInsertionBlock()->getParentOp());
  return target.getInstruction(product.operation(), product.depth()).empty()
             ? widenHalves(b, loc, x)
             : x;
}

/// Checks that two dimensions have one size, and refines the type of one by the
/// static size of the other.
static void unify(OpBuilder &b, Location loc, Value &x, int64_t xDim, Value &y,
                  int64_t yDim, StringRef message) {
  checkEqualSizes(b, loc, sizeOf(b, loc, x, xDim), sizeOf(b, loc, y, yDim),
                  message);
  x = withSize(b, loc, x, xDim, rankedType(y).getDimSize(yDim));
  y = withSize(b, loc, y, yDim, rankedType(x).getDimSize(xDim));
}

/// Returns true if the operands have a common leading dimension that one of
/// them may turn out to repeat only at run time.
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

namespace {

/// An operand of MatMul: matrices along leading dimensions, or one vector.
struct Factor {
  int64_t rank() const { return rankedType(value).getRank(); }
  int64_t size(int64_t dim) const { return rankedType(value).getDimSize(dim); }
  bool isMatrix() const { return rank() > 1; }
  /// Which dimension is the leading one `i` of `count` of the result; negative
  /// if there is none.
  int64_t leading(int64_t i, int64_t count) const {
    return i - count + rank() - 2;
  }

  Value value;
  KernelBuilder::Access access;
};

/// Builds the kernel of A * B over the last two dimensions, leading ones
/// broadcast; a vector on either side has its missing dimension left out of the
/// result.
class MatMulKernel {
public:
  MatMulKernel(OpBuilder &b, Location loc, Value lhs, Value rhs)
      : b(b), loc(loc), lhs{lhs, {}}, rhs{rhs, {}},
        leading(
            std::max<int64_t>({this->lhs.rank() - 2, this->rhs.rank() - 2, 0})),
        kernel(b, loc, "MatMul") {}

  Value build(ContractionTypes types);

private:
  void checkSizes();
  void addLeadingLoop(int64_t i);
  AffineExpr addLoop(const Twine &name, const Factor &along, int64_t dim,
                     Value size = {});

  OpBuilder &b;
  Location loc;
  Factor lhs, rhs;
  /// How many dimensions of the result are not of a matrix.
  int64_t leading;
  KernelBuilder kernel;
  /// Leading sizes of the result where operands were repeated to have them.
  SmallVector<Value> leadingSizes;
  /// The other sizes of the result, where operands were repeated.
  Value rowCount, columnCount;
  /// The indices and the sizes of the result.
  SmallVector<AffineExpr> at;
  SmallVector<Value> sizes;
};

void MatMulKernel::checkSizes() {
  unify(b, loc, lhs.value, lhs.rank() - 1, rhs.value,
        rhs.isMatrix() ? rhs.rank() - 2 : 0,
        "MatMul: inner sizes of the operands differ");
  if (!lhs.isMatrix() || !rhs.isMatrix())
    return;
  if (mayRepeat(lhs.value, rhs.value)) {
    // The broadcast of an operand leaves its matrices as they are.
    rowCount = sizeOf(b, loc, lhs.value, lhs.rank() - 2);
    columnCount = sizeOf(b, loc, rhs.value, rhs.rank() - 1);
    BroadcastOperands operands =
        broadcastOperands(b, loc, {lhs.value, rhs.value}, 2);
    lhs.value = operands.values[0];
    rhs.value = operands.values[1];
    leadingSizes = std::move(operands.sizes);
  }
  for (int64_t i = 0; i < leading; ++i) {
    int64_t l = lhs.leading(i, leading), r = rhs.leading(i, leading);
    // Dynamic sizes have been made equal above.
    bool hasDynamicSize =
        !leadingSizes.empty() && !getConstantIntValue(leadingSizes[i]);
    if (l >= 0 && r >= 0 && lhs.size(l) != 1 && rhs.size(r) != 1 &&
        !hasDynamicSize)
      unify(b, loc, lhs.value, l, rhs.value, r,
            "MatMul: leading sizes of the operands differ");
  }
  // A single row is widened while it waits for the columns.
  if (lhs.size(lhs.rank() - 2) != 1)
    lhs.value = widenFactor(b, loc, lhs.value, rhs.value);
}

/// A loop, and a dimension of the result, as long as `along`'s; `size` is the
/// length if it is known already.
AffineExpr MatMulKernel::addLoop(const Twine &name, const Factor &along,
                                 int64_t dim, Value size) {
  AffineExpr loop = kernel.loop(name.str(), along.size(dim));
  sizes.push_back(size ? size : sizeOf(b, loc, along.value, dim));
  at.push_back(loop);
  return loop;
}

void MatMulKernel::addLeadingLoop(int64_t i) {
  int64_t l = lhs.leading(i, leading), r = rhs.leading(i, leading);
  bool lhsMoves = l >= 0 && lhs.size(l) != 1;
  bool rhsMoves = r >= 0 && rhs.size(r) != 1;
  // The operand of static size determines it.
  bool alongRhs = rhsMoves && (!lhsMoves || ShapedType::isDynamic(lhs.size(l)));
  bool alongLhs = !alongRhs && l >= 0;
  AffineExpr loop =
      addLoop("b" + Twine(i), alongLhs ? lhs : rhs, alongLhs ? l : r,
              leadingSizes.empty() ? Value() : leadingSizes[i]);
  if (l >= 0)
    lhs.access.at.push_back(lhsMoves ? loop : kernel.zero());
  if (r >= 0)
    rhs.access.at.push_back(rhsMoves ? loop : kernel.zero());
}

Value MatMulKernel::build(ContractionTypes types) {
  checkSizes();
  lhs.access.tensor = kernel.input(lhs.value);
  rhs.access.tensor = kernel.input(rhs.value);
  for (int64_t i = 0; i < leading; ++i)
    addLeadingLoop(i);
  if (lhs.isMatrix())
    lhs.access.at.push_back(addLoop("m", lhs, lhs.rank() - 2, rowCount));
  AffineExpr n;
  if (rhs.isMatrix())
    n = addLoop("n", rhs, rhs.rank() - 1, columnCount);
  AffineExpr k = kernel.loop("k", lhs.size(lhs.rank() - 1));
  lhs.access.at.push_back(k);
  rhs.access.at.push_back(k);
  if (n)
    rhs.access.at.push_back(n);

  RankedTensorType type =
      typeOfSizes(sizes, ScalarBuilder::storageType(types.sum));
  Value out = kernel.output(type, sizes);
  Value y = storeTotals(
      kernel, types.sum, {out, at}, [&](const KernelBuilder::Access &to) {
        return buildContraction(kernel, types, lhs.access, rhs.access, to, {k});
      });
  return kernel.finish({y}).front();
}

} // namespace

Value buildMatMul(OpBuilder &b, Location loc, Value lhs, Value rhs,
                  ContractionTypes types) {
  return MatMulKernel(b, loc, lhs, rhs).build(types);
}

namespace {

Lowered lowerMatMul(onnx::MatMulOp op, onnx::MatMulOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Value lhs = adaptor.getOperands()[0], rhs = adaptor.getOperands()[1];
  for (Value operand : {lhs, rhs})
    if (rankedType(operand).getRank() == 0)
      return rewriter.notifyMatchFailure(op, "operand is of rank 0");
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return buildMatMul(rewriter, op.getLoc(), lhs, rhs, element);
}

/// alpha times the total, and beta * C; nothing where that is the total.
FinishTotal epilogue(onnx::GemmOp op, bool addsC) {
  double alpha = op.getAlpha(), beta = op.getBeta();
  if (alpha == 1 && !addsC)
    return {};
  return [=](ScalarBuilder &s, Value total, ValueRange others) {
    if (alpha != 1)
      total = s.mul(total, s.constant(alpha));
    if (!addsC)
      return total;
    Value c = s.widen(others[0]);
    return s.add(total, beta == 1 ? c : s.mul(c, s.constant(beta)));
  };
}

Value build(OpBuilder &b, onnx::GemmOp op, onnx::GemmOp::Adaptor adaptor) {
  Location loc = op.getLoc();
  Value lhs = adaptor.getA(), rhs = adaptor.getB();
  int64_t mDim = op.getTransA() ? 1 : 0, nDim = op.getTransB() ? 0 : 1;
  unify(b, loc, lhs, 1 - mDim, rhs, 1 - nDim,
        "Gemm: inner sizes of the operands differ");
  KernelBuilder kernel(b, loc, "Gemm");
  AffineExpr m = kernel.loop("m", rankedType(lhs).getDimSize(mDim));
  AffineExpr n = kernel.loop("n", rankedType(rhs).getDimSize(nDim));
  AffineExpr k = kernel.loop("k", rankedType(lhs).getDimSize(1 - mDim));
  KernelBuilder::Access x{kernel.input(lhs), {m, k}},
      y{kernel.input(rhs), {k, n}};
  if (op.getTransA())
    std::swap(x.at[0], x.at[1]);
  if (op.getTransB())
    std::swap(y.at[0], y.at[1]);
  SmallVector<Value> sizes{sizeOf(b, loc, lhs, mDim),
                           sizeOf(b, loc, rhs, nDim)};
  RankedTensorType type = typeOfSizes(sizes, rankedType(lhs).getElementType());
  KernelBuilder::Access out{kernel.output(type, sizes), {m, n}};
  SmallVector<KernelBuilder::Access> others;
  if (adaptor.getC() && op.getBeta() != 0) {
    // Next to the result's sizes, C's are known to be those or 1.
    Value sized =
        tensor::EmptyOp::create(b, loc, type, dynamicSizes(type, sizes));
    BroadcastOperands operands =
        broadcastOperands(b, loc, {adaptor.getC(), sized});
    others.push_back(broadcastAccess(kernel, operands.values.front(), out.at));
  }
  Type element = getElementTypeOrSelf(op.getA().getType());
  auto total = [&](const KernelBuilder::Access &to) {
    return buildContraction(kernel, element, x, y, to, {k});
  };
  Value result = storeTotals(kernel, element, out, total,
                             epilogue(op, !others.empty()), others);
  return kernel.finish({result}).front();
}

/// alpha * A' * B' + beta * C, C broadcast to the result.
Lowered lowerGemm(onnx::GemmOp op, onnx::GemmOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  for (Value operand : {adaptor.getA(), adaptor.getB()})
    if (rankedType(operand).getRank() != 2)
      return rewriter.notifyMatchFailure(op, "operand is not of rank 2");
  return build(rewriter, op, adaptor);
}

} // namespace

void populateONNXToKrnlContractionPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerGemm, lowerMatMul);
}

} // namespace onnxc
