//===- Extremes.h - Inputs with the extremes of tensors ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_EXTREMES_H
#define ONNXC_TOOLS_ONNX_RUN_EXTREMES_H

#include "Measure/StatisticsTable.h"

namespace onnxc::run {

/// The inputs for which the outputs of several runs have the smallest and the
/// largest finite element, and elements that are not finite. Of equal ones, the
/// first. Where a run has a batch, the entry of the batch as well.
class Extremes {
public:
  /// `input` names what the run was given, a batch of so many entries; 0: none.
  void add(const StatisticsTable &run, const std::string &input, int64_t batch);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value asJson() const;

private:
  struct Row {
    std::string name;
    double minimum = 0, maximum = 0;
    int64_t entryOfMinimum = -1, entryOfMaximum = -1; ///< -1: no batch
    /// The names of the inputs; empty if no input has such elements.
    std::string ofMinimum, ofMaximum, notFinite;
    int64_t notFiniteCount = 0;
  };

  std::vector<Row> rows;
  int64_t inputs = 0;
};

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_EXTREMES_H
