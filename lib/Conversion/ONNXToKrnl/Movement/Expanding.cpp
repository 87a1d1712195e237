//===- Expanding.cpp - Expand and Tile --------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The entry of the shape for each dimension of the result; 1 where the shape
/// is too short.
SmallVector<Value> givenSizes(OpBuilder &b, Location loc, Value original,
                              Value shape, int64_t rank, int64_t lead) {
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
    Value position = addIndex(b, loc, length, indexConstant(b, loc, d - rank));
    sizes.push_back(elementOr(b, loc, shape, position, one));
  }
  return sizes;
}

Value expandedSize(OpBuilder &b, Location loc, Value own, Value given) {
  Value one = indexConstant(b, loc, 1);
  auto eq = arith::CmpIPredicate::eq;
  Value ownIsOne = compareIndex(b, loc, eq, own, one),
        givenIsOne = compareIndex(b, loc, eq, given, one);
  checkGivenSize(b, loc, given, "Expand");
  if (!getConstantIntValue(own) || !getConstantIntValue(given)) {
    Value same = compareIndex(b, loc, eq, own, given);
    Value fits = arith::OrIOp::create(
        b, loc, same, arith::OrIOp::create(b, loc, ownIsOne, givenIsOne));
    krnl::CheckOp::create(b, loc, fits, "Expand: the shapes do not agree",
                          ValueRange{own, given});
  }
  return selectValue(b, loc, ownIsOne, given, own);
}

/// Where `mayRepeat`, a dimension of `x` may be 1 in a run.
Value expandTo(OpBuilder &b, Location loc, Value x, ArrayRef<Value> sizes,
               ArrayRef<bool> mayRepeat) {
  RankedTensorType type = rankedType(x);
  RankedTensorType result = typeOfSizes(sizes, type.getElementType());
  int64_t lead = sizes.size() - type.getRank();
  if (!llvm::is_contained(mayRepeat, true)) {
    KernelBuilder kernel(b, loc, "Expand");
    SmallVector<AffineExpr> at = kernel.loopsOf(result);
    KernelBuilder::Access from = broadcastAccess(kernel, x, at);
    Value out = kernel.output(result, dynamicSizes(result, sizes));
    Value y = kernel.generic(
        {from}, {out, at}, {},
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    return kernel.finish({y}).front();
  }
  SmallVector<Value> inputs{x};
  llvm::append_range(inputs, sizesOf(b, loc, x));
  return generate(
      b, loc, "Expand", type.getElementType(), sizes, inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at.drop_front(lead));
        for (auto [d, index] : llvm::enumerate(position))
          if (type.getDimSize(d) == 1)
            index = indexConstant(nb, l, 0);
          else if (mayRepeat[d])
            index = clampIndex(nb, l, index, in[1 + d]);
        return tensor::ExtractOp::create(nb, l, in[0], position).getResult();
      });
}

Lowered lowerExpand(onnx::ExpandOp op, onnx::ExpandOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], shape = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x), wanted = rankedType(op->getResult(0));
  int64_t rank = wanted.getRank(), lead = rank - type.getRank();
  Value one = indexConstant(rewriter, loc, 1);
  SmallVector<Value> sizes;
  SmallVector<bool> mayRepeat;
  for (auto [d, given] : llvm::enumerate(
           givenSizes(rewriter, loc, op->getOperand(1), shape, rank, lead))) {
    if (getConstantIntValue(given).value_or(0) < 0)
      return neverMade(rewriter, op, "Expand: the shape has a negative size");
    Value own = int64_t(d) < lead ? one : sizeOf(rewriter, loc, x, d - lead);
    sizes.push_back(expandedSize(rewriter, loc, own, given));
    if (int64_t(d) >= lead)
      mayRepeat.push_back(type.isDynamicDim(d - lead) &&
                          !isConstantIntValue(given, 1));
  }
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  return expandTo(rewriter, loc, x, sizes, mayRepeat);
}

/// The repeats and the sizes of the operand where the last dimension, if it is
/// repeated once, is part of the one before it: the others are one further
/// back, and the first is 1. Rows that are copied as one are then as long as
/// can be.
void mergeLastIfOnce(OpBuilder &b, Location loc, SmallVector<Value> &times,
                     SmallVector<Value> &own) {
  Value one = indexConstant(b, loc, 1);
  Value isOnce =
      compareIndex(b, loc, arith::CmpIPredicate::eq, times.back(), one);
  SmallVector<Value> mergedTimes{one}, mergedOwn{one};
  llvm::append_range(mergedTimes, ArrayRef(times).drop_back());
  llvm::append_range(mergedOwn, ArrayRef(own).drop_back());
  mergedOwn.back() = mulIndex(b, loc, mergedOwn.back(), own.back());
  for (auto [value, merged] :
       llvm::zip(llvm::concat<Value>(times, own),
                 llvm::concat<Value>(mergedTimes, mergedOwn)))
    value = selectValue(b, loc, isOnce, merged, value);
}

/// Known sizes are worth more than longer rows.
bool isUnknown(Value size) { return !getConstantIntValue(size); }

/// Each dimension is two in the result, the repetitions and the elements, seen
/// as one afterwards.
Lowered lowerTile(onnx::TileOp op, onnx::TileOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], repeats = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x);
  checkLength(rewriter, loc, repeats, type.getRank(),
              "Tile: the number of repeats does not fit");
  SmallVector<Value> times, own = sizesOf(rewriter, loc, x), split, sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    times.push_back(
        structuralElement(rewriter, loc, op->getOperand(1), repeats, d));
    checkGivenSize(rewriter, loc, times[d], "Tile");
    sizes.push_back(mulGivenSizes(rewriter, loc, times[d], own[d], "Tile"));
  }
  // More that turn out to be repeated once are rare.
  constexpr int maxMerged = 2;
  if (llvm::all_of(llvm::concat<Value>(times, own), isUnknown)) {
    for (int i = 0; i < std::min<int64_t>(maxMerged, type.getRank() - 1); ++i)
      mergeLastIfOnce(rewriter, loc, times, own);
    x = reshapeTo(rewriter, loc, x, typeOfSizes(own, type.getElementType()),
                  own);
  }
  for (auto [repeat, size] : llvm::zip(times, own))
    split.append({repeat, size});
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
  return reshapeTo(rewriter, loc, y, typeOfSizes(sizes, type.getElementType()),
                   sizes);
}

} // namespace

void populateONNXToKrnlExpandingPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerExpand, lowerTile);
}

} // namespace onnxc
