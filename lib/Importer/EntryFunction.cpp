//===- EntryFunction.cpp - The function main_graph -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "EntryFunction.h"

#include "ProtoTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::GraphProto;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

namespace {
/// Builds the entry function step by step.
struct EntryImporter {
  ImportState &state;
  const GraphProto &graph;
  const Frame &frame;
  OpBuilder builder;
  /// What is left of `graph.input()` without initializers.
  SmallVector<const ValueInfoProto *> inputs;
  SmallVector<Type> inputTypes;
  SmallVector<DictionaryAttr> inputAttrs;

  void collectInputs();
  void checkOverrides();
  Type inputType(const ValueInfoProto &input);
  DictionaryAttr describe(const ValueInfoProto &info, Type type,
                          bool isOverridden);
  SmallVector<Value> importBody(func::FuncOp function);
  void finish(func::FuncOp function, ArrayRef<Value> results);
};
} // namespace

/// "'x', 'y'", for messages that list what there is.
static std::string listNames(const std::set<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + quote(name);
  return list.empty() ? "none" : list;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

void EntryImporter::collectInputs() {
  llvm::StringSet<> constants;
  for (const TensorProto &tensor : graph.initializer())
    constants.insert(tensor.name());
  for (const SparseTensorProto &tensor : graph.sparse_initializer())
    constants.insert(tensor.values().name());
  for (const ValueInfoProto &input : graph.input())
    if (!constants.contains(input.name()))
      inputs.push_back(&input);
}

/// Reports options that are about no input and no dimension.
void EntryImporter::checkOverrides() {
  std::set<std::string> names, dims;
  for (const ValueInfoProto *input : inputs) {
    names.insert(input->name());
    if (input->type().has_tensor_type())
      for (const auto &dim : input->type().tensor_type().shape().dim())
        if (dim.has_dim_param())
          dims.insert(dim.dim_param());
  }
  for (const auto &[name, shape] : state.options.shapes)
    if (!names.count(name))
      state.error(state.modelLoc)
          << "a shape is given for " << quote(name)
          << ", which is no input; inputs are " << listNames(names);
  for (const auto &[name, size] : state.options.dims) {
    if (!dims.count(name))
      state.error(state.modelLoc)
          << "a size is given for dimension " << quote(name)
          << ", which no input has; named dimensions are " << listNames(dims);
    if (size < 0 || size > state.options.limits.dimension)
      state.error(state.modelLoc) << "size " << size << " of dimension "
                                  << quote(name) << " is out of range";
  }
}

Type EntryImporter::inputType(const ValueInfoProto &input) {
  Location loc = state.nameLoc(input.name());
  std::string why;
  FailureOr<Type> type = importType(state, input.type(), true, why);
  if (failed(type) || isa<NoneType>(*type)) {
    state.error(loc) << "input " << quote(input.name())
                     << " has no proper type: "
                     << (why.empty() ? "none is declared" : why);
    return NoneType::get(state.context);
  }
  auto given = state.options.shapes.find(input.name());
  if (given == state.options.shapes.end())
    return *type;
  auto tensor = dyn_cast<TensorType>(*type);
  auto ranked = dyn_cast<RankedTensorType>(*type);
  SmallVector<int64_t> shape;
  for (int64_t size : given->second)
    shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  if (!tensor ||
      (ranked && ranked.getRank() != static_cast<int64_t>(shape.size()))) {
    state.error(loc) << "a shape of rank " << shape.size()
                     << " is given for input " << quote(input.name())
                     << ", which is " << *type;
    return *type;
  }
  return RankedTensorType::get(shape, tensor.getElementType());
}

DictionaryAttr EntryImporter::describe(const ValueInfoProto &info, Type type,
                                       bool isOverridden) {
  NamedAttrList attrs;
  attrs.set("onnx.name", builder.getStringAttr(info.name()));
  auto tensor = dyn_cast<RankedTensorType>(type);
  SmallVector<std::string> names = dimNames(state, info.type());
  if (tensor && tensor.getRank() != 0) {
    SmallVector<StringRef> shown(tensor.getRank());
    if (!isOverridden && static_cast<int64_t>(names.size()) == tensor.getRank())
      for (auto [index, name] : llvm::enumerate(names))
        if (tensor.isDynamicDim(index))
          shown[index] = name;
    attrs.set("onnx.dims", builder.getStrArrayAttr(shown));
  }
  return attrs.getDictionary(state.context);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

SmallVector<Value> EntryImporter::importBody(func::FuncOp function) {
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Scope scope;
  // Sizes that were declared for other input shapes say nothing.
  GraphImporter body(state, builder, frame, scope,
                     /*declaresSizes=*/state.options.shapes.empty());
  body.declareTypes(graph.value_info());
  body.declareTypes(graph.output());
  for (auto [input, argument] : llvm::zip_equal(inputs, block->getArguments()))
    body.define(input->name(), {argument}, state.nameLoc(input->name()));
  body.importInitializers(graph);
  body.importNodes(graph.node(), graph.output());
  SmallVector<Value> results;
  for (const ValueInfoProto &output : graph.output()) {
    if (state.hasGivenUp())
      break;
    Location loc = state.nameLoc(output.name());
    FailureOr<Value> value = body.lookup(
        output.name(), [&] { return state.error(loc) << "graph output "; });
    if (succeeded(value))
      results.push_back(*value);
  }
  return results;
}

void EntryImporter::finish(func::FuncOp function, ArrayRef<Value> results) {
  func::ReturnOp::create(builder, function.getLoc(), results);
  // Initializers that nothing reads.
  SmallVector<Operation *> unused;
  for (Operation &op : function.front().without_terminator())
    if (op.getName().getStringRef() == "onnx.Constant" && op.use_empty())
      unused.push_back(&op);
  for (Operation *op : unused)
    op->erase();
  SmallVector<Attribute> resultAttrs;
  for (auto [info, value] : llvm::zip_equal(graph.output(), results))
    resultAttrs.push_back(
        describe(info, value.getType(), !state.options.shapes.empty()));
  function.setFunctionType(
      builder.getFunctionType(inputTypes, TypeRange(ValueRange(results))));
  function.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
}

void onnxc::importer::importEntryFunction(ImportState &state,
                                          const GraphProto &graph,
                                          const Frame &frame, ModuleOp module) {
  EntryImporter entry{state, graph, frame, OpBuilder(state.context),
                      {},    {},    {}};
  entry.collectInputs();
  entry.checkOverrides();
  for (const ValueInfoProto *input : entry.inputs) {
    Type type = entry.inputType(*input);
    entry.inputTypes.push_back(type);
    entry.inputAttrs.push_back(entry.describe(
        *input, type, state.options.shapes.count(input->name()) != 0));
  }
  if (graph.output_size() == 0)
    state.error(state.modelLoc) << "the graph has no outputs";
  if (state.errorCount != 0)
    return;
  entry.builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(
      entry.builder, state.nameLoc(graph.name()), "main_graph",
      entry.builder.getFunctionType(entry.inputTypes, {}));
  function.setAllArgAttrs(entry.inputAttrs);
  SmallVector<Value> results = entry.importBody(function);
  if (state.errorCount == 0)
    entry.finish(function, results);
}
