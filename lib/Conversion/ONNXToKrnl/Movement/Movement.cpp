//===- Movement.cpp - Elements that move ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Transpose, Concat, Split, Slice: copies whose read or write
// map has the new position of each element.
//===----------------------------------------------------------------------===//

#include "Movement/Movement.h"
#include "Builders/HostValues.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

Value copyElement(OpBuilder &, Location, ValueRange args) { return args[0]; }

Lowered lowerTranspose(onnx::TransposeOp op, onnx::TransposeOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  SmallVector<int64_t> perm;
  if (auto given = op.getPerm())
    perm.assign(given->begin(), given->end());
  else
    for (int64_t d = type.getRank(); d-- > 0;)
      perm.push_back(d);
  return transposeOf(rewriter, op.getLoc(), "Transpose", x, perm);
}

/// One list of numbers that the host has listed, such as sizes, and of
/// constants; null for other operands.
Value joinedSizes(OpBuilder &b, onnx::ConcatOp op, ValueRange operands) {
  SmallVector<Value> all;
  bool anyListed = false;
  for (auto [operand, x] : llvm::zip_equal(op->getOperands(), operands)) {
    auto list = x.getDefiningOp<tensor::FromElementsOp>();
    auto numbers = list ? std::nullopt : onnx::constantInts(operand);
    auto type = rankedType(x);
    if (!(list || numbers) || type.getRank() != 1)
      return Value();
    anyListed |= bool(list);
    if (list)
      llvm::append_range(all, list.getElements());
    else
      for (int64_t number : *numbers)
        all.push_back(arith::ConstantIntOp::create(
            b, op.getLoc(), type.getElementType(), number));
  }
  return anyListed
             ? tensor::FromElementsOp::create(b, op.getLoc(), all).getResult()
             : Value();
}

/// A loop for each dimension of the type but the axis, which has none yet.
SmallVector<AffineExpr> loopsBeside(KernelBuilder &kernel,
                                    RankedTensorType type, int64_t axis) {
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < type.getRank(); ++d)
    at.push_back(
        d == axis ? AffineExpr()
                  : kernel.loop("d" + std::to_string(d), type.getDimSize(d)));
  return at;
}

Value concatStatic(OpBuilder &b, Location loc, ValueRange operands,
                   RankedTensorType type, ValueRange sizes, int64_t axis) {
  KernelBuilder kernel(b, loc, "Concat");
  SmallVector<AffineExpr> at = loopsBeside(kernel, type, axis);
  Value out = kernel.output(type, sizes);
  int64_t offset = 0;
  for (auto [i, x] : llvm::enumerate(operands)) {
    int64_t size = rankedType(x).getDimSize(axis);
    if (size == 0)
      continue;
    SmallVector<AffineExpr> from = at, to = at;
    from[axis] = kernel.loop("a" + std::to_string(i), size);
    // An operand before only empty ones fills the dimension.
    if (size != type.getDimSize(axis))
      to[axis] = offset ? from[axis] + offset : kernel.partOf(from[axis]);
    else
      to[axis] = from[axis];
    out = kernel.generic({{kernel.input(x), from}}, {out, to}, {}, copyElement);
    offset += size;
  }
  if (isa<BlockArgument>(out)) {
    // Only empty operands: nothing to copy, but a kernel yields a result.
    at[axis] = kernel.loop("a", type.getDimSize(axis));
    Value zero = kernel.input(storedConstant(b, loc, type.getElementType(), 0));
    out = kernel.fill(zero, {out, at});
  }
  return kernel.finish({out}).front();
}

/// One copy per operand from a dynamic offset on, each along its own loop.
Value concatParts(OpBuilder &b, Location loc, ValueRange operands,
                  ValueRange offsets, RankedTensorType type, ValueRange sizes,
                  int64_t axis) {
  KernelBuilder kernel(b, loc, "Concat");
  SmallVector<AffineExpr> at = loopsBeside(kernel, type, axis);
  Value out = kernel.output(type, sizes);
  for (auto [i, x] : llvm::enumerate(operands)) {
    SmallVector<AffineExpr> from = at, to = at;
    from[axis] =
        kernel.loop("a" + std::to_string(i), rankedType(x).getDimSize(axis));
    auto known = getConstantIntValue(offsets[i]);
    to[axis] =
        known && *known ? from[axis] + *known : kernel.partOf(from[axis]);
    Value offset = known ? Value() : kernel.scalar(offsets[i]);
    out = kernel.generic(
        {{kernel.input(x), from}}, {out, to}, {},
        [&](OpBuilder &nb, Location l, ValueRange args) -> Value {
          if (!offset)
            return args[0];
          SmallVector<Value> by(type.getRank(), indexConstant(nb, l, 0));
          by[axis] = offset;
          return krnl::ScatterStoreOp::create(nb, l, args[0].getType(), args[0],
                                              by);
        });
  }
  return kernel.finish({out}).front();
}

/// Each element is read where it is, from the operand in whose range it lies.
Value concatDynamic(OpBuilder &b, Location loc, ValueRange operands,
                    ValueRange offsets, RankedTensorType type, ValueRange sizes,
                    int64_t axis) {
  KernelBuilder kernel(b, loc, "Concat");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  SmallVector<Value> images, begins;
  for (auto [x, offset] : llvm::zip(operands, offsets)) {
    images.push_back(kernel.input(x));
    begins.push_back(kernel.input(offset));
  }
  Value out = kernel.output(type, sizes);
  Value y = kernel.generic(
      {}, {out, at}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        Value zero = indexConstant(nb, l, 0), result;
        SmallVector<Value> index;
        for (AffineExpr loop : at)
          index.push_back(kernel.index(nb, l, loop));
        Value along = index[axis];
        for (auto [image, begin] : llvm::zip(images, begins)) {
          Value size = tensor::DimOp::create(kernel.inside(), loc, image, axis);
          Value one = indexConstant(kernel.inside(), loc, 1);
          Value last = arith::SubIOp::create(kernel.inside(), loc, size, one);
          index[axis] = arith::MaxSIOp::create(
              nb, l,
              arith::MinSIOp::create(
                  nb, l, arith::SubIOp::create(nb, l, along, begin), last),
              zero);
          Value element = tensor::ExtractOp::create(nb, l, image, index);
          if (!result) {
            result = element;
            continue;
          }
          Value isAfter = arith::CmpIOp::create(
              nb, l, arith::CmpIPredicate::sge, along, begin);
          result = arith::SelectOp::create(nb, l, isAfter, element, result);
        }
        return result;
      });
  return kernel.finish({y}).front();
}

/// Returns true if parts along the axis lie in lines of the result, as no size
/// after it separates their elements, and loops have lanes rather than threads,
/// which want one loop for all parts.
bool joinsLines(onnx::ConcatOp op, RankedTensorType type, int64_t axis) {
  return !krnl::TargetAttr::processorOf(op).isDevice() &&
         llvm::all_of(type.getShape().drop_front(axis + 1),
                      [](int64_t size) { return size == 1; });
}

/// The sizes of the result, with `along` elements along the axis, and false
/// where the operands are known to differ in others; the run checks these.
std::pair<SmallVector<Value>, bool> concatSizes(OpBuilder &b, Location loc,
                                                ValueRange operands,
                                                Value along, int64_t axis) {
  SmallVector<Value> sizes;
  bool fits = true;
  for (int64_t d = 0; d < rankedType(operands.front()).getRank(); ++d) {
    if (d == axis) {
      sizes.push_back(along);
      continue;
    }
    Value size = sizeOf(b, loc, operands.front(), d);
    // Any operand may be the one whose type has the size.
    for (Value x : operands)
      if (!rankedType(x).isDynamicDim(d))
        size = sizeOf(b, loc, x, d);
    sizes.push_back(size);
    for (Value x : operands) {
      Value given = sizeOf(b, loc, x, d);
      checkEqualSizes(b, loc, given, size,
                      "Concat: the operands differ beside the axis");
      auto known = getConstantIntValue(given);
      fits &= !known || known == getConstantIntValue(size);
    }
  }
  return {sizes, fits};
}

/// One copy per operand, each after the one before. Dynamic offsets are part
/// of a read where parts are rows, which leaves one loop for all of them: the
/// element at i comes from the operand in whose range i lies. Lanes along the
/// axis would be gathered.
Lowered lowerConcat(onnx::ConcatOp op, onnx::ConcatOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  auto wanted = cast<RankedTensorType>(op->getResult(0).getType());
  Location loc = op.getLoc();
  int64_t rank = wanted.getRank(), axis = positiveAxis(op.getAxis(), rank);
  ValueRange operands = adaptor.getOperands();
  if (Value sizes = joinedSizes(rewriter, op, operands)) {
    return sizes;
  }
  SmallVector<Value> offsets{indexConstant(rewriter, loc, 0)};
  bool isStatic = true;
  for (Value x : operands) {
    isStatic &= !rankedType(x).isDynamicDim(axis);
    offsets.push_back(addIndex(rewriter, loc, offsets.back(),
                               sizeOf(rewriter, loc, x, axis)));
  }
  auto [sizes, fits] =
      concatSizes(rewriter, loc, operands, offsets.back(), axis);
  Type element = rankedType(operands.front()).getElementType();
  RankedTensorType type = typeOfSizes(sizes, element);
  // Of sizes that are known to differ there is no more than the check.
  return !fits      ? tensor::EmptyOp::create(rewriter, loc, type,
                                              dynamicSizes(type, sizes))
                          .getResult()
         : isStatic ? concatStatic(rewriter, loc, operands, type, sizes, axis)
         : joinsLines(op, type, axis)
             ? concatParts(rewriter, loc, operands, offsets, type, sizes, axis)
             : concatDynamic(rewriter, loc, operands, offsets, type, sizes,
                             axis);
}

/// Clamped start and number of elements of one sliced dimension, by the rules
/// of Slice-13.
std::pair<Value, Value> sliceBounds(OpBuilder &b, Location loc, Value start,
                                    Value end, Value step, Value size) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  auto known = getConstantIntValue(step);
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return selectValue(b, loc, condition, x, y);
  };
  auto isNegative = [&](Value v) -> Value {
    if (auto c = getConstantIntValue(v))
      return arith::ConstantIntOp::create(b, loc, *c < 0, 1);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, v, zero);
  };
  auto wrap = [&](Value v) {
    return select(isNegative(v), addIndex(b, loc, v, size), v);
  };
  start = wrap(start);
  end = wrap(end);
  auto clamp = [&](Value v, Value low, Value high) {
    return minIndex(b, loc, maxIndex(b, loc, v, low), high);
  };
  Value last = subIndex(b, loc, size, one),
        minusOne = subIndex(b, loc, zero, one);
  auto forward = [&]() -> std::pair<Value, Value> {
    Value s = clamp(start, zero, size), e = clamp(end, zero, size);
    Value n = ceilDivIndex(b, loc, subIndex(b, loc, e, s), step);
    return {s, maxIndex(b, loc, n, zero)};
  };
  auto backward = [&]() -> std::pair<Value, Value> {
    Value s = clamp(start, zero, last), e = clamp(end, minusOne, last);
    Value n = ceilDivIndex(b, loc, subIndex(b, loc, e, s), step);
    return {s, maxIndex(b, loc, n, zero)};
  };
  if (known)
    return *known > 0 ? forward() : backward();
  auto [fs, fn] = forward();
  auto [bs, bn] = backward();
  Value negative = isNegative(step);
  return {select(negative, bs, fs), select(negative, bn, fn)};
}

/// One slice: of a dimension that may be known at run time only.
struct SlicePiece {
  Value start, end, step, axis;
};

/// Dimension i, or none if there are fewer slices.
Value axisIfThere(OpBuilder &b, Location loc, int64_t i, Value length,
                  int64_t rank) {
  Value axis = indexConstant(b, loc, i);
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, axis, length);
  return arith::SelectOp::create(b, loc, isThere, axis,
                                 indexConstant(b, loc, rank));
}

/// A step of 0 would be divided by.
void checkStep(OpBuilder &b, Location loc, Value step) {
  if (getConstantIntValue(step))
    return;
  Value isStep = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, step,
                                       indexConstant(b, loc, 0));
  krnl::CheckOp::create(b, loc, isStep, "Slice: a step is 0");
}

/// The slices, with steps that are not 0.
SmallVector<SlicePiece> pieces(onnx::SliceOp op, onnx::SliceOp::Adaptor adaptor,
                               int64_t rank, OpBuilder &b) {
  Location loc = op.getLoc();
  int64_t count = rankedType(adaptor.getStarts()).getDimSize(0);
  bool isKnown = !ShapedType::isDynamic(count);
  Value length = sizeOf(b, loc, adaptor.getStarts(), 0);
  checkAtMost(b, loc, length, indexConstant(b, loc, rank),
              "Slice: there are more slices than dimensions");
  for (Value list : {adaptor.getEnds(), adaptor.getAxes(), adaptor.getSteps()})
    if (list)
      checkEqualSizes(b, loc, sizeOf(b, loc, list, 0), length,
                      "Slice: the lists differ in length");
  if (op.getAxes() && !onnx::constantInts(op.getAxes()))
    checkAxes(b, loc, adaptor.getAxes(), rank,
              "Slice: the axes are out of range or repeat");
  // A slice that is not there: of no dimension.
  auto element = [&](Value original, Value list, int64_t i, int64_t other) {
    if (isKnown)
      return structuralElement(b, loc, original, list, i);
    return elementOr(b, loc, list, indexConstant(b, loc, i),
                     indexConstant(b, loc, other));
  };
  SmallVector<SlicePiece> pieces;
  for (int64_t i = 0; i < (isKnown ? count : rank); ++i) {
    SlicePiece piece;
    piece.start = element(op.getStarts(), adaptor.getStarts(), i, 0);
    piece.end = element(op.getEnds(), adaptor.getEnds(), i, 0);
    piece.step = op.getSteps()
                     ? element(op.getSteps(), adaptor.getSteps(), i, 1)
                     : indexConstant(b, loc, 1);
    if (op.getAxes())
      piece.axis = element(op.getAxes(), adaptor.getAxes(), i, rank);
    else if (isKnown)
      piece.axis = indexConstant(b, loc, i);
    else
      piece.axis = axisIfThere(b, loc, i, length, rank);
    checkStep(b, loc, piece.step);
    pieces.push_back(piece);
  }
  return pieces;
}

Lowered lowerSlice(onnx::SliceOp op, onnx::SliceOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getData();
  RankedTensorType type = rankedType(x);
  Location loc = op.getLoc();
  int64_t rank = type.getRank();
  auto axes = op.getAxes() ? onnx::constantInts(op.getAxes()) : std::nullopt;
  if (axes && !namedAxes(*axes, rank))
    return rewriter.notifyMatchFailure(op, "axes are out of range or repeat");
  Value zero = indexConstant(rewriter, loc, 0),
        one = indexConstant(rewriter, loc, 1);
  SmallVector<Value> starts(rank, zero), steps(rank, one),
      full = sizesOf(rewriter, loc, x), sizes = full;
  for (const SlicePiece &piece : pieces(op, adaptor, rank, rewriter)) {
    if (auto known = getConstantIntValue(piece.axis)) {
      int64_t d = positiveAxis(*known, rank);
      if (d < 0 || d >= rank)
        return rewriter.notifyMatchFailure(op, "axis is out of range");
      steps[d] = piece.step;
      std::tie(starts[d], sizes[d]) = sliceBounds(
          rewriter, loc, piece.start, piece.end, piece.step, full[d]);
      continue;
    }
    // The axis is known at run time only: every dimension may be it.
    for (int64_t d = 0; d < rank; ++d) {
      auto is = [&](int64_t v) -> Value {
        return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                     piece.axis,
                                     indexConstant(rewriter, loc, v));
      };
      Value hit = arith::OrIOp::create(rewriter, loc, is(d), is(d - rank));
      auto [s, n] = sliceBounds(rewriter, loc, piece.start, piece.end,
                                piece.step, full[d]);
      starts[d] = arith::SelectOp::create(rewriter, loc, hit, s, starts[d]);
      steps[d] =
          arith::SelectOp::create(rewriter, loc, hit, piece.step, steps[d]);
      sizes[d] = arith::SelectOp::create(rewriter, loc, hit, n, sizes[d]);
    }
  }
  return sliceOf(rewriter, loc, "Slice", x, starts, steps, sizes);
}

using Lengths = FailureOr<SmallVector<Value>>;

/// The sizes in `split`, which have to cover the axis; failure for a negative
/// one.
Lengths givenLengths(onnx::SplitOp op, onnx::SplitOp::Adaptor adaptor,
                     Value size, OpBuilder &b) {
  Location loc = op.getLoc();
  int64_t parts = op->getNumResults();
  Value zero = indexConstant(b, loc, 0), total = zero;
  checkLength(b, loc, adaptor.getSplit(), parts,
              "Split: the number of parts does not fit");
  SmallVector<Value> lengths;
  for (int64_t i = 0; i < parts; ++i) {
    lengths.push_back(
        structuralElement(b, loc, op.getSplit(), adaptor.getSplit(), i));
    checkGivenSize(b, loc, lengths.back(), "Split");
    if (getConstantIntValue(lengths.back()).value_or(0) < 0)
      return failure();
    total = addIndex(b, loc, total, lengths.back());
  }
  checkEqualSizes(b, loc, total, size,
                  "Split: the parts do not add up to the axis");
  return lengths;
}

/// Equal parts, but that the last one may be shorter: where it would have to
/// be less than nothing there is no such split.
Lengths equalLengths(OpBuilder &b, Location loc, Value size, int64_t parts) {
  Value each = ceilDivIndex(b, loc, size, indexConstant(b, loc, parts));
  Value others = mulIndex(b, loc, each, indexConstant(b, loc, parts - 1));
  Value rest = subIndex(b, loc, size, others);
  auto known = getConstantIntValue(rest);
  if (known && *known < 0)
    return failure();
  checkAtMost(b, loc, others, size,
              "Split: the axis is too short for so many parts");
  SmallVector<Value> lengths(parts, each);
  lengths.back() = rest;
  return lengths;
}

Lowered lowerSplit(onnx::SplitOp op, onnx::SplitOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getInput();
  RankedTensorType type = rankedType(x);
  Location loc = op.getLoc();
  int64_t rank = type.getRank(), axis = positiveAxis(op.getAxis(), rank);
  int64_t parts = op->getNumResults();
  Value size = sizeOf(rewriter, loc, x, axis);
  Value zero = indexConstant(rewriter, loc, 0),
        one = indexConstant(rewriter, loc, 1);
  auto lengths = op.getSplit() ? givenLengths(op, adaptor, size, rewriter)
                               : equalLengths(rewriter, loc, size, parts);
  if (failed(lengths))
    return neverMade(rewriter, op,
                     op.getSplit()
                         ? "Split: a size is negative"
                         : "Split: the axis is too short for so many parts");
  SmallVector<Value> starts(rank, zero), steps(rank, one), results;
  for (Value length : *lengths) {
    SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
    sizes[axis] = length;
    results.push_back(sliceOf(rewriter, loc, "Split", x, starts, steps, sizes));
    starts[axis] = addIndex(rewriter, loc, starts[axis], length);
  }
  return results;
}

} // namespace

void populateONNXToKrnlMovementPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConcat, lowerSlice, lowerSplit,
               lowerTranspose);
}

} // namespace onnxc
