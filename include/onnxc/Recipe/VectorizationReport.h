//===- VectorizationReport.h - Loops without vectors ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_VECTORIZATIONREPORT_H
#define ONNXC_RECIPE_VECTORIZATIONREPORT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include <string>

namespace onnxc {

/// A part of a program whose inner loop is no vector code, be it a structured
/// op of a kernel or a call of the runtime.
struct ScalarLoop {
  mlir::Location loc;
  /// Name of the kernel; empty for a call.
  std::string kernel;
  std::string reason;
  /// The nearest rewrite of the model, or that there is none.
  llvm::StringRef hint;
  /// The share of the estimated work of the whole program, 0 to 1.
  double share;
};

/// The number of times that a run executes `op`: each loop around it counts
/// `unknown` times, a way that is hardly ever taken none.
double timesRun(mlir::Operation *op, int64_t unknown);

/// All scalar loops of a program, most work first; none of kernels of a device.
/// Kernels must have their
/// recipes: each recipe is replayed on a nest, and the predicates of the
/// chooser give the reasons. Sizes that are not known count as `unknown`, as do
/// the steps of loops around kernels.
llvm::SmallVector<ScalarLoop> findScalarLoops(mlir::ModuleOp module,
                                              int64_t unknown = outerExtent);

/// The scalar loops of one kernel, most work first; shares are of its work.
llvm::SmallVector<ScalarLoop> findScalarLoops(krnl::KernelOp kernel,
                                              int64_t unknown = outerExtent);

} // namespace onnxc

#endif // ONNXC_RECIPE_VECTORIZATIONREPORT_H
