//===- Tensor.hpp - Tensors and values in C++ -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Header-only, C++17. The inputs and outputs of an ExecutionSession: views of
// memory of the caller, tensors with memory of their own, and values of the
// other kinds.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TENSOR_HPP
#define ONNXC_TENSOR_HPP

#include "onnxc/Runtime.h"
#include "onnxc/rt/ElementTypes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onnxc {

/// A contiguous row-major tensor of the caller's.
struct TensorView {
  const void *data;
  std::vector<int64_t> shape;
  OM_DATA_TYPE type;
};

template <typename T>
TensorView view(const T *data, std::vector<int64_t> shape) {
  return {data, std::move(shape), DataTypeOf<T>::value};
}

/// Memory of the caller for an output: room for so many bytes. A run sets shape
/// and type.
struct OutputView {
  void *data;
  int64_t bytes;
  OM_DATA_TYPE type;
  std::vector<int64_t> shape = {};
};

/// Room for `count` elements; the output must have this element type.
template <typename T>
OutputView outputView(T *data, size_t count) {
  return {data, int64_t(count * sizeof(T)), DataTypeOf<T>::value};
}

/// The elements of a tensor that lives elsewhere, row by row.
template <typename T>
class ArrayView {
public:
  ArrayView(T *first, const std::vector<int64_t> &sizes)
      : elements(first), dims(sizes) {
    for (int64_t size : sizes)
      count *= size_t(size);
  }

  const std::vector<int64_t> &shape() const { return dims; }
  size_t size() const { return count; }
  T *begin() const { return elements; }
  T *end() const { return elements + count; }
  T &operator[](size_t i) const { return elements[i]; }

  /// The element at an index for each dimension; throws std::out_of_range.
  template <typename... Indices>
  T &operator()(Indices... indices) const {
    const std::array<int64_t, sizeof...(Indices)> at{int64_t(indices)...};
    if (at.size() != dims.size())
      throw std::out_of_range("the tensor has " + std::to_string(dims.size()) +
                              " dimensions");
    int64_t position = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= dims[d])
        throw std::out_of_range("an index is not in the tensor");
      position = position * dims[d] + at[d];
    }
    return elements[position];
  }

private:
  T *elements;
  std::vector<int64_t> dims;
  size_t count = 1;
};

/// A tensor with memory of its own. A string tensor has its elements in
/// `strings`.
struct Tensor {
  OM_DATA_TYPE type = ONNX_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;

  size_t size() const {
    size_t count = 1;
    for (int64_t dim : shape)
      count *= size_t(dim);
    return count;
  }
  template <typename T>
  const T *data() const {
    static_assert(!std::is_same_v<T, const char *>, "strings are in `strings`");
    if (type != DataTypeOf<T>::value)
      throw std::runtime_error(std::string("the elements are ") + nameOf(type) +
                               ", not " + nameOf(DataTypeOf<T>::value));
    return reinterpret_cast<const T *>(bytes.data());
  }
  /// The elements of the tensor, which must outlive the view.
  template <typename T>
  ArrayView<const T> as() const {
    return {data<T>(), shape};
  }
};

/// A tensor of these elements; of one dimension unless there is a shape.
template <typename T>
Tensor tensor(const std::vector<T> &elements, std::vector<int64_t> shape) {
  static_assert(!std::is_same_v<T, const char *>,
                "of std::string: a tensor keeps its strings");
  Tensor result{DataTypeOf<T>::value, std::move(shape), {}, {}};
  result.bytes.resize(elements.size() * sizeof(T));
  std::byte *to = result.bytes.data();
  for (const T element : elements) {
    std::memcpy(to, &element, sizeof(T));
    to += sizeof(T);
  }
  return result;
}
template <typename T>
Tensor tensor(const std::vector<T> &elements) {
  return onnxc::tensor(elements, {int64_t(elements.size())});
}
inline Tensor tensor(const std::vector<std::string> &elements) {
  return {ONNX_TYPE_STRING, {int64_t(elements.size())}, {}, elements};
}

/// A tensor, or the contents of a sequence, optional or map.
struct Value {
  OM_VALUE_KIND kind = OM_VALUE_TENSOR;
  Tensor tensor;               ///< itself; the keys of a map
  std::vector<Value> elements; ///< of the other kinds; values of a map

  Value() = default;
  Value(Tensor itself) : tensor(std::move(itself)) {}
  static Value sequence(std::vector<Value> elements) {
    return {OM_VALUE_SEQUENCE, {}, std::move(elements)};
  }
  /// An optional without element.
  static Value empty() { return {OM_VALUE_OPTIONAL, {}, {}}; }
  static Value optional(Value element) {
    return {OM_VALUE_OPTIONAL, {}, {std::move(element)}};
  }
  /// Value i belongs to key i.
  static Value map(Tensor keys, std::vector<Value> elements) {
    return {OM_VALUE_MAP, std::move(keys), std::move(elements)};
  }

private:
  Value(OM_VALUE_KIND itsKind, Tensor itself, std::vector<Value> parts)
      : kind(itsKind), tensor(std::move(itself)), elements(std::move(parts)) {}
};

} // namespace onnxc

#endif // ONNXC_TENSOR_HPP
