//===- Softmax.cpp - Softmax, LogSoftmax and Hardmax ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel of several passes over the axis: largest element, sum of
// exponentials of the distances to it, results.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Masks.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The kernel under construction: loops over all dimensions; `row` has all but
/// the axis.
struct RowKernel {
  RowKernel(OpBuilder &b, Operation *op, Value x, int64_t axis)
      : loc(op->getLoc()), kernel(b, loc, op->getName().stripDialect()),
        type(cast<RankedTensorType>(x.getType())),
        element(getElementTypeOrSelf(op->getOperand(0).getType())),
        compute(ScalarBuilder::computeType(element)), axis(axis),
        hiddenRowsAreZero(op->hasAttr(onnx::hiddenRowsAttrName)) {
    in = kernel.input(x);
    all = kernel.loopsOf(type);
    reduced = {all[axis]};
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (d == axis)
        continue;
      row.push_back(all[d]);
      rowDims.push_back(d);
    }
    out = kernel.output(type, sizesOf(b, loc, x));
  }

  /// One value for each row.
  Value rowTemporary(Type of) { return kernel.temporaryLike(in, of, rowDims); }
  Value rowTemporary() { return rowTemporary(compute); }
  Value fullTemporary() { return kernel.temporaryLike(in, compute); }
  /// The largest element of each row, or NaN beside one.
  Value rowLargest() {
    return rowMaximum(
        [](ScalarBuilder &s, Value sofar, Value x) { return s.max(sofar, x); });
  }
  /// The largest number of each row, or the lowest: what subtracts it from the
  /// elements is NaN beside a NaN anyway.
  Value rowLargestNumber() {
    return rowMaximum([](ScalarBuilder &s, Value sofar, Value x) {
      return s.math<arith::MaxNumFOp>(sofar, x);
    });
  }
  /// The sum of `term` of the inputs, along each row.
  template <typename Fn>
  Value rowSum(ArrayRef<KernelBuilder::Access> ins, Fn term) {
    ScalarBuilder outside(kernel.inside(), loc, element);
    Value start = kernel.fill(outside.constant(0), {rowTemporary(), row});
    return kernel.generic(ins, {start, row}, reduced,
                          [&](OpBuilder &b, Location l, ValueRange v) {
                            ScalarBuilder s(b, l, element);
                            return s.add(v.back(), term(s, v.drop_back()));
                          });
  }
  template <typename Fn>
  Value map(ArrayRef<KernelBuilder::Access> ins, Value to, Fn fn) {
    return kernel.generic(ins, {to, all}, {},
                          [&](OpBuilder &b, Location l, ValueRange v) {
                            ScalarBuilder s(b, l, element);
                            return fn(s, v);
                          });
  }

  template <typename Fn>
  Value rowMaximum(Fn merge) {
    ScalarBuilder outside(kernel.inside(), loc, element);
    Value start = kernel.fill(outside.lowest(), {rowTemporary(), row});
    return kernel.generic({{in, all}}, {start, row}, reduced,
                          [&](OpBuilder &b, Location l, ValueRange v) {
                            ScalarBuilder s(b, l, element);
                            return merge(s, v[1], s.widen(v[0]));
                          });
  }

  Location loc;
  KernelBuilder kernel;
  RankedTensorType type;
  Type element, compute;
  int64_t axis;
  bool hiddenRowsAreZero;
  Value in, out;
  SmallVector<AffineExpr> all, row, reduced;
  SmallVector<int64_t> rowDims;
};

/// The standard's own body of Softmax has elements of T between its steps, and
/// its results are compared to less than one step of f16: exponentials and
/// their sum are rounded as there, unless T cannot hold the sum.
Value roundedAsStored(ScalarBuilder &s, Value x) {
  Value rounded = s.widen(s.narrow(x));
  return rounded == x ? x : s.select(s.lt(rounded, s.highest()), rounded, x);
}

/// What is subtracted from elements: of a row of -infinity alone nothing, if
/// its exponentials are to be 0.
Value shiftOf(ScalarBuilder &s, Value largest, bool hiddenRowsAreZero) {
  return hiddenRowsAreZero
             ? s.select(s.eq(largest, s.lowest()), s.constant(0), largest)
             : largest;
}

/// What exponentials are divided by: 1 if all of them are 0.
Value divisorOf(ScalarBuilder &s, Value total, bool hiddenRowsAreZero) {
  return hiddenRowsAreZero
             ? s.select(s.eq(total, s.constant(0)), s.constant(1), total)
             : total;
}

Value softmax(RowKernel &k) {
  bool hidden = k.hiddenRowsAreZero;
  Value largest = k.rowLargestNumber();
  Value exponential =
      k.map({{k.in, k.all}, {largest, k.row}}, k.fullTemporary(),
            [&](ScalarBuilder &s, ValueRange v) {
              Value shift = shiftOf(s, v[1], hidden);
              Value e = s.expFromMax(s.sub(s.widen(v[0]), shift));
              return s.widen(s.narrow(e));
            });
  Value total = k.rowSum({{exponential, k.all}},
                         [](ScalarBuilder &, ValueRange v) { return v[0]; });
  if (k.element != k.compute)
    return k.map({{exponential, k.all}, {total, k.row}}, k.out,
                 [&](ScalarBuilder &s, ValueRange v) {
                   Value divisor = divisorOf(s, v[1], hidden);
                   return s.narrow(s.div(v[0], roundedAsStored(s, divisor)));
                 });
  // One division for a row instead of one for each element.
  Value factor = k.kernel.generic(
      {{total, k.row}}, {k.rowTemporary(), k.row}, {},
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, k.element);
        return s.div(s.constant(1), divisorOf(s, v[0], hidden));
      });
  return k.map(
      {{exponential, k.all}, {factor, k.row}}, k.out,
      [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

/// x - largest - log(sum(exp(x - largest)))
Value logSoftmax(RowKernel &k) {
  Value largest = k.rowLargestNumber();
  Value total = k.rowSum({{k.in, k.all}, {largest, k.row}},
                         [](ScalarBuilder &s, ValueRange v) {
                           return s.expFromMax(s.sub(s.widen(v[0]), v[1]));
                         });
  Value log =
      k.kernel.generic({{total, k.row}}, {k.rowTemporary(), k.row}, {},
                       [&](OpBuilder &b, Location l, ValueRange v) {
                         return ScalarBuilder(b, l, k.element).log(v[0]);
                       });
  return k.map({{k.in, k.all}, {largest, k.row}, {log, k.row}}, k.out,
               [](ScalarBuilder &s, ValueRange v) {
                 Value shifted = s.sub(s.widen(v[0]), v[1]);
                 return s.narrow(s.sub(shifted, v[2]));
               });
}

/// 1 for the first of the largest elements, else 0; a NaN counts as the
/// largest, as for ArgMax.
Value hardmax(RowKernel &k) {
  Value largest = k.rowLargest();
  OpBuilder attrs(k.type.getContext());
  IntegerType index = positionType(attrs, k.type.getDimSize(k.axis));
  Value none = k.kernel.constant(
      attrs.getIntegerAttr(index, APInt::getSignedMaxValue(index.getWidth())));
  auto position = [&](ScalarBuilder &s) {
    return s.math<arith::IndexCastOp>(
        index, k.kernel.index(s.builder(), s.getLoc(), k.reduced[0]));
  };
  Value start = k.kernel.fill(none, {k.rowTemporary(index), k.row});
  Value first = k.kernel.generic(
      {{k.in, k.all}, {largest, k.row}}, {start, k.row}, k.reduced,
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, k.element);
        Value here = position(s);
        Value x = s.widen(v[0]), hit = s.eq(x, v[1]);
        if (s.isFloat())
          hit = s.math<arith::OrIOp>(hit, s.isNaN(x));
        Value candidate = s.select(hit, here, none);
        return arith::MinSIOp::create(b, l, v[2], candidate).getResult();
      });
  return k.map({{first, k.row}}, k.out, [&](ScalarBuilder &s, ValueRange v) {
    Value here = position(s);
    Value hit = arith::CmpIOp::create(s.builder(), s.getLoc(),
                                      arith::CmpIPredicate::eq, here, v[0]);
    return s.narrow(s.select(hit, s.constant(1), s.constant(0)));
  });
}

template <typename OnnxOp, Value (*build)(RowKernel &)>
Lowered lowerRows(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  auto type = cast<RankedTensorType>(x.getType());
  FailureOr<int64_t> axis = axisOf(rewriter, op, op.getAxis(), type.getRank());
  if (failed(axis))
    return failure();
  RowKernel kernel(rewriter, op, x, *axis);
  Value y = build(kernel);
  return kernel.kernel.finish({y});
}

} // namespace

void populateONNXToKrnlSoftmaxPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerRows<onnx::HardmaxOp, hardmax>,
               lowerRows<onnx::LogSoftmaxOp, logSoftmax>,
               lowerRows<onnx::SoftmaxOp, softmax>);
}

} // namespace onnxc
