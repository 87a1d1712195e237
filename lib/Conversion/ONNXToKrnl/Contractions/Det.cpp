//===- Det.cpp - Determinants -----------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Gaussian elimination with row pivoting, one column of all matrices after the
// other: kernels find the pivots, multiply them up, and eliminate below them.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// One step of the elimination, for column `k` of matrices [batch, n, n].
class DetStep {
public:
  DetStep(OpBuilder &b, Location loc, Type element, Value k)
      : b(b), loc(loc), element(element), k(k) {}

  Value findPivots(Value matrices);
  Value multiply(Value product, Value matrices, Value pivots);
  Value eliminate(Value matrices, Value pivots);

private:
  static Value extract(OpBuilder &nb, Location l, Value tensor, ValueRange at) {
    return tensor::ExtractOp::create(nb, l, tensor, at);
  }
  /// The row that row `i` comes from where rows k, which is `column`, and `p`
  /// swap.
  static Value swappedRow(OpBuilder &nb, Location l, Value i, Value p,
                          Value column) {
    Value swapped =
        arith::SelectOp::create(nb, l, isEqual(nb, l, i, p), column, i);
    return arith::SelectOp::create(nb, l, isEqual(nb, l, i, column), p,
                                   swapped);
  }
  static Value isEqual(OpBuilder &nb, Location l, Value x, Value y) {
    return arith::CmpIOp::create(nb, l, arith::CmpIPredicate::eq, x, y);
  }

  OpBuilder &b;
  Location loc;
  Type element;
  Value k;
};

} // namespace

/// By matrix: the row from k on whose element in column k is the largest. NaNs
/// are above everything, so that they reach the product.
Value DetStep::findPivots(Value matrices) {
  RankedTensorType type = rankedType(matrices);
  KernelBuilder kernel(b, loc, "DetPivot");
  AffineExpr batch = kernel.loop("b", type.getDimSize(0)),
             row = kernel.loop("i", type.getDimSize(1));
  Value in = kernel.input(matrices), column = kernel.scalar(k);
  auto pivotType = RankedTensorType::get(type.getDimSize(0), b.getI64Type());
  Value pivots = kernel.output(pivotType, sizeOf(b, loc, matrices, 0));
  ScalarBuilder outside(kernel.inside(), loc, element);
  Value best = kernel.fill(
      outside.constant(-1),
      {kernel.temporaryLike(in, type.getElementType(), {0}), {batch}});
  Value none =
      kernel.fill(kernel.constant(b.getI64IntegerAttr(0)), {pivots, {batch}});
  SmallVector<Value> found = kernel.generic(
      {{in, {batch, row, kernel.zero()}}}, {{best, {batch}}, {none, {batch}}},
      row, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        Value i = kernel.index(nb, l, row);
        Value size =
            s.abs(extract(nb, l, in, {kernel.index(nb, l, batch), i, column}));
        Value isBelow =
            arith::CmpIOp::create(nb, l, arith::CmpIPredicate::sge, i, column);
        // Not "smaller or equal": true for a NaN too.
        Value better =
            arith::CmpFOp::create(nb, l, arith::CmpFPredicate::UGT, size, v[1]);
        better = arith::AndIOp::create(nb, l, better, isBelow);
        Value here = arith::IndexCastOp::create(nb, l, nb.getI64Type(), i);
        return SmallVector<Value>{s.select(better, size, v[1]),
                                  s.select(better, here, v[2])};
      });
  return kernel.finish(found.back()).front();
}

/// The product of the pivots so far; swapping two rows turns its sign.
Value DetStep::multiply(Value product, Value matrices, Value pivots) {
  return generate(
      b, loc, "DetProduct", rankedType(product).getElementType(),
      sizesOf(b, loc, product), {product, matrices, pivots, k},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, element);
        Value pivot = toIndex(nb, l, extract(nb, l, in[2], at));
        Value factor = extract(nb, l, in[1], {at[0], pivot, in[3]});
        factor = s.select(isEqual(nb, l, pivot, in[3]), factor, s.neg(factor));
        return s.mul(extract(nb, l, in[0], at), factor);
      });
}

/// Rows k and the pivot's swap, and lose multiples of row k below it.
/// A column of zeros stays: the product is 0 already.
Value DetStep::eliminate(Value matrices, Value pivots) {
  SmallVector<Value> sizes = sizesOf(b, loc, matrices);
  RankedTensorType type = rankedType(matrices);
  KernelBuilder kernel(b, loc, "DetEliminate");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value in = kernel.input(matrices), pivot = kernel.input(pivots),
        column = kernel.scalar(k);
  Value out = kernel.output(type, sizes);
  SmallVector<AffineExpr> rowAt(ArrayRef(at).take_front(2));
  Value factors = kernel.temporaryLike(in, type.getElementType(), {0, 1});
  factors = kernel.generic(
      {{pivot, {at[0]}}}, {factors, rowAt}, {},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        Value batch = kernel.index(nb, l, at[0]),
              i = kernel.index(nb, l, at[1]), p = toIndex(nb, l, v[0]),
              zero = s.constant(0);
        Value divisor = extract(nb, l, in, {batch, p, column});
        Value factor =
            s.div(extract(nb, l, in,
                          {batch, swappedRow(nb, l, i, p, column), column}),
                  divisor);
        Value isBelow =
            arith::CmpIOp::create(nb, l, arith::CmpIPredicate::sgt, i, column);
        factor = s.select(s.eq(divisor, zero), zero, factor);
        return s.select(isBelow, factor, zero);
      });
  Value rows = kernel.generic(
      {{factors, rowAt}, {pivot, {at[0]}}}, {out, at}, {},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        Value batch = kernel.index(nb, l, at[0]),
              j = kernel.index(nb, l, at[2]), p = toIndex(nb, l, v[1]);
        Value row = swappedRow(nb, l, kernel.index(nb, l, at[1]), p, column);
        return s.sub(extract(nb, l, in, {batch, row, j}),
                     s.mul(v[0], extract(nb, l, in, {batch, p, j})));
      });
  return kernel.finish(rows).front();
}

/// The tensor with elements of the type that is computed with, or back.
static Value convert(OpBuilder &b, Location loc, Value x, Type element,
                     bool widen) {
  Type stored = ScalarBuilder::storageType(element),
       computed = ScalarBuilder::computeType(element);
  if (stored == computed)
    return x;
  return generate(
      b, loc, "DetConvert", widen ? computed : stored, sizesOf(b, loc, x), x,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, element);
        Value value = tensor::ExtractOp::create(nb, l, in[0], at);
        return widen ? s.widen(value) : s.narrow(value);
      });
}

namespace {

Value build(OpBuilder &b, Location loc, Type element, Value matrices, Value n) {
  Value one = generate(
      b, loc, "DetOne", rankedType(matrices).getElementType(),
      sizeOf(b, loc, matrices, 0), {},
      [&](OpBuilder &nb, Location l, ArrayRef<Value>, ArrayRef<Value>) {
        return ScalarBuilder(nb, l, element).constant(1);
      });
  auto loop = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), n, indexConstant(b, loc, 1),
      ValueRange{matrices, one},
      [&](OpBuilder &nb, Location l, Value k, ValueRange carried) {
        DetStep step(nb, l, element, k);
        Value pivots = step.findPivots(carried[0]);
        Value product = step.multiply(carried[1], carried[0], pivots);
        Value rest = step.eliminate(carried[0], pivots);
        scf::YieldOp::create(nb, l, ValueRange{rest, product});
      });
  return loop.getResult(1);
}

Lowered lowerDet(onnx::DetOp op, onnx::DetOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  RankedTensorType type = rankedType(x);
  if (type.getRank() < 2)
    return rewriter.notifyMatchFailure(op, "operand is not a matrix");
  SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
  Value n = sizes.pop_back_val(), rows = sizes.pop_back_val();
  checkEqualSizes(rewriter, loc, n, rows, "Det: the matrix is not square");
  if (getConstantIntValue(rows))
    n = rows;
  Type element = getElementTypeOrSelf(op.getX().getType());
  Value batch = productOf(rewriter, loc, sizes);
  Value matrices = reshapeTo(rewriter, loc, x,
                             typeOfSizes({batch, n, n}, type.getElementType()),
                             {batch, n, n});
  Value det = build(rewriter, loc, element,
                    convert(rewriter, loc, matrices, element, true), n);
  det = convert(rewriter, loc, det, element, false);
  return reshapeTo(rewriter, loc, det,
                   typeOfSizes(sizes, type.getElementType()), sizes);
}

} // namespace

void populateONNXToKrnlDetPatterns(TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDet);
}

} // namespace onnxc
