//===- Driver.h - One compilation from model to artefact -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DRIVER_DRIVER_H
#define ONNXC_DRIVER_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Importer/Importer.h"
#include "onnxc/Pipeline/Options.h"
#include "onnxc/Report/Report.h"

#include <atomic>
#include <functional>
#include <optional>

namespace onnxc {

/// How a compilation ended.
enum class Outcome {
  Done,
  /// The model is invalid, or uses an unsupported feature.
  Rejected,
  /// An option or file name is at fault.
  Usage,
  /// The artefact needs more than the options allow.
  OverBudget,
  Cancelled,
  /// The compiler is at fault.
  Internal
};

enum class Severity { Error, Warning, Remark, Note };

/// One message. Notes follow the message they belong to.
struct Message {
  Severity severity;
  /// model.onnx:"node"; empty if it is about no position.
  std::string location;
  std::string text;
  /// The nodes of the model that it is about, each once.
  std::vector<std::string> nodes = {};
};

/// A step begins, or has ended after `seconds`.
struct Progress {
  unsigned number, total;
  llvm::StringRef name;
  std::optional<double> seconds;
};

/// Receives the events of a compilation. Calls come from the thread that
/// compiles.
struct Events {
  std::function<void(const Message &)> message;
  std::function<void(const Progress &)> progress;
  /// Receives the output when its path is "-".
  std::function<void(llvm::StringRef)> output;
  /// Set from any thread or signal handler; the compilation ends soon.
  const std::atomic<bool> *cancel = nullptr;
};

/// The input of a compilation: a file, or bytes with a name for messages.
struct Input {
  std::string path;
  std::optional<llvm::StringRef> bytes;
};

/// Compiles. Nothing is printed; files are written completely or not at all.
Outcome compile(const Input &input, const CompileOptions &options,
                const Events &events, Report &report);

/// The path of what compile() writes, "-" for what `Events::output` receives.
std::string outputOf(const Input &input, const CompileOptions &options);

/// Looks at a compilation from inside. Either may be left out.
struct Observers {
  /// The module after the import ("onnx-basic") and after each phase.
  std::function<void(llvm::StringRef phase, mlir::ModuleOp module)> afterPhase;
  importer::ImportObserver *import = nullptr;
  /// The module of a target after each pass of this name.
  llvm::StringRef passName = "";
  std::function<void(mlir::ModuleOp module)> afterPass = nullptr;
  /// Called after the import; returns true if no phases are to follow.
  std::function<bool()> endsEarly = nullptr;
};

/// Runs the phases up to that of --emit and writes nothing.
Outcome inspect(const Input &input, const CompileOptions &options,
                const Events &events, Report &report,
                const Observers &observers);

/// Writes to the output of the options the artefact at `artefact` with the
/// weights of `model`. Of the options the output and the limits count; the
/// artefact records the others. Files are written completely or not at all.
Outcome refit(llvm::StringRef artefact, const Input &model,
              const CompileOptions &options, const Events &events,
              Report &report);

} // namespace onnxc

#endif // ONNXC_DRIVER_DRIVER_H
