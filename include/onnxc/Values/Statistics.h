//===- Statistics.h - Numbers in a tensor -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_VALUES_STATISTICS_H
#define ONNXC_VALUES_STATISTICS_H

#include "onnxc/Values/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <limits>

namespace onnxc::run {

/// Statistics of the elements of a value; for complex numbers, of the real
/// parts.
struct Statistics {
  int64_t elements = 0, zeros = 0, nans = 0, infinities = 0;

  /// Finite elements by equal parts of the range from minimum to maximum.
  std::array<int64_t, 16> histogram{};

  void add(double element);
  /// Counts an element in the histogram, after all have been added.
  void place(double element);
  int64_t finite() const { return elements - nans - infinities; }
  /// The extremes of the finite elements; 0 if there are none.
  double minimum() const { return smallest <= largest ? smallest : 0; }
  double maximum() const { return smallest <= largest ? largest : 0; }
  /// The positions of the first of these elements, counted over all elements.
  int64_t positionOfMinimum() const { return minPosition; }
  int64_t positionOfMaximum() const { return maxPosition; }
  double mean() const;

private:
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  int64_t minPosition = 0, maxPosition = 0;
  long double sum = 0; ///< which is finite where elements are
};

/// Visits the elements of a tensor, none of strings.
void forEachNumber(const Tensor &tensor,
                   llvm::function_ref<void(double)> visit);

} // namespace onnxc::run

#endif // ONNXC_VALUES_STATISTICS_H
