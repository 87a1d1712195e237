//===- Body.cpp - Writing operators as nodes of others ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

#include "onnxc/Schema/Microsoft.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::FunctionBodyBuildContext;
using ::onnx::FunctionProto;
using ::onnx::OpSchema;
using ::onnx::TypeProto;

/// The operator set that bodies are written in.
static constexpr int bodyOpset = 27;

const std::vector<std::string> onnxc::schema::microsoft::floatTypes = {
    "tensor(float)", "tensor(float16)", "tensor(double)", "tensor(bfloat16)"};
const std::vector<std::string> onnxc::schema::microsoft::byteTypes = {
    "tensor(uint8)", "tensor(int8)"};

Body::Body(const FunctionBodyBuildContext &context, FunctionProto &function,
           const std::string &op)
    : context(context), op(op), builder(function) {
  builder.AddOpset("", bodyOpset);
  builder.AddOpset("com.microsoft", 1);
}

void Body::refuse(const std::string &form) const {
  throw std::invalid_argument(refusalReason(op, form));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Body &Body::operator<<(const std::string &nodes) {
  builder.Add(nodes.c_str());
  return *this;
}

void Body::scalar(const std::string &name, int64_t value) {
  *this << name + " = Constant<value_int = " + std::to_string(value) + ">()";
}

void Body::ints(const std::string &name, const std::vector<int64_t> &values) {
  builder.Const(name, values);
}

void Body::real(const std::string &name, float value) {
  builder.Const(name, value);
}

void Body::number(const std::string &name, double value,
                  const std::string &like) {
  real(name + "_f32", static_cast<float>(value));
  *this << name + " = CastLike(" + name + "_f32, " + like + ")";
}

void Body::withChannelsFirst(const std::string &name, int rank,
                             const std::string &node, const std::string &result,
                             const std::string &rest) {
  std::vector<int64_t> in = {0, rank - 1}, out = {0};
  for (int64_t d = 1; d < rank - 1; ++d) {
    in.push_back(d);
    out.push_back(d + 1);
  }
  out.push_back(1);
  *this << "planes = Transpose<perm = " + list(in) + ">(" + name + ")"
        << "pooled = " + node + "(planes" + rest
        << result + " = Transpose<perm = " + list(out) + ">(pooled)";
}

void Body::quantize(const std::string &result, const std::string &scale,
                    const std::string &zero, int zeroInput) {
  *this << result + " = QuantizeLinear" +
               (hasInput(zeroInput)
                    ? "(y, " + scale + ", " + zero + ")"
                    : "<output_dtype = " + std::to_string(elementType(0)) +
                          ">(y, " + scale + ")");
}

std::string onnxc::schema::microsoft::list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string onnxc::schema::microsoft::literal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9e", value);
  return text;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

void Body::scaleProduct(const std::string &left, const std::string &right) {
  *this << "sums = Cast<to = 1>(product)"
        << "scale = Mul(" + left + ", " + right + ")"
        << "scaled = Mul(sums, scale)";
}

bool Body::hasInput(int input) const { return context.hasInput(input); }
bool Body::hasOutput(int output) const { return context.hasOutput(output); }

static const TypeProto *tensorType(const FunctionBodyBuildContext &context,
                                   int input) {
  const TypeProto *type =
      context.hasInput(input) ? context.getInputType(input) : nullptr;
  return type && type->has_tensor_type() ? type : nullptr;
}

int Body::rank(int input) const {
  const TypeProto *type = tensorType(context, input);
  return type && type->tensor_type().has_shape()
             ? type->tensor_type().shape().dim_size()
             : -1;
}

int64_t Body::size(int input, int dim) const {
  if (dim >= rank(input))
    return -1;
  const auto &proto =
      tensorType(context, input)->tensor_type().shape().dim(dim);
  return proto.has_dim_value() ? proto.dim_value() : -1;
}

int Body::elementType(int input) const {
  const TypeProto *type = tensorType(context, input);
  return type ? type->tensor_type().elem_type() : 0;
}

std::vector<std::string> Body::variadic(int first,
                                        const std::string &parameter) {
  std::vector<std::string> names;
  for (int i = first; hasInput(i); ++i) {
    names.push_back(i == first ? parameter
                               : parameter + "_" + std::to_string(i - first));
    if (i != first)
      more.push_back(names.back());
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool Body::has(const std::string &attribute) const {
  return context.getAttribute(attribute) != nullptr;
}

/// A number of 32 bits, so that sums and products of some have 64.
static int64_t checkedInteger(const std::string &attribute, int64_t value) {
  if (value < -INT32_MAX || value > INT32_MAX)
    throw std::invalid_argument("attribute '" + attribute + "' is " +
                                std::to_string(value) +
                                ", but only 32 bits are supported");
  return value;
}

int64_t Body::integer(const std::string &attribute, int64_t otherwise) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  return proto ? checkedInteger(attribute, proto->i()) : otherwise;
}

float Body::number(const std::string &attribute, float otherwise) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  return proto ? proto->f() : otherwise;
}

std::string Body::text(const std::string &attribute) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  return proto ? proto->s() : "";
}

std::vector<std::string> Body::texts(const std::string &attribute) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  return proto ? std::vector<std::string>(proto->strings().begin(),
                                          proto->strings().end())
               : std::vector<std::string>();
}

std::vector<int64_t> Body::integers(const std::string &attribute) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  if (!proto)
    return {};
  for (int64_t value : proto->ints())
    checkedInteger(attribute, value);
  return {proto->ints().begin(), proto->ints().end()};
}

std::vector<float> Body::numbers(const std::string &attribute) const {
  const AttributeProto *proto = context.getAttribute(attribute);
  return proto ? std::vector<float>(proto->floats().begin(),
                                    proto->floats().end())
               : std::vector<float>();
}

/// Texts of attributes are keywords ("SAME_UPPER"); anything else could end
/// the literal.
static std::string quoted(const std::string &text) {
  std::string plain;
  for (char c : text)
    plain += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return "\"" + plain + "\"";
}

template <typename Values, typename Write>
static std::string texts(const Values &values, Write write) {
  std::string text;
  for (const auto &value : values)
    text += (text.empty() ? "" : ", ") + write(value);
  return "[" + text + "]";
}

static std::string valueText(const AttributeProto &proto) {
  switch (proto.type()) {
  case AttributeProto::INT:
    return std::to_string(proto.i());
  case AttributeProto::FLOAT:
    return literal(proto.f());
  case AttributeProto::STRING:
    return quoted(proto.s());
  case AttributeProto::STRINGS:
    return texts(proto.strings(), quoted);
  case AttributeProto::FLOATS:
    return texts(proto.floats(), literal);
  default:
    return list({proto.ints().begin(), proto.ints().end()});
  }
}

std::string Body::attributes(const std::vector<std::string> &names) const {
  std::string text;
  for (const std::string &name : names) {
    const AttributeProto *proto = context.getAttribute(name);
    if (proto)
      text += (text.empty() ? "" : ", ") + name + " = " + valueText(*proto);
  }
  return text.empty() ? "" : "<" + text + ">";
}

/// The attributes of an operator of the standard, in the order of their names.
static std::map<std::string, OpSchema::Attribute>
standardAttributes(const char *op) {
  const OpSchema *standard =
      ::onnx::OpSchemaRegistry::Schema(op, bodyOpset, "");
  const auto &attributes = standard->attributes();
  return {attributes.begin(), attributes.end()};
}

std::string Body::attributesOf(const char *op) const {
  std::vector<std::string> names;
  for (const auto &[name, attribute] : standardAttributes(op))
    names.push_back(name);
  return attributes(names);
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::addAttributesOf(
    OpSchema &schema, const char *op, const std::vector<std::string> &without) {
  for (auto &[name, attribute] : standardAttributes(op))
    if (std::find(without.begin(), without.end(), name) == without.end())
      schema.Attr(attribute);
}

void onnxc::schema::microsoft::define(OpSchema schema, Fill fill) {
  schema.SetDomain("com.microsoft").SinceVersion(1);
  if (fill)
    schema.SetContextDependentFunctionBodyBuilder(
        [fill](const FunctionBodyBuildContext &context, const OpSchema &own,
               FunctionProto &function) {
          Body body(context, function, own.Name());
          if (!fill(body))
            return false;
          own.BuildFunction(function);
          for (const std::string &name : body.moreInputs())
            function.add_input(name);
          return true;
        });
  ::onnx::RegisterSchema(std::move(schema));
}
