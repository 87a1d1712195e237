//===- NodeTypes.cpp - Types of the nodes of a model -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/NodeTypes.h"

#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using namespace onnxc;

void NodeTypes::add(const importer::ImportedNode &node) {
  auto texts = [](ArrayRef<Value> values) {
    std::vector<std::string> texts;
    for (Value value : values)
      texts.push_back(value && !isa<NoneType>(value.getType())
                          ? onnx::typeText(value.getType())
                          : "");
    return texts;
  };
  Types types{texts(node.operands), texts(node.results), {}};
  for (auto [text, value] : llvm::zip_equal(types.results, node.results))
    types.resultTypes.push_back(text.empty() ? Type() : value.getType());
  auto tensors = [](ArrayRef<Value> values) {
    return llvm::map_to_vector(values, [](Value value) {
      return Tensor{value,
                    value ? std::optional(value.getLoc()) : std::nullopt};
    });
  };
  byNode[cast<NameLoc>(node.loc).getName()] = {
      std::move(types), tensors(node.operands), tensors(node.results)};
}

/// The values of the module: no others have a location here.
static DenseSet<Value> valuesOf(ModuleOp model) {
  DenseSet<Value> values;
  model.walk([&](Operation *op) {
    values.insert(op->result_begin(), op->result_end());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        values.insert(block.args_begin(), block.args_end());
  });
  return values;
}

void NodeTypes::refine(ModuleOp model) {
  onnx::DimAnalysis analysis(model);
  DenseSet<Value> known = valuesOf(model);
  auto isThere = [&](const Tensor &tensor) {
    return known.contains(tensor.value) && tensor.value.getLoc() == tensor.loc;
  };
  auto refineTexts = [&](std::vector<std::string> &texts,
                         ArrayRef<Tensor> tensors) {
    for (auto [text, tensor] : llvm::zip_equal(texts, tensors))
      if (!text.empty() && isThere(tensor))
        text = typeText(analysis, tensor.value);
  };
  for (auto &entry : byNode) {
    Node &node = entry.second;
    refineTexts(node.types.operands, node.operands);
    refineTexts(node.types.results, node.results);
    for (auto [type, tensor] :
         llvm::zip_equal(node.types.resultTypes, node.results))
      if (type && isThere(tensor))
        type = analysis.type(tensor.value);
  }
}

const NodeTypes::Types *NodeTypes::find(StringRef node) const {
  auto found = byNode.find(node);
  return found == byNode.end() ? nullptr : &found->second.types;
}
