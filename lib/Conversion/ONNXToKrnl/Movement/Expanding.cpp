//===- Expanding.cpp - More elements, or the same in blocks -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Expand, Tile, Pad, Trilu, and DepthToSpace with its inverse.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Padding.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

Value select(OpBuilder &b, Location loc, Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
              Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

//===----------------------------------------------------------------------===//
// Expand and Tile
//===----------------------------------------------------------------------===//

struct ExpandLowering : public OpConversionPattern<onnx::ExpandOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::ExpandOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0], shape = adaptor.getOperands()[1];
    RankedTensorType type = rankedType(x),
                     wanted = rankedType(op->getResult(0));
    if (!type || !wanted)
      return rewriter.notifyMatchFailure(op, "rank is not known");
    if (!rankedType(shape))
      return rewriter.notifyMatchFailure(op, "rank of shape is not known");
    int64_t rank = wanted.getRank(), lead = rank - type.getRank();
    Value one = indexConstant(rewriter, loc, 1);
    SmallVector<Value> sizes;
    for (auto [d, given] : llvm::enumerate(
             givenSizes(rewriter, loc, op->getOperand(1), shape, rank, lead))) {
      if (getConstantIntValue(given).value_or(0) < 0)
        return rewriter.notifyMatchFailure(op, "the shape has a negative size");
      Value own = int64_t(d) < lead ? one : sizeOf(rewriter, loc, x, d - lead);
      sizes.push_back(expandedSize(rewriter, loc, own, given));
    }
    sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
    Value y = expandTo(rewriter, loc, x, sizes);
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  /// What the shape says of each dimension of the result; 1 where it is too
  /// short to say anything.
  static SmallVector<Value> givenSizes(OpBuilder &b, Location loc,
                                       Value original, Value shape,
                                       int64_t rank, int64_t lead) {
    SmallVector<Value> sizes;
    Value one = indexConstant(b, loc, 1), length = sizeOf(b, loc, shape, 0);
    if (auto known = getConstantIntValue(length)) {
      for (int64_t d = 0; d < rank; ++d)
        sizes.push_back(d < rank - *known
                            ? one
                            : structuralElement(b, loc, original, shape,
                                                d - (rank - *known)));
      return sizes;
    }
    // A result of more dimensions than the operand has them from the shape.
    Value all = indexConstant(b, loc, rank);
    checkAtMost(b, loc, length, all, "Expand: the shape is too long");
    if (lead > 0)
      checkAtMost(b, loc, all, length, "Expand: the shape is too short");
    for (int64_t d = 0; d < rank; ++d) {
      Value place = addIndex(b, loc, length, indexConstant(b, loc, d - rank));
      sizes.push_back(elementOr(b, loc, shape, place, one));
    }
    return sizes;
  }

  static Value expandedSize(OpBuilder &b, Location loc, Value own,
                            Value given) {
    Value one = indexConstant(b, loc, 1);
    auto eq = arith::CmpIPredicate::eq;
    Value ownIsOne = compare(b, loc, eq, own, one),
          givenIsOne = compare(b, loc, eq, given, one);
    if (!getConstantIntValue(given))
      krnl::CheckOp::create(b, loc,
                            compare(b, loc, arith::CmpIPredicate::sge, given,
                                    indexConstant(b, loc, 0)),
                            "Expand: the shape has a negative size");
    if (!getConstantIntValue(own) || !getConstantIntValue(given)) {
      Value same = compare(b, loc, eq, own, given);
      Value fits = arith::OrIOp::create(
          b, loc, same, arith::OrIOp::create(b, loc, ownIsOne, givenIsOne));
      krnl::CheckOp::create(b, loc, fits, "Expand: the shapes do not agree");
    }
    return select(b, loc, ownIsOne, given, own);
  }

  static Value expandTo(OpBuilder &b, Location loc, Value x,
                        ArrayRef<Value> sizes) {
    RankedTensorType type = rankedType(x);
    RankedTensorType result = typeOfSizes(sizes, type.getElementType());
    int64_t lead = sizes.size() - type.getRank();
    if (type.hasStaticShape()) {
      KernelBuilder kernel(b, loc, "Expand");
      SmallVector<AffineExpr> at = kernel.loopsOf(result), from;
      for (int64_t d = 0; d < type.getRank(); ++d)
        from.push_back(type.getDimSize(d) == 1 ? kernel.zero() : at[lead + d]);
      Value in = kernel.input(x);
      Value out = kernel.output(result, dynamicSizes(result, sizes));
      Value y = kernel.generic(
          {{in, from}}, {out, at}, {},
          [](OpBuilder &, Location, ValueRange args) { return args[0]; });
      return kernel.finish({y}).front();
    }
    SmallVector<Value> inputs{x};
    llvm::append_range(inputs, sizesOf(b, loc, x));
    return generate(b, loc, "Expand", type.getElementType(), sizes, inputs,
                    [&](OpBuilder &nb, Location l, ArrayRef<Value> at,
                        ArrayRef<Value> in) -> Value {
                      SmallVector<Value> place;
                      for (int64_t d = 0; d < type.getRank(); ++d)
                        place.push_back(
                            clampIndex(nb, l, at[lead + d], in[1 + d]));
                      return tensor::ExtractOp::create(nb, l, in[0], place);
                    });
  }
};

/// Each dimension is two in the result, the repetitions and the elements, seen
/// as one afterwards.
struct TileLowering : public OpConversionPattern<onnx::TileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::TileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0], repeats = adaptor.getOperands()[1];
    RankedTensorType type = rankedType(x);
    if (!type)
      return rewriter.notifyMatchFailure(op, "rank is not known");
    checkLength(rewriter, loc, repeats, type.getRank(),
                "Tile: the number of repeats does not fit");
    SmallVector<Value> split, sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value times =
          structuralElement(rewriter, loc, op->getOperand(1), repeats, d);
      Value own = sizeOf(rewriter, loc, x, d);
      split.append({times, own});
      sizes.push_back(mulIndex(rewriter, loc, times, own));
    }
    RankedTensorType splitType = typeOfSizes(split, type.getElementType());
    KernelBuilder kernel(rewriter, loc, "Tile");
    SmallVector<AffineExpr> at = kernel.loopsOf(splitType), from;
    for (int64_t d = 0; d < type.getRank(); ++d)
      from.push_back(at[2 * d + 1]);
    Value in = kernel.input(x);
    Value out = kernel.output(splitType, dynamicSizes(splitType, split));
    Value y = kernel.generic(
        {{in, from}}, {out, at}, {},
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    y = kernel.finish({y}).front();
    replaceWithCasts(rewriter, *getTypeConverter(), op,
                     reshapeTo(rewriter, loc, y,
                               typeOfSizes(sizes, type.getElementType()),
                               sizes));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

struct PadLowering : public OpConversionPattern<onnx::PadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::PadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getData();
    RankedTensorType type = rankedType(x);
    if (!type)
      return rewriter.notifyMatchFailure(op, "operand has no rank");
    Value zero = indexConstant(rewriter, loc, 0);
    SmallVector<Value> before(type.getRank(), zero),
        after(type.getRank(), zero);
    if (failed(readPads(op, adaptor, before, after, rewriter)))
      return rewriter.notifyMatchFailure(op, "axes are not known");
    Value y;
    x = crop(rewriter, loc, x, before, after);
    if (op.getMode() != "constant") {
      checkSource(rewriter, loc, x, before, after);
      y = padFromInside(rewriter, loc, op.getMode(), x, before, after);
    } else {
      Value value =
          op.getConstantValue()
              ? onlyElement(rewriter, loc, adaptor.getConstantValue())
              : storedConstant(rewriter, loc, type.getElementType(), 0);
      y = padConstant(rewriter, loc, x, before, after, value);
    }
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  static LogicalResult readPads(onnx::PadOp op, OpAdaptor adaptor,
                                SmallVector<Value> &before,
                                SmallVector<Value> &after,
                                ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    int64_t rank = before.size(), count = rank;
    Value pads = adaptor.getPads(), axes = adaptor.getAxes();
    if (!rankedType(pads) || (axes && !rankedType(axes)))
      return failure();
    if (axes && !onnx::constantInts(op.getAxes()))
      checkAxes(rewriter, loc, axes, rank, "Pad: the axes are out of range");
    if (axes && rankedType(axes).isDynamicDim(0)) {
      readPadsAtRunTime(rewriter, loc, pads, axes, before, after);
      return success();
    }
    if (axes)
      count = rankedType(axes).getDimSize(0);
    checkLength(rewriter, loc, pads, 2 * count,
                "Pad: the number of pads does not fit");
    for (int64_t i = 0; i < count; ++i) {
      auto pad = [&](int64_t k) {
        return structuralElement(rewriter, loc, op.getPads(), pads, k);
      };
      Value axis = axes
                       ? structuralElement(rewriter, loc, op.getAxes(), axes, i)
                       : indexConstant(rewriter, loc, i);
      Value low = pad(i), high = pad(i + count);
      auto known = getConstantIntValue(axis);
      if (!known) {
        padAxis(rewriter, loc, axis, low, high, before, after);
        continue;
      }
      int64_t d = positiveAxis(*known, rank);
      if (d < 0 || d >= rank)
        return failure();
      before[d] = low;
      after[d] = high;
    }
    return success();
  }

  /// How many axes there are only the run knows: at most one for each
  /// dimension.
  static void readPadsAtRunTime(OpBuilder &b, Location loc, Value pads,
                                Value axes, SmallVector<Value> &before,
                                SmallVector<Value> &after) {
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

  /// Pads a dimension that only the run knows.
  static void padAxis(OpBuilder &b, Location loc, Value axis, Value low,
                      Value high, SmallVector<Value> &before,
                      SmallVector<Value> &after) {
    int64_t rank = before.size();
    auto is = [&](int64_t d) {
      return compare(b, loc, arith::CmpIPredicate::eq, axis,
                     indexConstant(b, loc, d));
    };
    for (int64_t d = 0; d < rank; ++d) {
      Value hit = arith::OrIOp::create(b, loc, is(d), is(d - rank));
      before[d] = select(b, loc, hit, low, before[d]);
      after[d] = select(b, loc, hit, high, after[d]);
    }
  }

  /// Where there is nothing, nothing can be repeated.
  static void checkSource(OpBuilder &b, Location loc, Value x,
                          ArrayRef<Value> before, ArrayRef<Value> after) {
    Value one = indexConstant(b, loc, 1);
    for (auto [d, size] : llvm::enumerate(sizesOf(b, loc, x)))
      checkAtMost(b, loc,
                  minIndex(b, loc, addIndex(b, loc, before[d], after[d]), one),
                  size, "Pad: an axis of no elements has nothing to repeat");
  }

  /// The size with a pad that is not positive, of which more than there is
  /// would be an error. Sums of pads may wrap around; these do not.
  static Value cut(OpBuilder &b, Location loc, Value size, Value pad) {
    auto constant = getConstantIntValue(pad);
    if (constant && *constant == 0)
      return size;
    Value zero = indexConstant(b, loc, 0);
    checkAtMost(b, loc, subIndex(b, loc, zero, size), pad,
                "Pad: more elements are taken away than there are");
    return maxIndex(b, loc, addIndex(b, loc, size, pad), zero);
  }

  /// Negative pads take elements away; what is left of the pads is not
  /// negative.
  static Value crop(OpBuilder &b, Location loc, Value x,
                    SmallVector<Value> &before, SmallVector<Value> &after) {
    Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
    SmallVector<Value> starts, sizes = sizesOf(b, loc, x);
    SmallVector<Value> steps(before.size(), one);
    bool changes = false;
    for (auto [d, size] : llvm::enumerate(sizes)) {
      auto negative = [&](Value &pad) {
        Value cut = minIndex(b, loc, pad, zero);
        auto constant = getConstantIntValue(cut);
        changes |= !constant || *constant != 0;
        pad = maxIndex(b, loc, pad, zero);
        return cut;
      };
      Value low = negative(before[d]), high = negative(after[d]);
      starts.push_back(subIndex(b, loc, zero, low));
      size = cut(b, loc, cut(b, loc, size, low), high);
    }
    return changes ? sliceOf(b, loc, "Pad", x, starts, steps, sizes) : x;
  }
};

//===----------------------------------------------------------------------===//
// Trilu
//===----------------------------------------------------------------------===//

struct TriluLowering : public OpConversionPattern<onnx::TriluOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::TriluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0];
    RankedTensorType type = rankedType(x);
    if (!type || type.getRank() < 2)
      return rewriter.notifyMatchFailure(op, "operand is no matrix");
    Value k = indexConstant(rewriter, loc, 0);
    if (adaptor.getOperands().size() > 1)
      k = toIndex(rewriter, loc,
                  onlyElement(rewriter, loc, adaptor.getOperands()[1]));
    int64_t rank = type.getRank();
    bool upper = op.getUpper();
    Value zero = storedConstant(rewriter, loc, type.getElementType(), 0);
    Value y = generate(
        rewriter, loc, "Trilu", type.getElementType(),
        sizesOf(rewriter, loc, x), {x, k, zero},
        [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
          Value diagonal = addIndex(b, l, at[rank - 2], in[1]);
          Value kept = compare(b, l,
                               upper ? arith::CmpIPredicate::sge
                                     : arith::CmpIPredicate::sle,
                               at[rank - 1], diagonal);
          Value element = tensor::ExtractOp::create(b, l, in[0], at);
          return select(b, l, kept, element, in[2]);
        });
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Depth and space
//===----------------------------------------------------------------------===//

/// `size` in parts of `block`; the run ends where that leaves a rest.
Value blocksOf(OpBuilder &b, Location loc, Value size, Value block,
               StringRef message) {
  Value count = floorDivIndex(b, loc, size, block);
  checkEqualSizes(b, loc, mulIndex(b, loc, count, block), size, message);
  return count;
}

/// Can that divide the size? Only the run knows of some.
bool mayDivide(int64_t block, int64_t size) {
  return block > 0 && (ShapedType::isDynamic(size) || size % block == 0);
}

/// The operand with other dimensions, permuted, with the dimensions of the
/// result.
Value reblock(OpBuilder &b, Location loc, StringRef name, Value x,
              ArrayRef<Value> split, ArrayRef<int64_t> perm,
              ArrayRef<Value> merged) {
  Type element = rankedType(x).getElementType();
  Value y = reshapeTo(b, loc, x, typeOfSizes(split, element), split);
  y = transposeOf(b, loc, name, y, perm);
  return reshapeTo(b, loc, y, typeOfSizes(merged, element), merged);
}

struct DepthToSpaceLowering : public OpConversionPattern<onnx::DepthToSpaceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::DepthToSpaceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0];
    if (!rankedType(x) || rankedType(x).getRank() != 4)
      return rewriter.notifyMatchFailure(op, "rank is not 4");
    int64_t side = op.getBlocksize(), area;
    if (llvm::MulOverflow(side, side, area) ||
        !mayDivide(area, rankedType(x).getDimSize(1)))
      return rewriter.notifyMatchFailure(
          op, "the blocks do not divide the channels");
    SmallVector<Value> s = sizesOf(rewriter, loc, x);
    Value block = indexConstant(rewriter, loc, side);
    Value depth =
        blocksOf(rewriter, loc, s[1], indexConstant(rewriter, loc, area),
                 "DepthToSpace: the blocks do not divide the channels");
    SmallVector<Value> merged{s[0], depth, mulIndex(rewriter, loc, s[2], block),
                              mulIndex(rewriter, loc, s[3], block)};
    bool columnsFirst = op.getMode() == "CRD";
    Value y = columnsFirst ? reblock(rewriter, loc, "DepthToSpace", x,
                                     {s[0], depth, block, block, s[2], s[3]},
                                     {0, 1, 4, 2, 5, 3}, merged)
                           : reblock(rewriter, loc, "DepthToSpace", x,
                                     {s[0], block, block, depth, s[2], s[3]},
                                     {0, 3, 4, 1, 5, 2}, merged);
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

struct SpaceToDepthLowering : public OpConversionPattern<onnx::SpaceToDepthOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::SpaceToDepthOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0];
    if (!rankedType(x) || rankedType(x).getRank() != 4)
      return rewriter.notifyMatchFailure(op, "rank is not 4");
    int64_t side = op.getBlocksize(), area;
    if (llvm::MulOverflow(side, side, area) ||
        !mayDivide(side, rankedType(x).getDimSize(2)) ||
        !mayDivide(side, rankedType(x).getDimSize(3)))
      return rewriter.notifyMatchFailure(op,
                                         "the blocks do not divide the image");
    SmallVector<Value> s = sizesOf(rewriter, loc, x);
    Value block = indexConstant(rewriter, loc, side);
    auto blocks = [&](Value size) {
      return blocksOf(rewriter, loc, size, block,
                      "SpaceToDepth: the blocks do not divide the image");
    };
    Value rows = blocks(s[2]), columns = blocks(s[3]);
    Value depth =
        mulIndex(rewriter, loc, s[1], mulIndex(rewriter, loc, block, block));
    // DCR keeps the channels innermost in the new depth, CRD outermost.
    SmallVector<int64_t> perm{0, 3, 5, 1, 2, 4};
    if (op.getMode() == "CRD")
      perm = {0, 1, 3, 5, 2, 4};
    Value y = reblock(rewriter, loc, "SpaceToDepth", x,
                      {s[0], s[1], rows, block, columns, block}, perm,
                      {s[0], depth, rows, columns});
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

} // namespace

void populateONNXToKrnlExpandingPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<DepthToSpaceLowering, ExpandLowering, PadLowering,
               SpaceToDepthLowering, TileLowering, TriluLowering>(
      converter, patterns.getContext());
}

} // namespace onnxc
