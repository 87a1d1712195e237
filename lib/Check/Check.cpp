//===- Check.cpp - Nodes that fail or cost time ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Check/Check.h"

#include "ModelFacts.h"
#include "onnxc/Driver/Messages.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Report/NodeTypes.h"
#include "onnxc/Support/NodeLocations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// The facts of one node as the importer sees it.
struct NodeFacts {
  std::string op;
  int64_t opset = 0;
};

/// Collects findings while the model is compiled.
class Checker final : public importer::ImportObserver {
public:
  Checker(const Input &input, const CompileOptions &options,
          const Events &events, Findings &result)
      : input(input), options(options), events(events), result(result) {}

  Outcome run();

  void imported(const importer::ImportedNode &node) override;
  void unread(Location loc, bool isInput) override;
  bool keepsRest() const override { return true; }

private:
  void addMessage(const Message &message);
  void complete(Finding &finding);
  void afterPhase(StringRef phase, ModuleOp module);
  void addUpgrades();
  void addSizes();
  Finding &add(Severity severity, StringRef kind, StringRef name,
               const Twine &reason, StringRef hint = "");
  Finding &add(Severity severity, const Fact &fact);
  KernelCount countFixed();
  void sort();

  const Input &input;
  const CompileOptions &options;
  const Events &events;
  Findings &result;
  llvm::StringMap<NodeFacts> nodes;
  NodeTypes types;
  /// By operator and version the nodes that were rewritten for the newest one.
  std::map<std::pair<std::string, int64_t>, std::vector<std::string>> upgraded;
  DynamicSizes dynamic;
  std::map<std::string, WideResults> wideResults;
  KernelCount kernels;
};

} // namespace

Finding &Checker::add(Severity severity, StringRef kind, StringRef name,
                      const Twine &reason, StringRef hint) {
  Finding &finding = result.findings.emplace_back();
  finding.severity = severity;
  finding.kind = kind.str();
  finding.name = name.str();
  finding.location =
      result.model + (name.empty() ? "" : ":\"" + finding.name + "\"");
  finding.reason = reason.str();
  finding.hint = hint.str();
  return finding;
}

Finding &Checker::add(Severity severity, const Fact &fact) {
  Finding &finding =
      add(severity, fact.kind, fact.node, fact.reason, fact.hint);
  finding.share = fact.share;
  return finding;
}

void Checker::imported(const importer::ImportedNode &node) {
  std::string name = cast<NameLoc>(node.loc).getName().str();
  NodeFacts &facts = nodes[name];
  bool isNew = facts.op.empty();
  facts.op = node.op;
  facts.opset = node.version;
  types.add(node);
  if (!isNew)
    return;
  if (node.isUpgraded)
    upgraded[{node.op, node.version}].push_back(name);
  if (!node.unread.empty())
    add(Severity::Note, "unused-result", name,
        "nothing reads " +
            listNames(llvm::to_vector_of<StringRef>(node.unread)));
}

void Checker::unread(Location loc, bool isInput) {
  add(Severity::Note, isInput ? "unused-input" : "unused-initializer",
      cast<NameLoc>(loc).getName(),
      isInput ? "nothing reads this input" : "nothing reads this initializer",
      isInput ? "" : "`onnx-compile simplify` leaves it out");
}

/// Adds what the importer knows of the node, and drops it from the reason.
void Checker::complete(Finding &finding) {
  auto found = nodes.find(finding.name);
  if (found == nodes.end())
    return;
  finding.op = found->second.op;
  finding.opset = found->second.opset;
  if (const NodeTypes::Types *known = types.find(finding.name)) {
    finding.operands = known->operands;
    finding.results = known->results;
  }
  StringRef text = finding.reason;
  text.consume_front("node '" + finding.name + "' (" + finding.op + "): ");
  if (text.starts_with("'onnx.") && text.contains("' op "))
    text = text.split("' op ").second;
  finding.reason = text.str();
}

void Checker::addMessage(const Message &message) {
  if (message.severity == Severity::Remark)
    return;
  if (message.severity == Severity::Note) {
    if (result.findings.empty())
      return;
    Finding &last = result.findings.back();
    last.hint += (last.hint.empty() ? "" : "; ") + message.text;
    return;
  }
  // An option or a file is at fault.
  if (message.location.empty() && events.message)
    return events.message(message);
  bool isError = message.severity == Severity::Error;
  Finding &finding =
      add(message.severity, isError ? "unsupported" : "model",
          message.nodes.empty() ? "" : message.nodes.front(), "");
  finding.location = message.location;
  finding.reason = message.text;
}

void Checker::addUpgrades() {
  for (const auto &[key, names] : upgraded)
    add(Severity::Note, "old-opset", names.front(),
        key.first + " of operator set " + Twine(key.second) +
            " is rewritten for the newest one" +
            (names.size() == 1
                 ? Twine()
                 : Twine(", in ") + Twine(names.size()) + " nodes"));
}

static bool isControlFlowOp(StringRef op) {
  return op == "If" || op == "Loop" || op == "Scan";
}

void Checker::afterPhase(StringRef phase, ModuleOp module) {
  if (phase == "onnx-basic") {
    dynamic = findDynamicSizes(module);
    types.refine(module);
  }
  if (phase == "onnx") {
    for (const Fact &fact : findDataDependentSizes(module))
      add(Severity::Warning, fact);
    wideResults = findWideResults(module);
  }
  if (phase != "krnl")
    return;
  ModuleOp best = targetModules(module).back();
  for (const Fact &fact : findSlowNodes(best))
    add(Severity::Warning, fact);
  auto isControlFlow = [&](StringRef node) {
    auto found = nodes.find(node);
    return found != nodes.end() && isControlFlowOp(found->second.op);
  };
  for (const Fact &fact : findHostControlFlow(best, isControlFlow))
    add(Severity::Warning, fact);
  for (const Fact &fact : findWideTypes(best, wideResults))
    add(Severity::Warning, fact);
  kernels = countKernels(best);
}

/// The kernels with all sizes of inputs known; none if the model takes no such
/// sizes.
KernelCount Checker::countFixed() {
  CompileOptions fixed = options;
  for (const auto &[name, inputs] : dynamic.names)
    fixed.dims[name] = assumedSize;
  for (const auto &[name, shape] : dynamic.shapes)
    fixed.shapes[name] = shape.first;
  KernelCount count;
  Observers observers;
  observers.afterPhase = [&](StringRef phase, ModuleOp module) {
    if (phase == "krnl")
      count = countKernels(targetModules(module).back());
  };
  Events quiet;
  quiet.cancel = events.cancel;
  Report unused;
  Outcome outcome = inspect(input, fixed, quiet, unused, observers);
  return outcome == Outcome::Done ? count : KernelCount();
}

void Checker::addSizes() {
  if (dynamic.names.empty() && dynamic.shapes.empty())
    return;
  size_t fixed = kernels.dynamic ? countFixed().all : 0;
  std::string costs =
      llvm::formatv("{0} of {1} kernels have loops of dynamic length",
                    kernels.dynamic, kernels.all);
  bool isLess = fixed && fixed < kernels.all;
  if (isLess)
    costs += llvm::formatv("; with sizes of {0} more nodes share kernels, of "
                           "which there are {1}",
                           assumedSize, fixed);
  // Kernels that are not fused write and read what is between them.
  Severity severity = isLess ? Severity::Warning : Severity::Note;
  for (const auto &[name, inputs] : dynamic.names)
    add(severity, "dynamic-size", inputs.front(),
        llvm::formatv("the size of dimension '{0}' of {1} is not known: {2}",
                      name, listNames(llvm::to_vector_of<StringRef>(inputs)),
                      costs),
        "--dim " + name + "=SIZE fixes it");
  for (const auto &[name, shape] : dynamic.shapes)
    add(severity, "dynamic-size", name,
        "sizes of the input are not known: " + costs,
        "--shape " + name + ":" + shape.second + " fixes them");
}

void Checker::sort() {
  std::map<std::string, size_t> kinds;
  std::vector<std::tuple<int, size_t, double, size_t>> order;
  for (const Finding &finding : result.findings) {
    int rank = finding.severity == Severity::Note ? 2 : int(finding.severity);
    size_t kind = kinds.try_emplace(finding.kind, kinds.size()).first->second;
    order.push_back({rank, kind, -finding.share, order.size()});
  }
  llvm::sort(order);
  std::vector<Finding> sorted;
  sorted.reserve(order.size());
  for (const auto &position : order)
    sorted.push_back(std::move(result.findings[std::get<3>(position)]));
  result.findings = std::move(sorted);
}

Outcome Checker::run() {
  result.model = input.path;
  Events own = events;
  own.message = [&](const Message &message) { addMessage(message); };
  own.output = nullptr;
  Observers observers;
  observers.import = this;
  observers.afterPhase = [&](StringRef phase, ModuleOp module) {
    afterPhase(phase, module);
  };
  Report report;
  Outcome outcome = inspect(input, options, own, report, observers);
  if (outcome == Outcome::Done)
    addSizes();
  addUpgrades();
  llvm::for_each(result.findings, [&](Finding &f) { complete(f); });
  sort();
  bool isRefused =
      outcome == Outcome::Rejected && result.count(Severity::Error);
  return isRefused ? Outcome::Done : outcome;
}

Outcome onnxc::check(const Input &input, const CompileOptions &options,
                     const Events &events, Findings &result) {
  result = {};
  CompileOptions inspected = options;
  inspected.emit = "krnl";
  inspected.output = "-";
  return Checker(input, inspected, events, result).run();
}
