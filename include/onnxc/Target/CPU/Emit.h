//===- Emit.h - LLVM dialect to machine code in memory ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CPU_EMIT_H
#define ONNXC_TARGET_CPU_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Target/Code/EmitModule.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace onnxc::target {

using IsWantedFn = llvm::function_ref<bool(mlir::Operation *symbol)>;

/// ".x86_64_v3": the end of the names of functions of the target's `module`
/// where the model has several; empty where this is the only one.
std::string levelSuffix(mlir::ModuleOp module);

/// Compiles the functions of `module` (LLVM dialect) for its target on all
/// threads of its context, at a level from 0 to 3, as in -O2: the host program
/// in one file, kernels in small batches, which are the same however many
/// threads there are. Stops early and fails once the budget of the context is
/// exhausted. Diagnoses operations that cannot be translated. With the name of
/// the model's file the code has debug information, which names nodes. Symbols
/// that `isWanted` is given for and refuses are left out.
mlir::FailureOr<std::vector<CodeFile>> emitCode(mlir::ModuleOp module,
                                                unsigned level, CodeKind kind,
                                                llvm::StringRef debugFile = "",
                                                IsWantedFn isWanted = nullptr);

/// The name of the level of `module` in an artefact: its processor, or for a
/// device the symbol name of `module`.
llvm::StringRef levelName(mlir::ModuleOp module);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CPU_EMIT_H
