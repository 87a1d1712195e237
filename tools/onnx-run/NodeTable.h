//===- NodeTable.h - Launches of an artefact and their nodes ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_NODETABLE_H
#define ONNXC_TOOLS_ONNX_RUN_NODETABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnxc::run {

/// What a launch does.
struct Work {
  /// The operations by the element type whose rate they have.
  std::map<std::string, double> operations;
  double bytes = 0;
};

/// A launch of a kernel, or a call of the runtime, in the host program.
struct Launch {
  std::string function;
  int64_t region = -1; ///< of the parallel region that it is in
  std::vector<size_t> nodes;
  /// The work in terms of sizes (krnl/IR/Launches.h); null if it is not known.
  llvm::json::Value work = nullptr;
  /// How many sizes the work depends on.
  size_t numSizes = 0;

  /// The work for these sizes. Nothing if it is not known.
  std::optional<Work> workOf(llvm::ArrayRef<int64_t> sizes) const;
};

/// The nodes of the model that the launches of an artefact come from.
class NodeTable {
public:
  /// Reads the table of the code for `cpu`. It has no launches if the artefact
  /// was stripped; a damaged one is an error.
  static llvm::Expected<NodeTable> read(llvm::StringRef path,
                                        llvm::StringRef cpu);

  /// False for an artefact that was stripped.
  bool hasNodes() const { return isKnown; }
  llvm::ArrayRef<Launch> getLaunches() const { return launches; }
  /// The peak rates of the device that launches are compiled for
  /// (lib/Driver/NodeTable.h); null for those of processors.
  const llvm::json::Object *getPeaks() const { return peaks.getAsObject(); }
  size_t getNumNodes() const { return nodes.size(); }
  /// "conv1 (Conv)".
  std::string nodeText(size_t node) const;
  /// The texts of all of the nodes, as by nodeText().
  std::string text(llvm::ArrayRef<size_t> numbers) const;
  /// {"name": "conv1", "op": "Conv"}.
  llvm::json::Object nodeJson(size_t node) const;
  llvm::json::Array json(llvm::ArrayRef<size_t> numbers) const;
  /// The nodes of all launches of a function.
  std::vector<size_t> nodesOf(llvm::StringRef function) const;

private:
  llvm::Error parse(llvm::StringRef text, llvm::StringRef cpu);
  bool parseNodes(const llvm::json::Array *list);
  bool parseLaunches(const llvm::json::Array *list);

  std::vector<std::pair<std::string, std::string>> nodes;
  std::vector<Launch> launches;
  bool isKnown = false;
  llvm::json::Value peaks = nullptr;
};

/// ": conv1 (Conv), relu1 (Relu)" of a row with such `nodes`; empty without
/// any.
std::string nodesText(const llvm::json::Object &row);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_NODETABLE_H
