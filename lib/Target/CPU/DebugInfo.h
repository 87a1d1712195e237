//===- DebugInfo.h - Nodes for debuggers -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A debugger shows the nodes that an instruction comes from as a function that
// is inlined into the kernel, or into the host program that launches it: its
// name is "conv1 (Conv), relu1 (Relu)", its line the number of the first of
// these nodes in the table of the artefact, counted from 1.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_CPU_DEBUGINFO_H
#define ONNXC_LIB_TARGET_CPU_DEBUGINFO_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc::target {

/// The lines of nodes, by their texts.
using NodeLines = llvm::StringMap<unsigned>;

/// The lines of the nodes of the launches of a module of the LLVM dialect.
NodeLines nodeLines(mlir::ModuleOp module);

/// Gives the functions of `module`, part of such a module, and all operations
/// in them locations that become debug information.
void addDebugInfo(mlir::ModuleOp module, llvm::StringRef file,
                  const NodeLines &lines);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_CPU_DEBUGINFO_H
