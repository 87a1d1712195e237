//===- NamedWeights.h - Weights that no code depends on --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A weight is a blob whose bytes the store of blobs does not know, so that no
// pass computes anything of them. Only where an artefact is written are they
// found by its name.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_NAMEDWEIGHTS_H
#define ONNXC_DIALECT_ONNX_IR_NAMEDWEIGHTS_H

#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace onnxc::onnx {

/// The weights of a context, in an interface of its onnx dialect. They are
/// added by the importer and then only read, by any thread.
class NamedWeights final : public mlir::DialectInterface::Base<NamedWeights> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamedWeights)

  explicit NamedWeights(mlir::Dialect *dialect) : Base(dialect) {}

  /// The named weights of the context; null if it has none.
  static const NamedWeights *find(mlir::MLIRContext *context);

  /// A blob that stands for the elements of `source`, dense or a blob. Other
  /// names are other blobs, whatever their elements.
  static BlobAttr add(llvm::StringRef name, mlir::TypedAttr source);

  /// The weight under a type of as many bytes; null if there is none.
  BlobAttr lookup(llvm::StringRef name, mlir::RankedTensorType type) const;

  /// The name of a weight; empty for other attributes.
  llvm::StringRef nameOf(mlir::Attribute attribute) const;

  /// The attribute that has the elements: that of a weight, or `attribute`
  /// itself.
  static mlir::TypedAttr sourceOf(mlir::TypedAttr attribute);

private:
  struct Weight {
    std::string name;
    mlir::TypedAttr source;
  };
  const Weight *find(mlir::Attribute attribute) const;

  /// The weights by hash and size.
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Weight> weights;
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_NAMEDWEIGHTS_H
