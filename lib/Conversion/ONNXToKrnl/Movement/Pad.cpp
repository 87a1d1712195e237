//===- Pad.cpp - Elements around a tensor, or fewer -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// Pads a dimension that is known at run time only.
void padAxis(OpBuilder &b, Location loc, Value axis, Value low, Value high,
             SmallVector<Value> &before, SmallVector<Value> &after) {
  int64_t rank = before.size();
  auto is = [&](int64_t d) {
    return compareIndex(b, loc, arith::CmpIPredicate::eq, axis,
                        indexConstant(b, loc, d));
  };
  for (int64_t d = 0; d < rank; ++d) {
    Value hit = arith::OrIOp::create(b, loc, is(d), is(d - rank));
    before[d] = selectValue(b, loc, hit, low, before[d]);
    after[d] = selectValue(b, loc, hit, high, after[d]);
  }
}

/// The number of axes is dynamic: at most one for each dimension.
void readPadsAtRunTime(OpBuilder &b, Location loc, Value pads, Value axes,
                       SmallVector<Value> &before, SmallVector<Value> &after) {
  int64_t rank = before.size();
  Value count = sizeOf(b, loc, axes, 0), zero = indexConstant(b, loc, 0),
        nowhere = indexConstant(b, loc, rank);
  checkAtMost(b, loc, count, nowhere, "Pad: there are too many axes");
  checkEqualSizes(b, loc, sizeOf(b, loc, pads, 0),
                  addIndex(b, loc, count, count),
                  "Pad: the number of pads does not fit");
  for (int64_t i = 0; i < rank; ++i) {
    Value number = indexConstant(b, loc, i);
    padAxis(b, loc, elementOr(b, loc, axes, number, nowhere),
            elementOr(b, loc, pads, number, zero),
            elementOr(b, loc, pads, addIndex(b, loc, number, count), zero),
            before, after);
  }
}

LogicalResult readPads(onnx::PadOp op, onnx::PadOp::Adaptor adaptor,
                       SmallVector<Value> &before, SmallVector<Value> &after,
                       ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  int64_t rank = before.size(), count = rank;
  Value pads = adaptor.getPads(), axes = adaptor.getAxes();
  auto known = axes ? onnx::constantInts(op.getAxes()) : std::nullopt;
  if (known && !namedAxes(*known, rank))
    return failure();
  if (axes && !known)
    checkAxes(rewriter, loc, axes, rank,
              "Pad: the axes are out of range or repeat");
  if (axes) {
    auto length = getConstantIntValue(lengthOf(rewriter, loc, axes));
    if (!length) {
      readPadsAtRunTime(rewriter, loc, pads, axes, before, after);
      return success();
    }
    count = *length;
  }
  checkLength(rewriter, loc, pads, 2 * count,
              "Pad: the number of pads does not fit");
  for (int64_t i = 0; i < count; ++i) {
    auto pad = [&](int64_t k) {
      return structuralElement(rewriter, loc, op.getPads(), pads, k);
    };
    Value axis = axes ? structuralElement(rewriter, loc, op.getAxes(), axes, i)
                      : indexConstant(rewriter, loc, i);
    Value low = pad(i), high = pad(i + count);
    auto number = getConstantIntValue(axis);
    if (!number) {
      padAxis(rewriter, loc, axis, low, high, before, after);
      continue;
    }
    int64_t d = positiveAxis(*number, rank);
    before[d] = low;
    after[d] = high;
  }
  return success();
}

/// Where there is nothing, nothing can be repeated.
void checkSource(OpBuilder &b, Location loc, ArrayRef<Value> sizes,
                 ArrayRef<Value> before, ArrayRef<Value> after) {
  Value one = indexConstant(b, loc, 1);
  for (auto [d, size] : llvm::enumerate(sizes))
    checkAtMost(b, loc,
                minIndex(b, loc, addIndex(b, loc, before[d], after[d]), one),
                size, "Pad: an axis of no elements has nothing to repeat");
}

/// The size with a pad that is not positive, of which more than there is
/// would be an error. Sums of pads may wrap around; these do not.
Value cut(OpBuilder &b, Location loc, Value size, Value pad) {
  auto constant = getConstantIntValue(pad);
  if (constant && *constant == 0)
    return size;
  Value zero = indexConstant(b, loc, 0);
  checkAtMost(b, loc, subIndex(b, loc, zero, size), pad,
              "Pad: more elements are taken away than there are");
  return maxIndex(b, loc, addIndex(b, loc, size, pad), zero);
}

/// Crops by negative pads; sets these to 0.
TensorPart crop(OpBuilder &b, Location loc, Value x, SmallVector<Value> &before,
                SmallVector<Value> &after) {
  Value zero = indexConstant(b, loc, 0);
  TensorPart part = TensorPart::whole(b, loc, x);
  for (auto [d, size] : llvm::enumerate(part.sizes)) {
    for (Value pad : {before[d], after[d]})
      checkGivenSize(b, loc, maxIndex(b, loc, pad, zero), "Pad");
    auto negative = [&](Value &pad) {
      Value cut = minIndex(b, loc, pad, zero);
      pad = maxIndex(b, loc, pad, zero);
      return cut;
    };
    Value low = negative(before[d]), high = negative(after[d]);
    part.starts[d] = subIndex(b, loc, zero, low);
    size = cut(b, loc, cut(b, loc, size, low), high);
  }
  return part;
}

Lowered lowerPad(onnx::PadOp op, onnx::PadOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getData();
  RankedTensorType type = rankedType(x);
  Value zero = indexConstant(rewriter, loc, 0);
  SmallVector<Value> before(type.getRank(), zero), after(type.getRank(), zero);
  if (failed(readPads(op, adaptor, before, after, rewriter)))
    return rewriter.notifyMatchFailure(
        op, "axes are not known, out of range or repeat");
  Value y;
  TensorPart part = crop(rewriter, loc, x, before, after);
  if (op.getMode() != "constant") {
    checkSource(rewriter, loc, part.sizes, before, after);
    y = padFromInside(rewriter, loc, op.getMode(), part, before, after);
  } else {
    Value value = op.getConstantValue()
                      ? onlyElement(rewriter, loc, adaptor.getConstantValue())
                      : storedConstant(rewriter, loc, type.getElementType(), 0);
    y = padConstant(rewriter, loc, part, before, after, value);
  }
  return y;
}

} // namespace

void populateONNXToKrnlPadPatterns(TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerPad);
}

} // namespace onnxc
