//===- Value.cpp - Tensors, sequences, optionals and maps -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Value.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

//===----------------------------------------------------------------------===//
// From and to the runtime
//===----------------------------------------------------------------------===//

static Tensor copyOfTensor(const Artefact &artefact, const OMTensor *tensor) {
  return Tensor::copyOf(
      {artefact.omTensorGetDataPtr(tensor),
       artefact.omTensorGetBufferSize(tensor),
       const_cast<int64_t *>(artefact.omTensorGetShape(tensor)),
       artefact.omTensorGetRank(tensor), artefact.omTensorGetDataType(tensor)});
}

static Value copyOfValue(const Artefact &artefact, const OMValue *from) {
  Value value;
  value.kind = artefact.omValueGetKind(from);
  if (value.kind == OM_VALUE_TENSOR) {
    value.tensor = copyOfTensor(artefact, artefact.omValueGetTensor(from));
    return value;
  }
  if (value.kind == OM_VALUE_MAP)
    value.tensor = copyOfTensor(artefact, artefact.omValueGetKey(from));
  for (int64_t i = 0; i < artefact.omValueGetSize(from); ++i)
    value.elements.push_back(
        copyOfValue(artefact, artefact.omValueGetElement(from, i)));
  return value;
}

Value Value::copyOf(const Artefact &artefact, const OMArgument &argument,
                    const OMBuffer &buffer) {
  if (argument.kind == OM_VALUE_TENSOR)
    return Value(Tensor::copyOf(buffer));
  return copyOfValue(artefact, static_cast<const OMValue *>(buffer.data));
}

InputSet::InputSet(const Artefact &artefact, std::vector<Value> given)
    : values(std::move(given)) {
  for (Value &value : values) {
    if (value.kind == OM_VALUE_TENSOR) {
      allBuffers.push_back(value.tensor.buffer(pointers.emplace_back()));
      continue;
    }
    owned.emplace_back(make(artefact, value), artefact.omValueDestroy);
    allBuffers.push_back(
        {owned.back().get(), 0, nullptr, 0, ONNX_TYPE_UNDEFINED});
  }
}

OMTensor *InputSet::make(const Artefact &artefact, Tensor &tensor) {
  OMBuffer buffer = tensor.buffer(pointers.emplace_back());
  return artefact.omTensorCreate(buffer.data, buffer.shape, buffer.rank,
                                 buffer.type);
}

OMValue *InputSet::make(const Artefact &artefact, Value &value) {
  if (value.kind == OM_VALUE_TENSOR)
    return artefact.omValueCreateTensor(make(artefact, value.tensor));
  std::vector<OMValue *> elements;
  elements.reserve(value.elements.size());
  for (Value &element : value.elements)
    elements.push_back(make(artefact, element));
  int64_t count = int64_t(elements.size());
  if (value.kind == OM_VALUE_SEQUENCE)
    return artefact.omValueCreateSequence(elements.data(), count);
  if (value.kind == OM_VALUE_MAP)
    return artefact.omValueCreateMap(make(artefact, value.tensor),
                                     elements.data(), count);
  return artefact.omValueCreateOptional(count ? elements[0] : nullptr);
}

//===----------------------------------------------------------------------===//
// To files and people
//===----------------------------------------------------------------------===//

Error run::writeValue(const std::string &stem, const Value &value) {
  if (value.kind == OM_VALUE_TENSOR)
    return writeNumpy(stem + ".npy", value.tensor);
  if (value.kind == OM_VALUE_OPTIONAL)
    return value.elements.empty() ? Error::success()
                                  : writeValue(stem, value.elements[0]);
  if (value.kind == OM_VALUE_MAP)
    if (Error error = writeNumpy(stem + "_keys.npy", value.tensor))
      return error;
  for (auto [i, element] : enumerate(value.elements))
    if (Error error = writeValue(stem + "_" + std::to_string(i), element))
      return error;
  return Error::success();
}

std::string run::keyText(const Value &map, size_t index) {
  if (map.tensor.type == ONNX_TYPE_STRING)
    return '"' + map.tensor.strings[index] + '"';
  return std::to_string(elementAsInteger(map.tensor, int64_t(index)));
}

std::string run::valueText(const std::string &name, const Value &value) {
  if (value.kind == OM_VALUE_TENSOR)
    return name + ": " + typeText(value.tensor.type, value.tensor.shape) +
           "\n" + valuesText(value.tensor) + "\n";
  if (value.kind == OM_VALUE_OPTIONAL)
    return value.elements.empty() ? name + ": empty optional\n"
                                  : valueText(name, value.elements[0]);
  bool isMap = value.kind == OM_VALUE_MAP;
  std::string text = name + (isMap ? ": map of " : ": sequence of ") +
                     std::to_string(value.elements.size()) + "\n";
  for (auto [i, element] : enumerate(value.elements)) {
    std::string at = isMap ? keyText(value, i) : std::to_string(i);
    text += valueText(name + "[" + at + "]", element);
  }
  return text;
}
