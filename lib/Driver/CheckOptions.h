//===- CheckOptions.h - Options that go together ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_CHECKOPTIONS_H
#define ONNXC_LIB_DRIVER_CHECKOPTIONS_H

#include "onnxc/Driver/Driver.h"
#include "onnxc/Target/IR/Target.h"

namespace onnxc {

/// The options with those that follow from others filled in.
CompileOptions completeOptions(const Input &input,
                               const CompileOptions &options);

/// Refuses a name that is one of another kind of file: a text that is loaded as
/// a library, or a library in the place of the model, are errors that show
/// late.
llvm::Error checkOutputName(const CompileOptions &options);

/// Refuses an option for a file beside the output where the output has none.
llvm::Error checkSideFiles(const CompileOptions &options);

/// Sets the targets of processors, and `levels` to those that code is made for.
llvm::Error resolveTargets(mlir::MLIRContext *context,
                           const CompileOptions &options,
                           llvm::SmallVectorImpl<krnl::TargetAttr> &targets,
                           llvm::SmallVectorImpl<krnl::TargetAttr> &levels);

/// The targets that the modules of lowered IR in the file `path` name. A single
/// module without gets the single one of `targets`.
llvm::Expected<llvm::SmallVector<krnl::TargetAttr>>
targetsOfModules(mlir::ModuleOp module, llvm::StringRef path,
                 llvm::ArrayRef<krnl::TargetAttr> targets);

/// Refuses --emit=lib for a target that loads no shared objects, or has no
/// runtime.
llvm::Error checkSharedObject(const CompileOptions &options,
                              krnl::TargetAttr target);

/// Refuses options that the targets do not have: processors, and the levels
/// that code is made for.
llvm::Error checkTargets(const CompileOptions &options,
                         llvm::ArrayRef<krnl::TargetAttr> targets,
                         llvm::ArrayRef<krnl::TargetAttr> levels);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_CHECKOPTIONS_H
