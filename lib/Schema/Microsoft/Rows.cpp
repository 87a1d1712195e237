//===- Rows.cpp - Operators as rows of a table -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <map>
#include <sstream>

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

static std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    size_t first = part.find_first_not_of(' ');
    if (first != std::string::npos)
      parts.push_back(
          part.substr(first, part.find_last_not_of(' ') + 1 - first));
  }
  return parts;
}

/// "f32" is "tensor(float)"; names of constraints stay as they are.
static std::string typeName(const std::string &name) {
  static const std::map<std::string, std::string> types = {
      {"f16", "float16"},   {"f32", "float"},  {"f64", "double"},
      {"bf16", "bfloat16"}, {"i8", "int8"},    {"i16", "int16"},
      {"i32", "int32"},     {"i64", "int64"},  {"u8", "uint8"},
      {"u16", "uint16"},    {"u32", "uint32"}, {"u64", "uint64"},
      {"b", "bool"},        {"str", "string"}};
  auto found = types.find(name);
  return found == types.end() ? name : "tensor(" + found->second + ")";
}

static void addParameters(OpSchema &schema, const char *text, bool isInput) {
  int number = 0;
  for (const std::string &parameter : split(text, ',')) {
    std::vector<std::string> parts = split(parameter, ':');
    std::string type = parts[1];
    auto option = type.back() == '?'   ? OpSchema::Optional
                  : type.back() == '*' ? OpSchema::Variadic
                                       : OpSchema::Single;
    if (option != OpSchema::Single)
      type.pop_back();
    if (isInput)
      schema.Input(number++, parts[0], "", typeName(type), option);
    else
      schema.Output(number++, parts[0], "", typeName(type), option);
  }
}

static void addAttribute(OpSchema &schema, const std::string &text) {
  std::vector<std::string> parts = split(text, ':');
  std::string kind = parts[1], value;
  size_t equals = kind.find('=');
  bool hasValue = equals != std::string::npos;
  if (hasValue) {
    value = kind.substr(equals + 1);
    kind = kind.substr(0, equals);
  }
  bool isOptional = kind.back() == '?';
  if (isOptional)
    kind.pop_back();
  auto type = kind == "i"    ? AttributeProto::INT
              : kind == "f"  ? AttributeProto::FLOAT
              : kind == "is" ? AttributeProto::INTS
              : kind == "fs" ? AttributeProto::FLOATS
                             : AttributeProto::STRING;
  if (!hasValue)
    schema.Attr(parts[0], "", type, !isOptional);
  else if (type == AttributeProto::INT)
    schema.Attr(parts[0], "", type, static_cast<int64_t>(std::stoll(value)));
  else if (type == AttributeProto::FLOAT)
    schema.Attr(parts[0], "", type, std::stof(value));
  else
    schema.Attr(parts[0], "", type, value);
}

static void inferLikeFirst(::onnx::InferenceContext &context, bool hasShape) {
  for (size_t i = 0; i < context.getNumOutputs(); ++i) {
    ::onnx::propagateElemTypeFromInputToOutput(context, 0, i);
    if (hasShape && ::onnx::hasInputShape(context, 0))
      ::onnx::propagateShapeFromInputToOutput(context, 0, i);
  }
}

void onnxc::schema::microsoft::define(const Row &row) {
  OpSchema schema;
  schema.SetName(row.name).SetDoc(row.doc);
  addParameters(schema, row.inputs, true);
  addParameters(schema, row.outputs, false);
  for (const std::string &attribute : split(row.attributes, ','))
    addAttribute(schema, attribute);
  for (const std::string &constraint : split(row.types, ',')) {
    std::vector<std::string> parts = split(constraint, '=');
    std::vector<std::string> names;
    for (const std::string &type : split(parts[1], ' '))
      names.push_back(typeName(type));
    schema.TypeConstraint(parts[0], names, "");
  }
  if (row.results != Results::OfBody)
    schema.TypeAndShapeInferenceFunction(
        [hasShape = row.results ==
                    Results::LikeFirst](::onnx::InferenceContext &context) {
          inferLikeFirst(context, hasShape);
        });
  define(schema, row.fill);
}
