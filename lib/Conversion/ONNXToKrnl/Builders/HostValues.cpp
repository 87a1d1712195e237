//===- HostValues.cpp - Scalars and sizes of the host program ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/Containers.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ReshapedConstant.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Support/ElementBytes.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace onnxc {

Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value sizeOf(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return indexConstant(b, loc, type.getDimSize(dim));
  return tensor::DimOp::create(b, loc, tensor, dim);
}

SmallVector<Value> sizesOf(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < cast<RankedTensorType>(tensor.getType()).getRank();
       ++d)
    sizes.push_back(sizeOf(b, loc, tensor, d));
  return sizes;
}

SmallVector<Value> dynamicSizes(RankedTensorType type, ValueRange sizes) {
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(d))
      dynamic.push_back(size);
  return dynamic;
}

RankedTensorType refineType(RankedTensorType type, ValueRange sizes) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, size] : llvm::enumerate(sizes))
    if (auto constant = getConstantIntValue(size))
      // A check ends the run where it would be negative.
      shape[d] = std::max<int64_t>(*constant, 0);
  return RankedTensorType::get(shape, type.getElementType());
}

Value withSize(OpBuilder &b, Location loc, Value tensor, int64_t dim,
               int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim) || ShapedType::isDynamic(size))
    return tensor;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return tensor::CastOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor);
}

template <typename Op, typename Fold>
static Value binary(OpBuilder &b, Location loc, Value x, Value y, Fold fold) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return indexConstant(b, loc, fold(*cx, *cy));
  return b.createOrFold<Op>(loc, x, y);
}

/// `value` as "base + constant"; no base for a constant.
static std::pair<Value, int64_t> splitOffset(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {nullptr, *constant};
  auto add = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> offset;
  if (add && (offset = getConstantIntValue(add.getRhs())))
    return {add.getLhs(), *offset};
  return {value, 0};
}

static Value addOffset(OpBuilder &b, Location loc, Value base, int64_t offset) {
  if (!base)
    return indexConstant(b, loc, offset);
  return offset == 0 ? base
                     : arith::AddIOp::create(b, loc, base,
                                             indexConstant(b, loc, offset));
}

// Constants are added up at the end, so that equal sizes become equal values.
Value addIndex(OpBuilder &b, Location loc, Value x, Value y) {
  auto [xBase, xOffset] = splitOffset(x);
  auto [yBase, yOffset] = splitOffset(y);
  int64_t offset = 0;
  if ((xBase && yBase) || llvm::AddOverflow(xOffset, yOffset, offset))
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  return addOffset(b, loc, xBase ? xBase : yBase, offset);
}

Value subIndex(OpBuilder &b, Location loc, Value x, Value y) {
  auto [xBase, xOffset] = splitOffset(x);
  auto [yBase, yOffset] = splitOffset(y);
  int64_t offset = 0;
  if ((yBase && xBase != yBase) || llvm::SubOverflow(xOffset, yOffset, offset))
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  return addOffset(b, loc, yBase ? nullptr : xBase, offset);
}

/// The largest or smallest number instead of a product that overflows: no
/// tensor has such a size.
static int64_t saturatingProduct(int64_t x, int64_t y) {
  int64_t product;
  if (!llvm::MulOverflow(x, y, product))
    return product;
  return (x < 0) == (y < 0) ? INT64_MAX : -INT64_MAX;
}

Value mulIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::MulIOp>(b, loc, x, y, saturatingProduct);
}

Value floorDivIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::FloorDivSIOp>(b, loc, x, y, [](int64_t p, int64_t q) {
    return q == 0    ? 0
           : q == -1 ? saturatingProduct(p, -1)
                     : llvm::divideFloorSigned(p, q);
  });
}

Value ceilDivIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::CeilDivSIOp>(b, loc, x, y, [](int64_t p, int64_t q) {
    return q == 0    ? 0
           : q == -1 ? saturatingProduct(p, -1)
                     : llvm::divideCeilSigned(p, q);
  });
}

Value minIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::MinSIOp>(
      b, loc, x, y, [](int64_t p, int64_t q) { return std::min(p, q); });
}

Value compareIndex(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                   Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

Value selectValue(OpBuilder &b, Location loc, Value condition, Value x,
                  Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

int64_t lowerBoundOf(Value value) {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::min();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return 0;
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return std::max(lowerBoundOf(op->getOperand(0)),
                    lowerBoundOf(op->getOperand(1)));
  auto [base, offset] = splitOffset(value);
  int64_t least = unknown;
  if (base != value) {
    least = lowerBoundOf(base);
    return least == unknown || llvm::AddOverflow(least, offset, least) ? unknown
                                                                       : least;
  }
  std::optional<int64_t> divisor;
  if (isa_and_nonnull<arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
      (divisor = getConstantIntValue(op->getOperand(1))) && *divisor > 0 &&
      (least = lowerBoundOf(op->getOperand(0))) != unknown)
    return isa<arith::CeilDivSIOp>(op)
               ? llvm::divideCeilSigned(least, *divisor)
               : llvm::divideFloorSigned(least, *divisor);
  return unknown;
}

Value maxIndex(OpBuilder &b, Location loc, Value x, Value y) {
  for (auto [larger, other] : {std::pair(x, y), std::pair(y, x)})
    if (auto constant = getConstantIntValue(other);
        constant && lowerBoundOf(larger) >= *constant)
      return larger;
  return binary<arith::MaxSIOp>(
      b, loc, x, y, [](int64_t p, int64_t q) { return std::max(p, q); });
}

Value productOf(OpBuilder &b, Location loc, ValueRange sizes) {
  Value product = indexConstant(b, loc, 1);
  for (Value size : sizes)
    product = mulIndex(b, loc, product, size);
  return product;
}

void checkEqualSizes(OpBuilder &b, Location loc, Value x, Value y,
                     StringRef message) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (x == y || (cx && cy && *cx == *cy))
    return;
  krnl::CheckOp::create(
      b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y),
      message, ValueRange{x, y});
}

void checkAtMost(OpBuilder &b, Location loc, Value x, Value y,
                 StringRef message) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (x == y || (cx && cy && *cx <= *cy))
    return;
  krnl::CheckOp::create(
      b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y),
      message, ValueRange{x, y});
}

void checkGivenSize(OpBuilder &b, Location loc, Value size, StringRef what) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known >= 0 && *known <= maxGivenSize)
    return;
  // Unsigned: also false for negative sizes.
  Value fits = compareIndex(b, loc, arith::CmpIPredicate::ule, size,
                            indexConstant(b, loc, maxGivenSize));
  krnl::CheckOp::create(b, loc, fits,
                        (what + ": a size is negative or too large").str());
}

void checkTensorSizes(OpBuilder &b, Location loc, ValueRange sizes,
                      Type element, StringRef what) {
  SmallVector<int64_t> unknown(sizes.size(), ShapedType::kDynamic);
  RankedTensorType type =
      refineType(RankedTensorType::get(unknown, element), sizes);
  if (type.hasStaticShape() && boundedBytes(type) &&
      llvm::all_of(type.getShape(), [](int64_t size) { return size >= 0; }))
    return;
  Value bytes = krnl::BufferBytesOp::create(
      b, loc, dynamicSizes(type, sizes),
      MemRefType::get(type.getShape(), type.getElementType()));
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, bytes,
                                     indexConstant(b, loc, maxTensorBytes));
  krnl::CheckOp::create(b, loc, fits,
                        (what + ": a size is negative or too large").str());
}

Value mulGivenSizes(OpBuilder &b, Location loc, Value x, Value y,
                    StringRef what) {
  auto isSmall = [](Value v) {
    auto known = getConstantIntValue(v);
    return known && *known >= 0 && *known <= maxTensorBytes / maxGivenSize;
  };
  if (!isSmall(x) && !isSmall(y))
    checkTensorSizes(b, loc, {x, y}, b.getI8Type(), what);
  return mulIndex(b, loc, x, y);
}

Value onlyElement(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, tensor, d),
                  "an operand of one element is empty");
  SmallVector<Value> zeros(type.getRank(), indexConstant(b, loc, 0));
  return b.createOrFold<tensor::ExtractOp>(loc, tensor, zeros);
}

Value toIndex(OpBuilder &b, Location loc, Value i) {
  auto cast = i.getDefiningOp<arith::IndexCastOp>();
  // A size that was written as an int64 is that size.
  if (cast && cast.getIn().getType().isIndex() && i.getType().isInteger(64))
    i = cast.getIn();
  return i.getType().isIndex()
             ? i
             : b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), i);
}

static Value extractIndex(OpBuilder &b, Location loc, Value tensor,
                          ValueRange at) {
  return toIndex(b, loc, b.createOrFold<tensor::ExtractOp>(loc, tensor, at));
}

Value elementAsIndex(OpBuilder &b, Location loc, Value tensor, int64_t i) {
  SmallVector<Value> at;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1) {
    at.push_back(indexConstant(b, loc, i));
    if (type.isDynamicDim(0))
      checkAtMost(b, loc, indexConstant(b, loc, i + 1),
                  sizeOf(b, loc, tensor, 0),
                  "a list of axes or sizes is too short");
  }
  return extractIndex(b, loc, tensor, at);
}

Value elementOr(OpBuilder &b, Location loc, Value tensor, Value i,
                Value other) {
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, i,
                                         sizeOf(b, loc, tensor, 0));
  auto branch = scf::IfOp::create(
      b, loc, isInside,
      [&](OpBuilder &nb, Location l) {
        scf::YieldOp::create(nb, l, extractIndex(nb, l, tensor, i));
      },
      [&](OpBuilder &nb, Location l) { scf::YieldOp::create(nb, l, other); });
  return branch.getResult(0);
}

void checkLength(OpBuilder &b, Location loc, Value tensor, int64_t length,
                 StringRef message) {
  checkEqualSizes(b, loc, sizeOf(b, loc, tensor, 0),
                  indexConstant(b, loc, length), message);
}

/// Whether `axis` names a dimension of `rank` that the bits of `seen` do not
/// have yet, and the bits with that one.
static std::pair<Value, Value> seeAxis(OpBuilder &b, Location loc, Value axis,
                                       int64_t rank, Value seen) {
  auto cmp = arith::CmpIPredicate::ult;
  Value zero = indexConstant(b, loc, 0), size = indexConstant(b, loc, rank);
  Value isNegative =
      compareIndex(b, loc, arith::CmpIPredicate::slt, axis, zero);
  Value d = selectValue(b, loc, isNegative, addIndex(b, loc, axis, size), axis);
  Value isAxis = compareIndex(b, loc, cmp, d, size);
  Type bits = seen.getType();
  Value shift = arith::IndexCastOp::create(
      b, loc, bits, selectValue(b, loc, isAxis, d, zero));
  Value bit = arith::ShLIOp::create(
      b, loc, arith::ConstantIntOp::create(b, loc, bits, 1), shift);
  Value isNew =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(b, loc, seen, bit),
                            arith::ConstantIntOp::create(b, loc, bits, 0));
  return {arith::AndIOp::create(b, loc, isAxis, isNew),
          arith::OrIOp::create(b, loc, seen, bit)};
}

void checkAxes(OpBuilder &b, Location loc, Value axes, int64_t rank,
               StringRef message) {
  auto type = cast<RankedTensorType>(axes.getType());
  Type bits = b.getIntegerType(std::max<int64_t>(rank, 64));
  Value none = arith::ConstantIntOp::create(b, loc, bits, 0);
  if (type.getRank() == 0) {
    Value axis = extractIndex(b, loc, axes, {});
    krnl::CheckOp::create(b, loc, seeAxis(b, loc, axis, rank, none).first,
                          message);
    return;
  }
  auto all = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), sizeOf(b, loc, axes, 0),
      indexConstant(b, loc, 1),
      ValueRange{arith::ConstantIntOp::create(b, loc, 1, 1), none},
      [&](OpBuilder &nb, Location l, Value i, ValueRange soFar) {
        auto [isGood, seen] =
            seeAxis(nb, l, extractIndex(nb, l, axes, i), rank, soFar[1]);
        Value both = arith::AndIOp::create(nb, l, soFar[0], isGood);
        scf::YieldOp::create(nb, l, ValueRange{both, seen});
      });
  krnl::CheckOp::create(b, loc, all.getResult(0), message);
}

std::optional<SmallVector<bool>> namedAxes(ArrayRef<int64_t> axes,
                                           int64_t rank) {
  SmallVector<bool> named(rank);
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return std::nullopt;
    bool &isNamed = named[axis < 0 ? axis + rank : axis];
    if (isNamed)
      return std::nullopt;
    isNamed = true;
  }
  return named;
}

Value neverMade(OpBuilder &b, Location loc, RankedTensorType type) {
  krnl::CheckOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 0, 1),
                        "sizes of the operands do not fit together");
  SmallVector<Value> none(type.getNumDynamicDims(), indexConstant(b, loc, 0));
  return tensor::EmptyOp::create(b, loc, type, none);
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || tensor::CastOp::areCastCompatible(value.getType(), type))
    return tensor::CastOp::create(b, loc, type, value);
  return neverMade(b, loc, ranked);
}

void replaceWithCasts(ConversionPatternRewriter &rewriter, Operation *op,
                      ValueRange values) {
  SmallVector<Value> replacements;
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    Type wanted = krnlType(result.getType());
    if (value.getType() != wanted && isa<TensorType>(value.getType()))
      value = isa<TensorType>(wanted)
                  ? castTo(rewriter, op->getLoc(), wanted, value)
                  : convertValue(rewriter, op->getLoc(), value,
                                 result.getType(), result.getType(), wanted);
    replacements.push_back(value);
  }
  rewriter.replaceOp(op, replacements);
}

Value reshapedConstant(OpBuilder &b, Location loc, Value constant,
                       ArrayRef<int64_t> shape) {
  TypedAttr value = onnx::constantValue(constant);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  if (auto blob = dyn_cast<onnx::BlobAttr>(value))
    value =
        onnx::BlobAttr::get(b.getContext(), type, blob.getFile(),
                            blob.getOffset(), blob.getSize(), blob.getHash());
  else
    value = cast<DenseElementsAttr>(value).reshape(type);
  return krnl::ConstantOp::create(b, loc, value, krnl::PackedLayoutAttr());
}

/// Does a constant of the krnl dialect define the tensor, stored as it is?
static bool isPlainConstant(Value tensor) {
  auto constant = tensor.getDefiningOp<krnl::ConstantOp>();
  return constant && !constant.getLayout() &&
         isa<onnx::BlobAttr, DenseElementsAttr>(constant.getValue());
}

Value reshapeTo(OpBuilder &b, Location loc, Value tensor, RankedTensorType type,
                ValueRange sizes) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from == type && type.hasStaticShape())
    return tensor;
  if (from.hasStaticShape() && type.hasStaticShape() &&
      from.getNumElements() != type.getNumElements())
    return neverMade(b, loc, type);
  if (type.hasStaticShape() && isPlainConstant(tensor))
    return reshapedConstant(b, loc, tensor, type.getShape());
  auto list = tensor.getDefiningOp<tensor::FromElementsOp>();
  if (list && type.hasStaticShape())
    return tensor::FromElementsOp::create(b, loc, type, list.getElements());
  Value shape = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({type.getRank()}, b.getIndexType()), sizes);
  return tensor::ReshapeOp::create(b, loc, type, tensor, shape);
}

} // namespace onnxc
