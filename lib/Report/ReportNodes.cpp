//===- ReportNodes.cpp - Nodes of a report as text --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Report.h"
#include "onnxc/Support/ByteCount.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace onnxc;

std::string onnxc::layerNames(llvm::ArrayRef<size_t> layers,
                              const LayerReport &report) {
  std::string text;
  for (size_t number : layers) {
    const Layer &layer = report.layers[number];
    text += (text.empty() ? "" : ", ") + layer.name + " (" + layer.op + ")";
  }
  return text.empty() ? "no node" : text;
}

ArenaPeak onnxc::findArenaPeak(const LayerReport &report) {
  // Bytes in use change where a slot begins and past its end.
  std::map<int64_t, int64_t> changes;
  for (const ArenaSlotUse &slot : report.arena) {
    changes[slot.first] += slot.bytes;
    changes[slot.last + 1] -= slot.bytes;
  }
  ArenaPeak peak;
  int64_t bytes = 0;
  for (auto [launch, change] : changes)
    if (bytes += change; bytes > peak.bytes) {
      peak.launch = launch;
      peak.bytes = bytes;
    }
  for (const ArenaSlotUse &slot : report.arena)
    if (slot.first <= peak.launch && peak.launch <= slot.last)
      peak.slots.push_back(&slot);
  llvm::sort(peak.slots, [](const ArenaSlotUse *a, const ArenaSlotUse *b) {
    return std::pair(b->bytes, a->offset) < std::pair(a->bytes, b->offset);
  });
  return peak;
}

/// 1.2 M; nothing for 0.
static std::string countText(double count) {
  if (count == 0)
    return "-";
  constexpr const char *units[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (count >= 1000 && unit + 1 < std::size(units)) {
    count /= 1000;
    ++unit;
  }
  return unit == 0 ? llvm::formatv("{0:F0}", count).str()
                   : llvm::formatv("{0:F1}{1}", count, units[unit]).str();
}

static std::string bytesText(int64_t bytes) {
  return bytes == 0 ? "-" : sizeText(bytes);
}

/// The depth of a graph: that of the node that has it, and one more.
static unsigned depthOf(size_t graph, const LayerReport &report) {
  unsigned depth = 0;
  while (report.graphs[graph].layer) {
    graph = report.layers[*report.graphs[graph].layer].graph;
    ++depth;
  }
  return depth;
}

/// Where the work of a node is counted that has launches, none of which is its
/// own: " in conv1".
static std::string fusedText(size_t number, const LayerReport &report) {
  const Layer &layer = report.layers[number];
  if (layer.launches.empty())
    return "";
  for (size_t launch : layer.launches)
    if (report.launches[launch].mainLayer == number)
      return "";
  auto main = report.launches[layer.launches.front()].mainLayer;
  return main ? ", in " + report.layers[*main].name : "";
}

/// Time, share of the run, rate, and share of the roofline.
static std::string timesText(const Layer &layer, double milliseconds) {
  if (!layer.milliseconds)
    return std::string(36, ' ');
  double time = *layer.milliseconds;
  std::string roofline =
      layer.rooflineShare
          ? llvm::formatv("{0:F1} %", 100 * *layer.rooflineShare).str()
          : "-";
  std::string rate =
      layer.gflops ? llvm::formatv("{0:F2}", *layer.gflops).str() : "-";
  return llvm::formatv("{0,9:F4} {1,5:F1} % {2,8} {3,9}", time,
                       100 * time / milliseconds, rate, roofline);
}

static void printLayer(llvm::raw_ostream &os, size_t number, double cycles,
                       const LayerReport &report) {
  const Layer &layer = report.layers[number];
  os << llvm::formatv(
      "{0,9} {1,9} {2,9} {3,10} {4,10} {5,10} {6,10} {7,5:F1} %",
      countText(layer.multiplyAdds), countText(layer.operations),
      countText(double(layer.parameters)), bytesText(layer.weightBytes),
      bytesText(layer.storedBytes), bytesText(layer.activationBytes),
      bytesText(layer.codeBytes), 100 * layer.cycles / std::max(cycles, 1.0));
  if (report.milliseconds)
    os << timesText(layer, *report.milliseconds);
  os << "  " << std::string(2 * depthOf(layer.graph, report), ' ') << layer.name
     << " (" << layer.op << ")";
  if (!layer.types.empty())
    os << " " << layer.types.front();
  os << fusedText(number, report) << "\n";
}

static void printArena(llvm::raw_ostream &os, const Report &report) {
  os << "memory:      "
     << (report.arenaFormula.empty() ? sizeText(report.arenaBytes)
                                     : report.arenaFormula)
     << " for tensors between nodes";
  ArenaPeak peak = findArenaPeak(report.nodes);
  if (peak.slots.empty()) {
    os << "\n";
    return;
  }
  os << llvm::formatv("; {0} in use at launch {1} of {2}:\n",
                      sizeText(peak.bytes), peak.launch + 1,
                      report.nodes.launches.size());
  constexpr size_t maxSlots = 5;
  for (const ArenaSlotUse *slot :
       llvm::ArrayRef(peak.slots).take_front(maxSlots))
    os << llvm::formatv("  {0,10} at {1,-9} {2}\n", sizeText(slot->bytes),
                        slot->offset, layerNames(slot->layers, report.nodes));
}

std::string Report::nodesText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  double multiplyAdds = 0, operations = 0, cycles = 0;
  for (const Layer &layer : nodes.layers) {
    multiplyAdds += layer.multiplyAdds;
    operations += layer.operations;
    cycles += layer.cycles;
  }
  os << llvm::formatv("model:       {0}: {1} nodes, {2} multiply-adds, {3} "
                      "operations, {4} parameters\n",
                      model, nodes.layers.size(), countText(multiplyAdds),
                      countText(operations),
                      countText(double(nodes.parameters)))
     << "target:      " << target << "\n"
     << llvm::formatv("artefact:    {0}: {1} of weights ({2} in the model), "
                      "{3} of code, {4} of its constants\n",
                      sizeText(artefactBytes), sizeText(weightsBytes),
                      sizeText(nodes.weightBytes), sizeText(nodes.codeBytes),
                      sizeText(nodes.constantBytes));
  printArena(os, *this);
  os << deviceText(*this);
  os << llvm::formatv("cost:        {0} cycles of {1} predicted",
                      countText(cycles),
                      device.name.empty() ? "one thread" : "the device");
  if (nodes.milliseconds)
    os << llvm::formatv(", {0:F4} ms measured", *nodes.milliseconds);
  os << "\n";
  if (nodes.unknownSize)
    os << llvm::formatv("dynamic sizes count as {0}\n", nodes.unknownSize);
  os << "\n     MACs       ops    params    weights     stored "
        "   results       code    cost";
  if (nodes.milliseconds)
    os << "         ms   share  GFLOP/s   of peak";
  os << "  node\n";
  for (size_t number = 0; number < nodes.layers.size(); ++number)
    printLayer(os, number, cycles, nodes);
  return text;
}
