//===- Passes.h - Passes that need operator schemas ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_IMPORTER_PASSES_H
#define ONNXC_IMPORTER_PASSES_H

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace onnxc::importer {

#define GEN_PASS_DECL
#include "onnxc/Importer/Passes.h.inc"

/// The pass with the names of the operators to keep computed when it runs.
std::unique_ptr<mlir::Pass> createExpandFunctions(
    std::function<llvm::StringSet<>(mlir::MLIRContext *)> keptOps);

#define GEN_PASS_REGISTRATION
#include "onnxc/Importer/Passes.h.inc"

} // namespace onnxc::importer

#endif // ONNXC_IMPORTER_PASSES_H
