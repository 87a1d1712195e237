//===- Print.cpp - Tensors: sizes, elements, text ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "onnxc/Values/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {
struct TypeFacts {
  int64_t bytes;
  StringRef name;
};
} // namespace

static const TypeFacts types[] = {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) {SIZE, TEXT},
#include "onnxc/rt/DataTypes.def"
};

StringRef run::typeName(int64_t type) {
  return type >= 0 && type < int64_t(std::size(types)) ? types[type].name
                                                       : "unknown";
}

int64_t run::elementBytes(int64_t type) {
  return type >= 0 && type < int64_t(std::size(types)) ? types[type].bytes : 0;
}

std::string run::shownName(StringRef name) {
  std::string shown = name.str();
  for (char &c : shown)
    c = isASCII(c) && !isPrint(c) ? '?' : c;
  return shown;
}

std::string run::typeText(int64_t type, ArrayRef<int64_t> shape,
                          const char *const *symbols) {
  std::string text = typeName(type).str() + "[";
  for (auto [i, dim] : enumerate(shape)) {
    text += i ? ", " : "";
    if (dim >= 0)
      text += std::to_string(dim);
    else
      text += symbols && symbols[i] ? shownName(symbols[i]) : "?";
  }
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

bool Tensor::allocate(int64_t maxElements) {
  int64_t element = std::max<int64_t>(elementBytes(type), 1), count = element;
  for (int64_t dim : shape)
    if (dim < 0 || MulOverflow(count, dim, count) || count > (1ll << 40))
      return false;
  if (count / element > maxElements)
    return false;
  if (type == ONNX_TYPE_STRING)
    strings.resize(size_t(elements()));
  else
    bytes.resize(size_t(count));
  return true;
}

OMBuffer Tensor::buffer(std::vector<char *> &pointers) {
  if (type != ONNX_TYPE_STRING)
    return {bytes.data(), int64_t(bytes.size()), shape.data(),
            int64_t(shape.size()), type};
  for (std::string &string : strings)
    pointers.push_back(string.data());
  return {pointers.data(), int64_t(pointers.size() * sizeof(char *)),
          shape.data(), int64_t(shape.size()), type};
}

Tensor Tensor::copyOf(const OMBuffer &buffer) {
  Tensor tensor;
  tensor.type = buffer.type;
  tensor.shape.assign(buffer.shape, buffer.shape + buffer.rank);
  const char *data = static_cast<const char *>(buffer.data);
  if (buffer.type == ONNX_TYPE_STRING)
    for (int64_t i = 0; i < tensor.elements(); ++i)
      tensor.strings.push_back(static_cast<char **>(buffer.data)[i]);
  else
    tensor.bytes.assign(data, data + buffer.bytes);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T>
static T load(const Tensor &tensor, int64_t byte) {
  T value;
  memcpy(&value, tensor.bytes.data() + byte, sizeof value);
  return value;
}

int64_t run::elementAsInteger(const Tensor &tensor, int64_t index) {
  int64_t byte = index * elementBytes(tensor.type);
  switch (tensor.type) {
  case ONNX_TYPE_INT2:
  case ONNX_TYPE_INT4:
  case ONNX_TYPE_INT8:
    return load<int8_t>(tensor, byte);
  case ONNX_TYPE_INT16:
    return load<int16_t>(tensor, byte);
  case ONNX_TYPE_UINT16:
    return load<uint16_t>(tensor, byte);
  case ONNX_TYPE_INT32:
    return load<int32_t>(tensor, byte);
  case ONNX_TYPE_UINT32:
    return load<uint32_t>(tensor, byte);
  case ONNX_TYPE_INT64:
  case ONNX_TYPE_UINT64:
    return load<int64_t>(tensor, byte);
  default:
    return load<uint8_t>(tensor, byte);
  }
}

double run::elementAsDouble(const Tensor &tensor, int64_t index,
                            double &imaginary) {
  int64_t byte = index * elementBytes(tensor.type);
  imaginary = 0;
  switch (tensor.type) {
  case ONNX_TYPE_FLOAT:
    return load<float>(tensor, byte);
  case ONNX_TYPE_DOUBLE:
    return load<double>(tensor, byte);
  case ONNX_TYPE_COMPLEX64:
    imaginary = load<float>(tensor, byte + 4);
    return load<float>(tensor, byte);
  case ONNX_TYPE_COMPLEX128:
    imaginary = load<double>(tensor, byte + 8);
    return load<double>(tensor, byte);
  case ONNX_TYPE_FLOAT16:
  case ONNX_TYPE_BFLOAT16:
    return rt::smallFloatToDouble(tensor.type, load<uint16_t>(tensor, byte));
  case ONNX_TYPE_UINT64:
    return double(load<uint64_t>(tensor, byte));
  default:
    if (isInteger(tensor.type))
      return double(elementAsInteger(tensor, index));
    return rt::smallFloatToDouble(tensor.type, load<uint8_t>(tensor, byte));
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// In quotes; letters of any script are left as they are.
static void printText(raw_ostream &out, StringRef text) {
  out << '"';
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f)
      out << format("\\x%02x", code);
    else if (c == '"' || c == '\\')
      out << '\\' << c;
    else
      out << c;
  }
  out << '"';
}

static void printElement(raw_ostream &out, const Tensor &tensor,
                         int64_t index) {
  if (tensor.type == ONNX_TYPE_STRING) {
    printText(out, tensor.strings[size_t(index)]);
  } else if (tensor.type == ONNX_TYPE_BOOL) {
    out << (elementAsInteger(tensor, index) ? "true" : "false");
  } else if (tensor.type == ONNX_TYPE_UINT64) {
    out << uint64_t(elementAsInteger(tensor, index));
  } else if (isInteger(tensor.type)) {
    out << elementAsInteger(tensor, index);
  } else {
    double imaginary;
    out << format("%.6g", elementAsDouble(tensor, index, imaginary));
    if (tensor.type == ONNX_TYPE_COMPLEX64 ||
        tensor.type == ONNX_TYPE_COMPLEX128)
      out << format("%+.6gj", imaginary);
  }
}

/// One level of brackets. Long levels show their ends when `shorten`.
static void printLevel(raw_ostream &out, const Tensor &tensor, size_t level,
                       int64_t first, bool shorten, unsigned indent) {
  if (level == tensor.shape.size())
    return printElement(out, tensor, first);
  constexpr int64_t ends = 3;
  bool innermost = level + 1 == tensor.shape.size();
  int64_t size = tensor.shape[level], stride = 1;
  for (size_t i = level + 1; i < tensor.shape.size(); ++i)
    stride *= tensor.shape[i];
  out << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i)
      out << (innermost ? ", " : ",\n" + std::string(indent + 1, ' '));
    if (shorten && size > 2 * ends && i == ends) {
      out << "...";
      i = size - ends - 1;
      continue;
    }
    printLevel(out, tensor, level + 1, first + i * stride, shorten, indent + 1);
  }
  out << ']';
}

std::string run::valuesText(const Tensor &tensor) {
  // The other dimensions of an empty tensor may be as large as they like.
  if (tensor.elements() == 0)
    return "[]";
  constexpr int64_t shownInFull = 200;
  std::string text;
  raw_string_ostream out(text);
  printLevel(out, tensor, 0, 0, tensor.elements() > shownInFull, 0);
  return text;
}
