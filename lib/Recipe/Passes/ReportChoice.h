//===- ReportChoice.h - Remarks of passes that compare costs ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_REPORTCHOICE_H
#define ONNXC_LIB_RECIPE_PASSES_REPORTCHOICE_H

#include "mlir/IR/Location.h"
#include <optional>
#include <string>

namespace onnxc {

/// A form that a computation may have, with the cycles that are predicted for
/// it; none where no recipe of it is legal.
struct PredictedForm {
  std::string text;
  std::optional<double> cycles;
};

/// Reports which of two forms a pass has chosen for the nodes of `loc`, as the
/// passed or missed remark "Algorithm".
void reportChoice(mlir::Location loc, llvm::StringRef pass, bool isRewritten,
                  const PredictedForm &before, const PredictedForm &after);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_REPORTCHOICE_H
