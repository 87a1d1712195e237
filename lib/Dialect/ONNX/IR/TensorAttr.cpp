//===- TensorAttr.cpp - Bytes as the value of a constant -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace onnxc::onnx;

/// One byte per element from elements of `width` bits.
static std::vector<char> unpack(ArrayRef<char> bytes, unsigned width,
                                int64_t count) {
  std::vector<char> elements(count, 0);
  for (int64_t bit = 0; bit < count * width; ++bit)
    if (bytes[bit / 8] >> (bit % 8) & 1)
      elements[bit / width] |= static_cast<char>(1u << (bit % width));
  return elements;
}

static TypedAttr makeDense(RankedTensorType type, ArrayRef<char> bytes) {
  int64_t count = type.getNumElements();
  if (count == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  Type element = type.getElementType();
  if (element.isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : bytes)
      bits.push_back(byte != 0);
    return DenseElementsAttr::get(type, bits);
  }
  unsigned width = getRawBitWidth(element);
  if (width >= 8)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseElementsAttr::getFromRawBuffer(type, unpack(bytes, width, count));
}

TypedAttr onnxc::onnx::makeTensorAttr(RankedTensorType type,
                                      std::vector<char> bytes) {
  if (getRawSize(type) != bytes.size())
    return TypedAttr();
  if (bytes.size() <= maxInlineBytes)
    return makeDense(type, bytes);
  return cast_or_null<TypedAttr>(
      BlobStore::get(type.getContext()).add(std::move(bytes), type));
}
