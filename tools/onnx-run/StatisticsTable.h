//===- StatisticsTable.h - Numbers of the outputs of a run ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXRUN_STATISTICSTABLE_H
#define ONNXC_TOOLS_ONNXRUN_STATISTICSTABLE_H

#include "Statistics.h"
#include "Value.h"

#include "llvm/Support/JSON.h"

namespace onnxc::run {

/// The outputs of a run, of which the last ones are taps (onnx-compile --taps).
/// `nodes` has the nodes that compute taps, by their names.
class StatisticsTable {
public:
  struct Row {
    std::string name, type;
    Statistics statistics;
    /// The first size of a tensor; 0 of others.
    int64_t entries = 0;
  };

  StatisticsTable(size_t taps, llvm::json::Object nodes)
      : taps(taps), nodes(std::move(nodes)) {}

  void add(const OMArgument &argument, const Value &value);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value asJson() const;
  llvm::ArrayRef<Row> getRows() const { return rows; }

private:
  /// The first in the order of the nodes; null if all elements are finite.
  const Row *firstNotFinite() const;
  /// The node that computes it, if that is known.
  std::optional<llvm::StringRef> nodeOf(const Row &row) const {
    return nodes.getString(row.name);
  }

  size_t taps;
  llvm::json::Object nodes;
  std::vector<Row> rows;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNXRUN_STATISTICSTABLE_H
