//===- SelectTarget.h - One module per target ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_PIPELINE_SELECTTARGET_H
#define ONNXC_LIB_PIPELINE_SELECTTARGET_H

#include "mlir/Pass/Pass.h"
#include "onnxc/Pipeline/Options.h"

namespace onnxc {

/// Gives a module the target that the options name, as `krnl.target`. If
/// `nest`, that is a module inside, named after the target, which takes the
/// functions: types of inputs and outputs are kept in the attribute `onnx.type`
/// before they change.
std::unique_ptr<mlir::Pass>
createSelectTargetPass(const CompileOptions &options, bool nest);

/// Registers it as `select-target`.
void registerSelectTargetPass();

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINE_SELECTTARGET_H
