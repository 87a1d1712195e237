//===- ProtoWire.cpp - The wire format of protobuf --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProtoWire.h"

#include <cstring>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

bool run::readVarint(StringRef &text, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    uint8_t byte = uint8_t(text.front());
    text = text.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

bool run::readField(StringRef &text, Field &field) {
  uint64_t key, length;
  if (!readVarint(text, key))
    return false;
  field.number = unsigned(key >> 3);
  field.wireType = unsigned(key & 7);
  switch (field.wireType) {
  case 0:
    return readVarint(text, field.value);
  case 1:
  case 5:
    length = field.wireType == 1 ? 8 : 4;
    break;
  case 2:
    if (!readVarint(text, length))
      return false;
    break;
  default:
    return false;
  }
  if (text.size() < length)
    return false;
  field.bytes = text.take_front(size_t(length));
  text = text.drop_front(size_t(length));
  return true;
}

bool run::readNumbers(const Field &field, unsigned width,
                      std::vector<uint64_t> &numbers) {
  if (field.wireType == 0) {
    numbers.push_back(field.value);
    return true;
  }
  for (StringRef rest = field.bytes; !rest.empty();) {
    uint64_t value = 0;
    if (width == 0 && !readVarint(rest, value))
      return false;
    if (rest.size() < width)
      return false;
    if (width)
      memcpy(&value, rest.data(), width);
    rest = rest.drop_front(width);
    numbers.push_back(value);
  }
  return true;
}
