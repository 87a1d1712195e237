//===- Passes.h - Passes that need operator schemas ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_IMPORTER_PASSES_H
#define ONNXC_IMPORTER_PASSES_H

#include "mlir/Pass/Pass.h"

#include <functional>

namespace onnxc::importer {

#define GEN_PASS_DECL
#include "onnxc/Importer/Passes.h.inc"

/// Returns true for operations that are kept.
using IsKeptFn = std::function<bool(mlir::Operation *)>;

/// The pass; the predicate on operations to keep is made when it runs.
std::unique_ptr<mlir::Pass>
createExpandFunctions(std::function<IsKeptFn(mlir::MLIRContext *)> makeIsKept);

#define GEN_PASS_REGISTRATION
#include "onnxc/Importer/Passes.h.inc"

} // namespace onnxc::importer

#endif // ONNXC_IMPORTER_PASSES_H
