//===- MutateProto.cpp - Changes of protobuf messages ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MutateProto.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace onnxc;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Random = std::mt19937;

/// Changes the bytes, as libFuzzer does by default.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static size_t draw(Random &random, size_t count) { return random() % count; }

static int64_t drawInteger(Random &random) {
  static const int64_t borders[] = {0,
                                    1,
                                    -1,
                                    2,
                                    7,
                                    64,
                                    65,
                                    1 << 20,
                                    int64_t(1) << 31,
                                    int64_t(1) << 40,
                                    int64_t(1) << 62,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
  if (draw(random, 2))
    return borders[draw(random, std::size(borders))];
  return int64_t(draw(random, 30)) - 3;
}

static std::string changedText(std::string text, Random &random) {
  static const char *const words[] = {"",  "x",    "Relu", "NOTSET",    "batch",
                                      "?", "Loop", "\xff", "ai.onnx.ml"};
  if (draw(random, 3) == 0)
    return words[draw(random, std::size(words))];
  size_t size = text.size();
  text.resize(size + 8);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), size,
                               text.size()));
  return text;
}

namespace {

/// One field of one message.
struct Position {
  Message *message;
  const FieldDescriptor *field;
};

} // namespace

/// Fields that are set, and one in four of the others, of all messages inside.
static void collect(Message &message, Random &random,
                    std::vector<Position> &positions) {
  const Reflection &reflection = *message.GetReflection();
  const auto *type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor *field = type->field(i);
    int count = field->is_repeated() ? reflection.FieldSize(message, field)
                                     : reflection.HasField(message, field);
    if (count || draw(random, 4) == 0)
      positions.push_back({&message, field});
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    for (int k = 0; k < count; ++k)
      collect(field->is_repeated()
                  ? *reflection.MutableRepeatedMessage(&message, field, k)
                  : *reflection.MutableMessage(&message, field),
              random, positions);
  }
}

static void setField(Position position, Random &random) {
  auto [message, field] = position;
  const Reflection &reflection = *message->GetReflection();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return reflection.SetInt32(message, field, int32_t(drawInteger(random)));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection.SetInt64(message, field, drawInteger(random));
  case FieldDescriptor::CPPTYPE_UINT64:
    return reflection.SetUInt64(message, field, uint64_t(drawInteger(random)));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return reflection.SetFloat(message, field, float(drawInteger(random)));
  case FieldDescriptor::CPPTYPE_ENUM:
    return reflection.SetEnumValue(message, field, int(draw(random, 30)));
  case FieldDescriptor::CPPTYPE_STRING:
    return reflection.SetString(
        message, field,
        changedText(reflection.GetString(*message, field), random));
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (reflection.HasField(*message, field) && draw(random, 2))
      return reflection.ClearField(message, field);
    reflection.MutableMessage(message, field);
    return;
  default:
    return reflection.ClearField(message, field);
  }
}

static void addElement(Position position, Random &random) {
  auto [message, field] = position;
  const Reflection &reflection = *message->GetReflection();
  int count = reflection.FieldSize(*message, field);
  int other = count ? int(draw(random, size_t(count))) : 0;
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return reflection.AddInt32(message, field, int32_t(drawInteger(random)));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection.AddInt64(message, field, drawInteger(random));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return reflection.AddFloat(message, field, float(drawInteger(random)));
  case FieldDescriptor::CPPTYPE_STRING:
    return reflection.AddString(
        message, field,
        changedText(count ? reflection.GetRepeatedString(*message, field, other)
                          : "",
                    random));
  case FieldDescriptor::CPPTYPE_MESSAGE: {
    Message *added = reflection.AddMessage(message, field);
    if (count)
      added->CopyFrom(reflection.GetRepeatedMessage(*message, field, other));
    return;
  }
  default:
    return;
  }
}

static void changeElements(Position position, Random &random) {
  auto [message, field] = position;
  const Reflection &reflection = *message->GetReflection();
  int count = reflection.FieldSize(*message, field);
  size_t way = draw(random, 3);
  if (way == 0 || count == 0)
    return addElement(position, random);
  int last = count - 1, other = int(draw(random, size_t(count)));
  reflection.SwapElements(message, field, last, other);
  if (way == 1)
    reflection.RemoveLast(message, field);
}

void fuzz::mutateMessage(Message &message, Random &random) {
  std::vector<Position> positions;
  collect(message, random, positions);
  if (positions.empty())
    return;
  Position position = positions[draw(random, positions.size())];
  if (position.field->is_repeated())
    changeElements(position, random);
  else
    setField(position, random);
}

size_t fuzz::mutateProtoBytes(Message &message, uint8_t *data, size_t size,
                              size_t maxSize, unsigned seed) {
  Random random(seed);
  if (draw(random, 10) == 0 || !message.ParseFromArray(data, int(size)))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t i = 0, count = 1 + draw(random, 3); i < count; ++i)
    mutateMessage(message, random);
  size_t newSize = message.ByteSizeLong();
  if (newSize > maxSize || !message.SerializeToArray(data, int(newSize)))
    return size;
  return newSize;
}
