//===- Declarations.cpp - Declared operators of libraries ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A library is not trusted: its declarations are checked before they are used.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/CustomOps.h"

#include "onnx/defs/schema.h"

#include <set>

using namespace onnxc::schema;
using llvm::StringRef;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;
using ::onnx::TensorProto;

/// More than any operator has, and little enough for counting.
static constexpr int64_t maxParameters = 1000;
static constexpr int64_t maxElements = int64_t(1) << 30;

static constexpr uint64_t knownTypes =
    (uint64_t(2) << TensorProto::DataType_MAX) - 2;

/// Returns true for a name that can stand in a model and in messages.
static bool isName(const char *text) {
  return text && *text && StringRef(text).size() <= 255 &&
         llvm::all_of(StringRef(text),
                      [](char c) { return c > ' ' && c < 127; });
}

static std::string quoted(const char *name) {
  return "'" + std::string(name ? name : "") + "'";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string checkParameters(const char *what,
                                   const OMCustomParameter *parameters,
                                   int64_t count) {
  if (count < 0 || count > maxParameters || (count > 0 && !parameters))
    return "it declares " + std::to_string(count) + " " + what + "s";
  std::set<std::string> names;
  for (int64_t i = 0; i < count; ++i) {
    const OMCustomParameter &parameter = parameters[i];
    std::string which =
        std::string(what) + " " + std::to_string(i) + " (" +
        quoted(isName(parameter.name) ? parameter.name : nullptr) + ")";
    if (!isName(parameter.name) || !names.insert(parameter.name).second)
      return which + " has no name of its own";
    if (parameter.typeVariable && !isName(parameter.typeVariable))
      return which + " has a type variable without a name";
    if (parameter.types & ~knownTypes)
      return which + " has element types that do not exist";
    if (parameter.kind < OM_PARAMETER_SINGLE ||
        parameter.kind > OM_PARAMETER_VARIADIC)
      return which + " is of no known kind";
    if (parameter.kind == OM_PARAMETER_VARIADIC && i + 1 != count)
      return which + " is variadic, but not the last one";
    if (parameter.minCount < 0 || parameter.minCount > maxParameters)
      return which + " needs at least " + std::to_string(parameter.minCount) +
             " values";
  }
  return "";
}

static bool isAttributeKind(int64_t kind) {
  switch (kind) {
  case OM_ATTRIBUTE_FLOAT:
  case OM_ATTRIBUTE_INT:
  case OM_ATTRIBUTE_STRING:
  case OM_ATTRIBUTE_TENSOR:
  case OM_ATTRIBUTE_FLOATS:
  case OM_ATTRIBUTE_INTS:
  case OM_ATTRIBUTE_STRINGS:
    return true;
  default:
    return false;
  }
}

static bool isListKind(int64_t kind) { return kind >= OM_ATTRIBUTE_FLOATS; }

static std::string checkDefault(const OMCustomAttribute &attribute) {
  if (attribute.kind == OM_ATTRIBUTE_TENSOR)
    return "a tensor cannot have a default";
  if (attribute.count < 0 || attribute.count > maxElements ||
      (!isListKind(attribute.kind) && attribute.count != 1))
    return "its default has " + std::to_string(attribute.count) + " values";
  if (attribute.kind == OM_ATTRIBUTE_STRING ||
      attribute.kind == OM_ATTRIBUTE_STRINGS)
    for (int64_t i = 0; i < attribute.count; ++i)
      if (!static_cast<const char *const *>(attribute.values)[i])
        return "its default has a string that is null";
  return "";
}

static std::string checkAttributes(const OMCustomOp &op) {
  if (op.numAttributes < 0 || op.numAttributes > maxParameters ||
      (op.numAttributes > 0 && !op.attributes))
    return "it declares " + std::to_string(op.numAttributes) + " attributes";
  std::set<std::string> names;
  for (int64_t i = 0; i < op.numAttributes; ++i) {
    const OMCustomAttribute &attribute = op.attributes[i];
    if (!isName(attribute.name) || !names.insert(attribute.name).second)
      return "attribute " + std::to_string(i) + " has no name of its own";
    std::string problem;
    if (!isAttributeKind(attribute.kind))
      problem = "it is of no known kind";
    else if (attribute.count != OM_ATTRIBUTE_REQUIRED && attribute.values)
      problem = checkDefault(attribute);
    if (!problem.empty())
      return "attribute " + quoted(attribute.name) + ": " + problem;
  }
  return "";
}

std::string onnxc::schema::checkDeclaration(const OMCustomOp &op) {
  if (op.size < sizeof(OMCustomOp))
    return "its description has " + std::to_string(op.size) +
           " bytes, but at least " + std::to_string(sizeof(OMCustomOp)) +
           " are needed";
  if (!isName(op.domain) || !isName(op.name))
    return "it has no domain or no name";
  if (op.sinceVersion < 1 || op.sinceVersion > INT32_MAX)
    return "it is there since version " + std::to_string(op.sinceVersion) +
           " of its domain, but versions begin with 1";
  if (op.flags & ~uint64_t(OM_CUSTOM_PURE | OM_CUSTOM_REPLACES_FUNCTION))
    return "it has flags that this compiler does not know";
  if (!op.compute)
    return "it has no function 'compute'";
  if (op.destroy && !op.create)
    return "it has a function 'destroy', but none that creates";
  std::string problem = checkParameters("input", op.inputs, op.numInputs);
  if (problem.empty())
    problem = checkParameters("output", op.outputs, op.numOutputs);
  if (problem.empty() && op.numOutputs == 0)
    problem = "it has no outputs";
  return problem.empty() ? checkAttributes(op) : problem;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// "tensor(float)" and so on.
static std::vector<std::string> typeNames(uint64_t types) {
  std::vector<std::string> names;
  for (int type = 1; type <= TensorProto::DataType_MAX; ++type) {
    if (types != 0 && !(types & OM_TYPE_BIT(type)))
      continue;
    ::onnx::TypeProto proto;
    proto.mutable_tensor_type()->set_elem_type(type);
    names.push_back(*::onnx::Utils::DataTypeUtils::ToType(proto));
  }
  return names;
}

static OpSchema::FormalParameter
formalParameter(const OMCustomParameter &parameter,
                const std::string &constraint) {
  static constexpr OpSchema::FormalParameterOption options[] = {
      OpSchema::Single, OpSchema::Optional, OpSchema::Variadic};
  return OpSchema::FormalParameter(
      parameter.name, "", constraint, options[parameter.kind],
      /*is_homogeneous=*/parameter.typeVariable != nullptr,
      static_cast<int>(parameter.minCount));
}

static AttributeProto defaultOf(const OMCustomAttribute &attribute) {
  AttributeProto proto;
  proto.set_name(attribute.name);
  proto.set_type(static_cast<AttributeProto::AttributeType>(attribute.kind));
  const auto *floats = static_cast<const float *>(attribute.values);
  const auto *ints = static_cast<const int64_t *>(attribute.values);
  const auto *texts = static_cast<const char *const *>(attribute.values);
  switch (attribute.kind) {
  case OM_ATTRIBUTE_FLOAT:
    proto.set_f(*floats);
    break;
  case OM_ATTRIBUTE_INT:
    proto.set_i(*ints);
    break;
  case OM_ATTRIBUTE_STRING:
    proto.set_s(*texts);
    break;
  default:
    for (int64_t i = 0; i < attribute.count; ++i)
      if (attribute.kind == OM_ATTRIBUTE_FLOATS)
        proto.add_floats(floats[i]);
      else if (attribute.kind == OM_ATTRIBUTE_INTS)
        proto.add_ints(ints[i]);
      else
        proto.add_strings(texts[i]);
  }
  return proto;
}

namespace {
/// The type variables of a schema: those that the library names, and one for
/// each other parameter.
struct TypeVariables {
  std::map<std::string, uint64_t> types;

  std::string add(const OMCustomParameter &parameter) {
    std::string name = parameter.typeVariable
                           ? parameter.typeVariable
                           : "T of " + std::string(parameter.name);
    auto [found, isNew] = types.try_emplace(name, parameter.types);
    // The check of each operand is for its own types: here it is the union.
    if (!isNew && found->second != 0)
      found->second = parameter.types ? found->second | parameter.types : 0;
    return name;
  }
};
} // namespace

std::shared_ptr<const void> onnxc::schema::makeSchema(const OMCustomOp &op,
                                                      StringRef path) {
  auto schema = std::make_shared<OpSchema>(op.name, path.str(), 0);
  schema->SetDomain(op.domain).SinceVersion(static_cast<int>(op.sinceVersion));
  TypeVariables variables;
  for (int i = 0; i < op.numInputs; ++i)
    schema->Input(i,
                  formalParameter(op.inputs[i], variables.add(op.inputs[i])));
  for (int i = 0; i < op.numOutputs; ++i)
    schema->Output(
        i, formalParameter(op.outputs[i], variables.add(op.outputs[i])));
  for (const auto &[name, types] : variables.types)
    schema->TypeConstraint(name, typeNames(types), "");
  for (int64_t i = 0; i < op.numAttributes; ++i) {
    const OMCustomAttribute &attribute = op.attributes[i];
    bool isRequired = attribute.count == OM_ATTRIBUTE_REQUIRED;
    if (!isRequired && attribute.values)
      schema->Attr(
          OpSchema::Attribute(attribute.name, "", defaultOf(attribute)));
    else
      schema->Attr(OpSchema::Attribute(
          attribute.name, "",
          static_cast<AttributeProto::AttributeType>(attribute.kind),
          isRequired));
  }
  schema->Finalize();
  return schema;
}
