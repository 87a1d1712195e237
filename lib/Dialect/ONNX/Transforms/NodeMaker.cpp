//===- NodeMaker.cpp - Operators, one after the other -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Schema/TypeInference.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

int64_t onnxc::onnx::rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Operation *NodeMaker::makeTyped(StringRef name, ValueRange operands,
                                ArrayRef<NamedAttribute> attributes,
                                ArrayRef<Type> types) {
  OperationState state(loc, ("onnx." + name).str());
  buildBySignature(state, types, operands, attributes);
  return builder.create(state);
}

Operation *NodeMaker::makeOp(StringRef name, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes,
                             unsigned results) {
  SmallVector<Type> unknown(results, NoneType::get(builder.getContext()));
  Operation *op = makeTyped(name, operands, attributes, unknown);
  FailureOr<SmallVector<Type>> inferred = schema::inferResultTypes(op);
  if (succeeded(inferred))
    for (auto [result, type] : llvm::zip(op->getResults(), *inferred))
      result.setType(type);
  return op;
}

Value NodeMaker::make(StringRef name, ValueRange operands,
                      ArrayRef<NamedAttribute> attributes) {
  return makeOp(name, operands, attributes, 1)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value NodeMaker::constant(TypedAttr value) {
  return make<ConstantOp>(value.getType(), {},
                          builder.getNamedAttr("value", value));
}

Value NodeMaker::number(double value, Type element) {
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(builder.getFloatAttr(element, value))
                       : builder.getIntegerAttr(element, int64_t(value));
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, element), attr));
}

Value NodeMaker::number(double value, Value like) {
  return number(value, getElementTypeOrSelf(like.getType()));
}

Value NodeMaker::ints(ArrayRef<int64_t> values, Type element) {
  element = element ? element : builder.getI64Type();
  SmallVector<APInt> numbers;
  for (int64_t value : values)
    numbers.emplace_back(element.getIntOrFloatBitWidth(), value,
                         /*isSigned=*/true, /*implicitTrunc=*/true);
  return constant(DenseElementsAttr::get(
      RankedTensorType::get(int64_t(values.size()), element), numbers));
}

Value NodeMaker::integerScalar(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return constant(DenseElementsAttr::get(type, value));
}

Value NodeMaker::zerosLike(Value value) {
  return make("Expand", {number(0, value), shapeOf(value)});
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value NodeMaker::sizeOf(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !type.isDynamicDim(dim))
    return ints(type.getDimSize(dim));
  return make("Shape", value, {integer("start", dim), integer("end", dim + 1)});
}

Value NodeMaker::positions(Value value, int64_t dim) {
  Value size = squeeze(sizeOf(value, dim), 0);
  return make("Range", {integerScalar(0), size, integerScalar(1)});
}

Value NodeMaker::reshapeLike(Value x, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (type && type.hasStaticShape())
    // A size of zero would stand for that of `x` here.
    if (!llvm::is_contained(type.getShape(), 0))
      return reshape(x, type.getShape());
  return make("Reshape", {x, shapeOf(like)}, integer("allowzero", 1));
}

Value NodeMaker::transpose(Value x, ArrayRef<int64_t> perm) {
  return llvm::is_sorted(perm) ? x : make("Transpose", x, list("perm", perm));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value NodeMaker::cast(Value x, Type element) {
  if (getElementTypeOrSelf(x.getType()) == element)
    return x;
  return make("Cast", x, integer("to", schema::dataTypeNumber(element)));
}

Value NodeMaker::castLike(Value x, Value like) {
  if (getElementTypeOrSelf(x.getType()) == getElementTypeOrSelf(like.getType()))
    return x;
  return make("CastLike", {x, like});
}

Value NodeMaker::reduce(StringRef name, Value x, ArrayRef<int64_t> axes,
                        bool keepdims) {
  SmallVector<Value> operands{x};
  if (!axes.empty())
    operands.push_back(ints(axes));
  return make(name, operands, integer("keepdims", keepdims));
}
