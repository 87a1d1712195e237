//===- GraphWriter.cpp - Operators, one after the other ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GraphWriter.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Schema/TypeInference.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::training;

int64_t training::rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

SmallVector<int64_t> training::range(int64_t begin, int64_t end) {
  SmallVector<int64_t> numbers;
  for (int64_t i = begin; i < end; ++i)
    numbers.push_back(i);
  return numbers;
}

int64_t training::integerOf(Operation *op, StringRef name, int64_t otherwise) {
  auto value = dyn_cast_or_null<IntegerAttr>(op->getAttr(name));
  return value ? value.getInt() : otherwise;
}

double training::realOf(Operation *op, StringRef name, double otherwise) {
  auto value = dyn_cast_or_null<FloatAttr>(op->getAttr(name));
  return value ? value.getValueAsDouble() : otherwise;
}

SmallVector<NamedAttribute> training::attributesOf(Operation *op) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().getValue().ends_with("SegmentSizes"))
      attributes.push_back(attribute);
  return attributes;
}

Operation *GraphWriter::makeOp(StringRef name, ValueRange operands,
                               ArrayRef<NamedAttribute> attributes,
                               unsigned results) {
  OperationState state(loc, ("onnx." + name).str());
  SmallVector<Type> types(results, NoneType::get(builder.getContext()));
  onnx::buildBySignature(state, types, operands, attributes);
  Operation *op = builder.create(state);
  // A form that inference does not take would be a mistake of a rule; the
  // types that stay unknown then are refused where they are needed.
  FailureOr<SmallVector<Type>> inferred = schema::inferResultTypes(op);
  if (succeeded(inferred))
    for (auto [result, type] : llvm::zip(op->getResults(), *inferred))
      result.setType(type);
  return op;
}

Value GraphWriter::make(StringRef name, ValueRange operands,
                        ArrayRef<NamedAttribute> attributes) {
  return makeOp(name, operands, attributes, 1)->getResult(0);
}

Operation *GraphWriter::makeTyped(StringRef name, ValueRange operands,
                                  ArrayRef<NamedAttribute> attributes,
                                  ArrayRef<Type> types) {
  OperationState state(loc, ("onnx." + name).str());
  onnx::buildBySignature(state, types, operands, attributes);
  return builder.create(state);
}

Value GraphWriter::number(double value, Value like) {
  Type element = getElementTypeOrSelf(like.getType());
  auto type = RankedTensorType::get({}, element);
  auto attr = DenseElementsAttr::get(
      type, Attribute(builder.getFloatAttr(element, value)));
  return onnx::ConstantOp::create(builder, loc, type, ValueRange(),
                                  builder.getNamedAttr("value", attr))
      ->getResult(0);
}

Value GraphWriter::ints(ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get(int64_t(values.size()), builder.getI64Type());
  return onnx::ConstantOp::create(
             builder, loc, type, ValueRange(),
             builder.getNamedAttr("value",
                                  DenseElementsAttr::get(type, values)))
      ->getResult(0);
}

Value GraphWriter::integerScalar(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return onnx::ConstantOp::create(
             builder, loc, type, ValueRange(),
             builder.getNamedAttr("value", DenseElementsAttr::get(type, value)))
      ->getResult(0);
}

Value GraphWriter::zerosLike(Value value) {
  return make("Expand", {number(0, value), shapeOf(value)});
}

Value GraphWriter::sizeOf(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !type.isDynamicDim(dim))
    return ints(type.getDimSize(dim));
  return make("Shape", value, {integer("start", dim), integer("end", dim + 1)});
}

Value GraphWriter::places(Value value, int64_t dim) {
  Value size = squeeze(sizeOf(value, dim), 0);
  return make("Range", {integerScalar(0), size, integerScalar(1)});
}

Value GraphWriter::castLike(Value x, Value like) {
  if (getElementTypeOrSelf(x.getType()) == getElementTypeOrSelf(like.getType()))
    return x;
  return make("CastLike", {x, like});
}

Value GraphWriter::reshapeLike(Value x, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (type && type.hasStaticShape())
    // A size of zero would stand for that of `x` here.
    if (!llvm::is_contained(type.getShape(), 0))
      return reshape(x, type.getShape());
  return make("Reshape", {x, shapeOf(like)}, integer("allowzero", 1));
}

Value GraphWriter::transpose(Value x, ArrayRef<int64_t> perm) {
  return llvm::is_sorted(perm) ? x : make("Transpose", x, list("perm", perm));
}

Value GraphWriter::reduce(StringRef name, Value x, ArrayRef<int64_t> axes,
                          bool keepdims) {
  SmallVector<Value> operands{x};
  if (!axes.empty())
    operands.push_back(ints(axes));
  return make(name, operands, integer("keepdims", keepdims));
}
