//===- TensorPrint.cpp - omTensorPrint --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "SmallFloats.h"
#include "Tensor.h"
#include "os/OS.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// TextBuffer
//===----------------------------------------------------------------------===//

TextBuffer::~TextBuffer() { free(memory); }

void TextBuffer::add(const char *text, size_t count) {
  if (length + count + 1 > capacity) {
    size_t larger = (length + count + 1) * 2;
    char *grown = static_cast<char *>(realloc(memory, larger));
    if (!grown)
      return;
    memory = grown;
    capacity = larger;
  }
  memcpy(memory + length, text, count);
  length += count;
  memory[length] = 0;
}

void TextBuffer::add(const char *text) { add(text, strlen(text)); }

void TextBuffer::format(const char *format, ...) {
  char piece[128];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  add(piece, size_t(count) < sizeof piece ? size_t(count) : sizeof piece - 1);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T>
static T load(const char *at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}

static void printReal(TextBuffer &out, double value) {
  out.format("%.9g", value);
}

static void printComplex(TextBuffer &out, double real, double imaginary) {
  out.format("(%.9g%+.9gj)", real, imaginary);
}

static void printString(TextBuffer &out, const char *text) {
  if (!text) {
    out.add("null");
    return;
  }
  out.add("\"");
  for (; *text; ++text)
    if (*text == '"' || *text == '\\')
      out.format("\\%c", *text);
    else
      out.add(text, 1);
  out.add("\"");
}

static void printElement(TextBuffer &out, OM_DATA_TYPE type, const char *at) {
  switch (type) {
  case ONNX_TYPE_FLOAT:
    return printReal(out, double(load<float>(at)));
  case ONNX_TYPE_DOUBLE:
    return out.format("%.17g", load<double>(at));
  case ONNX_TYPE_COMPLEX64:
    return printComplex(out, double(load<float>(at)),
                        double(load<float>(at + 4)));
  case ONNX_TYPE_COMPLEX128:
    return printComplex(out, load<double>(at), load<double>(at + 8));
  case ONNX_TYPE_BOOL:
    return out.add(*at ? "true" : "false");
  case ONNX_TYPE_STRING:
    return printString(out, load<const char *>(at));
  case ONNX_TYPE_INT2:
  case ONNX_TYPE_INT4:
  case ONNX_TYPE_INT8:
    return out.format("%d", load<int8_t>(at));
  case ONNX_TYPE_UINT2:
  case ONNX_TYPE_UINT4:
  case ONNX_TYPE_UINT8:
    return out.format("%u", load<uint8_t>(at));
  case ONNX_TYPE_INT16:
    return out.format("%d", load<int16_t>(at));
  case ONNX_TYPE_UINT16:
    return out.format("%u", load<uint16_t>(at));
  case ONNX_TYPE_INT32:
    return out.format("%d", load<int32_t>(at));
  case ONNX_TYPE_UINT32:
    return out.format("%u", load<uint32_t>(at));
  case ONNX_TYPE_INT64:
    return out.format("%lld", (long long)load<int64_t>(at));
  case ONNX_TYPE_UINT64:
    return out.format("%llu", (unsigned long long)load<uint64_t>(at));
  case ONNX_TYPE_FLOAT16:
  case ONNX_TYPE_BFLOAT16:
    return printReal(out, smallFloatToDouble(type, load<uint16_t>(at)));
  default:
    return printReal(out, smallFloatToDouble(type, load<uint8_t>(at)));
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void rt::printType(TextBuffer &out, const OMTensor &tensor) {
  for (int64_t i = 0; i < tensor.rank; ++i)
    out.format("%lldx", (long long)tensor.shape()[i]);
  out.add(tensor.value ? "value" : typeName(tensor.type));
}

static void printDimension(TextBuffer &out, const OMTensor &tensor, int64_t dim,
                           const char *at) {
  if (dim == tensor.rank)
    return printElement(out, tensor.type, at);
  int64_t stride = tensor.strides()[dim] * elementBytes(tensor.type);
  out.add("[");
  for (int64_t i = 0; i < tensor.shape()[dim]; ++i) {
    out.add(i ? ", " : "");
    printDimension(out, tensor, dim + 1, at + i * stride);
  }
  out.add("]");
}

void rt::printValues(TextBuffer &out, const OMTensor &tensor) {
  if (!tensor.data || tensor.value)
    return out.add("null");
  // The other dimensions may be as large as they like.
  if (omTensorGetNumElems(&tensor) == 0)
    return out.add("[]");
  printDimension(out, tensor, 0, static_cast<const char *>(tensor.data));
}

static void printSignature(TextBuffer &out, const OMTensor &tensor) {
  out.add("tensor ");
  printType(out, tensor);
  out.add(", strides [");
  for (int64_t i = 0; i < tensor.rank; ++i)
    out.format("%s%lld", i ? ", " : "", (long long)tensor.strides()[i]);
  out.format("], %lld elements, %lld bytes, %s",
             (long long)omTensorGetNumElems(&tensor),
             (long long)omTensorGetBufferSize(&tensor),
             tensor.owning ? "owning" : "not owning");
}

static void printValue(TextBuffer &out, const OMValue &value);

static void printField(TextBuffer &out, char field, const OMTensor &tensor) {
  if (field == 't')
    printType(out, tensor);
  else if (field == 's')
    printSignature(out, tensor);
  else if (field == 'e')
    out.add("\n");
  else if (field == '%')
    out.add("%");
  else if (tensor.value)
    printValue(out, *tensor.value);
  else
    printValues(out, tensor);
}

/// {key: value, ...} for maps, [..] for sequences, none for no optional.
static void printValue(TextBuffer &out, const OMValue &value) {
  if (value.kind == OM_VALUE_TENSOR)
    return printValues(out, *value.tensor);
  if (value.kind == OM_VALUE_OPTIONAL)
    return value.size ? printValue(out, *value.elements[0]) : out.add("none");
  bool map = value.kind == OM_VALUE_MAP;
  out.add(map ? "{" : "[");
  for (int64_t i = 0; i < value.size; ++i) {
    out.add(i ? ", " : "");
    if (map) {
      printElement(out, value.tensor->type,
                   static_cast<const char *>(value.tensor->data) +
                       i * elementBytes(value.tensor->type));
      out.add(": ");
    }
    printValue(out, *value.elements[i]);
  }
  out.add(map ? "}" : "]");
}

void omTensorPrint(const char *message, const OMTensor *tensor) {
  TextBuffer out;
  os::PlainNumbers numbers;
  for (const char *at = message ? message : "%d%e"; *at; ++at) {
    bool field = at[0] == '%' && at[1] && strchr("tsde%", at[1]) && tensor;
    if (field)
      printField(out, *++at, *tensor);
    else
      out.add(at, 1);
  }
  fwrite(out.text(), 1, out.size(), stdout);
}
