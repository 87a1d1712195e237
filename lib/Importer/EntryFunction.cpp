//===- EntryFunction.cpp - The function main_graph -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "EntryFunction.h"

#include "EntryImporter.h"
#include "ProtoTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

/// "'x', 'y'", for messages that list the candidates.
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
  llvm::StringMap<int> constants;
  for (const TensorProto &tensor : graph.initializer())
    constants[tensor.name()] = tensor.data_type();
  for (const SparseTensorProto &tensor : graph.sparse_initializer())
    constants[tensor.values().name()] = tensor.values().data_type();
  for (const ValueInfoProto &input : graph.input()) {
    auto constant = constants.find(input.name());
    if (constant == constants.end()) {
      inputs.push_back(&input);
      continue;
    }
    int declared = input.type().tensor_type().elem_type();
    bool isTaken = !part || part->read.contains(input.name());
    if (isTaken && declared != TensorProto::UNDEFINED &&
        declared != constant->second)
      state.error(state.nameLoc(input.name()))
          << "initializer " << quote(input.name()) << " has elements of type "
          << TensorProto::DataType_Name(constant->second)
          << ", but its input declares "
          << TensorProto::DataType_Name(declared);
  }
}

/// The tensors that a name of --to stands for: that of a node for its results,
/// where no tensor has it.
static SmallVector<std::string> tensorsOf(const GraphProto &graph,
                                          const std::string &name) {
  const ::onnx::NodeProto *named = nullptr;
  auto hasName = [&](const auto &value) { return value.name() == name; };
  if (llvm::any_of(graph.input(), hasName) ||
      llvm::any_of(graph.initializer(), hasName))
    return {name};
  for (const ::onnx::NodeProto &node : graph.node()) {
    if (llvm::is_contained(node.output(), name))
      return {name};
    if (!named && node.name() == name)
      named = &node;
  }
  if (!named)
    return {name};
  return llvm::filter_to_vector(named->output(), [](const std::string &output) {
    return !output.empty();
  });
}

void EntryImporter::collectOutputs() {
  for (const std::string &name : state.options.to)
    for (const std::string &tensor : tensorsOf(graph, name))
      outputs.push_back(findInfo(graph, tensor));
  if (state.options.to.empty())
    outputs.assign(graph.output().begin(), graph.output().end());
  else
    outputOption = "--to: ";
}

/// Takes the nodes that compute the outputs from `from`.
void EntryImporter::findPartOf(ArrayRef<std::string> from) {
  part = findPart(graph, from,
                  llvm::map_to_vector(outputs, [](const auto &output) {
                    return output.name();
                  }));
}

/// Who names this output, for messages.
StringRef EntryImporter::optionOf(size_t output) const {
  return output + taps.size() >= outputs.size() ? "--taps: " : outputOption;
}

/// Reports options that are about no input and no dimension.
void EntryImporter::checkOverrides() {
  std::set<std::string> dims;
  std::set<std::string> names(state.options.from.begin(),
                              state.options.from.end());
  for (const ValueInfoProto *input : inputs) {
    names.insert(input->name());
    if (input->type().has_tensor_type())
      for (const auto &dim : input->type().tensor_type().shape().dim())
        if (dim.has_dim_param())
          dims.insert(dim.dim_param());
    checkAgreement(*input);
  }
  for (const auto &[name, shape] : state.options.shapes)
    if (!names.contains(name))
      state.error(state.modelLoc)
          << "a shape is given for " << quote(name)
          << ", which is not an input; inputs are " << listNames(names);
  for (const auto &[name, size] : state.options.dims) {
    if (!dims.contains(name))
      state.error(state.modelLoc)
          << "a size is given for dimension " << quote(name)
          << ", which no input has; named dimensions are " << listNames(dims);
    if (size < 0 || size > state.limits.dimension)
      state.error(state.modelLoc) << "size " << size << " of dimension "
                                  << quote(name) << " is out of range";
  }
}

/// Reports a size of --dim that --shape says otherwise.
void EntryImporter::checkAgreement(const ValueInfoProto &input) {
  auto given = state.options.shapes.find(input.name());
  if (given == state.options.shapes.end() || !input.type().has_tensor_type())
    return;
  for (auto [dim, size] :
       llvm::zip(input.type().tensor_type().shape().dim(), given->second)) {
    auto fixed = state.options.dims.find(dim.dim_param());
    if (!dim.has_dim_param() || fixed == state.options.dims.end() ||
        fixed->second == size)
      continue;
    state.error(state.nameLoc(input.name()))
        << "--shape gives dimension " << quote(dim.dim_param()) << " of input "
        << quote(input.name())
        << (size < 0 ? " no size" : " the size " + std::to_string(size))
        << ", but --dim gives it " << fixed->second;
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

void EntryImporter::typeInputs() {
  for (const ValueInfoProto *input : inputs) {
    Type type = inputType(*input);
    inputTypes.push_back(type);
    inputAttrs.push_back(
        describe(*input, type, state.options.shapes.contains(input->name())));
  }
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

func::FuncOp EntryImporter::makeFunction(ModuleOp module) {
  builder.setInsertionPointToStart(module.getBody());
  return func::FuncOp::create(builder, state.nameLoc(graph.name()),
                              "main_graph",
                              builder.getFunctionType(inputTypes, {}));
}

SmallVector<Value> EntryImporter::importBody(func::FuncOp function) {
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Scope scope;
  GraphImporter body(state, builder, frame, scope, part ? &*part : nullptr);
  body.declareTypes(graph.value_info());
  body.declareTypes(graph.output());
  for (auto [input, argument] :
       llvm::zip_equal(inputs, block->getArguments())) {
    argument.setLoc(state.nameLoc(input->name()));
    body.define(input->name(), {argument}, argument.getLoc());
  }
  for (const std::string &name : missing)
    body.define(name, {Value(), /*isBroken=*/true}, state.nameLoc(name));
  body.importInitializers(graph);
  body.importNodes(graph.node(), outputs);
  SmallVector<Value> results;
  std::vector<ValueInfoProto> known;
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (state.hasGivenUp())
      break;
    Location loc = state.nameLoc(output.name());
    FailureOr<Value> value = body.lookupRequired(
        output.name(), [&] { return state.error(loc) << optionOf(index); });
    if (failed(value))
      continue;
    results.push_back(*value);
    known.push_back(output);
  }
  outputs = std::move(known);
  return results;
}

/// Completes the signature of a model with refused nodes: their results that
/// have become arguments are inputs, and values that nothing reads are outputs.
void EntryImporter::completeRest(func::FuncOp function,
                                 SmallVectorImpl<Value> &results) {
  Block &block = function.front();
  for (BlockArgument made :
       block.getArguments().drop_front(inputTypes.size())) {
    inputTypes.push_back(made.getType());
    inputAttrs.push_back(DictionaryAttr::get(state.context));
  }
  llvm::SmallDenseSet<Value> known(results.begin(), results.end());
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (result.use_empty() && !known.contains(result) &&
          op.getName().getStringRef() != "onnx.Constant") {
        results.push_back(result);
        outputs.emplace_back();
      }
}

void EntryImporter::finish(func::FuncOp function, ArrayRef<Value> results) {
  auto ret = func::ReturnOp::create(builder, function.getLoc(), results);
  if (!state.bodyTaps.empty() && state.errorCount == 0)
    taps.addBodyTaps(ret);
  // Initializers that nothing reads.
  SmallVector<Operation *> unused;
  for (Operation &op : function.front().without_terminator())
    if (op.getName().getStringRef() == "onnx.Constant" && op.use_empty())
      unused.push_back(&op);
  for (Operation *op : unused)
    op->erase();
  SmallVector<Attribute> resultAttrs;
  for (auto [info, value] : llvm::zip_equal(outputs, ret.getOperands()))
    resultAttrs.push_back(
        describe(info, value.getType(), !state.options.shapes.empty()));
  function.setFunctionType(
      builder.getFunctionType(inputTypes, ret.getOperandTypes()));
  function.setAllArgAttrs(inputAttrs);
  function.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
}

LogicalResult onnxc::importer::importEntryFunction(ImportState &state,
                                                   const ModelProto &model,
                                                   ModuleOp module) {
  const GraphProto &graph = model.graph();
  Frame frame;
  EntryImporter entry{state, graph, model.opset_import(), frame,
                      OpBuilder(state.context)};
  const ImportOptions &options = state.options;
  entry.collectOutputs();
  entry.taps.collect();
  if (!options.from.empty() || !options.to.empty())
    entry.findPartOf(options.from);
  importOpsets(state, model.opset_import(), frame,
               entry.part ? &entry.part->domains : nullptr);
  if (state.errorCount != 0)
    return failure();
  entry.collectInputs();
  entry.checkOverrides();
  if (options.from.empty())
    entry.typeInputs();
  if (graph.output_size() == 0)
    state.error(state.modelLoc) << "the graph has no outputs";
  if (state.errorCount != 0)
    return failure();
  if (!options.from.empty())
    entry.startAtFrom();
  func::FuncOp function = entry.makeFunction(module);
  SmallVector<Value> results = entry.importBody(function);
  bool isWhole = state.errorCount == 0;
  if (!isWhole && state.keepsRest())
    entry.completeRest(function, results);
  else if (!isWhole)
    return failure();
  entry.finish(function, results);
  if (isWhole && state.errorCount != 0)
    return failure();
  if (entry.taps.size() && isWhole)
    entry.taps.note(module, function);
  return success();
}
