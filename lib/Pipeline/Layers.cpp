//===- Layers.cpp - What becomes of the nodes of the model -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/MemoryPlan.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Pipeline/NodeTypes.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Occupancy.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

/// What krnl-plan-memory assumes for them as well.
static constexpr int64_t usualSize = 32;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of nodes by name and operator.
class LayerNumbers {
public:
  explicit LayerNumbers(ArrayRef<Layer> layers) {
    for (auto [number, layer] : llvm::enumerate(layers))
      numbers.try_emplace(keyOf(layer.name, layer.op), number);
  }

  /// The nodes of a location that are in the model.
  SmallVector<size_t> of(Location loc) const {
    SmallVector<size_t> found;
    for (const NodeName &node : nodesOf(loc))
      if (auto at = numbers.find(keyOf(node.name, node.op));
          at != numbers.end())
        found.push_back(at->second);
    return found;
  }

private:
  static std::string keyOf(StringRef name, StringRef op) {
    return (op + "\n" + name).str();
  }

  llvm::StringMap<size_t> numbers;
};

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
    bytes *= double(ShapedType::isDynamic(size) ? usualSize : size);
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
      report.unknownSize = usualSize;
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
        report.unknownSize = usualSize;
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

//===----------------------------------------------------------------------===//
// Work and memory
//===----------------------------------------------------------------------===//

/// How often `op` runs, as far as the bounds of loops are known.
static double timesRun(Operation *op) {
  double times = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    auto begin = getConstantIntValue(loop.getLowerBound());
    auto end = getConstantIntValue(loop.getUpperBound());
    auto step = getConstantIntValue(loop.getStep());
    if (begin && end && step && *step > 0 && *end > *begin)
      times *= double(llvm::divideCeil(*end - *begin, *step));
  }
  return times;
}

void onnxc::collectWork(ModuleOp level, LayerReport &report) {
  LayerNumbers numbers(report.layers);
  level.walk([&](krnl::KernelOp kernel) {
    double times = timesRun(kernel);
    SmallVector<size_t> ofKernel = numbers.of(kernel.getLoc());
    auto add = [&](Location loc, const KernelWork &work) {
      SmallVector<size_t> nodes = numbers.of(loc);
      if (nodes.empty())
        nodes = ofKernel;
      if (nodes.empty())
        return;
      auto main = report.replacements.find({nodes.begin(), nodes.end()});
      Layer &layer =
          report.layers[main == report.replacements.end() ? nodes.front()
                                                          : main->second];
      layer.multiplyAdds += times * work.multiplyAdds;
      layer.operations += times * work.operations;
    };
    forEachOperation(kernel, usualSize, add);
  });
}

/// The predicted cycles of a launch; none for a call of the runtime.
static double cyclesOf(Operation *launch) {
  auto terms = launch->getAttrOfType<ArrayAttr>(krnl::cyclesAttrName);
  if (!terms)
    return 0;
  double sum = 0;
  for (auto term : terms.getAsRange<ArrayAttr>()) {
    double cycles = cast<FloatAttr>(term[0]).getValueAsDouble();
    for (size_t i = 1; i < term.size(); ++i)
      cycles *= double(usualSize);
    sum += cycles;
  }
  return sum * timesRun(launch);
}

/// The main node of a launch: the first of those with most operations.
static std::optional<size_t> mainOf(ArrayRef<size_t> nodes,
                                    const LayerReport &report) {
  if (nodes.empty())
    return std::nullopt;
  return *llvm::max_element(nodes, [&](size_t a, size_t b) {
    return report.layers[a].operations < report.layers[b].operations;
  });
}

/// Adds the weights that a launch is the first to read.
static void collectWeights(Operation *launch, std::optional<size_t> layer,
                           DenseSet<int64_t> &seen, LayerReport &report) {
  for (Value operand : launch->getOperands()) {
    while (auto view = operand.getDefiningOp<ViewLikeOpInterface>())
      operand = view.getViewSource();
    auto weight = operand.getDefiningOp<krnl::WeightViewOp>();
    if (weight && layer && seen.insert(weight.getOffset()).second)
      report.layers[*layer].storedBytes +=
          staticBytes(weight.getOutput().getType());
  }
}

/// Notes the time of a launch on a device for its kernel.
static void collectDeviceLaunch(krnl::LaunchOp op, double cycles,
                                DeviceReport &report) {
  auto kernel = llvm::find_if(report.kernels, [&](const DeviceKernel &other) {
    return other.name == op.getKernel();
  });
  if (kernel == report.kernels.end()) {
    report.kernels.emplace_back().name = op.getKernel().str();
    kernel = std::prev(report.kernels.end());
  }
  auto clock = double(krnl::TargetAttr::processorOf(op).megahertz);
  auto least = op->getAttrOfType<FloatAttr>(krnl::rooflineCyclesAttrName);
  ++kernel->launches;
  kernel->microseconds += cycles / clock;
  if (least)
    kernel->rooflineMicroseconds +=
        least.getValueAsDouble() * timesRun(op) / clock;
}

static void collectLaunch(Operation *op, const LayerNumbers &numbers,
                          DenseSet<int64_t> &weights, Report &whole) {
  LayerReport &report = whole.nodes;
  LayerLaunch launch;
  auto kernel = dyn_cast<krnl::LaunchOp>(op);
  launch.function =
      (kernel ? kernel.getKernel() : cast<krnl::CallOp>(op).getCallee()).str();
  llvm::append_range(launch.layers, numbers.of(op->getLoc()));
  launch.cycles = cyclesOf(op);
  launch.mainLayer = mainOf(launch.layers, report);
  for (size_t layer : launch.layers)
    report.layers[layer].launches.push_back(report.launches.size());
  if (launch.mainLayer)
    report.layers[*launch.mainLayer].cycles += launch.cycles;
  collectWeights(op, launch.mainLayer, weights, report);
  launch.isOnDevice = kernel && !whole.device.name.empty();
  if (launch.isOnDevice)
    collectDeviceLaunch(kernel, launch.cycles, whole.device);
  report.launches.push_back(std::move(launch));
}

/// Takes the results of an operation that are in the pool.
static void collectPool(Operation *op, const LayerNumbers &numbers,
                        LayerReport &report) {
  if (!isa<krnl::AllocOp, krnl::CallOp>(op))
    return;
  for (Type type : op->getResultTypes()) {
    if (!isa<MemRefType, krnl::ObjType>(type))
      continue;
    PoolUse &use = report.pool.emplace_back();
    llvm::append_range(use.layers, numbers.of(op->getLoc()));
    auto buffer = dyn_cast<MemRefType>(type);
    if (buffer && buffer.hasStaticShape() &&
        buffer.getElementType().isIntOrFloat())
      use.bytes = staticBytes(buffer);
  }
}

/// Takes the plan of a function whose launches begin with number `begin`.
static void collectArena(func::FuncOp host, int64_t begin,
                         const LayerNumbers &numbers, LayerReport &report) {
  auto plan =
      dyn_cast_or_null<ArrayAttr>(host->removeAttr(krnl::arenaPlanAttrName));
  if (!plan)
    return;
  for (auto entry : plan.getAsRange<ArrayAttr>()) {
    auto number = [&](unsigned i) {
      return cast<IntegerAttr>(entry[i]).getInt();
    };
    ArenaSlotUse slot{
        number(0), number(1), begin + number(2), begin + number(3), {}};
    llvm::append_range(slot.layers, numbers.of(cast<LocationAttr>(entry[4])));
    report.arena.push_back(std::move(slot));
  }
}

void onnxc::collectPlan(ModuleOp level, Report &whole) {
  LayerReport &report = whole.nodes;
  if (target::hasDevice(level))
    whole.device.name = krnl::TargetAttr::of(level).getCpu().str();
  LayerNumbers numbers(report.layers);
  DenseSet<int64_t> weights;
  for (auto host : level.getOps<func::FuncOp>()) {
    if (host->hasAttr(krnl::KrnlDialect::kernelAttrName))
      continue;
    int64_t begin = int64_t(report.launches.size());
    host.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<krnl::LaunchOp, krnl::CallOp>(op))
        collectLaunch(op, numbers, weights, whole);
      collectPool(op, numbers, report);
    });
    collectArena(host, begin, numbers, report);
  }
}

/// Takes the copies between the host and the device.
static void collectCopies(ModuleOp level, Report &report) {
  LayerNumbers numbers(report.nodes.layers);
  level.walk([&](Operation *op) {
    if (!isa<krnl::CopyInOp, krnl::CopyOutOp>(op))
      return;
    DeviceCopy copy;
    copy.toDevice = isa<krnl::CopyInOp>(op);
    copy.times = timesRun(op);
    llvm::append_range(copy.layers, numbers.of(op->getLoc()));
    auto buffer = cast<MemRefType>(op->getOperand(0).getType());
    if (buffer.hasStaticShape())
      copy.bytes =
          buffer.getNumElements() * elementBytes(buffer.getElementType());
    report.device.copies.push_back(std::move(copy));
  });
}

void onnxc::collectKernels(ModuleOp level,
                           ArrayRef<target::KernelResources> resources,
                           Report &report) {
  std::string suffix = target::levelSuffix(level);
  krnl::TargetAttr target = krnl::TargetAttr::of(level);
  for (DeviceKernel &kernel : report.device.kernels) {
    auto function = level.lookupSymbol(kernel.name);
    auto threads = function ? function->getAttrOfType<IntegerAttr>(
                                  krnl::KrnlDialect::threadsAttrName)
                            : IntegerAttr();
    if (!threads)
      continue;
    kernel.threads = threads.getInt();
    for (const target::KernelResources &its : resources) {
      StringRef name = its.name;
      name.consume_back(suffix);
      if (name != kernel.name)
        continue;
      kernel.resources = its;
      // The assembler knows nothing of what launches ask for.
      if (auto shared = function->getAttrOfType<IntegerAttr>(
              krnl::KrnlDialect::sharedBytesAttrName))
        kernel.resources->sharedBytes += shared.getInt();
      kernel.occupancy =
          occupancyOf(target.getProcessor(), {kernel.threads, its.registers,
                                              kernel.resources->sharedBytes})
              .share;
    }
  }
}

namespace {

class PlanObserver : public PassInstrumentation {
public:
  explicit PlanObserver(Report &report) : report(report) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto level = dyn_cast<ModuleOp>(op);
    if (!level)
      return;
    ModuleOp model = level->getParentOfType<ModuleOp>();
    bool isReported = !model || targetModules(model).back() == level;
    if (pass->getArgument() == "krnl-place-launches" && isReported &&
        target::hasDevice(level))
      return collectCopies(level, report);
    if (pass->getArgument() != "krnl-plan-memory")
      return;
    if (isReported)
      return collectPlan(level, report);
    for (auto host : level.getOps<func::FuncOp>())
      host->removeAttr(krnl::arenaPlanAttrName);
  }

private:
  Report &report;
};

} // namespace

std::unique_ptr<PassInstrumentation> onnxc::makePlanObserver(Report &report) {
  return std::make_unique<PlanObserver>(report);
}
