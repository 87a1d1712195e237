//===- ValueProtoFile.cpp - .pb files of values -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// SequenceProto, OptionalProto and MapProto: the model determines which of them
// a file holds.
//
//===----------------------------------------------------------------------===//

#include "ProtoWire.h"
#include "onnxc/Values/Value.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// The field of SequenceProto and OptionalProto for values of a kind.
static unsigned fieldOf(int64_t kind) {
  switch (kind) {
  case OM_VALUE_TENSOR:
    return 3;
  case OM_VALUE_SEQUENCE:
    return 5;
  case OM_VALUE_MAP:
    return 6;
  default:
    return 7;
  }
}

static Error corrupt(StringRef path) {
  return failure("%s does not hold a value that the model takes",
                 path.str().c_str());
}

/// A sequence or an optional.
static Expected<Value> readList(StringRef path, StringRef content,
                                const OMArgument &expected) {
  constexpr unsigned firstValue = 3, lastValue = 7;
  Value value;
  value.kind = expected.kind;
  while (!content.empty()) {
    Field field;
    if (!readField(content, field))
      return corrupt(path);
    if (field.number < firstValue || field.number > lastValue)
      continue; // names and the kind of elements
    if (field.number != fieldOf(expected.element->kind))
      return corrupt(path);
    Expected<Value> element =
        readValueProto(path, field.bytes, *expected.element);
    if (!element)
      return element.takeError();
    value.elements.push_back(std::move(*element));
  }
  if (value.kind == OM_VALUE_OPTIONAL && value.elements.size() > 1)
    return corrupt(path);
  return value;
}

static Expected<Value> readMap(StringRef path, StringRef content,
                               const OMArgument &expected) {
  std::vector<uint64_t> keys;
  Value value;
  OMArgument sequence = expected;
  sequence.kind = OM_VALUE_SEQUENCE;
  value.tensor.type = OM_DATA_TYPE(expected.key);
  while (!content.empty()) {
    Field field;
    if (!readField(content, field) ||
        (field.number == 3 && !readNumbers(field, 0, keys)))
      return corrupt(path);
    if (field.number == 4)
      value.tensor.strings.push_back(field.bytes.str());
    if (field.number != 5)
      continue;
    Expected<Value> values = readList(path, field.bytes, sequence);
    if (!values)
      return values.takeError();
    value.elements = std::move(values->elements);
  }
  value.kind = OM_VALUE_MAP;
  size_t count = value.elements.size();
  bool isString = expected.key == ONNX_TYPE_STRING;
  if (count != (isString ? value.tensor.strings.size() : keys.size()))
    return corrupt(path);
  value.tensor.shape = {int64_t(count)};
  size_t bytes = size_t(elementBytes(expected.key));
  for (uint64_t key : keys)
    value.tensor.bytes.insert(value.tensor.bytes.end(),
                              reinterpret_cast<char *>(&key),
                              reinterpret_cast<char *>(&key) + bytes);
  return value;
}

Expected<Value> run::readValueProto(StringRef path, StringRef content,
                                    const OMArgument &expected) {
  if (expected.kind == OM_VALUE_MAP)
    return readMap(path, content, expected);
  if (expected.kind != OM_VALUE_TENSOR)
    return readList(path, content, expected);
  Expected<Tensor> tensor = readTensorProto(path, content);
  if (!tensor)
    return tensor.takeError();
  return Value(std::move(*tensor));
}

Expected<Value> run::readValue(StringRef path, const OMArgument &expected) {
  if (expected.kind != OM_VALUE_TENSOR && path.ends_with(".pb")) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file =
        MemoryBuffer::getFile(path, /*IsText=*/false,
                              /*RequiresNullTerminator=*/false);
    if (!file)
      return failure("cannot read %s: %s", path.str().c_str(),
                     file.getError().message().c_str());
    return readValueProto(path, (*file)->getBuffer(), expected);
  }
  if (expected.kind == OM_VALUE_OPTIONAL) {
    Expected<Value> element = readValue(path, *expected.element);
    if (!element)
      return element.takeError();
    Value value;
    value.kind = OM_VALUE_OPTIONAL;
    value.elements.push_back(std::move(*element));
    return value;
  }
  if (expected.kind != OM_VALUE_TENSOR)
    return failure("%s: a sequence or map is read from a .pb file",
                   path.str().c_str());
  Expected<Tensor> tensor = readTensor(path, &expected);
  if (!tensor)
    return tensor.takeError();
  return Value(std::move(*tensor));
}
