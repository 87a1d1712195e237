//===- NodeOrder.cpp - Topological order of nodes --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "NodeOrder.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <queue>

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

/// Visits the names that `graph` uses but does not define.
static void forEachCapture(const GraphProto &graph,
                           llvm::function_ref<void(llvm::StringRef)> visit) {
  llvm::StringSet<> defined;
  for (const ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const TensorProto &tensor : graph.initializer())
    defined.insert(tensor.name());
  for (const SparseTensorProto &tensor : graph.sparse_initializer())
    defined.insert(tensor.values().name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      defined.insert(output);
  auto visitFree = [&](llvm::StringRef name) {
    if (!defined.contains(name))
      visit(name);
  };
  for (const NodeProto &node : graph.node())
    forEachRead(node, visitFree);
  for (const ValueInfoProto &output : graph.output())
    visitFree(output.name());
}

void onnxc::importer::forEachNamedTensor(
    const NodeProto &node, llvm::function_ref<void(llvm::StringRef)> visit) {
  if (node.op_type() != "Gradient" ||
      node.domain() != "ai.onnx.preview.training")
    return;
  for (llvm::StringRef list : {"xs", "zs", "y"})
    for (const AttributeProto &attribute : node.attribute()) {
      if (attribute.name() != list)
        continue;
      for (const std::string &name : attribute.strings())
        visit(name);
      if (attribute.type() == AttributeProto::STRING)
        visit(attribute.s());
    }
}

void onnxc::importer::forEachRead(
    const NodeProto &node, llvm::function_ref<void(llvm::StringRef)> visit) {
  for (const std::string &input : node.input())
    if (!input.empty())
      visit(input);
  forEachNamedTensor(node, visit);
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      forEachCapture(attribute.g(), visit);
}

/// Walks backwards from `start` through nodes that never became ready until
/// one comes up again.
static std::vector<int>
findCycle(int start, const std::vector<std::vector<int>> &producers,
          const std::vector<int> &waiting) {
  std::vector<int> path, position(producers.size(), -1);
  int current = start;
  while (position[current] < 0) {
    position[current] = static_cast<int>(path.size());
    path.push_back(current);
    for (int producer : producers[current])
      if (waiting[producer] > 0) {
        current = producer;
        break;
      }
  }
  return {path.rbegin(), path.rend() - position[current]};
}

std::vector<int> onnxc::importer::orderNodes(
    const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
    llvm::function_ref<bool(int)> isTaken,
    llvm::function_ref<bool(llvm::StringRef)> isDefined,
    std::vector<int> &cycle) {
  std::vector<int> taken;
  for (int i = 0; i < nodes.size(); ++i)
    if (isTaken(i))
      taken.push_back(i);
  llvm::StringMap<int> producerOf;
  for (int i : taken)
    for (const std::string &output : nodes.Get(i).output())
      if (!output.empty() && !isDefined(output))
        producerOf.try_emplace(output, i);
  std::vector<std::vector<int>> producers(nodes.size()), users(nodes.size());
  std::vector<int> waiting(nodes.size(), 0);
  for (int i : taken)
    forEachRead(nodes.Get(i), [&](llvm::StringRef name) {
      auto producer = producerOf.find(name);
      if (producer == producerOf.end())
        return;
      producers[i].push_back(producer->second);
      users[producer->second].push_back(i);
      ++waiting[i];
    });
  // The ready node that comes first in the file is next.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i : taken)
    if (waiting[i] == 0)
      ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (int user : users[next])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  for (int i = 0; i < nodes.size() && cycle.empty(); ++i)
    if (waiting[i] > 0)
      cycle = findCycle(i, producers, waiting);
  return order;
}
