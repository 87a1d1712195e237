//===- Shapes.cpp - Sizes as values, and tensors made of them ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shape and Size are computed on the host; ConstantOfShape, Range, EyeLike and
// OneHot make a tensor out of sizes and scalars.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

Value asInt64(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

Lowered lowerShape(onnx::ShapeOp op, onnx::ShapeOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  Location loc = op.getLoc();
  int64_t rank = type.getRank();
  auto clamp = [&](int64_t d) {
    return std::clamp(positiveAxis(d, rank), int64_t(0), rank);
  };
  int64_t start = clamp(op.getStart()),
          end = op.getEnd() ? clamp(*op.getEnd()) : rank;
  SmallVector<Value> sizes;
  for (int64_t d = start; d < end; ++d)
    sizes.push_back(asInt64(rewriter, loc, sizeOf(rewriter, loc, x, d)));
  auto result =
      RankedTensorType::get({int64_t(sizes.size())}, rewriter.getI64Type());
  return Value(tensor::FromElementsOp::create(rewriter, loc, result, sizes));
}

Lowered lowerSize(onnx::SizeOp op, onnx::SizeOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  Location loc = op.getLoc();
  Value count = indexConstant(rewriter, loc, 1);
  for (Value size : sizesOf(rewriter, loc, x))
    count = mulIndex(rewriter, loc, count, size);
  auto result = RankedTensorType::get({}, rewriter.getI64Type());
  return Value(tensor::FromElementsOp::create(rewriter, loc, result,
                                              asInt64(rewriter, loc, count)));
}

/// The bytes of the only element of a constant attribute as an attribute of
/// the stored element type.
TypedAttr storedScalar(Attribute value, Type element) {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(value, scratch);
  unsigned width = element.getIntOrFloatBitWidth() / 8;
  if (bytes.size() < width)
    return {};
  auto type = RankedTensorType::get({}, element);
  return cast<TypedAttr>(
      DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(width))
          .getSplatValue<Attribute>());
}

Lowered lowerConstantOfShape(onnx::ConstantOfShapeOp op,
                             onnx::ConstantOfShapeOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType wanted = rankedType(op->getResult(0));
  Type element = cast<RankedTensorType>(krnlType(wanted)).getElementType();
  if (!element.isIntOrFloat())
    return rewriter.notifyMatchFailure(op, "element type is not a number");
  Attribute value = op->getAttr("value");
  TypedAttr scalar = value ? storedScalar(value, element)
                           : TypedAttr(rewriter.getFloatAttr(element, 0.0));
  if (!scalar)
    return rewriter.notifyMatchFailure(op, "value is not known");
  SmallVector<Value> sizes;
  Value shape = op->getOperand(0);
  for (int64_t d = 0; d < wanted.getRank(); ++d)
    sizes.push_back(
        structuralElement(rewriter, loc, shape, adaptor.getOperands()[0], d));
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  for (Value size : sizes)
    checkGivenSize(rewriter, loc, size, "ConstantOfShape");
  RankedTensorType type = typeOfSizes(sizes, element);
  KernelBuilder kernel(rewriter, loc, "ConstantOfShape");
  SmallVector<AffineExpr> at = kernel.loopsOf(type);
  Value constant = kernel.constant(scalar);
  Value out = kernel.output(type, sizes);
  Value y = kernel.fill(constant, {out, at});
  return kernel.finish({y});
}

/// max(0, ceil((limit - start) / delta)) without signs: no distance overflows,
/// and no quotient either.
Value signedCount(OpBuilder &b, Location loc, Value start, Value limit,
                  Value delta) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value isDown = compareIndex(b, loc, arith::CmpIPredicate::slt, delta, zero);
  Value low = selectValue(b, loc, isDown, limit, start),
        high = selectValue(b, loc, isDown, start, limit);
  Value step =
      selectValue(b, loc, isDown, subIndex(b, loc, zero, delta), delta);
  Value last = subIndex(b, loc, subIndex(b, loc, high, low), one);
  Value steps = arith::DivUIOp::create(
      b, loc, last, arith::MaxUIOp::create(b, loc, step, one));
  Value isSome = compareIndex(b, loc, arith::CmpIPredicate::sgt, high, low);
  return selectValue(b, loc, isSome, addIndex(b, loc, steps, one), zero);
}

/// max(0, ceil((limit - start) / delta)) where it is known that the distance
/// does not overflow and that the delta is positive: sizes stay recognisable in
/// it.
Value steppedCount(OpBuilder &b, Location loc, Value start, Value limit,
                   Value delta) {
  Value count = ceilDivIndex(b, loc, subIndex(b, loc, limit, start), delta);
  return maxIndex(b, loc, count, indexConstant(b, loc, 0));
}

/// max(0, ceil((limit - start) / delta)) for floats; fails the run for too many
/// elements, or NaN.
Value floatCount(ScalarBuilder &s, Value start, Value limit, Value delta) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  Value steps = s.div(s.sub(limit, start), delta);
  // NaN, too, is no number of elements.
  krnl::CheckOp::create(b, loc, s.le(steps, s.constant(maxGivenSize)),
                        "Range: the result is too long");
  steps = s.select(s.lt(s.constant(0), steps), steps, s.constant(0));
  Value whole = arith::FPToSIOp::create(b, loc, b.getI64Type(), steps);
  Value back = arith::SIToFPOp::create(b, loc, steps.getType(), whole);
  Value more =
      arith::ExtUIOp::create(b, loc, b.getI64Type(), s.lt(back, steps));
  return toIndex(b, loc, arith::AddIOp::create(b, loc, whole, more));
}

Value integerCount(onnx::RangeOp op, ArrayRef<Value> bounds, OpBuilder &b) {
  Location loc = op.getLoc();
  SmallVector<Value> numbers;
  for (auto [operand, bound] : llvm::zip_equal(op->getOperands(), bounds)) {
    auto known = onnx::constantInts(operand);
    numbers.push_back(known && known->size() == 1
                          ? indexConstant(b, loc, known->front())
                          : toIndex(b, loc, bound));
  }
  auto delta = getConstantIntValue(numbers[2]);
  bool isSimple =
      delta && *delta > 0 &&
      (isConstantIntValue(numbers[0], 0) ||
       (lowerBoundOf(numbers[0]) >= 0 && lowerBoundOf(numbers[1]) >= 0));
  return (isSimple ? steppedCount : signedCount)(b, loc, numbers[0], numbers[1],
                                                 numbers[2]);
}

Lowered lowerRange(onnx::RangeOp op, onnx::RangeOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Type onnxType = getElementTypeOrSelf(op->getResult(0).getType());
  ScalarBuilder s(rewriter, loc, onnxType);
  SmallVector<Value> bounds;
  for (Value operand : adaptor.getOperands())
    bounds.push_back(s.widen(onlyElement(rewriter, loc, operand)));
  Value isZero = s.eq(bounds[2], s.constant(0));
  Value yes = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  krnl::CheckOp::create(rewriter, loc,
                        arith::XOrIOp::create(rewriter, loc, isZero, yes),
                        "Range: delta is zero");
  Value count = s.isFloat() ? floatCount(s, bounds[0], bounds[1], bounds[2])
                            : integerCount(op, bounds, rewriter);
  checkGivenSize(rewriter, loc, count, "Range");
  SmallVector<Value> sizes = knownSizes(rewriter, loc, op->getResult(0), count);
  return generate(
      rewriter, loc, "Range", ScalarBuilder::storageType(onnxType), sizes,
      {bounds[0], bounds[2]},
      [&](OpBuilder &b, Location l, ArrayRef<Value> index, ArrayRef<Value> in) {
        ScalarBuilder i64(b, l, b.getI64Type()), to(b, l, onnxType);
        Value i = i64.castTo(asInt64(b, l, index[0]), onnxType);
        return to.narrow(to.add(in[0], to.mul(i, in[1])));
      });
}

Lowered lowerEyeLike(onnx::EyeLikeOp op, onnx::EyeLikeOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  Type onnxType = getElementTypeOrSelf(op->getResult(0).getType());
  int64_t k = op.getK();
  ArrayRef<int64_t> shape = rankedType(x).getShape();
  IntegerType integer = positionType(rewriter, {shape[0], shape[1], k});
  return generate(
      rewriter, loc, "EyeLike", ScalarBuilder::storageType(onnxType),
      sizesOf(rewriter, loc, x), {},
      [&](OpBuilder &b, Location l, ArrayRef<Value> index, ArrayRef<Value>) {
        ScalarBuilder s(b, l, onnxType);
        auto position = [&](Value at) -> Value {
          return arith::IndexCastOp::create(b, l, integer, at);
        };
        Value offset =
            arith::ConstantOp::create(b, l, b.getIntegerAttr(integer, k));
        Value diagonal =
            arith::AddIOp::create(b, l, position(index[0]), offset);
        Value on = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq,
                                         diagonal, position(index[1]));
        return s.narrow(s.select(on, s.constant(1), s.constant(0)));
      });
}

/// A number of any type as an index.
Value integerOf(OpBuilder &b, Location loc, Type onnxType, Value stored) {
  ScalarBuilder s(b, loc, onnxType);
  return toIndex(b, loc, s.castTo(s.widen(stored), b.getI64Type()));
}

Lowered lowerOneHot(onnx::OneHotOp op, onnx::OneHotOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ValueRange operands = adaptor.getOperands();
  Value indices = operands[0], values = operands[2];
  RankedTensorType type = rankedType(indices);
  int64_t axis = positiveAxis(op.getAxis(), type.getRank() + 1);
  if (axis < 0 || axis > type.getRank())
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  if (rankedType(values).getRank() != 1)
    return rewriter.notifyMatchFailure(op, "values are not a list");
  checkLength(rewriter, loc, values, 2,
              "OneHot: the values are not two numbers");
  Type indexType = getElementTypeOrSelf(op->getOperand(0).getType());
  Type depthType = getElementTypeOrSelf(op->getOperand(1).getType());
  SmallVector<Value> sizes = sizesOf(rewriter, loc, indices);
  Value depth = integerOf(rewriter, loc, depthType,
                          onlyElement(rewriter, loc, operands[1]));
  checkGivenSize(rewriter, loc, depth, "OneHot");
  sizes.insert(sizes.begin() + axis, depth);
  sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
  return generate(
      rewriter, loc, "OneHot", rankedType(values).getElementType(), sizes,
      {indices, values, sizes[axis]},
      [&](OpBuilder &b, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        SmallVector<Value> position(at);
        position.erase(position.begin() + axis);
        Value hot = integerOf(b, l, indexType,
                              tensor::ExtractOp::create(b, l, in[0], position));
        Value zero = indexConstant(b, l, 0), one = indexConstant(b, l, 1);
        Value negative =
            arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, hot, zero);
        hot = arith::SelectOp::create(b, l, negative,
                                      addIndex(b, l, hot, in[2]), hot);
        Value on = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, hot,
                                         at[axis]);
        return arith::SelectOp::create(
                   b, l, on, tensor::ExtractOp::create(b, l, in[1], one),
                   tensor::ExtractOp::create(b, l, in[1], zero))
            .getResult();
      });
}

} // namespace

void populateONNXToKrnlShapesPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerConstantOfShape, lowerEyeLike,
               lowerOneHot, lowerRange, lowerShape, lowerSize);
}

} // namespace onnxc
