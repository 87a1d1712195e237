//===- FindNode.cpp - A node by a name that the user gives -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FindNode.h"

#include "mlir/IR/BuiltinTypes.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace onnxc {

/// Nodes of functions have the name of the call and a slash in front.
bool NodeMatch::isNode(StringRef other) const {
  if (!isCall)
    return other == name;
  return other.starts_with(name) &&
         other.drop_front(name.size()).starts_with("/");
}

bool NodeMatch::isIn(Location loc) const {
  return llvm::any_of(enclosingNodesOf(loc),
                      [&](const NodeName &node) { return isNode(node.name); });
}

void NodeFinder::imported(const importer::ImportedNode &node) {
  constexpr size_t maxReaders = 4;
  std::string name = nameOf(node.loc).str();
  types.add(node);
  nodes.try_emplace(name, Node{node.op, node.inputs, node.outputs});
  for (const std::string &output : node.outputs)
    if (!output.empty())
      makers.try_emplace(output, name);
  for (const std::string &input : node.inputs)
    if (auto &names = readers[input];
        names.size() < maxReaders && !llvm::is_contained(names, name))
      names.push_back(name);
}

static std::string quoted(StringRef name) { return "'" + name.str() + "'"; }

/// The names that are most like `name`, the best first.
static std::vector<std::string> similarNames(StringRef name,
                                             ArrayRef<StringRef> all) {
  constexpr size_t maxLength = 200, maxNames = 4;
  std::vector<std::pair<unsigned, StringRef>> found;
  unsigned maxDistance = std::max<size_t>(2, name.size() / 3);
  for (StringRef other : all) {
    if (name.size() > maxLength || other.size() > maxLength)
      continue;
    bool isPart = name.size() >= 3 && other.contains_insensitive(name);
    size_t apart = std::max(name.size(), other.size()) -
                   std::min(name.size(), other.size());
    unsigned distance = maxDistance + 1;
    if (apart <= maxDistance)
      distance = other.edit_distance_insensitive(name, true, maxDistance);
    if (distance <= maxDistance || isPart)
      found.push_back({distance, other});
  }
  llvm::sort(found);
  std::vector<std::string> names;
  for (auto [distance, other] : ArrayRef(found).take_front(maxNames))
    names.push_back(quoted(other));
  return names;
}

llvm::Error NodeFinder::refuse(StringRef name) const {
  if (auto found = readers.find(name); found != readers.end()) {
    std::vector<std::string> names;
    for (const std::string &reader : found->second)
      names.push_back(quoted(reader));
    return llvm::createStringError(
        quoted(name) +
        " is an input or a constant of the model, which no node "
        "makes; nodes that read it: " +
        llvm::join(names, ", "));
  }
  std::vector<StringRef> all;
  for (const auto &map : {&makers})
    for (const auto &entry : *map)
      all.push_back(entry.getKey());
  for (const auto &entry : nodes)
    all.push_back(entry.getKey());
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  std::vector<std::string> similar = similarNames(name, all);
  return llvm::createStringError(
      "the model has no node or tensor " + quoted(name) +
      (similar.empty() ? "" : "; similar: " + llvm::join(similar, ", ")) +
      "; `onnx-run info --nodes` lists the nodes of a compiled model");
}

llvm::Expected<NodeMatch> NodeFinder::find(StringRef name,
                                           Explanation &explanation) const {
  auto node = nodes.find(name);
  if (node == nodes.end()) {
    auto maker = makers.find(name);
    if (maker == makers.end())
      return refuse(name);
    node = nodes.find(maker->second);
  }
  explanation.node = {node->getKey().str(), node->second.op};
  auto tensors = [](ArrayRef<std::string> names, ArrayRef<std::string> types) {
    std::vector<ExplainedTensor> tensors;
    for (auto [name, type] : llvm::zip(names, types))
      if (!name.empty())
        tensors.push_back({name, type});
    return tensors;
  };
  const NodeTypes::Types &known = *types.find(node->getKey());
  explanation.inputs = tensors(node->second.inputs, known.operands);
  explanation.outputs = tensors(node->second.outputs, known.results);
  explanation.isRead =
      llvm::any_of(explanation.outputs, [&](const ExplainedTensor &output) {
        return readers.contains(output.name);
      });
  return NodeMatch{node->getKey().str(), /*isCall=*/false};
}

} // namespace onnxc
