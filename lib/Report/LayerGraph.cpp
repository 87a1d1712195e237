//===- LayerGraph.cpp - Nodes, graphs and types in a report -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Layers.h"

#include "LayerNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using namespace onnxc;

namespace {

class GraphCollector {
public:
  /// Types are those of `types`: nodes that rewrites replace have no others.
  GraphCollector(LayerReport &report, onnx::DimAnalysis &types)
      : report(report), types(types) {}

  void collect(func::FuncOp main);

private:
  void collect(Block &block, size_t graph);
  void collect(Operation &op, size_t graph);
  void collectBodies(Operation &op, size_t layer);
  void addLayer(const NodeName &node, size_t graph) {
    Layer &layer = report.layers.emplace_back();
    layer.name = node.name.str();
    layer.op = node.op.str();
    layer.graph = graph;
  }
  void readOperands(Operation &op, size_t layer);
  void readConstant(Operation *constant, Layer &layer);
  void readLists(Operation &op, Layer &layer);
  void addWeights(int64_t bytes, int64_t parameters, Layer &layer);

  LayerReport &report;
  onnx::DimAnalysis &types;
  /// The node that computes a value, or -1 - N for input N.
  DenseMap<Value, int64_t> producers;
  DenseSet<Operation *> counted;
};

} // namespace

/// Bytes of a tensor whose unknown sizes are the usual one.
static int64_t usualBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !boundedBytes(tensor))
    return 0;
  double bytes = double(elementBytes(tensor.getElementType()));
  for (int64_t size : tensor.getShape())
    bytes *= double(ShapedType::isDynamic(size) ? krnl::usualSize : size);
  return int64_t(std::min(bytes, double(maxTensorBytes)));
}

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && !shaped.hasStaticShape();
}

/// Constants are indices and sizes if they are not numbers of less than 64
/// bits or floating point.
static bool isParameter(Type element) {
  return isa<FloatType, ComplexType>(element) ||
         (element.isInteger() && !element.isInteger(64) &&
          !element.isInteger(1));
}

void GraphCollector::readConstant(Operation *constant, Layer &layer) {
  auto type = dyn_cast<RankedTensorType>(constant->getResult(0).getType());
  if (!type || !type.hasStaticShape() || !counted.insert(constant).second)
    return;
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() && !element.isInteger(1)
                     ? element.getIntOrFloatBitWidth()
                     : 8 * elementBytes(element);
  addWeights(int64_t(llvm::divideCeil(type.getNumElements() * bits, 8)),
             isParameter(element) ? type.getNumElements() : 0, layer);
}

/// Models of ai.onnx.ml have their numbers in attributes.
void GraphCollector::readLists(Operation &op, Layer &layer) {
  if (!op.getName().getStringRef().starts_with("onnx.ml."))
    return;
  for (NamedAttribute attribute : op.getAttrDictionary())
    if (auto list = dyn_cast<DenseArrayAttr>(attribute.getValue()))
      addWeights(int64_t(list.getRawData().size()),
                 isParameter(list.getElementType()) ? list.getSize() : 0,
                 layer);
}

void GraphCollector::addWeights(int64_t bytes, int64_t parameters,
                                Layer &layer) {
  layer.weightBytes += bytes;
  layer.parameters += parameters;
  report.weightBytes += bytes;
  report.parameters += parameters;
}

void GraphCollector::readOperands(Operation &op, size_t number) {
  for (Value operand : op.getOperands()) {
    Operation *constant = operand.getDefiningOp();
    if (constant && isa<onnx::ConstantOp>(constant))
      readConstant(constant, report.layers[number]);
    auto producer = producers.find(operand);
    std::vector<int64_t> &inputs = report.layers[number].inputs;
    if (producer != producers.end() && producer->second != int64_t(number) &&
        !llvm::is_contained(inputs, producer->second))
      inputs.push_back(producer->second);
  }
}

/// If and its like: "then_branch"; Loop and Scan: "body".
static std::string bodyName(Operation &op, unsigned region) {
  if (op.getNumRegions() == 1)
    return "body";
  return region == 0 ? "then_branch" : "else_branch";
}

void GraphCollector::collectBodies(Operation &op, size_t layer) {
  for (Region &region : op.getRegions()) {
    if (region.empty())
      continue;
    size_t graph = report.graphs.size();
    report.graphs.push_back(
        {bodyName(op, region.getRegionNumber()), layer, {}});
    collect(region.front(), graph);
  }
}

void GraphCollector::collect(Operation &op, size_t graph) {
  if (isa<onnx::ConstantOp>(op))
    return;
  SmallVector<NodeName> nodes = nodesOf(op.getLoc());
  if (nodes.empty())
    return;
  // Several operations may be one node, of an older operator.
  size_t number = report.layers.size();
  NodeName node = nodes.front();
  if (number == 0 || report.layers.back().name != node.name ||
      report.layers.back().op != node.op || report.layers.back().graph != graph)
    addLayer(node, graph);
  else
    report.layers[--number].isSplit = true;
  readOperands(op, number);
  readLists(op, report.layers[number]);
  report.layers[number].types.clear();
  for (Value result : op.getResults()) {
    producers[result] = int64_t(number);
    Type type = types.type(result);
    report.layers[number].types.push_back(typeText(types, result));
    report.layers[number].activationBytes += usualBytes(type);
    if (isDynamic(type))
      report.unknownSize = krnl::usualSize;
  }
  collectBodies(op, number);
}

void GraphCollector::collect(Block &block, size_t graph) {
  for (Operation &op : block.without_terminator())
    collect(op, graph);
  for (Value output : block.getTerminator()->getOperands())
    if (auto at = producers.find(output); at != producers.end())
      report.graphs[graph].outputs.push_back(at->second);
}

void GraphCollector::collect(func::FuncOp main) {
  report.graphs.push_back({"main", std::nullopt, {}});
  for (BlockArgument argument : main.getArguments()) {
    auto name =
        main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name");
    producers[argument] = -1 - int64_t(argument.getArgNumber());
    report.inputs.push_back(
        {name ? name.str() : "", typeText(types, argument)});
  }
  if (!main.isDeclaration())
    collect(main.getBody().front(), 0);
}

void NodeResults::imported(const importer::ImportedNode &node) {
  std::vector<std::string> &outputs = names[nameOf(node.loc)];
  outputs.assign(node.outputs.begin(), node.outputs.end());
  types.add(node);
}

/// Gives a node of several operations the results that the model has.
static void takeResults(Layer &layer, const NodeTypes::Types &types) {
  layer.types.clear();
  layer.activationBytes = 0;
  for (auto [text, type] : llvm::zip_equal(types.results, types.resultTypes))
    if (!text.empty()) {
      layer.types.push_back(text);
      layer.activationBytes += usualBytes(type);
    }
}

void onnxc::collectGraph(ModuleOp model, NodeResults &results,
                         LayerReport &report) {
  report.isKnown = true;
  for (func::FuncOp function : model.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    onnx::DimAnalysis types(function);
    GraphCollector(report, types).collect(function);
    break;
  }
  results.types.refine(model);
  for (Layer &layer : report.layers) {
    layer.results = results.names.lookup(layer.name);
    const NodeTypes::Types *types = results.types.find(layer.name);
    if (types && layer.isSplit)
      takeResults(layer, *types);
  }
}

void onnxc::collectTypes(ModuleOp model, LayerReport &report) {
  LayerNumbers numbers(report.layers);
  onnx::DimAnalysis types(model);
  report.unknownSize = 0;
  model.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isDynamic(result.getType()))
        report.unknownSize = krnl::usualSize;
    SmallVector<size_t> nodes = numbers.of(op->getLoc());
    for (size_t node : nodes)
      if (nodes.size() > 1 &&
          report.layers[node].op == op->getName().stripDialect())
        report.replacements[{nodes.begin(), nodes.end()}] = node;
    if (nodes.size() != 1 || isa<onnx::ConstantOp>(op))
      return;
    Layer &layer = report.layers[nodes.front()];
    if (layer.isSplit || op->getName().stripDialect() != layer.op ||
        op->getNumResults() != layer.types.size())
      return;
    layer.activationBytes = 0;
    for (auto [type, result] : llvm::zip_equal(layer.types, op->getResults())) {
      type = typeText(types, result);
      layer.activationBytes += usualBytes(result.getType());
    }
  });
}
