//===- RefitTable.h - Where an artefact has which weights ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The record of a compilation with --refit has beside the rest:
//   "onnx.graph_blake3": the hash of everything but the numbers of the weights,
//   "refit": {"weights_bytes": 4096,
//             "options": [["dim", "batch=8"]],
//             "weights": [{"name": "w", "offset": 64,
//                          "type": "tensor<768x3072xf32>",
//                          "layout": "#krnl.packed<...>"}]}
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_REFITTABLE_H
#define ONNXC_LIB_DRIVER_REFITTABLE_H

#include "onnxc/Importer/Importer.h"
#include "onnxc/Pipeline/Options.h"
#include "llvm/Support/JSON.h"

namespace onnxc {

inline constexpr llvm::StringLiteral graphHashAttrName = "onnx.graph_blake3";

importer::ImportOptions importOptionsOf(const CompileOptions &options);

/// Sets the attribute of an imported module to the hash of its functions.
/// Neither names, files and the order of constants nor the bytes of weights
/// count.
void recordGraphHash(mlir::ModuleOp module);

/// Writes the members of "refit". `module` is the nested one, with
/// `krnl.weights`.
void writeRefitTable(llvm::json::OStream &json, mlir::ModuleOp module,
                     const CompileOptions &options);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_REFITTABLE_H
