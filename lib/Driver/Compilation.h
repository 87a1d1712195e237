//===- Compilation.h - The state of one compilation -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_COMPILATION_H
#define ONNXC_LIB_DRIVER_COMPILATION_H

#include "onnxc/Driver/Driver.h"
#include "onnxc/Driver/Outputs.h"
#include "onnxc/Driver/SourceFiles.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Target/Artefact/CustomLibrary.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/ThreadPool.h"

namespace onnxc {

/// The state of one compilation.
class Compilation {
public:
  Compilation(const Input &input, const CompileOptions &options,
              const Events &events, Report &report,
              const Observers *observers = nullptr)
      : input(input), options(options), events(events), report(report),
        observers(observers) {}

  Outcome run();

  /// Name of the step that did not end well.
  llvm::StringRef failedStep() const { return stepName; }

private:
  // Preparation.cpp
  Outcome prepare();
  Outcome takeTargets();
  void reportTargets();
  llvm::Error checkOptions(llvm::SmallVectorImpl<krnl::TargetAttr> &levels);
  llvm::Error checkFiles(llvm::ArrayRef<krnl::TargetAttr> levels);
  void warnOfRuntime();
  void startThreads();
  Outcome loadCustomOps();

  // Driver.cpp
  Outcome load();
  Outcome importModel();
  Outcome parsePhase();
  Outcome runPhases();
  Outcome runPhase(const Phase &phase);
  Outcome writeCode();
  Outcome writeText();
  Outcome readTimes();
  Outcome step(llvm::StringRef name, llvm::function_ref<Outcome()> work);
  Outcome fail(Outcome outcome, const llvm::Twine &message);
  Outcome reject(llvm::Error error);
  Outcome failToWrite(llvm::Error error);
  bool isCancelled() const { return events.cancel && *events.cancel; }
  bool isExhausted();
  unsigned countSteps() const;
  Outcome writeModel();
  Outcome write();
  void observe(llvm::StringRef phase);
  bool isCode() const { return llvm::is_contained(codeKinds, options.emit); }
  bool isModel() const { return options.emit == modelKind; }

  const Input &input;
  const CompileOptions &options;
  const Events &events;
  Report &report;
  /// The observers; if not null, nothing is written.
  const Observers *observers;
  /// The targets of the options, one for each level.
  llvm::SmallVector<krnl::TargetAttr> targets;
  /// Outlives the context, which refers to their operators.
  std::vector<target::CustomLibrary> customLibraries;
  std::unique_ptr<llvm::DefaultThreadPool> pool;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<SourceFiles> files;
  Outputs outputs;
  /// Recipe files that were not there before.
  std::vector<std::string> newRecipeFiles;
  unsigned stepNumber = 0;
  std::string stepName;
};

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_COMPILATION_H
