//===- Statistics.h - Numbers of the outputs of a run -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXRUN_STATISTICS_H
#define ONNXC_TOOLS_ONNXRUN_STATISTICS_H

#include "Value.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <limits>

namespace onnxc::run {

/// Of the elements of one value; of complex numbers, the real parts.
struct Statistics {
  int64_t elements = 0, zeros = 0, nans = 0, infinities = 0;

  /// Finite elements by equal parts of the range from minimum to maximum.
  std::array<int64_t, 16> histogram{};

  void add(double element);
  /// Counts an element in the histogram, after all have been added.
  void place(double element);
  /// Of the finite elements; 0 if there are none.
  double minimum() const { return least <= largest ? least : 0; }
  double maximum() const { return least <= largest ? largest : 0; }
  double mean() const;

private:
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
};

/// The outputs of a run, of which the last ones are taps (onnx-compile --taps).
/// `nodes` has the nodes that compute taps, by their names.
class StatisticsTable {
public:
  StatisticsTable(size_t taps, llvm::json::Object nodes)
      : taps(taps), nodes(std::move(nodes)) {}

  void add(const OMArgument &argument, const Value &value);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value asJson() const;

private:
  struct Row {
    std::string name, type;
    Statistics statistics;
  };

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

#endif // ONNXC_TOOLS_ONNXRUN_STATISTICS_H
