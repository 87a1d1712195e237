//===- NamedWeights.cpp - Weights that no code depends on ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/NamedWeights.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace onnxc::onnx;

// mlir has an interface of this name.
using Blob = onnxc::onnx::BlobAttr;

/// Null for a type without a raw form.
static Blob makeBlob(StringRef name, RankedTensorType type) {
  std::optional<uint64_t> size = getRawSize(type);
  if (!size)
    return Blob();
  uint64_t hash = llvm::xxh3_64bits(("weight " + name).str());
  return Blob::get(type.getContext(), type, "", 0, *size, hash);
}

const NamedWeights *NamedWeights::find(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<ONNXDialect>();
  return dialect ? dialect->getRegisteredInterface<NamedWeights>() : nullptr;
}

Blob NamedWeights::add(StringRef name, TypedAttr source) {
  MLIRContext *context = source.getContext();
  auto *dialect = context->getOrLoadDialect<ONNXDialect>();
  if (!dialect->getRegisteredInterface<NamedWeights>())
    dialect->addInterface<NamedWeights>();
  auto *all = const_cast<NamedWeights *>(find(context));
  Blob blob = makeBlob(name, cast<RankedTensorType>(source.getType()));
  all->weights.try_emplace({blob.getHash(), blob.getSize()},
                           Weight{name.str(), source});
  return blob;
}

const NamedWeights::Weight *NamedWeights::find(Attribute attribute) const {
  auto blob = dyn_cast_or_null<Blob>(attribute);
  if (!blob)
    return nullptr;
  auto found = weights.find({blob.getHash(), blob.getSize()});
  return found == weights.end() ? nullptr : &found->second;
}

Blob NamedWeights::lookup(StringRef name, RankedTensorType type) const {
  Blob blob = makeBlob(name, type);
  return blob && nameOf(blob) == name ? blob : Blob();
}

StringRef NamedWeights::nameOf(Attribute attribute) const {
  const Weight *weight = find(attribute);
  return weight ? StringRef(weight->name) : StringRef();
}

TypedAttr NamedWeights::sourceOf(TypedAttr attribute) {
  const NamedWeights *all = find(attribute.getContext());
  const Weight *weight = all ? all->find(attribute) : nullptr;
  return weight ? weight->source : attribute;
}
