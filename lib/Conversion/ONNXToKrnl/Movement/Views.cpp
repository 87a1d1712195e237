//===- Views.cpp - Operators that only rename elements ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reshape, Flatten, Squeeze, Unsqueeze, Identity: views of the operand, no
// code at run time beyond the sizes.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Control/Containers.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Alternatives.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc {
namespace {

Value product(OpBuilder &b, Location loc, ValueRange values) {
  Value total = indexConstant(b, loc, 1);
  for (Value v : values)
    total = mulIndex(b, loc, total, v);
  return total;
}

/// A view of `x` with the given sizes, in place of `op`.
Value viewFor(OpBuilder &b, Operation *op, Value x, ValueRange sizes) {
  RankedTensorType type = typeOfSizes(sizes, getElementTypeOrSelf(x.getType()));
  // Static sizes of inference that are dynamic in the operands.
  if (auto wanted =
          dyn_cast<RankedTensorType>(krnlType(op->getResult(0).getType())))
    if (wanted.getRank() == type.getRank()) {
      SmallVector<int64_t> shape(type.getShape());
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (ShapedType::isDynamic(shape[d]))
          shape[d] = wanted.getDimSize(d);
      type = RankedTensorType::get(shape, type.getElementType());
    }
  return reshapeTo(b, op->getLoc(), x, type, sizes);
}

void checkNotZero(OpBuilder &b, Location loc, Value size, int64_t d,
                  int64_t rank) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known != 0)
    return;
  krnl::CheckOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, size,
                            indexConstant(b, loc, 0)),
      "Reshape: 0 comes after the dimensions that it could copy: dimension " +
          std::to_string(d) + " of an input of rank " + std::to_string(rank));
}

/// The size, or `other` where it is -1, which only a run may know.
Value unlessMissing(OpBuilder &b, Location loc, Value size, Value minusOne,
                    Value other) {
  Value missing =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, minusOne);
  return arith::SelectOp::create(b, loc, missing, other, size);
}

/// The entries of the shape, as they are given.
SmallVector<Value> givenShape(OpBuilder &b, onnx::ReshapeOp op, Value shape,
                              int64_t rank) {
  Location loc = op.getLoc();
  auto constant = onnx::constantInts(op->getOperand(1));
  checkLength(b, loc, shape, rank,
              "Reshape: the length of the shape does not fit");
  SmallVector<Value> given;
  for (int64_t d = 0; d < rank; ++d)
    given.push_back(constant ? indexConstant(b, loc, (*constant)[d])
                             : elementAsIndex(b, loc, shape, d));
  return given;
}

/// The sizes, where each entry of 0 is that of the operand.
SmallVector<Value> copySizes(OpBuilder &b, Location loc, ValueRange in,
                             ArrayRef<Value> given) {
  SmallVector<Value> sizes(given);
  Value zero = indexConstant(b, loc, 0);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (d >= in.size())
      checkNotZero(b, loc, size, d, in.size());
    else if (known)
      size = *known == 0 ? in[d] : size;
    else
      size = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, zero),
          in[d], size);
  }
  return sizes;
}

/// What a reshape is about: the sizes of its input, their product, and the
/// entries of the shape as they are given.
struct Reshaping {
  SmallVector<Value> in;
  Value elements;
  SmallVector<Value> given;
};

/// The new sizes have `total` elements, as many as the input.
void checkElements(OpBuilder &b, Location loc, const Reshaping &reshaping,
                   Value total) {
  auto knownTotal = getConstantIntValue(total),
       knownElements = getConstantIntValue(reshaping.elements);
  if (knownTotal && knownElements && *knownTotal == *knownElements)
    return;
  SmallVector<Value> both(reshaping.in);
  llvm::append_range(both, reshaping.given);
  auto format = [](ArrayRef<Value> sizes) {
    return krnl::shapeFormat(
        SmallVector<int64_t>(sizes.size(), ShapedType::kDynamic));
  };
  krnl::makeCheck(b, loc,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, total,
                                        reshaping.elements),
                  "Reshape: the new shape has another number of elements", both,
                  "input " + format(reshaping.in) + ", requested " +
                      format(reshaping.given));
}

/// The one size of -1 is the number of elements over the product of others.
void inferMissing(OpBuilder &b, Location loc, const Reshaping &reshaping,
                  SmallVector<Value> &sizes, bool constant) {
  auto isMissing = [&](Value size) {
    auto known = getConstantIntValue(size);
    return known && *known == -1;
  };
  Value one = indexConstant(b, loc, 1), minusOne = indexConstant(b, loc, -1);
  Value others = one;
  for (Value size : sizes) {
    if (isMissing(size))
      continue;
    if (!constant && !getConstantIntValue(size))
      size = unlessMissing(b, loc, size, minusOne, one);
    others = mulIndex(b, loc, others, size);
  }
  Value rest =
      floorDivIndex(b, loc, reshaping.elements, maxIndex(b, loc, others, one));
  for (Value &size : sizes) {
    if (isMissing(size))
      size = rest;
    else if (!constant && !getConstantIntValue(size))
      size = unlessMissing(b, loc, size, minusOne, rest);
  }
  // One dynamic size is a divisor of the number of elements.
  if (llvm::count_if(sizes, [](Value size) {
        return !getConstantIntValue(size).has_value();
      }) > 1)
    checkTensorSizes(b, loc, sizes, b.getI8Type(), "Reshape");
  checkElements(b, loc, reshaping, product(b, loc, sizes));
}

/// The sizes of the input that a new shape copies, those that are left, and the
/// known factors of the input and of the new shape.
struct Remainder {
  SmallVector<Value> copied, left;
  int64_t of = 1, by = 1;
};

/// Nothing where a size but that of -1 is none of the input, and unknown.
std::optional<Remainder> remainderOf(ValueRange in, ArrayRef<int64_t> shape,
                                     ArrayRef<Value> sizes) {
  if (llvm::count(shape, -1) != 1)
    return std::nullopt;
  Remainder remainder;
  for (Value size : in) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      remainder.left.push_back(size);
    else if (llvm::MulOverflow(remainder.of, *known, remainder.of))
      return std::nullopt;
  }
  for (auto [size, given] : llvm::zip_equal(sizes, shape)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    auto copied = llvm::find(remainder.left, size);
    if (given == -1)
      continue;
    if (known ? *known < 1 ||
                    llvm::MulOverflow(remainder.by, *known, remainder.by)
              : copied == remainder.left.end())
      return std::nullopt;
    if (!known) {
      remainder.copied.push_back(size);
      remainder.left.erase(copied);
    }
  }
  int64_t common = std::gcd(remainder.of, remainder.by);
  remainder.of /= common;
  remainder.by /= common;
  return remainder;
}

/// The size of -1 where the others are sizes of the input and a constant: the
/// rest of them, also of an empty input. Null where that is not certain.
Value exactRest(OpBuilder &b, Location loc, Reshaping &reshaping,
                ArrayRef<int64_t> shape, ArrayRef<Value> sizes) {
  std::optional<Remainder> remainder = remainderOf(reshaping.in, shape, sizes);
  if (!remainder)
    return Value();
  remainder->left.push_back(indexConstant(b, loc, remainder->of));
  Value all = product(b, loc, remainder->left);
  if (remainder->by == 1)
    return all;
  Value by = indexConstant(b, loc, remainder->by),
        rest = floorDivIndex(b, loc, all, by),
        copied = product(b, loc, remainder->copied);
  reshaping.elements = mulIndex(b, loc, copied, all);
  checkElements(b, loc, reshaping,
                mulIndex(b, loc, copied, mulIndex(b, loc, rest, by)));
  return rest;
}

Lowered lowerReshape(onnx::ReshapeOp op, onnx::ReshapeOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], shape = adaptor.getOperands()[1];
  auto wanted = cast<RankedTensorType>(op->getResult(0).getType());
  auto constant = onnx::constantInts(op->getOperand(1));
  Reshaping reshaping{sizesOf(rewriter, loc, x), {}, {}};
  reshaping.given = givenShape(rewriter, op, shape, wanted.getRank());
  SmallVector<Value> sizes =
      op.getAllowzero()
          ? reshaping.given
          : copySizes(rewriter, loc, reshaping.in, reshaping.given);
  Value rest = constant ? exactRest(rewriter, loc, reshaping, *constant, sizes)
                        : Value();
  if (rest) {
    sizes[llvm::find(*constant, -1) - constant->begin()] = rest;
  } else {
    reshaping.elements = product(rewriter, loc, reshaping.in);
    inferMissing(rewriter, loc, reshaping, sizes, bool(constant));
  }
  return viewFor(rewriter, op, x, sizes);
}

Lowered lowerFlatten(onnx::FlattenOp op, onnx::FlattenOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  int64_t axis = positiveAxis(op.getAxis(), type.getRank());
  SmallVector<Value> sizes = sizesOf(rewriter, op.getLoc(), x);
  ArrayRef<Value> all(sizes);
  Value rows = product(rewriter, op.getLoc(), all.take_front(axis));
  Value columns = product(rewriter, op.getLoc(), all.drop_front(axis));
  return viewFor(rewriter, op, x, {rows, columns});
}

/// The constant axes of operand `i`, made positive, as flags for `rank`.
FailureOr<SmallVector<bool>> constantAxes(Operation *op, unsigned i,
                                          int64_t rank) {
  auto axes = onnx::constantInts(op->getOperand(i));
  std::optional<SmallVector<bool>> flags;
  if (axes)
    flags = namedAxes(*axes, rank);
  if (!flags)
    return failure();
  return std::move(*flags);
}

/// For each of `rank` dimensions whether it is among `count` run-time axes.
SmallVector<Value> axesAtRunTime(OpBuilder &b, Location loc, Value axes,
                                 int64_t count, int64_t rank) {
  if (rankedType(axes).getRank() == 1)
    checkLength(b, loc, axes, count, "the number of axes does not fit");
  checkAxes(b, loc, axes, rank, "the axes are out of range or repeat");
  SmallVector<Value> isAxis(rank, arith::ConstantIntOp::create(b, loc, 0, 1));
  for (int64_t i = 0; i < count; ++i) {
    Value axis = elementAsIndex(b, loc, axes, i);
    for (auto [d, flag] : llvm::enumerate(isAxis))
      for (int64_t name : {int64_t(d), int64_t(d) - rank}) {
        Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          axis, indexConstant(b, loc, name));
        flag = arith::OrIOp::create(b, loc, flag, hit);
      }
  }
  return isAxis;
}

/// Axes known only to the run: the i-th result size is that of the i-th
/// dimension not among them.
Lowered squeezeAtRunTime(onnx::SqueezeOp op, Value x, Value axes,
                         RankedTensorType wanted,
                         ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  int64_t rank = rankedType(x).getRank(), count = rank - wanted.getRank();
  if (count < 0)
    return rewriter.notifyMatchFailure(
        op, "the result has more dimensions than the operand");
  SmallVector<Value> dropped = axesAtRunTime(rewriter, loc, axes, count, rank);
  Value one = indexConstant(rewriter, loc, 1),
        position = indexConstant(rewriter, loc, 0);
  SmallVector<Value> in = sizesOf(rewriter, loc, x),
                     sizes(wanted.getRank(), one);
  for (auto [isDropped, size] : llvm::zip_equal(dropped, in)) {
    for (auto [i, slot] : llvm::enumerate(sizes)) {
      Value here =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                position, indexConstant(rewriter, loc, i));
      Value kept = arith::SelectOp::create(rewriter, loc, here, size, slot);
      slot = arith::SelectOp::create(rewriter, loc, isDropped, slot, kept);
    }
    position = arith::SelectOp::create(rewriter, loc, isDropped, position,
                                       addIndex(rewriter, loc, position, one));
  }
  checkEqualSizes(rewriter, loc, product(rewriter, loc, sizes),
                  product(rewriter, loc, in),
                  "Squeeze: an axis is out of range or its size is not 1");
  return viewFor(rewriter, op, x, sizes);
}

Lowered lowerSqueeze(onnx::SqueezeOp op, onnx::SqueezeOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  auto wanted = cast<RankedTensorType>(op->getResult(0).getType());
  Location loc = op.getLoc();
  SmallVector<bool> flags(type.getRank());
  if (op->getNumOperands() > 1) {
    auto given = constantAxes(op, 1, type.getRank());
    if (failed(given))
      return squeezeAtRunTime(op, x, adaptor.getOperands()[1], wanted,
                              rewriter);
    flags = *given;
  } else {
    for (int64_t d = 0; d < type.getRank(); ++d)
      flags[d] = type.getDimSize(d) == 1;
    // Dynamic sizes are removed too if the result's rank implies it.
    if (int64_t(llvm::count(flags, true) + type.getNumDynamicDims()) ==
        type.getRank() - wanted.getRank())
      for (int64_t d = 0; d < type.getRank(); ++d)
        flags[d] = flags[d] || type.isDynamicDim(d);
  }
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value size = sizeOf(rewriter, loc, x, d);
    if (flags[d])
      checkEqualSizes(rewriter, loc, size, indexConstant(rewriter, loc, 1),
                      "Squeeze: the size of an axis is not 1");
    else
      sizes.push_back(size);
  }
  return viewFor(rewriter, op, x, sizes);
}

/// Axes known only to the run: each size is 1 or the next of the operand's.
SmallVector<Value> sizesAtRunTime(OpBuilder &b, Location loc, Value axes,
                                  ArrayRef<Value> in, int64_t rank) {
  SmallVector<Value> added =
      axesAtRunTime(b, loc, axes, rank - in.size(), rank);
  Value one = indexConstant(b, loc, 1), next = indexConstant(b, loc, 0);
  SmallVector<Value> sizes;
  for (Value isAdded : added) {
    Value own = one;
    for (auto [i, size] : llvm::enumerate(in)) {
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                         indexConstant(b, loc, i));
      own = arith::SelectOp::create(b, loc, here, size, own);
    }
    sizes.push_back(arith::SelectOp::create(b, loc, isAdded, one, own));
    next = arith::SelectOp::create(b, loc, isAdded, next,
                                   addIndex(b, loc, next, one));
  }
  checkEqualSizes(b, loc, next, indexConstant(b, loc, in.size()),
                  "Unsqueeze: the axes are out of range or repeat");
  return sizes;
}

Lowered lowerUnsqueeze(onnx::UnsqueezeOp op, onnx::UnsqueezeOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  auto wanted = cast<RankedTensorType>(op->getResult(0).getType());
  Location loc = op.getLoc();
  SmallVector<Value> in = sizesOf(rewriter, loc, x), sizes;
  auto flags = constantAxes(op, 1, wanted.getRank());
  if (succeeded(flags)) {
    if (llvm::count(*flags, false) != int64_t(in.size()))
      return rewriter.notifyMatchFailure(
          op, "the result has not a dimension more for each axis");
    unsigned next = 0;
    for (bool added : *flags)
      sizes.push_back(added ? indexConstant(rewriter, loc, 1) : in[next++]);
  } else {
    if (wanted.getRank() < int64_t(in.size()))
      return rewriter.notifyMatchFailure(
          op, "the result has fewer dimensions than the operand");
    sizes = sizesAtRunTime(rewriter, loc, adaptor.getOperands()[1], in,
                           wanted.getRank());
  }
  return viewFor(rewriter, op, x, sizes);
}

/// The result may have a more precise shape than the operand: the run checks
/// it.
Lowered lowerIdentity(onnx::IdentityOp op, onnx::IdentityOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  Type type = op->getResult(0).getType();
  auto choices = op->getAttrOfType<DenseI64ArrayAttr>(onnx::acceptedAttrName);
  return convertValue(rewriter, op.getLoc(), adaptor.getOperands()[0],
                      op->getOperand(0).getType(), type, krnlType(type),
                      choices ? choices.asArrayRef() : ArrayRef<int64_t>());
}

} // namespace

void populateONNXToKrnlViewsPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerFlatten, lowerReshape, lowerSqueeze,
               lowerUnsqueeze);
  addLowerings<Ranks::Any>(converter, patterns, lowerIdentity);
}

} // namespace onnxc
