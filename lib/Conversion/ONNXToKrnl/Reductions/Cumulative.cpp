//===- Cumulative.cpp - Running sums and products ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// CumSum and CumProd: a reduction along the axis that also writes its partial
// results. The tensor is seen as [before, axis, after], so that the axis may be
// a value of the run.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The axis as an index from 0 on, checked.
Value checkedAxis(OpBuilder &b, Location loc, Value axis, int64_t rank,
                  StringRef message) {
  Value size = indexConstant(b, loc, rank), zero = indexConstant(b, loc, 0);
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, axis, zero);
  Value fromZero = arith::SelectOp::create(b, loc, negative,
                                           addIndex(b, loc, axis, size), axis);
  krnl::makeCheck(b, loc, isInside(b, loc, fromZero, size), message, axis,
                  "{} for a rank of " + std::to_string(rank));
  return fromZero;
}

/// Sizes [before, axis, after] for an axis that is known at run time only.
SmallVector<Value> splitAt(OpBuilder &b, Location loc, ArrayRef<Value> sizes,
                           Value axis) {
  Value one = indexConstant(b, loc, 1);
  SmallVector<Value> parts(3, one);
  std::pair<arith::CmpIPredicate, unsigned> kinds[] = {
      {arith::CmpIPredicate::slt, 0},
      {arith::CmpIPredicate::eq, 1},
      {arith::CmpIPredicate::sgt, 2}};
  for (auto [d, size] : llvm::enumerate(sizes)) {
    Value here = indexConstant(b, loc, d);
    for (auto [kind, part] : kinds) {
      Value belongs = arith::CmpIOp::create(b, loc, kind, here, axis);
      Value factor = arith::SelectOp::create(b, loc, belongs, size, one);
      parts[part] = mulIndex(b, loc, parts[part], factor);
    }
  }
  return parts;
}

/// One kernel for all four forms of the running value.
class RunningKernel {
public:
  RunningKernel(OpBuilder &b, Location loc, StringRef name, Type element,
                bool product)
      : b(b), loc(loc), kernel(b, loc, name), element(element),
        product(product) {}

  Value build(Value x, bool exclusive, bool reverse);

private:
  Value fromEnd(OpBuilder &nb, Location l, AffineExpr loop, Value size) {
    Value last = subIndex(nb, l, size, indexConstant(nb, l, 1));
    return subIndex(nb, l, last, kernel.index(nb, l, loop));
  }

  OpBuilder &b;
  Location loc;
  KernelBuilder kernel;
  Type element;
  bool product;
};

Value RunningKernel::build(Value x, bool exclusive, bool reverse) {
  RankedTensorType type = rankedType(x);
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value in = kernel.input(x), size = kernel.scalar(sizeOf(b, loc, x, 1)),
        out = kernel.output(type, sizesOf(b, loc, x));
  ScalarBuilder outside(kernel.inside(), loc, element);
  KernelBuilder::Access carried{
      kernel.temporaryLike(in, outside.type(), {0, 2}), {at[0], at[2]}};
  carried.tensor = kernel.fill(outside.constant(product ? 1 : 0), carried);
  // From the end: elements are read, and results written, the other way round.
  SmallVector<AffineExpr> to = at;
  if (reverse)
    to[1] = kernel.zero();
  auto step = [&](OpBuilder &nb, Location l, ValueRange v) {
    ScalarBuilder s(nb, l, element);
    Value value = v[0], position;
    if (reverse) {
      position = fromEnd(nb, l, at[1], size);
      value = tensor::ExtractOp::create(nb, l, in,
                                        ValueRange{kernel.index(nb, l, at[0]),
                                                   position,
                                                   kernel.index(nb, l, at[2])});
    }
    value = s.widen(value);
    Value next = product ? s.mul(v[1], value) : s.add(v[1], value);
    Value y = s.narrow(exclusive ? v[1] : next);
    if (reverse) {
      Value zero = indexConstant(nb, l, 0);
      y = krnl::ScatterStoreOp::create(nb, l, y.getType(), y,
                                       ValueRange{zero, position, zero});
    }
    return SmallVector<Value>{next, y};
  };
  SmallVector<Value> results =
      kernel.generic({{in, at}}, {carried, {out, to}}, at[1], step);
  return kernel.finish(results.back()).front();
}

template <typename OnnxOp, bool product>
Lowered lowerRunning(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], axis = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x), axisType = rankedType(axis);
  if (axisType.getRank() > 1)
    return rewriter.notifyMatchFailure(op,
                                       "the axis is not a scalar or vector");
  StringRef name = op->getName().stripDialect();
  SmallVector<Value> sizes = sizesOf(rewriter, loc, x), parts;
  if (auto known = onnx::constantInts(op->getOperand(1))) {
    if (known->size() != 1)
      return neverMade(rewriter, op,
                       (name + ": the axis is not one number").str());
    int64_t d = positiveAxis(known->front(), type.getRank());
    if (d < 0 || d >= type.getRank())
      return rewriter.notifyMatchFailure(op, "axis is out of range");
    ArrayRef<Value> all(sizes);
    parts = {productOf(rewriter, loc, all.take_front(d)), all[d],
             productOf(rewriter, loc, all.drop_front(d + 1))};
  } else {
    Value d = checkedAxis(rewriter, loc, elementAsIndex(rewriter, loc, axis, 0),
                          type.getRank(),
                          (name + ": the axis is out of range").str());
    parts = splitAt(rewriter, loc, sizes, d);
  }
  Value view = reshapeTo(rewriter, loc, x,
                         typeOfSizes(parts, type.getElementType()), parts);
  RunningKernel kernel(rewriter, loc, name,
                       getElementTypeOrSelf(op->getOperand(0).getType()),
                       product);
  Value y = kernel.build(view, op.getExclusive(), op.getReverse());
  return reshapeTo(rewriter, loc, y, type, sizes);
}

} // namespace

void populateONNXToKrnlCumulativePatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerRunning<onnx::CumSumOp, false>,
               lowerRunning<onnx::CumProdOp, true>);
}

} // namespace onnxc
