//===- Explain.cpp - What becomes of a node --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Explain/Explain.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"

#include "Assembly.h"
#include "ExplainKernel.h"
#include "FindNode.h"
#include "Remarks.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Recipe/RecipeFile.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Looks at one compilation.
class Explainer {
public:
  Explainer(const Input &input, const CompileOptions &options,
            const ExplainOptions &what, const Events &events,
            Explanation &explanation)
      : input(input), options(options), what(what), events(events),
        explanation(explanation) {}

  Outcome run();

private:
  void afterPhase(StringRef phase, ModuleOp module);
  void findNode(ModuleOp module);
  void takeRecipes(ModuleOp level);
  void takeKernels(ModuleOp level);
  void takeHost(ModuleOp level);
  void takeAssembly(ModuleOp level);
  void finish();
  void addRefusals();
  std::vector<RecipeChoice> recipesOf(krnl::KernelOp kernel);
  void fail(const Twine &message);

  /// A kernel of the node before kernels that share loops are merged.
  struct PlannedKernel {
    Operation *op;
    std::string name;
    Location loc;
    RecipeChoice recipe;
  };

  const Input &input;
  const CompileOptions &options;
  const ExplainOptions &what;
  const Events &events;
  Explanation &explanation;
  NodeFinder nodes;
  std::optional<NodeMatch> node;
  NodeRemarks remarks;
  std::vector<PlannedKernel> planned;
  /// Ends the compilation after an error.
  std::atomic<bool> hasFailed = false;
};

} // namespace

void Explainer::fail(const Twine &message) {
  hasFailed = true;
  if (events.message)
    events.message({Severity::Error, input.path, message.str()});
}

/// A node without an operation is the call of a function.
void Explainer::findNode(ModuleOp module) {
  nodes.refine(module);
  llvm::Expected<NodeMatch> found = nodes.find(what.name, explanation);
  if (!found)
    return fail(llvm::toString(found.takeError()));
  node = std::move(*found);
  bool isThere = false;
  module.walk(
      [&](Operation *op) { isThere = isThere || node->isIn(op->getLoc()); });
  node->isCall = !isThere;
  if (failed(collectRemarks(*module.getContext(), *node, remarks)))
    fail("remarks are not available");
}

void Explainer::takeRecipes(ModuleOp level) {
  SmallVector<krnl::KernelOp> kernels = krnl::kernelsOf(level);
  target::Processor processor = krnl::TargetAttr::processorOf(level);
  planned.clear();
  for (auto [key, each] : llvm::zip_equal(kernelKeys(kernels), kernels)) {
    krnl::KernelOp kernel = each;
    if (planned.size() < maxExplained && node->isIn(kernel.getLoc()))
      planned.push_back(
          {kernel, kernel.getName().str(), kernel.getLoc(),
           explainRecipe(kernel, key, processor, {options.strict})});
  }
}

/// Returns true if a kernel of the name, as `Conv+Relu`, can be merged from one
/// of the other name: it is one of its parts, or some that follow each other.
static bool isPartOfName(StringRef part, StringRef name) {
  return ("+" + name + "+").str().find(("+" + part + "+").str()) !=
         std::string::npos;
}

/// The recipe choices of the kernel, or of the kernels that it was merged from.
std::vector<RecipeChoice> Explainer::recipesOf(krnl::KernelOp kernel) {
  for (PlannedKernel &each : planned)
    if (each.op == kernel && each.name == kernel.getName() &&
        each.loc == kernel.getLoc())
      return {each.recipe};
  SmallVector<NodeName> all = nodesOf(kernel.getLoc());
  std::vector<RecipeChoice> recipes;
  for (PlannedKernel &each : planned)
    if (isPartOfName(each.name, kernel.getName()) &&
        llvm::all_of(nodesOf(each.loc), [&](const NodeName &name) {
          return llvm::is_contained(all, name);
        }))
      recipes.push_back(each.recipe);
  return recipes;
}

void Explainer::takeKernels(ModuleOp level) {
  krnl::TargetAttr target = krnl::TargetAttr::of(level);
  if (target && target.getProcessor().isDevice())
    explanation.device = target.getCpu().str();
  level->walk([&](krnl::KernelOp kernel) {
    if (!node->isIn(kernel.getLoc()) || ++explanation.numKernels > maxExplained)
      return;
    ExplainedKernel explained = explainKernel(kernel);
    explained.recipes = recipesOf(kernel);
    explanation.kernels.push_back(std::move(explained));
  });
}

/// What computes the node beside kernels.
void Explainer::takeHost(ModuleOp level) {
  llvm::SetVector<StringRef> calls, operations;
  level->walk([&](Operation *op) {
    if (op->getParentOfType<krnl::KernelOp>() || isa<krnl::KernelOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>() ||
        op->hasTrait<OpTrait::IsTerminator>() || !node->isIn(op->getLoc()))
      return;
    if (auto call = dyn_cast<krnl::CallOp>(op))
      calls.insert(call.getCallee());
    else
      operations.insert(op->getName().getStringRef());
  });
  for (StringRef name : calls)
    explanation.calls.push_back(name.str());
  for (StringRef name : operations)
    explanation.hostOperations.push_back(name.str());
}

void Explainer::takeAssembly(ModuleOp level) {
  auto isWanted = [&](StringRef name) { return node->isNode(name); };
  if (failed(addAssembly(level, options.level, isWanted, explanation)))
    fail("cannot make code");
}

void Explainer::afterPhase(StringRef phase, ModuleOp module) {
  if (hasFailed)
    return;
  ModuleOp level = targetModules(module).back();
  if (phase == "onnx-basic") {
    findNode(module);
  } else if (phase == "krnl") {
    takeKernels(level);
    takeHost(level);
  } else if (phase == "llvm") {
    takeAssembly(level);
  }
}

static bool isPartOf(ArrayRef<ExplainedNode> part, ArrayRef<ExplainedNode> of) {
  return llvm::all_of(part, [&](const ExplainedNode &node) {
    return llvm::is_contained(of, node);
  });
}

void Explainer::finish() {
  explanation.rewrites = std::move(remarks.rewrites);
  explanation.algorithms = std::move(remarks.algorithms);
  explanation.layouts = std::move(remarks.layouts);
  for (const ExplainedKernel &kernel : explanation.kernels)
    for (const ExplainedNode &other : kernel.nodes)
      if (explanation.fusedWith.size() < maxExplained &&
          !node->isNode(other.name) &&
          !llvm::is_contained(explanation.fusedWith, other))
        explanation.fusedWith.push_back(other);
  addRefusals();
}

/// Adds the refusals for pairs that are not one kernel in the end. Of several
/// with one reason, for kernels that grew, the last one is reported.
void Explainer::addRefusals() {
  ArrayRef<ExplainedRefusal> all = remarks.refusals;
  for (auto [number, refusal] : llvm::enumerate(all)) {
    auto isWithin = [&, &refusal = refusal](const ExplainedRefusal &later) {
      return later.reason == refusal.reason &&
             isPartOf(refusal.producer, later.producer) &&
             isPartOf(refusal.consumer, later.consumer);
    };
    auto isFused = [&, &refusal = refusal](const ExplainedKernel &kernel) {
      return isPartOf(refusal.producer, kernel.nodes) &&
             isPartOf(refusal.consumer, kernel.nodes);
    };
    if (llvm::none_of(all.drop_front(number + 1), isWithin) &&
        llvm::none_of(explanation.kernels, isFused))
      explanation.notFused.push_back(refusal);
  }
}

Outcome Explainer::run() {
  CompileOptions inspected = options;
  inspected.emit = what.assembly ? "llvm" : "krnl";
  inspected.output = "-";
  Events inner = events;
  Report report;
  Observers observers;
  observers.import = &nodes;
  observers.afterPhase = [&](StringRef phase, ModuleOp module) {
    afterPhase(phase, module);
  };
  observers.passName = "krnl-write-recipes";
  observers.afterPass = [&](ModuleOp level) {
    if (!hasFailed)
      takeRecipes(level);
  };
  observers.endsEarly = [&] { return hasFailed.load(); };
  explanation.model = input.path;
  Outcome outcome = inspect(input, inspected, inner, report, observers);
  explanation.target = report.target;
  if (hasFailed)
    return Outcome::Usage;
  if (outcome == Outcome::Done)
    finish();
  return outcome;
}

Outcome onnxc::explain(const Input &input, const CompileOptions &options,
                       const ExplainOptions &what, const Events &events,
                       Explanation &explanation) {
  explanation = {};
  return Explainer(input, options, what, events, explanation).run();
}
