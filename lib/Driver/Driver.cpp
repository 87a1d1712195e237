//===- Driver.cpp - One compilation from model to artefact -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "Compilation.h"
#include "ModuleOutput.h"
#include "RefitTable.h"
#include "RunBudget.h"
#include "onnxc/Driver/Artefact.h"
#include "onnxc/Driver/Messages.h"
#include "onnxc/Report/Layers.h"

#include "mlir/Parser/Parser.h"
#include "onnxc/Exporter/Exporter.h"
#include "onnxc/Importer/Importer.h"
#include "onnxc/Recipe/VectorizationReport.h"
#include "onnxc/Support/Budget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <sys/resource.h>

using namespace mlir;
using namespace onnxc;

Outcome Compilation::fail(Outcome outcome, const Twine &message) {
  if (events.message)
    events.message({Severity::Error, "", message.str()});
  return outcome;
}

/// Reports an error of the options or of files that they name.
Outcome Compilation::reject(llvm::Error error) {
  return error ? fail(Outcome::Usage, llvm::toString(std::move(error)))
               : Outcome::Done;
}

/// A cancelled compilation reports nothing. Errors of the system, such as a
/// full disk, are no internal errors.
Outcome Compilation::failToWrite(llvm::Error error) {
  if (error.isA<OverBudget>()) {
    llvm::consumeError(std::move(error));
    return Outcome::OverBudget;
  }
  std::error_code code;
  std::string message;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    code = info.convertToErrorCode();
    message = info.message();
  });
  if (context && onnxc::isExhausted(context.get()))
    return Outcome::Rejected;
  bool isSystems = code.category() == std::system_category() ||
                   code.category() == std::generic_category();
  return fail(isSystems ? Outcome::Usage : Outcome::Internal, message);
}

/// Import, the phases up to that of the options, code.
unsigned Compilation::countSteps() const {
  size_t first = options.resume.empty() ? 0 : phaseNumber(options.resume);
  size_t last = lastPhase(options.emit);
  return 1 + (last - first) + (isCode() || isModel() ? 1 : 0);
}

Outcome Compilation::step(StringRef name, llvm::function_ref<Outcome()> work) {
  if (isCancelled())
    return Outcome::Cancelled;
  stepName = name.str();
  Progress progress{++stepNumber, countSteps(), name, std::nullopt};
  if (events.progress)
    events.progress(progress);
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = work();
  bool hasFailed = outcome != Outcome::Done && isExhausted();
  if (isCancelled())
    return Outcome::Cancelled;
  if (hasFailed)
    return Outcome::Rejected;
  progress.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  report.steps.emplace_back(name.str(), *progress.seconds);
  if (outcome == Outcome::Done && events.progress)
    events.progress(progress);
  return outcome;
}

/// Returns true, with an error unless it was cancelled, if there is no more
/// time or memory.
bool Compilation::isExhausted() {
  Location position =
      module ? module->getLoc() : Location(UnknownLoc::get(context.get()));
  return failed(Budget::find(context.get())->report(position));
}

Outcome Compilation::load() {
  files.emplace(input);
  Outcome outcome = options.resume.empty() ? importModel() : parsePhase();
  // A simplified model may replace its model.
  return outcome == Outcome::Done && options.emit != modelKind
             ? reject(files->checkOutputs(outputs.all()))
             : outcome;
}

Outcome Compilation::parsePhase() {
  module = input.bytes ? parseSourceString<ModuleOp>(*input.bytes,
                                                     context.get(), input.path)
                       : parseSourceFile<ModuleOp>(input.path, context.get());
  if (!module)
    return Outcome::Rejected;
  if (Outcome outcome = takeTargets(); outcome != Outcome::Done)
    return outcome;
  size_t number = phaseNumber(options.resume);
  const Phase &phase = phases()[number];
  // The next phase relies on it.
  if (lastPhase(options.emit) > number && failed(phase.contract(*module)))
    return fail(Outcome::Rejected, "'" + input.path +
                                       "' is not IR of the phase " +
                                       phase.name + ", as --resume says");
  return Outcome::Done;
}

Outcome Compilation::importModel() {
  importer::ImportSource source =
      input.bytes ? importer::ImportSource::memory(*input.bytes, input.path, "")
                  : importer::ImportSource::file(input.path);
  importer::ImportOptions importOptions = importOptionsOf(options);
  if (observers)
    importOptions.observer = observers->import;
  importOptions.opensFile = [&](StringRef path) { files->add(path); };
  NodeResults results;
  if (options.explainNodes && !importOptions.observer)
    importOptions.observer = &results;
  auto imported = importer::importModel(*context, source, importOptions);
  if (failed(imported))
    return Outcome::Rejected;
  module = std::move(*imported);
  if (options.refit)
    recordGraphHash(*module);
  if (options.explainNodes)
    collectGraph(*module, results, report.nodes);
  observe(phases().front().name);
  return Outcome::Done;
}

Outcome Compilation::runPhase(const Phase &phase) {
  // A device does not run all that a processor does.
  Outcome atFault = phase.isAboutModel || options.hasDevice()
                        ? Outcome::Rejected
                        : Outcome::Internal;
  PassObservers observers;
  if (options.verbose)
    observers.push_back(makePassTimer(events));
  if (phase.name == "krnl" && options.explainRecipes)
    observers.push_back(makeRecipeObserver(report, {options.strict}));
  if (phase.name == "loops" && options.explainNodes)
    observers.push_back(makePlanObserver(report));
  if (this->observers && this->observers->afterPass)
    observers.push_back(makeAfterPass(*this->observers));
  if (failed(runPasses(phase, *module, options, std::move(observers))) ||
      onnxc::isExhausted(context.get()) || failed(phase.contract(*module)))
    return atFault;
  if (report.nodes.isKnown && phase.name == "onnx")
    collectTypes(*module, report.nodes);
  if (report.nodes.isKnown && phase.name == "krnl")
    collectWork(targetModules(*module).back(), report.nodes);
  // Once there are recipes, and before there is only code.
  if (phase.name == "krnl" && !options.hasDevice())
    for (ScalarLoop &part : findScalarLoops(targetModules(*module).back()))
      report.scalarKernels.push_back({locationText(part.loc),
                                      std::move(part.kernel),
                                      std::move(part.reason), part.share});
  observe(phase.name);
  return Outcome::Done;
}

void Compilation::observe(StringRef phase) {
  if (observers && observers->afterPhase)
    observers->afterPhase(phase, *module);
}

Outcome Compilation::runPhases() {
  size_t first = options.resume.empty() ? 0 : phaseNumber(options.resume);
  size_t last = lastPhase(options.emit);
  for (size_t i = first + 1; i <= last; ++i) {
    const Phase &phase = phases()[i];
    Outcome outcome = step(phase.name, [&] { return runPhase(phase); });
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

Outcome Compilation::writeText() {
  return reject(writeModuleText(*module, {options, events, *files, outputs}));
}

Outcome Compilation::writeModel() {
  exporter::ExportOptions write;
  if (!outputs.constants.empty())
    write.dataFile = llvm::sys::path::filename(outputs.constants).str();
  else if (options.externalWeights)
    return fail(Outcome::Usage, "--weights=external needs a file to write to");
  if (options.externalWeights)
    write.embeddedLimit = 0;
  FailureOr<exporter::ExportedModel> model =
      exporter::exportModel(*module, write);
  if (failed(model))
    return Outcome::Rejected;
  llvm::Error error =
      writeModelFiles(*model, {options, events, *files, outputs});
  return error ? failToWrite(std::move(error)) : Outcome::Done;
}

/// Shows the times of a profile at the nodes.
Outcome Compilation::readTimes() {
  if (options.times.empty())
    return Outcome::Done;
  auto file = llvm::MemoryBuffer::getFile(options.times);
  if (!file)
    return fail(Outcome::Usage, "cannot read '" + options.times +
                                    "': " + file.getError().message());
  if (llvm::Error error = collectTimes((*file)->getBuffer(), report.nodes))
    return fail(Outcome::Usage,
                "'" + options.times + "' " + llvm::toString(std::move(error)));
  return Outcome::Done;
}

Outcome Compilation::writeCode() {
  if (Outcome outcome = readTimes(); outcome != Outcome::Done)
    return outcome;
  ArtefactInputs inputs{input,  options, events,         report,
                        *files, outputs, customLibraries};
  llvm::Error error = writeArtefact(targetModules(*module), inputs);
  return error ? failToWrite(std::move(error)) : Outcome::Done;
}

static int64_t peakMemory() {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024 : 0;
}

Outcome Compilation::write() {
  if (isCode())
    return step("code", [&] { return writeCode(); });
  if (isModel())
    return step("export", [&] { return writeModel(); });
  return writeText();
}

Outcome Compilation::run() {
  Outcome outcome = prepare();
  if (outcome != Outcome::Done)
    return outcome;
  MessageHandler handler(*context, events, options.verbose);
  outcome = step("import", [&] { return load(); });
  bool ends = observers && observers->endsEarly && observers->endsEarly();
  if (outcome == Outcome::Done && !ends)
    outcome = runPhases();
  if (outcome == Outcome::Done && !observers)
    outcome = write();
  if (outcome == Outcome::Cancelled)
    for (const std::string &file : newRecipeFiles)
      (void)llvm::sys::fs::remove(file);
  if (!report.weightsBytes)
    outputs.weights.clear();
  llvm::SmallVector<std::string> written = outputs.all();
  if (!observers)
    report.outputs.assign(written.begin(), written.end());
  report.peakMemory = peakMemory();
  return outcome;
}

/// After an internal error: the IR that went into the failed step, in a file
/// beside the output, and how to see the error again.
static void writeReproducer(const Input &input, const CompileOptions &options,
                            const Events &events, StringRef failed) {
  size_t number = std::min(phaseNumber(failed), phases().size());
  StringRef before = phases()[number == 0 ? 0 : number - 1].name;
  if (options.output == "-" || before == options.resume)
    return;
  CompileOptions again = options;
  again.emit = before.str();
  again.output = options.output + ".reproducer.mlir";
  again.emitHeader = again.externalWeights = false;
  Events quiet;
  Report unused;
  if (Compilation(input, again, quiet, unused).run() == Outcome::Done &&
      events.message)
    events.message({Severity::Note, "",
                    "the error comes again with: onnx-compile " + again.output +
                        " --resume=" + before.str()});
}

std::string onnxc::outputOf(const Input &input, const CompileOptions &options) {
  return completeOptions(input, options).output;
}

Outcome onnxc::inspect(const Input &input, const CompileOptions &options,
                       const Events &events, Report &report,
                       const Observers &observers) {
  CompileOptions inspected = completeOptions(input, options);
  return Compilation(input, inspected, events, report, &observers).run();
}

Outcome onnxc::compile(const Input &input, const CompileOptions &options,
                       const Events &events, Report &report) {
  CompileOptions completed = completeOptions(input, options);
  report.model = input.path;
  report.outputs = {completed.output};
  Compilation compilation(input, completed, events, report);
  Outcome outcome = compilation.run();
  if (outcome == Outcome::Internal)
    writeReproducer(input, completed, events, compilation.failedStep());
  return outcome;
}
