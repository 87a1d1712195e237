//===- Values.hpp - Values of an artefact in C++ ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_VALUES_HPP
#define ONNXC_RT_VALUES_HPP

#include "onnxc/Runtime.h"
#include "onnxc/Tensor.hpp"
#include "onnxc/rt/Library.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace onnxc::rt {

/// Converts values of a C++ program to those of an artefact, and back.
class ValueConverter {
public:
  using Owned = std::unique_ptr<OMValue, void (*)(OMValue *)>;

  /// The library must outlive the converter.
  explicit ValueConverter(const Library &artefact) : library(artefact) {}

  /// A value over the memory of `value`, which must outlive it, as this
  /// converter must.
  Owned make(const Value &value) {
    if (value.kind == OM_VALUE_TENSOR)
      return owned(library.find<decltype(omValueCreateTensor)>(
          "omValueCreateTensor")(make(value.tensor)));
    std::vector<Owned> made;
    for (const Value &element : value.elements)
      made.push_back(make(element));
    OMTensor *keys = value.kind == OM_VALUE_MAP ? make(value.tensor) : nullptr;
    std::vector<OMValue *> elements;
    for (Owned &element : made)
      elements.push_back(element.release());
    int64_t count = int64_t(elements.size());
    if (value.kind == OM_VALUE_SEQUENCE)
      return owned(library.find<decltype(omValueCreateSequence)>(
          "omValueCreateSequence")(elements.data(), count));
    if (value.kind == OM_VALUE_MAP)
      return owned(library.find<decltype(omValueCreateMap)>("omValueCreateMap")(
          keys, elements.data(), count));
    return owned(library.find<decltype(omValueCreateOptional)>(
        "omValueCreateOptional")(count ? elements[0] : nullptr));
  }

  OMBuffer bufferOf(const OMTensor *tensor) const {
    if (!tensor)
      throw std::runtime_error("an input is not a tensor");
    OM_DATA_TYPE type = library.find<decltype(omTensorGetDataType)>(
        "omTensorGetDataType")(tensor);
    int64_t count = library.find<decltype(omTensorGetNumElems)>(
        "omTensorGetNumElems")(tensor);
    return {library.find<decltype(omTensorGetDataPtr)>("omTensorGetDataPtr")(
                tensor),
            count * elementBytes(type),
            const_cast<int64_t *>(library.find<decltype(omTensorGetShape)>(
                "omTensorGetShape")(tensor)),
            library.find<decltype(omTensorGetRank)>("omTensorGetRank")(tensor),
            type};
  }

  Value copyOf(const OMValue *value) const {
    Value result;
    result.kind =
        library.find<decltype(omValueGetKind)>("omValueGetKind")(value);
    if (result.kind == OM_VALUE_TENSOR) {
      result.tensor = copyOf(bufferOf(
          library.find<decltype(omValueGetTensor)>("omValueGetTensor")(value)));
      return result;
    }
    if (result.kind == OM_VALUE_MAP)
      result.tensor = copyOf(bufferOf(
          library.find<decltype(omValueGetKey)>("omValueGetKey")(value)));
    int64_t size =
        library.find<decltype(omValueGetSize)>("omValueGetSize")(value);
    for (int64_t i = 0; i < size; ++i)
      result.elements.push_back(
          copyOf(library.find<decltype(omValueGetElement)>("omValueGetElement")(
              value, i)));
    return result;
  }

  static Tensor copyOf(const OMBuffer &buffer) {
    Tensor tensor{
        buffer.type, {buffer.shape, buffer.shape + buffer.rank}, {}, {}};
    const std::byte *data = static_cast<const std::byte *>(buffer.data);
    if (buffer.type == ONNX_TYPE_STRING)
      for (size_t i = 0; i < tensor.size(); ++i)
        tensor.strings.push_back(static_cast<char **>(buffer.data)[i]);
    else
      tensor.bytes.assign(data, data + buffer.bytes);
    return tensor;
  }

private:
  OMTensor *make(const Tensor &tensor) {
    const void *data = tensor.bytes.data();
    size_t bytes = tensor.bytes.size();
    if (tensor.type == ONNX_TYPE_STRING) {
      std::vector<const char *> &pointers = texts.emplace_back();
      for (const std::string &text : tensor.strings)
        pointers.push_back(text.c_str());
      data = pointers.data();
      bytes = pointers.size() * sizeof(char *);
    }
    if (bytes < tensor.size() * size_t(elementBytes(tensor.type)))
      throw std::runtime_error("a tensor has fewer elements than its shape");
    return library.find<decltype(omTensorCreate)>("omTensorCreate")(
        const_cast<void *>(data), tensor.shape.data(),
        int64_t(tensor.shape.size()), tensor.type);
  }

  Owned owned(OMValue *value) const {
    return {value, library.find<decltype(omValueDestroy)>("omValueDestroy")};
  }

  const Library &library;
  /// The pointers to the strings of each tensor that was made.
  std::deque<std::vector<const char *>> texts;
};

} // namespace onnxc::rt

#endif // ONNXC_RT_VALUES_HPP
