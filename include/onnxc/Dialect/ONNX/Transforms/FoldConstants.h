//===- FoldConstants.h - Evaluation of constants ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_FOLDCONSTANTS_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_FOLDCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace onnxc::onnx {

/// The interface for the evaluation of constants. Passes on the onnx dialect
/// select operations; the compiler executes them.
struct Evaluator {
  /// The results of the only function of `module`, which takes no arguments
  /// and is used up; or why there are none, which is no error of the model.
  using Results = llvm::Expected<llvm::SmallVector<mlir::TypedAttr>>;
  std::function<Results(mlir::ModuleOp module)> evaluate;
  /// Dialects that have to be loaded before it runs.
  std::function<void(mlir::DialectRegistry &)> registerDialects;

  explicit operator bool() const { return evaluate != nullptr; }
};

/// The pass onnx-fold-constants, and onnx-simplify with folding as the last
/// resort of each round; with `compiles` also rewrites that serve only a
/// compilation.
std::unique_ptr<mlir::Pass> createFoldConstants(Evaluator evaluator);
std::unique_ptr<mlir::Pass> createSimplify(Evaluator evaluator,
                                           bool compiles = false);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_FOLDCONSTANTS_H
