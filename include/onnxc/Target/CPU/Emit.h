//===- Emit.h - LLVM dialect to machine code in memory ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_CPU_EMIT_H
#define ONNXC_TARGET_CPU_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Target/Target.h"
#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <vector>

namespace llvm {
class Module;
}

namespace onnxc::target {

/// An object file or a piece of assembly.
struct CodeFile {
  /// Of the kernel that it is about, for messages.
  std::string name;
  llvm::SmallVector<char, 0> bytes;
};

enum class CodeKind { Object, Assembly };

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

/// Is the target of `module` a device, with a host program for a processor?
bool hasDevice(mlir::ModuleOp module);
/// Its name among the levels of an artefact; of a device that of `module`.
llvm::StringRef levelName(mlir::ModuleOp module);

/// On a module for a device: the artefact has its kernels for the simulator of
/// the tests, too.
inline constexpr llvm::StringLiteral simulatedAttrName = "krnl.simulated";

/// Compiles the kernels of `module`, which `hasDevice()`, to the text that its
/// driver reads. Diagnoses operations that cannot be translated.
mlir::FailureOr<CodeFile> emitDeviceCode(mlir::ModuleOp module, unsigned level);

/// Compiles one LLVM module, optimised by the short pipeline. If `quick`,
/// registers and instructions are then chosen without looking around.
CodeFile emitModule(llvm::Module &module, krnl::TargetAttr target,
                    unsigned level, CodeKind kind, bool quick = false);

/// The short pipeline: clean up, hoist, no unrolling and no vectorising, which
/// recipes have done already. If `quick`, only passes of linear time in long
/// functions.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &target,
                    unsigned level, bool quick = false);

} // namespace onnxc::target

#endif // ONNXC_TARGET_CPU_EMIT_H
