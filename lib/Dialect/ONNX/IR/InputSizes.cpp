//===- InputSizes.cpp - Names of the sizes of inputs ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"

using namespace mlir;

ArrayAttr onnxc::onnx::declaredDims(DictionaryAttr attributes) {
  if (!attributes)
    return {};
  auto declared = attributes.getAs<ArrayAttr>(declaredDimsAttrName);
  return declared ? declared : attributes.getAs<ArrayAttr>("onnx.dims");
}

StringRef onnxc::onnx::givenSizeName(FunctionOpInterface function,
                                     unsigned argument, unsigned dim) {
  auto names = function.getArgAttrOfType<ArrayAttr>(argument, "onnx.dims");
  auto name = names && dim < names.size() ? dyn_cast<StringAttr>(names[dim])
                                          : StringAttr();
  return name ? name.getValue() : StringRef();
}

std::string onnxc::onnx::sizeName(FunctionOpInterface function,
                                  unsigned argument, unsigned dim) {
  StringRef given = givenSizeName(function, argument, dim);
  if (!given.empty())
    return given.str();
  auto name = function.getArgAttrOfType<StringAttr>(argument, "onnx.name");
  return (name ? name.str() : "arg" + std::to_string(argument)) + "." +
         std::to_string(dim);
}
