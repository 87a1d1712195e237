//===- EntryFunction.h - The function main_graph ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_ENTRYFUNCTION_H
#define ONNXC_LIB_IMPORTER_ENTRYFUNCTION_H

#include "GraphImporter.h"

namespace onnxc::importer {

/// Imports the graph of a model as function `main_graph` of `module`. Inputs
/// that have an initializer are constants, no arguments. Arguments and results
/// carry their names (`onnx.name`) and those of their dimensions
/// (`onnx.dims`). Fails where there are errors, unless the rest is kept.
mlir::LogicalResult importEntryFunction(ImportState &state,
                                        const ::onnx::ModelProto &model,
                                        mlir::ModuleOp module);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_ENTRYFUNCTION_H
