//===- FormChoice.h - The cheaper of forms of a computation ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_FORMCHOICE_H
#define ONNXC_LIB_RECIPE_PASSES_FORMCHOICE_H

#include "mlir/IR/Location.h"
#include "onnxc/Recipe/CostModel.h"

#include <limits>
#include <optional>
#include <string>

namespace onnxc {

/// A form that a computation may have, with the cycles that are predicted for
/// it; none where no recipe of it is legal.
struct PredictedForm {
  std::string text;
  std::optional<double> cycles;
};

/// The choice between the form that a computation has and others that a pass
/// can give it, by their cycles.
class FormChoice {
public:
  /// Other forms have to take less than `gain` of the cycles of the form that
  /// is there; any legal one will do where that has no legal recipe.
  explicit FormChoice(PredictedForm before, double gain = minGainOfKind);

  /// Lets only forms that take less than `cycles` be taken.
  void limitTo(double cycles) { maxCycles = std::min(maxCycles, cycles); }
  /// Takes the form instead of all before it, and returns true, if it takes
  /// less time than these and than it has to.
  bool offer(PredictedForm form);
  /// The cycles of the cheapest form that was offered; infinity if none was.
  double cheapestOffered() const {
    return other.cycles.value_or(std::numeric_limits<double>::infinity());
  }
  /// Reports for the nodes of `loc` which form a pass has chosen, as the passed
  /// or missed remark "Algorithm", and returns true if a form was taken. One
  /// that was not is the cheapest of those that were offered.
  bool report(mlir::Location loc, llvm::StringRef pass) const;

private:
  PredictedForm before, other;
  double maxCycles;
  bool isTaken = false;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_FORMCHOICE_H
