//===- EntryTaps.cpp - The outputs of --taps --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "EntryTaps.h"

#include "BodyTaps.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::GraphProto;
using ::onnx::ValueInfoProto;

ValueInfoProto onnxc::importer::findInfo(const GraphProto &graph,
                                         const std::string &name) {
  for (const auto *infos : {&graph.output(), &graph.value_info()})
    for (const ValueInfoProto &info : *infos)
      if (info.name() == name)
        return info;
  ValueInfoProto bare;
  bare.set_name(name);
  return bare;
}

/// Notes the tensors of --taps in branches and bodies, and the names that are
/// theirs. "all" leaves constants out, which are the same in each run.
void EntryTaps::collectOfBodies(const llvm::StringSet<> &wanted,
                                llvm::StringSet<> &found) {
  // These delete operations.
  if (!state.options.from.empty() || !state.options.to.empty())
    return;
  bool all = wanted.contains("all");
  forEachBodyTensor(graph, [&](const std::string &path,
                               const ::onnx::NodeProto &node,
                               const std::string &tensor) {
    bool isNamed = false;
    for (const std::string &name : {node.name(), tensor, path + tensor})
      if (!name.empty() && wanted.contains(name)) {
        found.insert(name);
        isNamed = true;
      }
    if (isNamed || (all && node.op_type() != "Constant"))
      state.wantedBodyTaps.insert(path + tensor);
    if (isNamed)
      namedOfBodies.insert(path + tensor);
  });
}

void EntryTaps::collect() {
  const std::vector<std::string> &taps = state.options.taps;
  bool all = llvm::is_contained(taps, "all");
  if (all && !state.options.from.empty())
    state.error(state.modelLoc)
        << "--taps=all and --from cannot be combined: name the tensors";
  llvm::StringSet<> wanted, present;
  wanted.insert_range(taps);
  for (const ValueInfoProto &output : outputs)
    present.insert(output.name());
  size_t before = outputs.size();
  auto add = [&](const std::string &name) {
    if (!name.empty() && present.insert(name).second)
      outputs.push_back(findInfo(graph, name));
  };
  llvm::StringSet<> nodes;
  collectOfBodies(wanted, nodes);
  for (const ::onnx::NodeProto &node : graph.node()) {
    bool isNamed = !node.name().empty() && wanted.contains(node.name());
    if (isNamed)
      nodes.insert(node.name());
    for (const std::string &name : node.output())
      if (all || isNamed || wanted.contains(name))
        add(name);
  }
  for (const std::string &name : taps)
    if (name != "all" && !nodes.contains(name))
      add(name);
  tapCount = outputs.size() - before;
}

/// "conv1 (Conv)"; empty for what no node computes.
static std::string nodeText(Location loc) {
  SmallVector<onnxc::NodeName> made = onnxc::nodesOf(loc);
  return made.empty()
             ? ""
             : (made.front().name + " (" + made.front().op + ")").str();
}

/// All taps in the order in which nodes compute them: those inside a node
/// before its own.
std::vector<EntryTaps::Tap> EntryTaps::inOrder(func::ReturnOp ret) {
  DenseMap<Operation *, size_t> order;
  ret->getParentOp()->walk(
      [&](Operation *op) { order.insert({op, order.size()}); });
  std::vector<Tap> taps;
  for (size_t i = outputs.size() - tapCount; i < outputs.size(); ++i) {
    Operation *made = ret.getOperand(i).getDefiningOp();
    taps.push_back({made ? order.lookup(made) : 0, i, {}});
  }
  for (const BodyTap &tap : state.bodyTaps) {
    Location loc = tap.value.getLoc();
    if (canHandOut(tap.value))
      taps.push_back({order.lookup(tap.value.getDefiningOp()),
                      outputs.size() + taps.size(), tap});
    else if (namedOfBodies.contains(tap.name))
      state.error(loc) << "--taps: " << quote(tap.name)
                       << " is not available: a Scan or SequenceMap around it "
                          "cannot return it";
  }
  llvm::sort(taps, [](const Tap &a, const Tap &b) {
    return std::tie(a.order, a.output) < std::tie(b.order, b.output);
  });
  return taps;
}

/// Makes outputs, which come last, of the tensors of branches and bodies.
/// handOut() replaces the operations around, whose results come later: values
/// of the main graph are those of the return.
void EntryTaps::handOutAll(func::ReturnOp ret, std::vector<Tap> &taps) {
  for (Tap &tap : llvm::reverse(taps))
    if (tap.ofBody.value) {
      ValueInfoProto info;
      info.set_name(tap.ofBody.name);
      Value value = tap.ofBody.value;
      tapNodes.set(info.name(),
                   builder.getStringAttr(nodeText(value.getLoc())));
      tapBodies.set(info.name(), builder.getStringAttr(tap.ofBody.body));
      tap.output = outputs.size();
      outputs.push_back(info);
      ret->insertOperands(ret.getNumOperands(), handOut(value));
    }
}

void EntryTaps::addBodyTaps(func::ReturnOp ret) {
  size_t others = outputs.size() - tapCount;
  std::vector<Tap> taps = inOrder(ret);
  handOutAll(ret, taps);
  std::vector<ValueInfoProto> infos(outputs.begin(), outputs.begin() + others);
  SmallVector<Value> results(ret.getOperands().take_front(others));
  for (const Tap &tap : taps) {
    infos.push_back(outputs[tap.output]);
    results.push_back(ret.getOperand(tap.output));
  }
  ret->setOperands(results);
  outputs = std::move(infos);
  tapCount = taps.size();
}

void EntryTaps::note(ModuleOp module, func::FuncOp function) {
  module->setAttr("onnx.taps", builder.getI64IntegerAttr(int64_t(tapCount)));
  auto results = function.front().getTerminator()->getOperands();
  for (auto [output, value] : llvm::zip_equal(
           ArrayRef(outputs).take_back(tapCount), results.take_back(tapCount)))
    if (std::string node = nodeText(value.getLoc());
        !node.empty() && !tapNodes.get(output.name()))
      tapNodes.set(output.name(), builder.getStringAttr(node));
  if (!tapNodes.empty())
    module->setAttr("onnx.tap_nodes", tapNodes.getDictionary(state.context));
  if (!tapBodies.empty())
    module->setAttr("onnx.tap_bodies", tapBodies.getDictionary(state.context));
}
