//===- HostValues.cpp - Scalars and sizes of the host program ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/Containers.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

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
      shape[d] = *constant;
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

Value addIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::AddIOp>(b, loc, x, y,
                               [](int64_t p, int64_t q) { return p + q; });
}

Value subIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::SubIOp>(b, loc, x, y,
                               [](int64_t p, int64_t q) { return p - q; });
}

Value mulIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::MulIOp>(b, loc, x, y,
                               [](int64_t p, int64_t q) { return p * q; });
}

Value floorDivIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::FloorDivSIOp>(b, loc, x, y, [](int64_t p, int64_t q) {
    return q == 0 ? 0 : llvm::divideFloorSigned(p, q);
  });
}

Value ceilDivIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::CeilDivSIOp>(b, loc, x, y, [](int64_t p, int64_t q) {
    return q == 0 ? 0 : llvm::divideCeilSigned(p, q);
  });
}

Value minIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return binary<arith::MinSIOp>(
      b, loc, x, y, [](int64_t p, int64_t q) { return std::min(p, q); });
}

Value maxIndex(OpBuilder &b, Location loc, Value x, Value y) {
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

Value onlyElement(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      checkAtMost(b, loc, indexConstant(b, loc, 1), sizeOf(b, loc, tensor, d),
                  "an operand of one element is empty");
  SmallVector<Value> zeros(type.getRank(), indexConstant(b, loc, 0));
  return tensor::ExtractOp::create(b, loc, tensor, zeros);
}

static Value extractIndex(OpBuilder &b, Location loc, Value tensor,
                          ValueRange at) {
  Value element = tensor::ExtractOp::create(b, loc, tensor, at);
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
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

void checkAxes(OpBuilder &b, Location loc, Value axes, int64_t rank,
               StringRef message) {
  auto type = cast<RankedTensorType>(axes.getType());
  auto isAxis = [&](OpBuilder &nb, Location l, ValueRange at) -> Value {
    Value axis = extractIndex(nb, l, axes, at);
    Value low = arith::CmpIOp::create(nb, l, arith::CmpIPredicate::sge, axis,
                                      indexConstant(nb, l, -rank));
    Value high = arith::CmpIOp::create(nb, l, arith::CmpIPredicate::slt, axis,
                                       indexConstant(nb, l, rank));
    return arith::AndIOp::create(nb, l, low, high);
  };
  if (type.getRank() == 0) {
    krnl::CheckOp::create(b, loc, isAxis(b, loc, {}), message);
    return;
  }
  auto all = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), sizeOf(b, loc, axes, 0),
      indexConstant(b, loc, 1),
      ValueRange{arith::ConstantIntOp::create(b, loc, 1, 1)},
      [&](OpBuilder &nb, Location l, Value i, ValueRange soFar) {
        Value both = arith::AndIOp::create(nb, l, soFar[0], isAxis(nb, l, i));
        scf::YieldOp::create(nb, l, both);
      });
  krnl::CheckOp::create(b, loc, all.getResult(0), message);
}

void replaceWithCasts(ConversionPatternRewriter &rewriter,
                      const TypeConverter &converter, Operation *op,
                      ValueRange values) {
  SmallVector<Value> replacements;
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    Type wanted = converter.convertType(result.getType());
    if (wanted && value.getType() != wanted && isa<TensorType>(value.getType()))
      value =
          isa<TensorType>(wanted)
              ? tensor::CastOp::create(rewriter, op->getLoc(), wanted, value)
              : convertValue(rewriter, op->getLoc(), value, result.getType(),
                             result.getType(), wanted);
    replacements.push_back(value);
  }
  rewriter.replaceOp(op, replacements);
}

Value reshapeTo(OpBuilder &b, Location loc, Value tensor, RankedTensorType type,
                ValueRange sizes) {
  if (tensor.getType() == type && type.hasStaticShape())
    return tensor;
  Value shape = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({type.getRank()}, b.getIndexType()), sizes);
  return tensor::ReshapeOp::create(b, loc, type, tensor, shape);
}

} // namespace onnxc
