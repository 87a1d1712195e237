//===- StatisticsTable.h - Numbers of the outputs of a run ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_STATISTICSTABLE_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_STATISTICSTABLE_H

#include "onnxc/Values/Statistics.h"
#include "onnxc/Values/Value.h"

#include "llvm/Support/JSON.h"

namespace onnxc::run {

/// The taps of a model (onnx-compile --taps), which are its last outputs.
struct Taps {
  size_t count = 0;
  /// The nodes that compute tensors, by name, and of those in branches and
  /// bodies the branch or body, "loop/body". Such a tap is a list of what the
  /// tensor was each time, or has a dimension for that in front.
  llvm::json::Object nodes, bodies;

  static Taps of(const Artefact &artefact);
  bool isInBody(llvm::StringRef name) const { return bodies.get(name); }
};

/// The outputs of a run.
class StatisticsTable {
public:
  struct Row {
    std::string name, type;
    Statistics statistics;
    /// The first size of a tensor; 0 of others.
    int64_t entries = 0;
    /// How often a tensor in a branch or body was computed, and the first time
    /// that it had a NaN or an infinity, or -1; 0 and -1 of other tensors.
    int64_t times = 0, firstBadTime = -1;
  };

  explicit StatisticsTable(Taps taps) : taps(std::move(taps)) {}

  void add(const OMArgument &argument, const Value &value);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value asJson() const;
  llvm::ArrayRef<Row> getRows() const { return rows; }

private:
  void countTimes(Row &row, const Value &value);
  /// The first in the order of the nodes, in a body that of the first time;
  /// null if all elements are finite.
  const Row *firstNotFinite() const;
  const Row *firstOfBody(const Row &found) const;
  /// The node that computes it, if that is known.
  std::optional<llvm::StringRef> nodeOf(const Row &row) const {
    return taps.nodes.getString(row.name);
  }

  Taps taps;
  std::vector<Row> rows;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_STATISTICSTABLE_H
