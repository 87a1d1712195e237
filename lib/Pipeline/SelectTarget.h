//===- SelectTarget.h - One module per target ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_SELECTTARGET_H
#define ONNXC_PIPELINE_SELECTTARGET_H

#include "mlir/Pass/Pass.h"
#include "onnxc/Target/CPU/Machine.h"

namespace onnxc {

/// Bytes of a vector register that the machine's code should use.
int64_t nativeVectorBytes(const target::Machine &machine);

/// Moves the functions of a model into a nested module, named and described by
/// `krnl.target`, and keeps the types of inputs and outputs in the attribute
/// `onnx.type` before they change.
std::unique_ptr<mlir::Pass>
createSelectTargetPass(const target::Machine &machine);

} // namespace onnxc

#endif // ONNXC_PIPELINE_SELECTTARGET_H
