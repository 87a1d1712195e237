//===- Remarks.cpp - What passes remark on a node --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "mlir/IR/Remarks.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using mlir::remark::detail::Remark;

namespace onnxc {

std::vector<ExplainedNode> explainedNodes(Location loc) {
  std::vector<ExplainedNode> nodes;
  for (const NodeName &node : nodesOf(loc))
    nodes.push_back({node.name.str(), node.op.str()});
  return nodes;
}

/// The value of an argument of the remark; empty without it.
static std::string argument(const Remark &remark, StringRef key) {
  for (const Remark::Arg &arg : remark.getArgs())
    if (arg.key == key) {
      auto type = dyn_cast_or_null<TypeAttr>(arg.getAttribute());
      return type ? onnx::typeText(type.getValue()) : arg.val;
    }
  return "";
}

static std::optional<Location> producerOf(const Remark &remark) {
  for (const Remark::Arg &arg : remark.getArgs())
    if (auto loc = dyn_cast_or_null<LocationAttr>(arg.getAttribute()))
      return Location(loc);
  return std::nullopt;
}

namespace {
class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  Collector(const NodeMatch &node, NodeRemarks &remarks)
      : node(node), remarks(remarks) {}

  void streamOptimizationRemark(const Remark &remark) override;

private:
  void addRefusal(const Remark &remark, Location producer);

  NodeMatch node;
  NodeRemarks &remarks;
};
} // namespace

/// Passes may run more than once on a pair of kernels: the last reason counts.
void Collector::addRefusal(const Remark &remark, Location producer) {
  ExplainedRefusal refusal{remark.getCategoryName().str(),
                           argument(remark, "Reason"), explainedNodes(producer),
                           explainedNodes(remark.getLocation())};
  for (ExplainedRefusal &known : remarks.refusals)
    if (known.pass == refusal.pass && known.producer == refusal.producer &&
        known.consumer == refusal.consumer) {
      known = std::move(refusal);
      return;
    }
  if (remarks.refusals.size() < maxExplained)
    remarks.refusals.push_back(std::move(refusal));
}

template <typename T>
static void addOnce(std::vector<T> &list, T entry) {
  if (list.size() < maxExplained && !llvm::is_contained(list, entry))
    list.push_back(std::move(entry));
}

void Collector::streamOptimizationRemark(const Remark &remark) {
  std::optional<Location> producer = producerOf(remark);
  if (!node.isIn(remark.getLocation()) && !(producer && node.isIn(*producer)))
    return;
  std::lock_guard<std::mutex> lock(remarks.mutex);
  if (producer)
    return addRefusal(remark, *producer);
  StringRef name = remark.getRemarkName();
  if (name == "Algorithm")
    return addOnce(remarks.algorithms,
                   {argument(remark, "Remark"), argument(remark, "Reason")});
  if (name == "Layout")
    return addOnce(remarks.layouts,
                   {argument(remark, "Order"), argument(remark, "Type")});
  if (std::string from = argument(remark, "From"); !from.empty())
    addOnce(remarks.rewrites,
            {remark.getCategoryName().str(), name.str(), from,
             argument(remark, "Into"), explainedNodes(remark.getLocation())});
}

LogicalResult collectRemarks(MLIRContext &context, const NodeMatch &node,
                             NodeRemarks &remarks) {
  remark::RemarkCategories all;
  all.passed = all.missed = all.analysis = ".*";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(node, remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), all);
}

} // namespace onnxc
