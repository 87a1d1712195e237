//===- GraphExporter.cpp - Blocks as graphs --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphExporter.h"

#include "OldestVersion.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Support/NodeLocations.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::exporter;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

/// Smaller tensors are copied into the model, even beside a data file.
static constexpr size_t smallestByItself = 1024;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// `wanted`, or with a number after it if that is taken.
static std::string uniqueIn(llvm::StringSet<> &taken, StringRef wanted) {
  std::string name = wanted.str();
  for (unsigned i = 1; name.empty() || !taken.insert(name).second; ++i)
    name = (wanted + "_" + Twine(i)).str();
  return name;
}

std::string ExportState::uniqueName(StringRef wanted) {
  return uniqueIn(taken, wanted);
}

static bool isConstant(Operation *op) {
  return op && op->getName().getStringRef() == "onnx.Constant";
}

void ExportState::nameValue(Value value, Operation *definer, unsigned number) {
  SmallVector<StringRef> known = namesOf(definer->getLoc());
  StringRef name =
      known.empty() ? definer->getName().stripDialect() : known.front();
  std::string suffix = number == 0 ? "" : ":" + std::to_string(number);
  names[value] = uniqueName(name.str() + suffix);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void GraphExporter::describe(Value value, const std::string &name,
                             ValueInfoProto &info) {
  info.set_name(name);
  if (!isa<NoneType>(value.getType()))
    schema::toProto(value.getType(), *info.mutable_type());
}

static void describeTensor(TypedAttr value, TensorProto &tensor) {
  auto type = cast<RankedTensorType>(value.getType());
  tensor.set_data_type(
      onnxc::onnx::getElementTypeNumber(type.getElementType()));
  for (int64_t dim : type.getShape())
    tensor.add_dims(dim);
}

void GraphExporter::putIntoDataFile(TypedAttr value, size_t size,
                                    TensorProto &tensor) {
  describeTensor(value, tensor);
  state.dataBytes = llvm::alignTo(state.dataBytes, dataAlignment);
  tensor.set_data_location(TensorProto::EXTERNAL);
  auto add = [&](const char *key, std::string text) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(text));
  };
  add("location", state.dataFile);
  add("offset", std::to_string(state.dataBytes));
  add("length", std::to_string(size));
  state.dataBytes += size;
  state.data.push_back(value);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult GraphExporter::exportConstant(Operation *op) {
  TypedAttr value = onnx::constantValue(op->getResult(0));
  assert(value && "the verifier of a constant asks for a value");
  state.nameValue(op->getResult(0), op, 0);
  TensorProto tensor;
  tensor.set_name(state.names[op->getResult(0)]);
  SmallVector<char> scratch;
  size_t size = onnx::constantBytes(value, scratch).size();
  bool isMain = isa<FunctionOpInterface>(op->getParentOp());
  if (size >= smallestByItself && state.usesDataFile) {
    putIntoDataFile(value, size, tensor);
  } else if (size >= smallestByItself && isMain) {
    describeTensor(value, tensor);
    state.embedded.push_back({std::move(tensor), value});
    return success();
  } else if (failed(schema::toProto(value, tensor))) {
    return op->emitError("the elements of this constant are not available");
  }
  *graph.add_initializer() = std::move(tensor);
  return success();
}

LogicalResult GraphExporter::exportGraphs(Operation *op, const OpSchema &schema,
                                          NodeProto &node) {
  std::vector<std::string> attributes = schema::graphAttributes(schema);
  for (auto [name, region] : llvm::zip_equal(attributes, op->getRegions())) {
    if (region.empty())
      continue;
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::GRAPH);
    GraphProto &body = *attribute.mutable_g();
    body.set_name(state.uniqueName(node.op_type() + "_" + name));
    for (BlockArgument argument : region.front().getArguments()) {
      state.names[argument] = state.uniqueName(
          body.name() + "_in" + std::to_string(argument.getArgNumber()));
      describe(argument, state.names[argument], *body.add_input());
    }
    if (failed(GraphExporter(state, body).run(region.front(), {})))
      return failure();
  }
  return success();
}

/// The one attribute value that only this dialect has: a behaviour of Resize-11
/// that later versions lack.
static bool isBeyondStandard(Operation *op) {
  std::optional<Attribute> mode =
      op->getInherentAttr("coordinate_transformation_mode");
  auto text = mode ? dyn_cast_or_null<StringAttr>(*mode) : StringAttr();
  return text && text.getValue() == "tf_half_pixel_for_nn";
}

static StringRef textOf(Operation *op, StringRef name) {
  return cast<StringAttr>(*op->getInherentAttr(name)).getValue();
}

static bool isCustom(Operation *op) {
  return op->getName().getStringRef() == "onnx.Custom";
}

/// An attribute of the node; null if it has none of that name.
static Attribute nodeAttribute(Operation *op, StringRef name) {
  if (!isCustom(op))
    return op->getInherentAttr(name).value_or(Attribute());
  auto all = dyn_cast_or_null<DictionaryAttr>(
      op->getInherentAttr("node_attributes").value_or(Attribute()));
  return all ? all.get(name) : Attribute();
}

/// The types of values, of which some may be null.
static SmallVector<Type> typesOf(ArrayRef<Value> values) {
  return llvm::map_to_vector(
      values, [](Value value) { return value ? value.getType() : Type(); });
}

void GraphExporter::addNode(NodeProto node, const OpSchema &schema,
                            ArrayRef<Value> inputs, ArrayRef<Value> outputs) {
  int needed = schema.since_version();
  auto wanted = state.wantedOpsets.find(node.domain());
  if (wanted != state.wantedOpsets.end())
    needed = std::max(wanted->second,
                      oldestVersion(node, schema, typesOf(inputs),
                                    typesOf(outputs), wanted->second));
  int &version = state.opsets[node.domain()];
  version = std::max(version, needed);
  // Several nodes may have been made of one, and names must be unique.
  if (!node.name().empty())
    node.set_name(uniqueIn(state.nodeNames, node.name()));
  *graph.add_node() = std::move(node);
}

void GraphExporter::nameOperands(Operation *op, const OpSchema &schema,
                                 ArrayRef<Value> inputs,
                                 ArrayRef<Value> outputs, NodeProto &node) {
  for (Value value : inputs)
    node.add_input(value ? state.names[value] : "");
  // A Loop without states names a condition even where it has none.
  while (node.input_size() < schema.min_input())
    node.add_input("");
  for (auto [index, value] : llvm::enumerate(outputs)) {
    if (value && !state.names.contains(value))
      state.nameValue(value, op, index);
    node.add_output(value ? state.names[value] : "");
    bool isOutput =
        value &&
        llvm::is_contained(value.getUsers(), op->getBlock()->getTerminator());
    if (value && !isOutput && isa<RankedTensorType>(value.getType()))
      describe(value, state.names[value], *graph.add_value_info());
  }
  // onnxruntime infers the number of words, even where it has no use.
  if (node.op_type() == "EmbedLayerNormalization" && node.output_size() == 1)
    node.add_output("");
}

LogicalResult GraphExporter::exportNode(Operation *op) {
  const OpSchema *schema = schema::lookupSchema(op);
  if (!schema)
    return op->emitError()
           << "'" << op->getName().getStringRef()
           << "' is not an operator of the standard and cannot be "
              "written to a model";
  if (isBeyondStandard(op))
    return op->emitError("coordinate_transformation_mode "
                         "'tf_half_pixel_for_nn' was in opset 11 only and "
                         "cannot be written to a model");
  FailureOr<SmallVector<Value>> inputs = schema::operandSlots(op, *schema);
  FailureOr<SmallVector<Value>> outputs = schema::resultSlots(op, *schema);
  assert(succeeded(inputs) && succeeded(outputs) && "the verifier counts them");
  NodeProto node;
  if (SmallVector<StringRef> names = namesOf(op->getLoc()); !names.empty())
    node.set_name(names.front().str());
  std::tie(*node.mutable_domain(), *node.mutable_op_type()) =
      isCustom(op)
          ? std::pair(textOf(op, "domain").str(), textOf(op, "op_type").str())
          : schema::splitOpName(op->getName().getStringRef());
  for (const auto &[name, declared] : schema->attributes()) {
    Attribute value = nodeAttribute(op, name);
    if (value && failed(schema::toProto(name, value, *node.add_attribute())))
      return op->emitError() << "attribute '" << name << "' cannot be written";
  }
  if (failed(exportGraphs(op, *schema, node)))
    return failure();
  nameOperands(op, *schema, *inputs, *outputs, node);
  addNode(std::move(node), *schema, *inputs, *outputs);
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool onnxc::exporter::isMadeIn(Block &block, Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block && !isConstant(op);
}

void GraphExporter::reserveOutputs(Block &block, ArrayRef<std::string> wanted) {
  Operation *end = block.getTerminator();
  for (auto [value, name] : llvm::zip_equal(end->getOperands(), wanted))
    if (isMadeIn(block, value))
      state.names.try_emplace(value, name);
}

std::string GraphExporter::outputName(Block &block, unsigned number,
                                      ArrayRef<std::string> wanted) {
  ValueRange values = block.getTerminator()->getOperands();
  if (!wanted.empty())
    return wanted[number];
  Value value = values[number];
  if (isMadeIn(block, value) &&
      !llvm::is_contained(values.take_front(number), value))
    return state.names[value];
  return state.uniqueName(state.names[value] + "_out");
}

void GraphExporter::addOutput(Value value, const std::string &name) {
  describe(value, name, *graph.add_output());
  if (state.names[value] == name)
    return;
  NodeProto node;
  node.set_op_type("Identity");
  node.add_input(state.names[value]);
  node.add_output(name);
  addNode(std::move(node), *schema::lookupSchema("onnx.Identity"), value,
          value);
}

LogicalResult GraphExporter::run(Block &block, ArrayRef<std::string> wanted) {
  if (!wanted.empty())
    reserveOutputs(block, wanted);
  for (Operation &op : block.without_terminator())
    if (failed(isConstant(&op) ? exportConstant(&op) : exportNode(&op)))
      return failure();
  for (auto [number, value] :
       llvm::enumerate(block.getTerminator()->getOperands()))
    addOutput(value, outputName(block, number, wanted));
  return success();
}
