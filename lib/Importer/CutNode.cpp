//===- CutNode.cpp - A model of one node -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"
#include "NodeOrder.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Schema/ProtoConversion.h"

using namespace mlir;
using namespace onnxc::importer;
using google::protobuf::RepeatedPtrField;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

/// Adds the functions of the model that the nodes call, and those that these
/// call.
static void addFunctions(const ImportState &state,
                         const RepeatedPtrField<NodeProto> &nodes,
                         llvm::StringSet<> &added, ModelProto &model) {
  for (const NodeProto &node : nodes) {
    std::string key = functionKey(plainDomain(node.domain()), node.op_type(),
                                  node.overload());
    const FunctionProto *function = state.functions.lookup(key);
    if (function && added.insert(key).second) {
      *model.add_functions() = *function;
      addFunctions(state, function->node(), added, model);
    }
    for (const AttributeProto &attribute : node.attribute()) {
      addFunctions(state, attribute.g().node(), added, model);
      for (const GraphProto &graph : attribute.graphs())
        addFunctions(state, graph.node(), added, model);
    }
  }
}

/// Makes what the node reads under `name` an initializer or an input.
llvm::Error GraphImporter::addOperand(StringRef name, GraphProto &graph) {
  const Binding *binding = scope.find(name);
  // Nothing defines it, which is the error of the node.
  if (!binding || (!binding->value && !binding->isBroken))
    return llvm::Error::success();
  Value value = binding->value;
  if (TypedAttr constant =
          value ? onnxc::onnx::constantValue(value) : nullptr) {
    TensorProto tensor;
    if (succeeded(schema::toProto(constant, tensor))) {
      tensor.set_name(name.str());
      *graph.add_initializer() = std::move(tensor);
      return llvm::Error::success();
    }
  }
  ValueInfoProto input;
  input.set_name(name.str());
  if (value && !isa<NoneType>(value.getType()))
    schema::toProto(value.getType(), *input.mutable_type());
  else if (const ::onnx::TypeProto *proto = declared.lookup(name))
    *input.mutable_type() = *proto;
  else
    return llvm::createStringError("the type of its operand " + quote(name) +
                                   " is not known: check the node that makes "
                                   "it first");
  *graph.add_input() = std::move(input);
  return llvm::Error::success();
}

llvm::Expected<std::string> GraphImporter::modelOf(const NodeProto &node,
                                                   int index) {
  ModelProto model;
  model.set_ir_version(state.formatVersion);
  model.set_producer_name("onnx-compile");
  for (const auto &[domain, version] : frame.opsets) {
    auto *import = model.add_opset_import();
    import->set_domain(domain.str());
    import->set_version(version);
  }
  GraphProto &graph = *model.mutable_graph();
  graph.set_name("node");
  std::optional<NodeProto> resolved = resolveAttributes(node, versionOf(node));
  NodeProto &copy = *graph.add_node();
  copy = resolved ? *resolved : node;
  copy.set_name(nodeName(node, index));
  llvm::StringSet<> names;
  forEachRead(node, [&](StringRef name) { names.insert(name); });
  for (const auto &entry : names)
    if (!entry.getKey().empty())
      if (llvm::Error error = addOperand(entry.getKey(), graph))
        return std::move(error);
  for (const std::string &name : node.output()) {
    if (name.empty())
      continue;
    ValueInfoProto &output = *graph.add_output();
    output.set_name(name);
    const Binding *binding = scope.find(name);
    if (binding && binding->value && !isa<NoneType>(binding->value.getType()))
      schema::toProto(binding->value.getType(), *output.mutable_type());
  }
  llvm::StringSet<> added;
  addFunctions(state, graph.node(), added, model);
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return llvm::createStringError("its constants do not fit into one file");
  return bytes;
}
