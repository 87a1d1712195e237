//===- Preparation.cpp - Checks before a compilation ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Options, targets, the names of outputs, custom operators.
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "Compilation.h"
#include "RunBudget.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Pipeline/RuntimeFolder.h"
#include "onnxc/Schema/CustomOps.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Target/Artefact/Link.h"
#include "onnxc/Target/Target.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace onnxc;

/// No more threads than there are processors.
void Compilation::startThreads() {
  if (options.threads == 1)
    return;
  llvm::ThreadPoolStrategy strategy =
      llvm::hardware_concurrency(options.threads);
  strategy.Limit = true;
  pool = std::make_unique<llvm::DefaultThreadPool>(strategy);
  context->setThreadPool(*pool);
}

/// Sets the targets of processors, and `levels` to those that code is made for.
llvm::Error
Compilation::checkOptions(SmallVectorImpl<krnl::TargetAttr> &levels) {
  if (llvm::Error error =
          resolveTargets(context.get(), options, targets, levels))
    return error;
  if (llvm::Error error = checkOutputName(options))
    return error;
  if (!observers)
    if (llvm::Error error = checkSideFiles(options))
      return error;
  reportTargets();
  if (llvm::Error error = checkTargets(options, targets, levels))
    return error;
  if (llvm::Error error = checkRunBudget(options))
    return error;
  if (!options.resume.empty() &&
      lastPhase(options.emit) < phaseNumber(options.resume))
    return llvm::createStringError("--emit=" + options.emit +
                                   " comes before --resume=" + options.resume);
  return llvm::Error::success();
}

Outcome Compilation::prepare() {
  DialectRegistry registry;
  registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  Budget::start(context.get(), options.limits, events.cancel);
  SmallVector<krnl::TargetAttr> levels;
  if (llvm::Error error = checkOptions(levels))
    return reject(std::move(error));
  if (llvm::Error error = checkFiles(levels))
    return failToWrite(std::move(error));
  warnOfRuntime();
  startThreads();
  return loadCustomOps();
}

/// Says so if constants would be computed but for the runtime.
void Compilation::warnOfRuntime() {
  bool folds = options.level > 0 &&
               (options.resume.empty() ||
                phaseNumber(options.resume) < phaseNumber("krnl")) &&
               lastPhase(options.emit) >= phaseNumber("onnx");
  if (!folds || !events.message || !findHostRuntime(options).empty())
    return;
  std::string folder = options.runtimeDir.empty()
                           ? "beside the compiler"
                           : "in '" + options.runtimeDir + "'";
  events.message({Severity::Warning, "",
                  "cannot find onnxc_rt.o " + folder +
                      ": fewer constants are computed at compile time; use "
                      "--runtime-dir"});
}

/// Whether files can be written is known before the work.
llvm::Error Compilation::checkFiles(ArrayRef<krnl::TargetAttr> levels) {
  outputs = outputsOf(options, levels);
  if (observers) {
    outputs.artefacts.clear();
    outputs.header.clear();
    outputs.weights.clear();
    outputs.constants.clear();
  }
  newRecipeFiles.clear();
  llvm::copy_if(
      outputs.recipes, std::back_inserter(newRecipeFiles),
      [](const std::string &file) { return !llvm::sys::fs::exists(file); });
  return checkOutputs(outputs);
}

Outcome Compilation::loadCustomOps() {
  if (options.customOpLibs.empty())
    return Outcome::Done;
  std::string runtime =
      options.runtimeDir.empty() ? findRuntime() : options.runtimeDir;
  auto &ops = context->getOrLoadDialect<onnx::ONNXDialect>()
                  ->addInterface<schema::CustomOps>();
  for (const std::string &path : options.customOpLibs) {
    llvm::Expected<target::CustomLibrary> library =
        target::CustomLibrary::load(path, runtime);
    if (!library)
      return reject(library.takeError());
    for (const auto &[name, function] : library->getEntries())
      if (llvm::Error error =
              ops.add(path, name, reinterpret_cast<OMCustomEntry>(function)))
        return reject(std::move(error));
    customLibraries.push_back(std::move(*library));
  }
  return Outcome::Done;
}

void Compilation::reportTargets() {
  report.target =
      (targets.front().getTriple() + " " + target::processorNames(targets))
          .str();
}

/// The modules of IR from the phase krnl on are for the targets that they name.
Outcome Compilation::takeTargets() {
  if (phaseNumber(options.resume) < phaseNumber("krnl"))
    return Outcome::Done;
  auto known = targetsOfModules(*module, input.path, targets);
  if (!known)
    return reject(known.takeError());
  targets = std::move(*known);
  if (llvm::Error error = checkSharedObject(options, targets.front()))
    return reject(std::move(error));
  reportTargets();
  llvm::Error error = checkFiles(targets);
  return error ? failToWrite(std::move(error)) : Outcome::Done;
}
