//===- ScopeOracle.h - What upgrade rules ask of values ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_SCOPEORACLE_H
#define ONNXC_LIB_IMPORTER_SCOPEORACLE_H

#include "GraphImporter.h"
#include "Upgrade/NodeView.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Schema/ProtoConversion.h"

#include <cstring>

namespace onnxc::importer {

/// Answers the queries of upgrade rules about values.
class ScopeOracle : public ValueOracle {
public:
  explicit ScopeOracle(const Scope &scope) : scope(scope) {}

  std::optional<std::vector<int64_t>>
  dims(const std::string &value) const override {
    auto type = llvm::dyn_cast_or_null<mlir::RankedTensorType>(typeOf(value));
    if (!type)
      return std::nullopt;
    std::vector<int64_t> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    return sizes;
  }

  int32_t elementType(const std::string &value) const override {
    auto type = llvm::dyn_cast_or_null<mlir::TensorType>(typeOf(value));
    return type ? onnxc::onnx::getElementTypeNumber(type.getElementType()) : 0;
  }

  std::optional<std::vector<int64_t>>
  constantInts(const std::string &value) const override {
    std::optional<llvm::SmallVector<int64_t>> ints =
        onnxc::onnx::constantInts(valueOf(value));
    if (!ints)
      return std::nullopt;
    return std::vector<int64_t>(ints->begin(), ints->end());
  }

  std::optional<std::vector<float>>
  constantFloats(const std::string &value) const override {
    mlir::TypedAttr attr = onnxc::onnx::constantValue(valueOf(value));
    auto type = attr ? llvm::dyn_cast<mlir::TensorType>(attr.getType())
                     : mlir::TensorType();
    if (!type || !type.getElementType().isF32() || type.getNumElements() > 1024)
      return std::nullopt;
    llvm::SmallVector<char> scratch;
    llvm::ArrayRef<char> bytes = onnxc::onnx::constantBytes(attr, scratch);
    std::vector<float> floats(bytes.size() / 4);
    std::memcpy(floats.data(), bytes.data(), floats.size() * 4);
    return floats;
  }

private:
  mlir::Value valueOf(const std::string &name) const {
    const Binding *binding = name.empty() ? nullptr : scope.find(name);
    return binding ? binding->value : mlir::Value();
  }
  mlir::Type typeOf(const std::string &name) const {
    mlir::Value value = valueOf(name);
    return value ? value.getType() : mlir::Type();
  }

  const Scope &scope;
};

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_SCOPEORACLE_H
