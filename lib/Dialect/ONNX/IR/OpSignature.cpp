//===- OpSignature.cpp - Table of operator signatures ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

using namespace mlir;
using namespace onnxc::onnx;

static constexpr TypeSet typeSets[] = {
#define GET_TYPE_SETS
#include "onnxc/Dialect/ONNX/IR/ONNXOpSignatures.inc"
};

static constexpr OpParameter parameters[] = {
#define GET_PARAMETERS
#include "onnxc/Dialect/ONNX/IR/ONNXOpSignatures.inc"
};

static constexpr OpSignature signatures[] = {
#define GET_SIGNATURES
#include "onnxc/Dialect/ONNX/IR/ONNXOpSignatures.inc"
};

const TypeSet &OpParameter::getTypes() const { return typeSets[typeSet]; }

ArrayRef<OpParameter> OpSignature::getInputs() const {
  return ArrayRef(parameters).slice(firstParameter, numInputs);
}

ArrayRef<OpParameter> OpSignature::getOutputs() const {
  return ArrayRef(parameters).slice(firstParameter + numInputs, numOutputs);
}

ArrayRef<OpSignature> OpSignature::getAll() { return signatures; }

const OpSignature *OpSignature::find(StringRef name) {
  const OpSignature *found = llvm::lower_bound(
      signatures, name,
      [](const OpSignature &row, StringRef key) { return row.name < key; });
  return found != std::end(signatures) && found->name == name ? found : nullptr;
}

//===----------------------------------------------------------------------===//
// TypeSet
//===----------------------------------------------------------------------===//

static uint32_t elementBit(TensorType tensor) {
  return 1u << getElementTypeNumber(tensor.getElementType());
}

static uint32_t mapBit(MapType type) {
  auto tensor = dyn_cast<TensorType>(type.getValueType());
  if (!tensor)
    return 0;
  unsigned key = isa<onnxc::onnx::StringType>(type.getKeyType()) ? 4 : 0;
  if (key == 0 && !type.getKeyType().isSignlessInteger(64))
    return 0;
  Type element = tensor.getElementType();
  if (element.isF32())
    return 1u << key;
  if (element.isF64())
    return 2u << key;
  if (element.isSignlessInteger(64))
    return 4u << key;
  return isa<onnxc::onnx::StringType>(element) ? 8u << key : 0;
}

bool TypeSet::contains(Type type) const {
  if (isa<NoneType>(type))
    return true;
  if (auto tensorType = dyn_cast<TensorType>(type))
    return tensor & elementBit(tensorType);
  if (auto mapType = dyn_cast<MapType>(type))
    return map & mapBit(mapType);
  uint32_t tensors = seq, sequences = 0, maps = seqMap;
  Type element;
  if (auto seqType = dyn_cast<SeqType>(type)) {
    element = seqType.getElementType();
  } else if (auto optType = dyn_cast<OptType>(type)) {
    element = optType.getElementType();
    tensors = opt;
    sequences = optSeq;
    maps = 0;
  } else {
    return false;
  }
  if (isa<NoneType>(element))
    return tensors | sequences | maps;
  if (auto tensorType = dyn_cast<TensorType>(element))
    return tensors & elementBit(tensorType);
  if (auto mapType = dyn_cast<MapType>(element))
    return maps & mapBit(mapType);
  if (auto seqType = dyn_cast<SeqType>(element))
    return TypeSet{0, sequences, 0, 0, 0, 0}.contains(seqType);
  return false;
}
