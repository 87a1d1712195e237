//===- ModelFacts.cpp - Facts of a compiled model for its author *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModelFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/VectorizationReport.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc;

/// The node of the model that something comes from; empty if there is none.
static std::string nodeOf(Location loc) {
  SmallVector<NodeName> nodes = nodesOf(loc);
  return nodes.empty() ? "" : nodes.front().name.str();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DynamicSizes onnxc::findDynamicSizes(ModuleOp module) {
  DynamicSizes dynamic;
  auto function = module.lookupSymbol<func::FuncOp>("main_graph");
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto name = function.getArgAttrOfType<StringAttr>(number, "onnx.name");
    ArrayAttr dims = onnxc::onnx::declaredDims(function.getArgAttrDict(number));
    if (!type || !name || !dims || type.hasStaticShape())
      continue;
    std::vector<int64_t> shape;
    SmallVector<std::string> texts;
    bool isNamed = true;
    for (auto [size, dim] :
         llvm::zip_equal(type.getShape(), dims.getAsRange<StringAttr>())) {
      bool isDynamic = ShapedType::isDynamic(size);
      shape.push_back(isDynamic ? assumedSize : size);
      texts.push_back(isDynamic ? "SIZE" : std::to_string(size));
      if (isDynamic && !dim.empty())
        dynamic.names[dim.str()].push_back(name.str());
      isNamed &= !isDynamic || !dim.empty();
    }
    if (!isNamed)
      dynamic.shapes[name.str()] = {shape, llvm::join(texts, "x")};
  }
  return dynamic;
}

std::vector<Fact> onnxc::findDataDependentSizes(ModuleOp module) {
  onnx::DimAnalysis analysis(module);
  llvm::SetVector<Operation *> producers;
  // A size that is a symbol of its own follows from no other size.
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      for (AffineExpr dim : analysis.info(result).dims)
        dim.walk([&](AffineExpr part) {
          auto symbol = dyn_cast<AffineSymbolExpr>(part);
          if (!symbol)
            return;
          const onnx::DimSymbol &found =
              analysis.getSpace().symbol(symbol.getPosition());
          bool isOwn = found.kind == onnx::DimSymbol::Kind::Result ||
                       found.kind == onnx::DimSymbol::Kind::Element;
          Operation *producer =
              isOwn && found.value ? found.value.getDefiningOp() : nullptr;
          // Where the rank is not known, neither is the size, data or not.
          if (producer && llvm::none_of(producer->getOperandTypes(),
                                        llvm::IsaPred<UnrankedTensorType>))
            producers.insert(producer);
        });
  });
  std::vector<Fact> facts;
  for (Operation *op : producers)
    facts.push_back(
        {"data-dependent-size", nodeOf(op->getLoc()),
         "how many elements a result has depends on data, so memory for it and "
         "for what follows is taken during the run",
         "results of a fixed size, padded or masked, are planned when the "
         "model is compiled"});
  return facts;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Parts of the work below this are not worth a word.
static constexpr double minShare = 0.001;

/// The beginning of the reason of a node that has no kernel of a device.
static const std::string hostReason = "runs on the processor, not on the GPU: ";

/// Returns true for the module of a device, whose kernels all run there.
static bool isForDevice(ModuleOp module) {
  return krnl::TargetAttr::processorOf(module).isDevice();
}

std::vector<Fact> onnxc::findSlowNodes(ModuleOp module) {
  // A node may have several such loops.
  std::map<std::tuple<bool, std::string, std::string, StringRef>, double>
      shares;
  for (const ScalarLoop &part : findScalarLoops(module, assumedSize))
    shares[{part.kernel.empty(), nodeOf(part.loc), part.reason, part.hint}] +=
        part.share;
  bool isDevice = isForDevice(module);
  std::vector<Fact> facts;
  for (const auto &[key, share] : shares) {
    const auto &[isCall, node, reason, hint] = key;
    // Copies and waiting take their time however little the call does.
    if (isCall && isDevice)
      facts.push_back({"host", node, hostReason + reason, hint.str(), share});
    else if (share >= minShare)
      facts.push_back({isCall ? "runtime-call" : "scalar", node,
                       (isCall ? "no loops: " : "no vectors: ") + reason,
                       hint.str(), share});
  }
  return facts;
}

std::vector<Fact>
onnxc::findHostControlFlow(ModuleOp module,
                           llvm::function_ref<bool(StringRef)> isControlFlow) {
  if (!isForDevice(module))
    return {};
  SmallVector<std::string> nodes; // in the order of the program
  module.walk([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() > 0)
      if (std::string node = nodeOf(op->getLoc());
          isControlFlow(node) && !llvm::is_contained(nodes, node))
        nodes.push_back(std::move(node));
  });
  std::vector<Fact> facts;
  for (const std::string &node : nodes)
    facts.push_back({"host", node,
                     hostReason + "it waits for the GPU where a condition is "
                                  "computed there",
                     "Where in the place of If, and a Loop with a constant "
                     "number of steps, need no condition"});
  return facts;
}

/// The finding of a node with elements of 64 bits; nothing if it needs them
/// or if the operator has no other.
static std::optional<Fact>
wideFact(const std::string &node, double share,
         const std::map<std::string, WideResults> &results) {
  Fact fact{"wide-type", node, "computes with elements of 64 bits",
            "a Cast to float or int32 doubles the elements of a vector, where "
            "32 bits are enough for the values",
            share};
  auto found = results.find(node);
  if (found != results.end() && !found->second.isChosen)
    return std::nullopt;
  if (found == results.end() || !found->second.isKnown)
    return fact;
  const WideResults &wide = found->second;
  if (wide.hasIntegers) {
    if (!wide.range || !wide.range->smin().isSignedIntN(32) ||
        !wide.range->smax().isSignedIntN(32))
      return std::nullopt;
    fact.reason += llvm::formatv(", which are from {0} to {1}",
                                 wide.range->smin().getSExtValue(),
                                 wide.range->smax().getSExtValue());
  }
  if (wide.hasFloats)
    fact.reason += ", all of them of values that had 32";
  fact.hint = "32 bits are enough, and double the elements of a vector: a Cast "
              "before the node, or none";
  return fact;
}

std::vector<Fact>
onnxc::findWideTypes(ModuleOp module,
                     const std::map<std::string, WideResults> &results) {
  llvm::MapVector<std::string, double, std::map<std::string, unsigned>> wide;
  double total = 0;
  module.walk([&](krnl::KernelOp kernel) {
    double times = timesRun(kernel, assumedSize);
    forEachOperation(kernel, assumedSize,
                     [&](Location loc, const KernelWork &work) {
                       total += work.operations * times;
                       if (work.wideOperations > 0)
                         wide[nodeOf(loc)] += work.wideOperations * times;
                     });
  });
  std::vector<Fact> facts;
  for (const auto &[node, operations] : wide)
    if (operations > minShare * total)
      if (std::optional<Fact> fact =
              wideFact(node, operations / total, results))
        facts.push_back(std::move(*fact));
  return facts;
}

KernelCount onnxc::countKernels(ModuleOp module) {
  KernelCount count;
  module.walk([&](krnl::KernelOp kernel) {
    if (timesRun(kernel, assumedSize) == 0)
      return;
    ++count.all;
    count.dynamic += !kernel.getExtents().empty();
  });
  return count;
}
