//===- Assembly.h - The code of the kernels of a node -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPLAIN_ASSEMBLY_H
#define ONNXC_LIB_EXPLAIN_ASSEMBLY_H

#include "onnxc/Explain/Explain.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// Adds the functions that launches of nodes call, with their instructions: on
/// a processor its assembly, on a device what its driver runs, or PTX where the
/// programs that make and read that are not there or, after a warning, fail.
/// `level` is a module of the phase llvm.
mlir::LogicalResult
addAssembly(mlir::ModuleOp level, unsigned optimization,
            llvm::function_ref<bool(llvm::StringRef)> isNode,
            Explanation &explanation);

} // namespace onnxc

#endif // ONNXC_LIB_EXPLAIN_ASSEMBLY_H
