//===- Classical.cpp - Preprocessing of classical models --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Those operators of ai.onnx.ml that treat each number by itself: Binarizer,
// Imputer and Scaler.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

bool isNumber(Type type) { return isa<FloatType, IntegerType>(type); }

/// One number for each column, as a constant; a rank-0 one where all columns
/// have the same.
template <typename T>
Value columns(OpBuilder &b, Location loc, ArrayRef<T> values, Type element) {
  SmallVector<int64_t> shape;
  if (values.size() != 1)
    shape.push_back(values.size());
  return krnl::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(shape, element), values),
      krnl::PackedLayoutAttr());
}

Value binarize(ScalarBuilder &s, onnx::MlBinarizerOp op, ValueRange x) {
  Value threshold = s.constant(op.getThreshold());
  return s.select(s.lt(threshold, x[0]), s.constant(1), s.constant(0));
}

/// (x - offset) * scale, as a float, by column.
Lowered lowerScaler(onnx::MlScalerOp op, onnx::MlScalerOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  Type from = elementOf(op->getOperand(0));
  if (!isa<RankedTensorType>(x.getType()) || !isNumber(from))
    return rewriter.notifyMatchFailure(op,
                                       "operand is not a tensor of numbers");
  Location loc = op.getLoc();
  Type f32 = rewriter.getF32Type();
  auto offset = op.getOffset(), scale = op.getScale();
  SmallVector<Value> operands{x};
  if (offset && !offset->empty())
    operands.push_back(columns(rewriter, loc, *offset, f32));
  bool hasOffset = operands.size() > 1;
  if (scale && !scale->empty())
    operands.push_back(columns(rewriter, loc, *scale, f32));
  bool hasScale = operands.size() > 1u + hasOffset;
  return buildElementwise(rewriter, loc, "Scaler", operands, f32,
                          [&](OpBuilder &b, Location l, ValueRange v) {
                            ScalarBuilder s(b, l, from), real(b, l, f32);
                            Value element = s.castTo(s.widen(v[0]), f32);
                            if (hasOffset)
                              element = real.sub(element, v[1]);
                            return hasScale ? real.mul(element, v.back())
                                            : element;
                          });
}

/// Elements that are missing (equal to a value, or NaN) become that of their
/// column.
Lowered lowerImputer(onnx::MlImputerOp op, onnx::MlImputerOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  Type element = elementOf(op->getOperand(0));
  if (!isa<RankedTensorType>(x.getType()) ||
      !isa<FloatType, IntegerType>(element))
    return rewriter.notifyMatchFailure(op,
                                       "operand is not a tensor of numbers");
  Location loc = op.getLoc();
  auto floats = op.getImputedValueFloats();
  auto ints = op.getImputedValueInt64s();
  bool real = isa<FloatType>(element);
  if (real ? !floats || floats->empty() : !ints || ints->empty())
    return rewriter.notifyMatchFailure(op, "no values to impute");
  Value values = real ? columns(rewriter, loc, *floats, rewriter.getF32Type())
                      : columns(rewriter, loc, *ints, rewriter.getI64Type());
  return buildElementwise(
      rewriter, loc, "Imputer", {x, values}, element,
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, element);
        float missing = op.getReplacedValueFloat();
        Value isMissing =
            !real ? s.eq(v[0], arith::ConstantIntOp::create(
                                   b, l, op.getReplacedValueInt64(),
                                   element.getIntOrFloatBitWidth()))
            : std::isnan(missing) ? s.isNaN(v[0])
                                  : s.eq(v[0], s.constant(missing));
        ScalarBuilder given(b, l, getElementTypeOrSelf(values.getType()));
        Value value = given.castTo(v[1], element);
        return s.select(isMissing, value, v[0]);
      });
}

} // namespace

void populateONNXToKrnlClassicalPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addElementwise<onnx::MlBinarizerOp>(converter, patterns, binarize);
  addLowerings(converter, patterns, lowerImputer, lowerScaler);
}

} // namespace onnxc
