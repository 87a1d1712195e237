//===- Phases.h - The table of phases --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A compilation is import, then the phases of this table in order, then code.
// After each phase the IR is valid, can be printed and read back, and keeps the
// contract of the phase, which is checked.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_PHASES_H
#define ONNXC_PIPELINE_PHASES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "onnxc/Pipeline/Options.h"

namespace onnxc {

struct Phase {
  /// The name, as in --emit=.
  llvm::StringLiteral name;
  /// The property that holds afterwards.
  llvm::StringLiteral meaning;
  /// Adds the passes of the phase; null for the importer's own phase.
  void (*build)(mlir::OpPassManager &passes, const CompileOptions &options);
  /// Diagnoses IR that `meaning` does not hold for.
  mlir::LogicalResult (*contract)(mlir::ModuleOp module);
  /// True if a failure is an error of the model and not of the compiler.
  bool isAboutModel;
  /// True if the IR is verified after each pass. It is the model then, whose
  /// operators have verifiers that find errors of it. Other IR is verified when
  /// it is complete.
  bool verifiesEach;
};

/// The table, in order.
llvm::ArrayRef<Phase> phases();
/// Position of a phase in the table; the table's size for none.
size_t phaseNumber(llvm::StringRef name);
/// The position of the phase which the result of --emit= is made from.
size_t lastPhase(llvm::StringRef emit);

using PassObservers = std::vector<std::unique_ptr<mlir::PassInstrumentation>>;

/// Runs the passes of a phase. IR that is not verified after each of them is
/// when the phase is complete; with the option `verifyEach` all IR is verified
/// after each pass.
mlir::LogicalResult runPasses(const Phase &phase, mlir::ModuleOp module,
                              const CompileOptions &options,
                              PassObservers observers = {});

/// Values of --emit= other than phases.
inline constexpr llvm::StringLiteral codeKinds[] = {"asm", "obj", "static",
                                                    "lib", "ptx", "sass"};

/// --emit= of the simplified graph as a model: the phase onnx with every
/// operator kept.
inline constexpr llvm::StringLiteral modelKind = "model";

/// The modules, one per target, inside the module of a model from the phase
/// krnl on; the module itself if it has none.
llvm::SmallVector<mlir::ModuleOp> targetModules(mlir::ModuleOp module);

/// Makes the phases known to textual tools as pipelines named `phase-NAME`.
void registerPhasePipelines();

} // namespace onnxc

#endif // ONNXC_PIPELINE_PHASES_H
