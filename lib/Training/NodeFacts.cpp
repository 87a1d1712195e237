//===- NodeFacts.cpp - Facts about nodes for rules --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NodeFacts.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace onnxc;

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
