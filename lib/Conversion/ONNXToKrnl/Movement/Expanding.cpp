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
#include "onnxc/Target/IR/Target.h"

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

/// How often each dimension of a tensor is repeated, and its size.
struct Repeats {
  SmallVector<Value> times, own;

  bool isOfRun(int64_t d) const {
    return !getConstantIntValue(times[d]) && !getConstantIntValue(own[d]);
  }
};

/// Makes the last dimension part of the one before it, if it is repeated once
/// or both have one element: the others are one further back, and the first is
/// 1. Rows that are copied, or filled, as one are then as long as can be.
void mergeLast(OpBuilder &b, Location loc, Repeats &repeats) {
  Value one = indexConstant(b, loc, 1);
  auto &[times, own] = repeats;
  size_t last = times.size() - 1;
  auto isOne = [&](Value size) {
    return compareIndex(b, loc, arith::CmpIPredicate::eq, size, one);
  };
  Value areSingle =
      arith::AndIOp::create(b, loc, isOne(own[last]), isOne(own[last - 1]));
  Value isMerged = arith::OrIOp::create(b, loc, isOne(times[last]), areSingle);
  for (SmallVector<Value> *sizes : {&times, &own}) {
    SmallVector<Value> merged{one};
    llvm::append_range(merged, ArrayRef(*sizes).drop_back());
    merged[last] = mulIndex(b, loc, merged[last], sizes->back());
    for (auto [value, other] : llvm::zip_equal(*sizes, merged))
      value = selectValue(b, loc, isMerged, other, value);
  }
}

/// `x` with the sizes that are left of `repeats` after dimensions are merged.
/// Known sizes are worth more than longer rows, and more dimensions that turn
/// out to be mergeable are rare.
Value mergeLongestRows(OpBuilder &b, Location loc, Value x, Repeats &repeats) {
  constexpr int maxMerged = 2;
  auto rank = int64_t(repeats.own.size());
  for (int i = 0; i < std::min<int64_t>(maxMerged, rank - 1); ++i)
    if (repeats.isOfRun(rank - 1) && repeats.isOfRun(rank - 2))
      mergeLast(b, loc, repeats);
  Type element = rankedType(x).getElementType();
  return reshapeTo(b, loc, x, typeOfSizes(repeats.own, element), repeats.own);
}

/// x[own..] -> [.., times, own]: repeats the tensor where its last dimension
/// may have one element in a run. Then rows are filled with it, else copied:
/// one of both has no iterations.
Value repeatRows(OpBuilder &b, Location loc, StringRef name, Value x,
                 const Repeats &repeats) {
  auto &[times, own] = repeats;
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value isSingle =
      compareIndex(b, loc, arith::CmpIPredicate::eq, own.back(), one);
  auto ifSingle = [&](Value then, Value otherwise) {
    return selectValue(b, loc, isSingle, then, otherwise);
  };
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> from, to;
  SmallVector<Value> outSizes;
  auto repeat = [&](size_t d, Value time) {
    to.push_back(kernel.loop("t" + std::to_string(d), time));
    outSizes.push_back(time);
  };
  for (auto [d, time, size] : llvm::enumerate(ArrayRef(times).drop_back(),
                                              ArrayRef(own).drop_back())) {
    repeat(d, time);
    from.push_back(kernel.loop("d" + std::to_string(d), size));
    to.push_back(from.back());
    outSizes.push_back(size);
  }
  repeat(own.size() - 1, ifSingle(one, times.back()));
  outSizes.push_back(ifSingle(times.back(), own.back()));
  RankedTensorType type = typeOfSizes(outSizes, rankedType(x).getElementType());
  Value in = kernel.input(x);
  Value y = kernel.output(type, dynamicSizes(type, outSizes));
  AffineExpr fill =
      kernel.partOf(kernel.loop("fill", ifSingle(times.back(), zero)));
  AffineExpr copy =
      kernel.partOf(kernel.loop("copy", ifSingle(zero, own.back())));
  for (auto [read, write] : {std::pair(kernel.zero(), fill), {copy, copy}}) {
    KernelBuilder::Access source{in, from}, target{y, to};
    source.at.push_back(read);
    target.at.push_back(write);
    y = kernel.generic(
        {source}, target, {},
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  }
  return kernel.finish({y}).front();
}

/// x[own..] -> [.., times, own]: repeats the tensor by one loop for each
/// dimension of the result.
Value repeatElements(OpBuilder &b, Location loc, StringRef name, Value x,
                     const Repeats &repeats) {
  SmallVector<Value> split;
  for (auto [time, size] : llvm::zip_equal(repeats.times, repeats.own))
    split.append({time, size});
  RankedTensorType type = typeOfSizes(split, rankedType(x).getElementType());
  KernelBuilder kernel(b, loc, name);
  SmallVector<AffineExpr> at = kernel.loopsOf(type), from;
  for (size_t d = 0; d < repeats.own.size(); ++d)
    from.push_back(at[2 * d + 1]);
  Value in = kernel.input(x);
  Value out = kernel.output(type, dynamicSizes(type, split));
  Value y = kernel.generic(
      {{in, from}}, {out, at}, {},
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  return kernel.finish({y}).front();
}

/// How often Expand repeats a dimension of `own` elements.
Value timesOf(OpBuilder &b, Location loc, Value own, Value given) {
  Value one = indexConstant(b, loc, 1);
  Value isOne = compareIndex(b, loc, arith::CmpIPredicate::eq, own, one);
  return selectValue(b, loc, isOne, given, one);
}

bool isOnDevice(Operation *op) {
  return krnl::TargetAttr::processorOf(op).isDevice();
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
  Repeats repeats;
  for (auto [d, given] : llvm::enumerate(
           givenSizes(rewriter, loc, op->getOperand(1), shape, rank, lead))) {
    if (getConstantIntValue(given).value_or(0) < 0)
      return neverMade(rewriter, op, "Expand: the shape has a negative size");
    Value own = int64_t(d) < lead ? one : sizeOf(rewriter, loc, x, d - lead);
    sizes.push_back(expandedSize(rewriter, loc, own, given));
    repeats.own.push_back(own);
    repeats.times.push_back(timesOf(rewriter, loc, own, given));
    if (int64_t(d) >= lead)
      mayRepeat.push_back(type.isDynamicDim(d - lead) &&
                          !isConstantIntValue(given, 1));
  }
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  if (mayRepeat.empty() || !mayRepeat.back() || isOnDevice(op))
    return expandTo(rewriter, loc, x, sizes, mayRepeat);
  // Products of sizes that no tensor has may wrap around to small ones.
  checkTensorSizes(rewriter, loc, sizes, type.getElementType(), "Expand");
  x = mergeLongestRows(rewriter, loc, x, repeats);
  return reshapeTo(rewriter, loc,
                   repeatRows(rewriter, loc, "Expand", x, repeats),
                   typeOfSizes(sizes, type.getElementType()), sizes);
}

Lowered lowerTile(onnx::TileOp op, onnx::TileOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], times = adaptor.getOperands()[1];
  RankedTensorType type = rankedType(x);
  checkLength(rewriter, loc, times, type.getRank(),
              "Tile: the number of repeats does not fit");
  Repeats repeats{{}, sizesOf(rewriter, loc, x)};
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    repeats.times.push_back(
        structuralElement(rewriter, loc, op->getOperand(1), times, d));
    checkGivenSize(rewriter, loc, repeats.times[d], "Tile");
    sizes.push_back(
        mulGivenSizes(rewriter, loc, repeats.times[d], repeats.own[d], "Tile"));
  }
  checkTensorSizes(rewriter, loc, sizes, type.getElementType(), "Tile");
  x = mergeLongestRows(rewriter, loc, x, repeats);
  bool mayFill = type.getRank() > 0 && type.isDynamicDim(type.getRank() - 1) &&
                 !isConstantIntValue(repeats.times.back(), 1);
  auto repeat = mayFill && !isOnDevice(op) ? repeatRows : repeatElements;
  return reshapeTo(rewriter, loc, repeat(rewriter, loc, "Tile", x, repeats),
                   typeOfSizes(sizes, type.getElementType()), sizes);
}

} // namespace

void populateONNXToKrnlExpandingPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerExpand, lowerTile);
}

} // namespace onnxc
