//===- ONNXDialect.cpp - The onnx dialect ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.cpp.inc"

void ONNXDialect::initialize() {
  blobStore = std::make_shared<BlobStore>();
  registerAttributes();
  registerTypes();
  registerONNXDialectOperations(this);
}

Operation *ONNXDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  if (!isa<ElementsAttr, BlobAttr>(value) ||
      cast<TypedAttr>(value).getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, ValueRange(),
                            builder.getNamedAttr("value", value));
}
