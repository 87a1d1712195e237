//===- FunctionCalls.cpp - Calls of a model's own functions ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A call is inlined: the body's nodes are imported in a scope of their own, in
// which the function's parameters are bound to the values of the caller.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

std::string onnxc::importer::functionKey(StringRef domain, StringRef name,
                                         StringRef overload) {
  return (domain + "::" + name + "::" + overload).str();
}

/// "f -> g -> f" if `function` is being called already.
static std::string findRecursion(const FunctionProto &function,
                                 const Frame &frame) {
  std::string path = function.name();
  for (const Frame *caller = &frame; caller && caller->function;
       caller = caller->caller) {
    path.insert(0, caller->function->name() + " -> ");
    if (caller->function == &function)
      return path;
  }
  return "";
}

bool GraphImporter::checkCall(const NodeProto &node,
                              const FunctionProto &function, Location loc) {
  std::string recursion = findRecursion(function, frame);
  if (!recursion.empty()) {
    error(node, loc) << "the function calls itself: " << quote(recursion);
    return false;
  }
  if (state.depth >= state.limits.nesting) {
    error(node, loc) << "graphs and functions are nested more than "
                     << state.limits.nesting
                     << " deep; --limit=nesting=N allows more";
    return false;
  }
  if (node.input_size() > function.input_size() ||
      node.output_size() > function.output_size()) {
    error(node, loc) << "it has " << node.input_size() << " inputs and "
                     << node.output_size()
                     << " outputs, but the function takes "
                     << function.input_size() << " and "
                     << function.output_size();
    return false;
  }
  llvm::StringSet<> names;
  for (const std::string &name : function.attribute())
    names.insert(name);
  for (const AttributeProto &attribute : function.attribute_proto())
    names.insert(attribute.name());
  for (const AttributeProto &attribute : node.attribute())
    if (!names.contains(attribute.name())) {
      error(node, loc) << "the function has no attribute "
                       << quote(attribute.name());
      return false;
    }
  return true;
}

void GraphImporter::importCall(const NodeProto &node,
                               const FunctionProto &function, Location loc) {
  SmallVector<Value> operands;
  if (!checkCall(node, function, loc) || !importOperands(node, loc, operands))
    return breakOutputs(node);
  ++state.depth;
  llvm::scope_exit leave([&] { --state.depth; });

  Frame callee;
  callee.function = &function;
  callee.caller = &frame;
  callee.prefix = cast<NameLoc>(loc).getName().str() + "/";
  importOpsets(state, function.opset_import(), callee);
  for (const AttributeProto &attribute : function.attribute_proto())
    callee.attributes[attribute.name()] = &attribute;
  for (const AttributeProto &attribute : node.attribute())
    callee.attributes[attribute.name()] = &attribute;

  Scope inner;
  GraphImporter body(state, builder, callee, inner);
  body.declareTypes(function.value_info());
  operands.resize(function.input_size());
  for (auto [name, value] : llvm::zip_equal(function.input(), operands))
    body.define(name, {value}, loc);
  body.importNodes(function.node(), function.output());
  for (auto [index, name] : llvm::enumerate(node.output())) {
    const std::string &inside = function.output(static_cast<int>(index));
    FailureOr<Value> value = body.lookup(
        inside, [&] { return error(node, loc) << "the function's output "; });
    define(name, {succeeded(value) ? *value : Value(), failed(value)}, loc);
  }
}
