//===- PartOfGraph.cpp - The part between named tensors --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "PartOfGraph.h"

#include "NodeCheck.h"
#include "NodeOrder.h"

#include "llvm/ADT/StringMap.h"

using namespace onnxc::importer;

static void addDomains(const ::onnx::NodeProto &node,
                       llvm::StringSet<> &domains) {
  domains.insert(onnxc::importer::plainDomain(node.domain()));
  auto addAll = [&](const ::onnx::GraphProto &graph) {
    for (const ::onnx::NodeProto &inner : graph.node())
      addDomains(inner, domains);
  };
  for (const ::onnx::AttributeProto &attribute : node.attribute()) {
    addAll(attribute.g());
    llvm::for_each(attribute.graphs(), addAll);
  }
}

PartOfGraph onnxc::importer::findPart(const ::onnx::GraphProto &graph,
                                      llvm::ArrayRef<std::string> from,
                                      llvm::ArrayRef<std::string> to) {
  llvm::StringMap<int> makers;
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty())
        makers.try_emplace(output, i);
  PartOfGraph part;
  part.nodes.resize(graph.node_size());
  part.given.insert_range(from);
  std::vector<int> pending;
  auto visit = [&](llvm::StringRef name) {
    if (part.given.contains(name) || !part.read.insert(name).second)
      return;
    auto maker = makers.find(name);
    if (maker == makers.end() || part.nodes.test(maker->second))
      return;
    part.nodes.set(maker->second);
    pending.push_back(maker->second);
  };
  for (const std::string &name : to)
    visit(name);
  while (!pending.empty()) {
    int node = pending.back();
    pending.pop_back();
    addDomains(graph.node(node), part.domains);
    forEachRead(graph.node(node), visit);
  }
  return part;
}
