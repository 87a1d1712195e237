//===- HostValues.cpp - Scalars and sizes of the host program ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"

#include "Builders/InputSizes.h"
#include "Builders/ReshapedConstant.h"
#include "Control/Containers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc {

IntegerType positionType(OpBuilder &b, ArrayRef<int64_t> sizes) {
  constexpr int64_t limit = int64_t(1) << 30;
  bool isShort = llvm::all_of(sizes, [](int64_t size) {
    return !ShapedType::isDynamic(size) && -limit < size && size < limit;
  });
  return b.getIntegerType(isShort ? 32 : 64);
}

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

Value compareIndex(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                   Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

Value selectValue(OpBuilder &b, Location loc, Value condition, Value x,
                  Value y) {
  auto constant = getConstantIntValue(x);
  if (constant && constant == getConstantIntValue(y))
    return x;
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

Value productOf(OpBuilder &b, Location loc, ValueRange sizes) {
  Value product = indexConstant(b, loc, 1);
  for (Value size : sizes)
    product = mulIndex(b, loc, product, size);
  return product;
}

static void checkSizes(OpBuilder &b, Location loc,
                       arith::CmpIPredicate predicate, Value x, Value y,
                       StringRef message) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  bool isKnown = cx && cy &&
                 arith::applyCmpPredicate(predicate, APInt(64, *cx, true),
                                          APInt(64, *cy, true));
  if (x != y && !isKnown)
    krnl::CheckOp::create(b, loc,
                          arith::CmpIOp::create(b, loc, predicate, x, y),
                          message, ValueRange{x, y});
}

void checkEqualSizes(OpBuilder &b, Location loc, Value x, Value y,
                     StringRef message) {
  checkSizes(b, loc, arith::CmpIPredicate::eq, x, y, message);
}

void checkAtMost(OpBuilder &b, Location loc, Value x, Value y,
                 StringRef message) {
  checkSizes(b, loc, arith::CmpIPredicate::sle, x, y, message);
}

static void checkFits(OpBuilder &b, Location loc, Value fits, StringRef what,
                      ValueRange sizes, StringRef format) {
  krnl::makeCheck(b, loc, fits,
                  (what + ": a size is negative or too large").str(), sizes,
                  format);
}

void checkGivenSize(OpBuilder &b, Location loc, Value size, StringRef what) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known >= 0 && *known <= maxGivenSize)
    return;
  // Unsigned: also false for negative sizes.
  Value fits = compareIndex(b, loc, arith::CmpIPredicate::ule, size,
                            indexConstant(b, loc, maxGivenSize));
  checkFits(b, loc, fits, what, size, "{}");
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
  checkFits(b, loc, fits, what, sizes, krnl::shapeFormat(unknown));
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

Value lengthOf(OpBuilder &b, Location loc, Value list) {
  bool isOne = cast<RankedTensorType>(list.getType()).getRank() == 0;
  return isOne ? indexConstant(b, loc, 1) : sizeOf(b, loc, list, 0);
}

Value elementAsIndex(OpBuilder &b, Location loc, Value tensor, int64_t i) {
  SmallVector<Value> at;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1) {
    at.push_back(indexConstant(b, loc, i));
    checkAtMost(b, loc, indexConstant(b, loc, i + 1), lengthOf(b, loc, tensor),
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
  checkEqualSizes(b, loc, lengthOf(b, loc, tensor),
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
  std::string format = "{} for a rank of " + std::to_string(rank);
  if (type.getRank() == 0) {
    Value axis = extractIndex(b, loc, axes, {});
    krnl::makeCheck(b, loc, seeAxis(b, loc, axis, rank, none).first, message,
                    axis, format);
    return;
  }
  // Whether all are good, the last that is not, and those seen.
  auto all = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), sizeOf(b, loc, axes, 0),
      indexConstant(b, loc, 1),
      ValueRange{arith::ConstantIntOp::create(b, loc, 1, 1),
                 indexConstant(b, loc, 0), none},
      [&](OpBuilder &nb, Location l, Value i, ValueRange soFar) {
        Value axis = extractIndex(nb, l, axes, i);
        auto [isGood, seen] = seeAxis(nb, l, axis, rank, soFar[2]);
        Value both = arith::AndIOp::create(nb, l, soFar[0], isGood);
        Value bad = arith::SelectOp::create(nb, l, isGood, soFar[1], axis);
        scf::YieldOp::create(nb, l, ValueRange{both, bad, seen});
      });
  krnl::makeCheck(b, loc, all.getResult(0), message, all.getResult(1), format);
}

std::optional<SmallVector<bool>> namedAxes(ArrayRef<int64_t> axes,
                                           int64_t rank) {
  SmallVector<bool> named(rank);
  for (int64_t given : axes) {
    std::optional<int64_t> axis = onnx::normalizeAxis(given, rank);
    if (!axis || named[*axis])
      return std::nullopt;
    named[*axis] = true;
  }
  return named;
}

static void failHere(OpBuilder &b, Location loc, StringRef message) {
  krnl::CheckOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 0, 1),
                        message);
}

Value neverMade(OpBuilder &b, Location loc, RankedTensorType type,
                StringRef message) {
  failHere(b, loc, message);
  return emptyValue(b, loc, type);
}

SmallVector<Value> neverMade(OpBuilder &b, Operation *op, StringRef message) {
  failHere(b, op->getLoc(), message);
  return llvm::map_to_vector(op->getResultTypes(), [&](Type type) {
    return emptyValue(b, op->getLoc(), krnlType(type));
  });
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || tensor::CastOp::areCastCompatible(value.getType(), type))
    return tensor::CastOp::create(b, loc, type, value);
  return neverMade(b, loc, ranked);
}

void replaceWithCasts(ConversionPatternRewriter &rewriter, Operation *op,
                      ValueRange values) {
  useInputSizes(rewriter, op, values);
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

/// Returns true if a constant of the krnl dialect, stored as it is, defines the
/// tensor.
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
