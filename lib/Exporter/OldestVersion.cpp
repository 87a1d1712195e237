//===- OldestVersion.cpp - Which operator sets a model needs ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "OldestVersion.h"

#include "../Importer/Upgrade/UpgradeTable.h"
#include "onnxc/Schema/ProtoConversion.h"

#include "onnx/defs/data_type_utils.h"

using namespace mlir;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;

/// The schema that an operator set has for the operator, null if none.
static const OpSchema *schemaOf(const std::string &domain,
                                const std::string &name, int opset) {
  return opset < 1 ? nullptr
                   : ::onnx::OpSchemaRegistry::Schema(name, opset, domain);
}

/// Equal but for the name and its documentation, which defaults have not.
static bool isEqual(AttributeProto value, AttributeProto other) {
  for (AttributeProto *attribute : {&value, &other}) {
    attribute->clear_name();
    attribute->clear_doc_string();
  }
  return value.SerializeAsString() == other.SerializeAsString();
}

/// Windows without gaps, the default where the attribute is absent.
static bool isDense(const AttributeProto &value) {
  return value.name() == "dilations" &&
         llvm::all_of(value.ints(), [](int64_t step) { return step == 1; });
}

/// Returns true if `old` has the attribute, or its value is the behaviour of
/// `old`.
static bool hasAttribute(const OpSchema &old, const OpSchema &newest,
                         const AttributeProto &value) {
  auto found = old.attributes().find(value.name());
  if (found != old.attributes().end())
    return found->second.type == value.type();
  auto added = newest.attributes().find(value.name());
  return added != newest.attributes().end() &&
         (isEqual(value, added->second.default_value) || isDense(value));
}

/// Returns true if the formal parameters of an old version take values of these
/// types.
static bool takesTypes(const std::vector<OpSchema::FormalParameter> &formals,
                       TypeRange types) {
  for (auto [i, type] : llvm::enumerate(types)) {
    if (formals.empty())
      return false;
    bool isExtra = i >= formals.size();
    const auto &formal = isExtra ? formals.back() : formals[i];
    if (isExtra && formal.GetOption() != OpSchema::Variadic)
      return false;
    if (!type && formal.GetOption() == OpSchema::Single)
      return false;
    if (!type || isa<NoneType>(type))
      continue;
    ::onnx::TypeProto proto;
    onnxc::schema::toProto(type, proto);
    if (!formal.GetTypes().contains(
            ::onnx::Utils::DataTypeUtils::ToType(proto)))
      return false;
  }
  return true;
}

int onnxc::exporter::oldestVersion(const NodeProto &node,
                                   const OpSchema &newest, TypeRange inputs,
                                   TypeRange outputs, int wanted) {
  int version = newest.since_version();
  while (version > wanted) {
    const OpSchema *old = schemaOf(node.domain(), node.op_type(), version - 1);
    if (!old || old->deprecated())
      return version;
    // Without a row only types were added.
    const importer::UpgradeStep *step = importer::findUpgradeStep(
        node.domain(), node.op_type(), old->since_version());
    bool isSame = (!step || !step->rule || step->isForOldTypes) &&
                  node.input_size() >= old->min_input() &&
                  llvm::all_of(node.attribute(),
                               [&](const AttributeProto &attribute) {
                                 return hasAttribute(*old, newest, attribute);
                               }) &&
                  takesTypes(old->inputs(), inputs) &&
                  takesTypes(old->outputs(), outputs);
    if (!isSame)
      return version;
    version = old->since_version();
  }
  return version;
}

void onnxc::exporter::dropNewAttributes(
    ::onnx::GraphProto &graph, const std::map<std::string, int> &opsets) {
  for (NodeProto &node : *graph.mutable_node()) {
    auto opset = opsets.find(node.domain());
    const OpSchema *schema =
        opset == opsets.end()
            ? nullptr
            : schemaOf(node.domain(), node.op_type(), opset->second);
    auto &attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i) {
      if (attributes[i].has_g())
        dropNewAttributes(*attributes[i].mutable_g(), opsets);
      if (schema && !schema->attributes().contains(attributes[i].name()))
        attributes.DeleteSubrange(i, 1);
    }
  }
}
