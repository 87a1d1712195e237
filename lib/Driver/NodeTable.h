//===- NodeTable.h - Nodes in an artefact ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A section that is not loaded, JSON:
//
//   {"schema": 1,
//    "nodes": [["conv1", "Conv"], ["relu1", "Relu"]],
//    "levels": [{"cpu": "znver4", "launches": [
//      {"function": "kernel_Conv_Relu_0", "region": 0, "nodes": [0, 1]}]}]}
//
// Launches are in the order of the host program. One that is in no parallel
// region has no "region". A level with code for a device has its peak rates by
// the table of processors as well:
//
//   "peaks": {"gops_by_type": {"f32": 66908}, "gbytes_per_second": 4809}
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_NODETABLE_H
#define ONNXC_LIB_DRIVER_NODETABLE_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// The table for modules of the LLVM dialect, one for each level.
std::string nodeTable(llvm::ArrayRef<mlir::ModuleOp> levels);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_NODETABLE_H
