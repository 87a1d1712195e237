//===- NodeCheck.cpp - Nodes against their schemas -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "NodeCheck.h"

#include "AttributeTexts.h"
#include "ImportState.h"
#include "onnxc/Schema/Microsoft.h"
#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Support/SimilarName.h"

#include "onnx/defs/schema.h"

#include <algorithm>
#include <set>

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;

std::string onnxc::importer::plainDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

const Misplaced *onnxc::importer::findMisplaced(const NodeProto &node,
                                                int64_t version) {
  static constexpr Misplaced table[] = {
      {"LayerNormalization", "", 17},
      {"SimplifiedLayerNormalization", "com.microsoft", 1}};
  if (!plainDomain(node.domain()).empty() || version <= 0)
    return nullptr;
  for (const Misplaced &row : table)
    if (node.op_type() == row.name && (*row.domain || version < row.version))
      return &row;
  return nullptr;
}

std::string onnxc::importer::operatorName(const NodeProto &node) {
  std::string domain = plainDomain(node.domain());
  std::string name = domain.empty() ? "" : domain + ".";
  return name + node.op_type();
}

std::string onnxc::importer::unnamedNode(const NodeProto &node, int index,
                                         const std::string &path) {
  return path + node.op_type() + "_" + std::to_string(index);
}

static const auto &versionRanges() {
  return OpSchemaRegistry::DomainToVersionRange::Instance().Map();
}

int onnxc::importer::newestOpset(const std::string &domain) {
  auto found = versionRanges().find(plainDomain(domain));
  return found == versionRanges().end() ? 0 : found->second.second;
}

std::string onnxc::importer::knownOpsets() {
  std::set<std::string> ranges;
  for (const auto &[domain, range] : versionRanges())
    if (range.second > 0)
      ranges.insert((domain.empty() ? "ai.onnx" : domain) + " " +
                    std::to_string(range.first) + " to " +
                    std::to_string(range.second));
  std::string text;
  for (const std::string &range : ranges)
    text += (text.empty() ? "" : ", ") + range;
  return text;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static std::string describeMissing(const NodeProto &node,
                                   const std::string &domain, int version) {
  std::string shown = domain.empty() ? "ai.onnx" : domain;
  const OpSchema *newest = OpSchemaRegistry::Schema(node.op_type(), domain);
  if (newest)
    return "the operator is not in version " + std::to_string(version) +
           " of " + shown + ", which the model imports, only in later ones";
  if (std::string reason = onnxc::schema::refusalReason(node.op_type());
      domain == "com.microsoft" && !reason.empty())
    return "the operator is not supported: " + reason;
  onnxc::SimilarName similar(node.op_type(), /*maxDistance=*/2);
  for (const OpSchema &schema : OpSchemaRegistry::get_all_schemas())
    if (schema.domain() == domain)
      similar.offer(schema.Name());
  return "there is no such operator in " + shown + " " +
         std::to_string(version) + similar.question();
}

//===----------------------------------------------------------------------===//
// Inputs, outputs, attributes
//===----------------------------------------------------------------------===//

static void checkCount(const char *what, int count, int minimum, int maximum,
                       std::vector<std::string> &errors) {
  if (count >= minimum && count <= maximum)
    return;
  std::string expected = std::to_string(minimum);
  if (maximum == INT32_MAX)
    expected = "at least " + expected;
  else if (maximum != minimum)
    expected += " to " + std::to_string(maximum);
  errors.push_back("it has " + std::to_string(count) + " " + what +
                   ", but takes " + expected);
}

static void checkInputs(const NodeProto &node, const OpSchema &schema,
                        std::vector<std::string> &errors) {
  checkCount("inputs", node.input_size(), schema.min_input(),
             schema.max_input(), errors);
  checkCount("outputs", node.output_size(), schema.min_output(),
             schema.max_output(), errors);
  size_t known = std::min<size_t>(node.input_size(), schema.inputs().size());
  for (size_t i = 0; i < known; ++i)
    if (node.input(static_cast<int>(i)).empty() &&
        schema.inputs()[i].GetOption() == OpSchema::Single)
      errors.push_back("input " + std::to_string(i) + " ('" +
                       schema.inputs()[i].GetName() + "') is missing");
}

static std::string kindName(int kind) {
  std::string name = AttributeProto::AttributeType_IsValid(kind)
                         ? AttributeProto::AttributeType_Name(
                               static_cast<AttributeProto::AttributeType>(kind))
                         : "";
  return name.empty() || kind == 0 ? "of no kind" : name;
}

static void checkAttributes(const NodeProto &node, const OpSchema &schema,
                            std::vector<std::string> &errors) {
  std::set<std::string> seen;
  for (const AttributeProto &attribute : node.attribute()) {
    std::string name = quote(attribute.name());
    if (!seen.insert(attribute.name()).second)
      errors.push_back("attribute " + name + " is given twice");
    auto declared = schema.attributes().find(attribute.name());
    if (declared == schema.attributes().end())
      errors.push_back("there is no attribute " + name);
    else if (declared->second.type != attribute.type())
      errors.push_back("attribute " + name + " is " +
                       kindName(attribute.type()) + ", but must be " +
                       kindName(declared->second.type));
  }
  std::set<std::string> missing;
  for (const auto &[name, declared] : schema.attributes())
    if (declared.required && !seen.contains(name))
      missing.insert(name);
  for (const std::string &name : missing)
    errors.push_back("the required attribute '" + name + "' is missing");
}

std::vector<std::string> onnxc::importer::checkNode(const NodeProto &node,
                                                    int version) {
  std::string domain = plainDomain(node.domain());
  const OpSchema *schema =
      OpSchemaRegistry::Schema(node.op_type(), version, domain);
  if (!schema)
    return {describeMissing(node, domain, version)};
  const OpSchema *newest = OpSchemaRegistry::Schema(node.op_type(), domain);
  // Trees of ai.onnx.ml are deprecated, but nothing replaces them everywhere.
  if (schema->deprecated() && schema == newest && domain.empty())
    return {"the operator is deprecated since version " +
            std::to_string(schema->SinceVersion()) + " and cannot be used in " +
            std::to_string(version)};
  std::vector<std::string> errors = checkNode(node, *schema);
  for (const AttributeProto &attribute : node.attribute())
    if (std::string error = checkText(node, attribute, version); !error.empty())
      errors.push_back(error);
  return errors;
}

std::vector<std::string> onnxc::importer::checkNode(const NodeProto &node,
                                                    const OpSchema &schema) {
  std::vector<std::string> errors;
  checkInputs(node, schema, errors);
  checkAttributes(node, schema, errors);
  return errors;
}

AttributeProto::AttributeType
onnxc::importer::declaredKind(const NodeProto &node, int version,
                              const std::string &name) {
  const OpSchema *schema = OpSchemaRegistry::Schema(node.op_type(), version,
                                                    plainDomain(node.domain()));
  if (!schema || !schema->attributes().contains(name))
    return AttributeProto::UNDEFINED;
  return schema->attributes().at(name).type;
}

namespace {
/// The inference function of `op` refuses nodes with some of the outputs from
/// `first` to `last`, which its schema calls optional, unless it has all: while
/// `flag` is set, or always without one.
struct JoinedOutputs {
  llvm::StringLiteral op, flag;
  int first, last;

  bool areJoinedIn(const NodeProto &node) const {
    return node.op_type() == op && last < node.output_size() &&
           (flag.empty() || llvm::any_of(
                                node.attribute(),
                                [&](const auto &attribute) {
                                  return attribute.name() == flag &&
                                         attribute.i() != 0;
                                }));
  }
};
} // namespace

static constexpr JoinedOutputs joinedOutputs[] = {
    {"Attention", "", 1, 2},
    {"BatchNormalization", "training_mode", 0, 2},
};

static void restoreJoined(const NodeProto &node, NodeProto &reduced) {
  for (const JoinedOutputs &joined : joinedOutputs) {
    auto outputs = llvm::seq_inclusive(joined.first, joined.last);
    if (joined.areJoinedIn(node) && llvm::any_of(outputs, [&](int i) {
          return !reduced.output(i).empty();
        }))
      for (int i : outputs)
        reduced.set_output(i, node.output(i));
  }
}

void onnxc::importer::restoreRequiredOutputs(const NodeProto &node, int version,
                                             NodeProto &reduced) {
  const OpSchema *schema = OpSchemaRegistry::Schema(node.op_type(), version,
                                                    plainDomain(node.domain()));
  if (!schema)
    return;
  for (int i = 0; i < node.output_size(); ++i) {
    size_t formal = std::min<size_t>(i, schema->outputs().size() - 1);
    if (schema->outputs()[formal].GetOption() != OpSchema::Optional)
      reduced.set_output(i, node.output(i));
  }
  restoreJoined(node, reduced);
  auto &outputs = *reduced.mutable_output();
  while (!outputs.empty() && outputs.Get(outputs.size() - 1).empty())
    outputs.RemoveLast();
}

std::vector<std::string>
onnxc::importer::graphAttributes(const NodeProto &node) {
  const OpSchema *schema =
      OpSchemaRegistry::Schema(node.op_type(), plainDomain(node.domain()));
  return schema ? schema::graphAttributes(*schema) : std::vector<std::string>();
}
