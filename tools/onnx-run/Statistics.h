//===- Statistics.h - Numbers of the outputs of a run -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXRUN_STATISTICS_H
#define ONNXC_TOOLS_ONNXRUN_STATISTICS_H

#include "Value.h"

#include "llvm/Support/JSON.h"

#include <limits>

namespace onnxc::run {

/// Of the elements of one value; of complex numbers, the real parts.
struct Statistics {
  int64_t elements = 0, zeros = 0, nans = 0, infinities = 0;

  void add(double element);
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
class StatisticsTable {
public:
  explicit StatisticsTable(size_t taps) : taps(taps) {}

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

  size_t taps;
  std::vector<Row> rows;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNXRUN_STATISTICS_H
