//===- UpgradeNode.cpp - Upgrade nodes step by step ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the versions of all operators from the registry of the onnx library
// and applies the table's rules to nodes.
//
//===----------------------------------------------------------------------===//
#include "UpgradeTable.h"

#include "onnx/defs/schema.h"

#include <map>
#include <set>

using namespace onnxc::importer;
using ::onnx::NodeProto;
using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;
using Formal = OpSchema::FormalParameter;

/// The versions of one operator, oldest first.
using History = std::map<int, const OpSchema *>;

static History historyOf(const std::string &domain, const std::string &name) {
  History history;
  // Asked for one by one: the registry returns all it has as copies only.
  const OpSchema *schema = OpSchemaRegistry::Schema(name, domain);
  while (schema) {
    history[schema->SinceVersion()] = schema;
    schema = OpSchemaRegistry::Schema(name, schema->SinceVersion() - 1, domain);
  }
  return history;
}

//===----------------------------------------------------------------------===//
// Differences between two versions
//===----------------------------------------------------------------------===//

/// Appends the differences between the formal parameters.
static void compareFormals(const char *what, const std::vector<Formal> &from,
                           const std::vector<Formal> &to, bool narrows,
                           std::string &difference) {
  if (from.size() != to.size())
    difference += std::string(" number of ") + what + "s";
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    std::string which = std::string(" ") + what + " '" + to[i].GetName() + "'";
    if (from[i].GetOption() != to[i].GetOption())
      difference += which;
    if (!narrows)
      continue;
    std::set<std::string> types;
    for (const std::string *type : to[i].GetTypes())
      types.insert(*type);
    for (const std::string *type : from[i].GetTypes())
      if (!types.contains(*type))
        difference += which + " without " + *type;
  }
}

static std::string describeAttribute(const OpSchema::Attribute &attribute) {
  return std::to_string(attribute.type) + (attribute.required ? "!" : "?") +
         attribute.default_value.SerializeAsString();
}

static std::string describeDifference(const OpSchema &from,
                                      const OpSchema &to) {
  std::string difference;
  compareFormals("input", from.inputs(), to.inputs(), true, difference);
  compareFormals("output", from.outputs(), to.outputs(), false, difference);
  std::map<std::string, std::string> before, after;
  for (const auto &[name, attribute] : from.attributes())
    before[name] = describeAttribute(attribute);
  for (const auto &[name, attribute] : to.attributes())
    after[name] = describeAttribute(attribute);
  for (const auto &[name, text] : before)
    if (!after.contains(name) || after[name] != text)
      difference += " attribute '" + name + "'";
  for (const auto &[name, text] : after)
    if (!before.contains(name))
      difference += " new attribute '" + name + "'";
  if (from.deprecated() != to.deprecated())
    difference += " deprecation";
  return difference;
}

std::vector<ChangedStep> onnxc::importer::changedSteps() {
  std::set<std::pair<std::string, std::string>> operators;
  for (const OpSchema &schema : OpSchemaRegistry::get_all_schemas())
    operators.insert({schema.domain(), schema.Name()});
  std::vector<ChangedStep> changed;
  for (const auto &key : operators) {
    const OpSchema *previous = nullptr;
    for (const auto &[version, schema] : historyOf(key.first, key.second)) {
      std::string difference =
          previous ? describeDifference(*previous, *schema) : "";
      if (!difference.empty())
        changed.push_back({key.first, key.second, previous->SinceVersion(),
                           version, difference});
      previous = schema;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Upgrading
//===----------------------------------------------------------------------===//

/// Applies one rule; collects the nodes that replace `node`.
static UpgradeResult applyRule(const NodeProto &node, const UpgradeStep &step,
                               const ValueOracle &oracle,
                               const std::function<std::string()> &freshName) {
  VersionedNode upgraded{node, step.to};
  NodeView view(upgraded.node, step.to, oracle, freshName);
  step.rule(view);
  UpgradeResult result;
  result.error = view.error;
  if (!result.error.empty())
    return result;
  result.nodes = std::move(view.nodesBefore);
  result.nodes.push_back(std::move(upgraded));
  for (VersionedNode &after : view.nodesAfter)
    result.nodes.push_back(std::move(after));
  return result;
}

UpgradeResult
onnxc::importer::upgradeNode(const NodeProto &node, int version,
                             const ValueOracle &oracle,
                             const std::function<std::string()> &freshName) {
  std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  History history = historyOf(domain, node.op_type());
  auto current = history.upper_bound(version);
  if (current == history.begin())
    return {};
  --current;
  for (auto next = std::next(current); next != history.end();
       current = next++) {
    const UpgradeStep *step =
        findUpgradeStep(domain, node.op_type(), current->first);
    if (step && step->rule)
      return applyRule(node, *step, oracle, freshName);
    std::string difference =
        step ? "" : describeDifference(*current->second, *next->second);
    if (!difference.empty()) {
      UpgradeResult refused;
      refused.error = "there is no rule yet that upgrades it from version " +
                      std::to_string(current->first) + " to " +
                      std::to_string(next->first) + " (changed:" + difference +
                      ")";
      return refused;
    }
  }
  return {};
}
