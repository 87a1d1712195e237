//===- Layers.cpp - What becomes of the nodes of the model -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Layers.h"

#include "LayerNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/MemoryPlan.h"
#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Occupancy.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

void onnxc::collectWork(ModuleOp level, LayerReport &report) {
  LayerNumbers numbers(report.layers);
  krnl::AssumedValues sizes;
  level.walk([&](krnl::KernelOp kernel) {
    double times = krnl::timesRun(kernel, sizes);
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
    forEachOperation(kernel, krnl::usualSize, add);
  });
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
static void collectDeviceLaunch(krnl::LaunchOp op, LayerLaunch &launch,
                                krnl::AssumedValues &sizes,
                                DeviceReport &report) {
  auto kernel = llvm::find_if(report.kernels, [&](const DeviceKernel &other) {
    return other.name == op.getKernel();
  });
  if (kernel == report.kernels.end()) {
    report.kernels.emplace_back().name = op.getKernel().str();
    kernel = std::prev(report.kernels.end());
  }
  auto clock = double(krnl::TargetAttr::processorOf(op).megahertz);
  auto roofline = op->getAttrOfType<FloatAttr>(krnl::rooflineCyclesAttrName);
  ++kernel->launches;
  launch.microseconds = launch.cycles / clock;
  kernel->microseconds += launch.microseconds;
  if (roofline)
    kernel->rooflineMicroseconds +=
        roofline.getValueAsDouble() * krnl::timesRun(op, sizes) / clock;
}

static void collectLaunch(Operation *op, const LayerNumbers &numbers,
                          krnl::AssumedValues &sizes,
                          DenseSet<int64_t> &weights, Report &whole) {
  LayerReport &report = whole.nodes;
  LayerLaunch launch;
  auto kernel = dyn_cast<krnl::LaunchOp>(op);
  launch.function =
      (kernel ? kernel.getKernel() : cast<krnl::CallOp>(op).getCallee()).str();
  llvm::append_range(launch.layers, numbers.of(op->getLoc()));
  launch.cycles = krnl::predictedCycles(op, sizes);
  launch.mainLayer = mainOf(launch.layers, report);
  for (size_t layer : launch.layers)
    report.layers[layer].launches.push_back(report.launches.size());
  if (launch.mainLayer)
    report.layers[*launch.mainLayer].cycles += launch.cycles;
  collectWeights(op, launch.mainLayer, weights, report);
  launch.isOnDevice = kernel && !whole.device.name.empty();
  if (launch.isOnDevice)
    collectDeviceLaunch(kernel, launch, sizes, whole.device);
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

/// Takes the critical path of a function from its attribute; `begin` is its
/// first launch.
static void collectPath(func::FuncOp host, size_t begin, DeviceReport &report) {
  auto path = dyn_cast_or_null<DenseI64ArrayAttr>(
      host->removeAttr(krnl::criticalPathAttrName));
  if (!path)
    return;
  for (int64_t launch : path.asArrayRef())
    report.criticalPath.push_back(begin + size_t(launch));
}

void onnxc::collectPlan(ModuleOp level, Report &whole) {
  LayerReport &report = whole.nodes;
  if (target::hasDevice(level))
    whole.device.name = krnl::TargetAttr::of(level).getCpu().str();
  LayerNumbers numbers(report.layers);
  DenseSet<int64_t> weights;
  krnl::AssumedValues sizes;
  for (auto host : level.getOps<func::FuncOp>()) {
    if (host->hasAttr(krnl::KrnlDialect::kernelAttrName))
      continue;
    int64_t begin = int64_t(report.launches.size());
    host.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<krnl::LaunchOp, krnl::CallOp>(op))
        collectLaunch(op, numbers, sizes, weights, whole);
      collectPool(op, numbers, report);
    });
    collectArena(host, begin, numbers, report);
    collectPath(host, size_t(begin), whole.device);
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
    copy.times = krnl::timesRun(op);
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
      for (StringRef name :
           {krnl::arenaPlanAttrName, krnl::criticalPathAttrName})
        host->removeAttr(name);
  }

private:
  Report &report;
};

} // namespace

std::unique_ptr<PassInstrumentation> onnxc::makePlanObserver(Report &report) {
  return std::make_unique<PlanObserver>(report);
}
