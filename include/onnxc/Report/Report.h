//===- Report.h - The result of a compilation ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Data that the phases fill in (include/onnxc/Report/Layers.h), and that is
// printed as text, JSON and HTML. Bytes, operations and cycles are those of one
// run; dynamic sizes count as `unknownSize`.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_REPORT_H
#define ONNXC_REPORT_REPORT_H

#include "onnxc/Recipe/RecipeReport.h"
#include "onnxc/Report/DeviceReport.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// Work without vector code.
struct ScalarKernel {
  /// model.onnx:"node"
  std::string node;
  /// Name of the kernel; empty for a call of the runtime.
  std::string kernel;
  std::string reason;
  /// The share of the estimated work of the model, 0 to 1.
  double share;
};

/// A node of the model.
struct Layer {
  std::string name, op;
  /// Number of its graph in the list of graphs.
  size_t graph = 0;
  /// True if an upgrade rule made several operations of the node.
  bool isSplit = false;
  /// Types of its results, as "f32[batch, 16, 32, 32]".
  std::vector<std::string> types;
  /// Names of its results; empty where one is left out.
  std::vector<std::string> results;
  /// Nodes whose results it reads, each once; -1 - N is input N of the model.
  std::vector<int64_t> inputs;
  /// Elements and bytes of the constants that it reads in the model. Those of
  /// a constant count for the first node that reads it.
  int64_t parameters = 0, weightBytes = 0;
  /// Bytes of its constants in the artefact, as kernels read them.
  int64_t storedBytes = 0;
  /// Bytes of its results.
  int64_t activationBytes = 0;
  /// Machine code of the kernels that are counted for it.
  int64_t codeBytes = 0;
  double multiplyAdds = 0, operations = 0;
  /// Predicted for the kernels that are counted for it.
  double cycles = 0;
  /// Measured, if a profile is given.
  std::optional<double> milliseconds;
  /// The share of `milliseconds` that the machine's peaks allow, if the profile
  /// has it.
  std::optional<double> rooflineShare;
  /// Operations in a second, for the sizes of the measured run.
  std::optional<double> gflops;
  /// Numbers of the launches that compute it or a part of it.
  std::vector<size_t> launches;
};

/// The graph of the model, which is the first, or one in a node.
struct LayerGraph {
  /// "then_branch", "body".
  std::string name;
  /// The node that has it; none for the first.
  std::optional<size_t> layer;
  /// Nodes that give its outputs.
  std::vector<int64_t> outputs;
};

/// An input of the model.
struct LayerInput {
  std::string name, type;
};

/// A launch of a kernel, or a call of the runtime.
struct LayerLaunch {
  std::string function;
  /// The nodes that it computes; its costs are counted for the main one, that
  /// with most operations.
  std::vector<size_t> layers;
  std::optional<size_t> mainLayer;
  double cycles = 0;
  /// True for a launch on a device. Its kernel has a row in the report of the
  /// device then, and the launch a predicted time.
  bool isOnDevice = false;
  double microseconds = 0;
};

/// A buffer in the arena.
struct ArenaSlotUse {
  int64_t offset, bytes;
  /// The launches between which it is needed.
  int64_t first, last;
  /// The nodes that it holds results of.
  std::vector<size_t> layers;
};

/// A tensor or another object of the pool of a run.
struct PoolUse {
  /// The nodes that it is a result of.
  std::vector<size_t> layers;
  /// The number of bytes; no value where it is dynamic.
  std::optional<int64_t> bytes;
};

/// The nodes of the model, what became of them and what they cost.
struct LayerReport {
  /// True if the report was collected.
  bool isKnown = false;
  std::vector<Layer> layers;
  std::vector<LayerGraph> graphs;
  std::vector<LayerInput> inputs;
  std::vector<LayerLaunch> launches;
  std::vector<ArenaSlotUse> arena;
  std::vector<PoolUse> pool;
  /// Machine code of kernels and host program, and their constants, without
  /// weights and runtime.
  int64_t codeBytes = 0, constantBytes = 0;
  /// The number of elements and the bytes of all constants of the model, each
  /// once.
  int64_t parameters = 0, weightBytes = 0;
  /// The assumed value of a dynamic size; 0 if there is none.
  int64_t unknownSize = 0;
  /// The profile: milliseconds of a run.
  std::optional<double> milliseconds;
  /// The node with the operator of the operation that replaces several nodes,
  /// by these nodes: of a convolution and a normalization the convolution.
  std::map<std::vector<size_t>, size_t> replacements;
};

/// The result of a compilation.
struct Report {
  std::string model;
  /// The files that were written, the artefact first, or one for each GPU; "-"
  /// for a text.
  std::vector<std::string> outputs;
  std::string target;
  int64_t arenaBytes = 0;
  /// The size of the arena where sizes are dynamic, in words and by the names
  /// of dimensions.
  std::string arenaFormula;
  int64_t weightsBytes = 0;
  int64_t artefactBytes = 0;
  int64_t peakMemory = 0;
  unsigned kernels = 0;
  /// Shared libraries that the artefact needs where it is loaded.
  std::vector<std::string> libraries;
  /// Loops without vectors, most work first.
  std::vector<ScalarKernel> scalarKernels;
  /// The recipe choices, if they are to be explained: of kernels as a recipe
  /// file has them, before those that share loops are merged, in program order.
  std::vector<RecipeChoice> recipes;
  /// Steps with their seconds.
  std::vector<std::pair<std::string, double>> steps;
  LayerReport nodes;
  DeviceReport device;

  /// Sizes, recipes and times.
  std::string text() const;
  /// A table of the nodes, and when memory is needed.
  std::string nodesText() const;
  std::string json() const;
  /// One file without references to others, which shows the JSON.
  std::string html() const;
};

/// The launch at which the arena is fullest, and the slots that are in use
/// then, the largest first. None without a plan.
struct ArenaPeak {
  int64_t launch = 0, bytes = 0;
  std::vector<const ArenaSlotUse *> slots;
};
ArenaPeak findArenaPeak(const LayerReport &report);

/// conv1 (Conv), relu1 (Relu)
std::string layerNames(llvm::ArrayRef<size_t> layers,
                       const LayerReport &report);

/// The predicted time of the launches of the critical path of the device.
double criticalMicroseconds(const Report &report);

/// The kernels of the device that take most of its time, its critical path, and
/// the bytes that are copied; empty without a device.
std::string deviceText(const Report &report);

} // namespace onnxc

#endif // ONNXC_REPORT_REPORT_H
