//===- Classical.cpp - Preprocessing of classical models --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Those operators of ai.onnx.ml that treat each number by itself: Binarizer,
// Imputer, LabelEncoder between numbers, and Scaler.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
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
struct ScalerLowering : public OpConversionPattern<onnx::MlScalerOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlScalerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperands()[0];
    Type from = elementOf(op->getOperand(0));
    if (!isa<RankedTensorType>(x.getType()) || !isNumber(from))
      return rewriter.notifyMatchFailure(op, "operand is no tensor of numbers");
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
    Value y = buildElementwise(rewriter, loc, "Scaler", operands, f32,
                               [&](OpBuilder &b, Location l, ValueRange v) {
                                 ScalarBuilder s(b, l, from), real(b, l, f32);
                                 Value element = s.castTo(s.widen(v[0]), f32);
                                 if (hasOffset)
                                   element = real.sub(element, v[1]);
                                 return hasScale ? real.mul(element, v.back())
                                                 : element;
                               });
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

/// Elements that are missing (equal to a value, or NaN) become that of their
/// column.
struct ImputerLowering : public OpConversionPattern<onnx::MlImputerOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlImputerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperands()[0];
    Type element = elementOf(op->getOperand(0));
    if (!isa<RankedTensorType>(x.getType()) ||
        !(element.isF32() || element.isInteger(64)))
      return rewriter.notifyMatchFailure(op, "operand is neither f32 nor i64");
    Location loc = op.getLoc();
    auto floats = op.getImputedValueFloats();
    auto ints = op.getImputedValueInt64s();
    bool real = element.isF32();
    if (real ? !floats || floats->empty() : !ints || ints->empty())
      return rewriter.notifyMatchFailure(op, "no values to impute");
    Value values = real ? columns(rewriter, loc, *floats, element)
                        : columns(rewriter, loc, *ints, element);
    Value y = buildElementwise(
        rewriter, loc, "Imputer", {x, values}, element,
        [&](OpBuilder &b, Location l, ValueRange v) {
          ScalarBuilder s(b, l, element);
          float missing = op.getReplacedValueFloat();
          Value isMissing =
              !real ? s.eq(v[0], arith::ConstantIntOp::create(
                                     b, l, op.getReplacedValueInt64(), 64))
              : std::isnan(missing) ? s.isNaN(v[0])
                                    : s.eq(v[0], s.constant(missing));
          return s.select(isMissing, v[1], v[0]);
        });
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

/// Keys or values of a LabelEncoder as attributes of `element`; empty if they
/// are strings.
SmallVector<TypedAttr> labels(std::optional<ArrayRef<int64_t>> ints,
                              std::optional<ArrayRef<float>> floats,
                              Attribute tensor, Type element) {
  SmallVector<TypedAttr> result;
  Builder b(element.getContext());
  if (ints)
    for (int64_t value : *ints)
      result.push_back(b.getIntegerAttr(element, value));
  if (floats && result.empty())
    for (float value : *floats)
      result.push_back(b.getFloatAttr(element, value));
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor);
  if (dense && result.empty() && dense.getElementType() == element)
    for (Attribute value : dense.getValues<Attribute>())
      if (auto typed = dyn_cast<TypedAttr>(value))
        result.push_back(typed);
  return result;
}

/// A chain of selections: encoders between numbers have few labels.
struct LabelEncoderLowering
    : public OpConversionPattern<onnx::MlLabelEncoderOp> {
  using OpConversionPattern::OpConversionPattern;
  static constexpr size_t mostLabels = 256;

  LogicalResult
  matchAndRewrite(onnx::MlLabelEncoderOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperands()[0];
    Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
    if (!isa<RankedTensorType>(x.getType()) || !isNumber(from) ||
        !isNumber(to) || to.isUnsignedInteger() || from.isUnsignedInteger())
      return rewriter.notifyMatchFailure(op, "labels are no numbers");
    auto keys = labels(op.getKeysInt64s(), op.getKeysFloats(),
                       op.getKeysTensorAttr(), from);
    auto values = labels(op.getValuesInt64s(), op.getValuesFloats(),
                         op.getValuesTensorAttr(), to);
    if (keys.size() != values.size() || keys.empty() ||
        keys.size() > mostLabels)
      return rewriter.notifyMatchFailure(op, "too many labels, or none");
    TypedAttr otherwise = defaultLabel(op, to);
    if (!otherwise)
      return rewriter.notifyMatchFailure(op, "default is of another type");
    Value y =
        buildElementwise(rewriter, op.getLoc(), "LabelEncoder", x, to,
                         [&](OpBuilder &b, Location l, ValueRange v) {
                           ScalarBuilder s(b, l, from);
                           auto constant = [&](TypedAttr value) -> Value {
                             return arith::ConstantOp::create(b, l, value);
                           };
                           Value y = constant(otherwise);
                           for (auto [key, value] : llvm::zip(keys, values)) {
                             auto real = dyn_cast<FloatAttr>(key);
                             Value same = real && real.getValue().isNaN()
                                              ? s.isNaN(v[0])
                                              : s.eq(v[0], constant(key));
                             y = s.select(same, constant(value), y);
                           }
                           return y;
                         });
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  /// Null if `default_tensor` is there but of another type.
  static TypedAttr defaultLabel(onnx::MlLabelEncoderOp op, Type to) {
    Builder b(op.getContext());
    if (Attribute tensor = op.getDefaultTensorAttr()) {
      auto dense = dyn_cast<DenseElementsAttr>(tensor);
      if (!dense || dense.getElementType() != to || dense.empty())
        return {};
      return dyn_cast<TypedAttr>(*dense.getValues<Attribute>().begin());
    }
    if (isa<FloatType>(to))
      return b.getFloatAttr(to, op.getDefaultFloat());
    return b.getIntegerAttr(to, op.getDefaultInt64());
  }
};

} // namespace

void populateONNXToKrnlClassicalPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addElementwise<onnx::MlBinarizerOp>(converter, patterns, binarize);
  patterns.add<ImputerLowering, LabelEncoderLowering, ScalerLowering>(
      converter, patterns.getContext());
}

} // namespace onnxc
