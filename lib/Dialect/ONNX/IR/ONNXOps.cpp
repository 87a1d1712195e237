//===- ONNXOps.cpp - Operations with more than a schema --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ONNXOpsShard.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

ParseResult onnxc::onnx::parseConstantValue(OpAsmParser &parser,
                                            TypedAttr &value, Type &output) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(output);
  if (parser.parseAttribute(value))
    return failure();
  output = value.getType();
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseType(output);
  return success();
}

void onnxc::onnx::printConstantValue(OpAsmPrinter &printer, Operation *op,
                                     TypedAttr value, Type output) {
  if (!value) {
    printer << ": " << output;
    return;
  }
  printer << value;
  if (value.getType() != output)
    printer << " -> " << output;
}

template <typename T>
static DenseElementsAttr getDense(Type element, ArrayRef<T> values,
                                  bool isScalar) {
  SmallVector<int64_t, 1> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  return DenseElementsAttr::get(RankedTensorType::get(shape, element), values);
}

Attribute ConstantOp::getElements() {
  Builder builder(getContext());
  Type string = onnxc::onnx::StringType::get(getContext());
  if (TypedAttr value = getValueAttr())
    return value;
  if (std::optional<float> value = getValueFloat())
    return getDense<float>(builder.getF32Type(), *value, /*isScalar=*/true);
  if (std::optional<ArrayRef<float>> values = getValueFloats())
    return getDense<float>(builder.getF32Type(), *values, /*isScalar=*/false);
  if (std::optional<int64_t> value = getValueInt())
    return getDense<int64_t>(builder.getI64Type(), *value, /*isScalar=*/true);
  if (std::optional<ArrayRef<int64_t>> values = getValueInts())
    return getDense<int64_t>(builder.getI64Type(), *values,
                             /*isScalar=*/false);
  if (std::optional<StringRef> value = getValueString())
    return getDense<StringRef>(string, *value, /*isScalar=*/true);
  if (std::optional<ArrayAttr> values = getValueStrings()) {
    SmallVector<StringRef> texts(values->getAsValueRange<StringAttr>());
    return getDense<StringRef>(string, texts, /*isScalar=*/false);
  }
  return getSparseValueAttr();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getElements(); }

LogicalResult ConstantOp::verify() {
  auto isPresent = [](Attribute attribute) { return attribute != nullptr; };
  SmallVector<Attribute> kinds = {getSparseValueAttr(), getValueAttr(),
                                  getValueFloatAttr(),  getValueFloatsAttr(),
                                  getValueIntAttr(),    getValueIntsAttr(),
                                  getValueStringAttr(), getValueStringsAttr()};
  int64_t count = llvm::count_if(kinds, isPresent);
  if (count != 1)
    return emitOpError() << "expects exactly one attribute with a value, but "
                            "got "
                         << count;
  auto elements = dyn_cast<TypedAttr>(getElements());
  auto output = dyn_cast<TensorType>(getOutput().getType());
  if (!elements || !output)
    return success();
  auto type = dyn_cast<TensorType>(elements.getType());
  if (type && type.getElementType() == output.getElementType() &&
      succeeded(verifyCompatibleShape(type, output)))
    return success();
  return emitOpError() << "has a value of type " << elements.getType()
                       << ", but its result is of type " << output;
}
