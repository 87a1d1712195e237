//===- Messages.cpp - Diagnostics as messages ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Driver/Messages.h"

#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <mutex>

using namespace mlir;
using namespace onnxc;

std::string onnxc::locationText(Location location) {
  return pathOf(location, shortName);
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Note;
}

static std::vector<std::string> nodeNames(Location location) {
  std::vector<std::string> names;
  for (NodeName node : nodesOf(location))
    names.push_back(node.name.str());
  return names;
}

static void report(const Events &events, Diagnostic &diagnostic, bool verbose) {
  if (!events.message)
    return;
  std::string location = locationText(diagnostic.getLocation());
  std::vector<std::string> nodes = nodeNames(diagnostic.getLocation());
  events.message({severityOf(diagnostic.getSeverity()), location,
                  printable(onnx::messageText(diagnostic), "\n\t"), nodes});
  // The location has the first one.
  bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
  if (nodes.size() > 1 && !isRemark)
    events.message({Severity::Note, location,
                    "it comes from the nodes " +
                        listNames(llvm::to_vector_of<StringRef>(nodes)),
                    nodes});
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = onnx::messageText(note);
    if (!verbose && StringRef(text).starts_with("see current operation"))
      continue;
    events.message({Severity::Note, locationText(note.getLocation()),
                    printable(text, "\n\t"), nodeNames(note.getLocation())});
  }
}

MessageHandler::MessageHandler(MLIRContext &context, const Events &events,
                               bool verbose)
    : ScopedDiagnosticHandler(&context) {
  // Passes report from several threads.
  auto mutex = std::make_shared<std::mutex>();
  auto errors = std::make_shared<llvm::StringSet<>>();
  setHandler(
      [&events, verbose, mutex, errors, &context](Diagnostic &diagnostic) {
        std::lock_guard<std::mutex> lock(*mutex);
        // Errors of interrupted passes are not errors of the model.
        Budget *budget = Budget::find(&context);
        if (budget && budget->hidesErrors())
          return;
        // Each level may find the same one.
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        if (isError &&
            !errors
                 ->insert(pathOf(diagnostic.getLocation(),
                                 [](StringRef name) { return name.str(); }) +
                          ": " + diagnostic.str())
                 .second)
          return;
        bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        if (!isRemark || verbose)
          report(events, diagnostic, verbose);
      });
}

namespace {

/// The times of passes, of those on functions the sum over all threads. The
/// callbacks come one at a time.
class PassTimer : public PassInstrumentation {
public:
  explicit PassTimer(const Events &events) : events(events) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    starts[{pass, op}] = std::chrono::steady_clock::now();
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    double seconds = take(pass, op);
    // The adaptor of passes on functions is a pass, too, without an argument.
    if (!isa<ModuleOp>(op))
      onFunctions[pass->getArgument()] += seconds;
    else if (!pass->getArgument().empty())
      tell(pass->getArgument(), seconds);
    else
      for (auto [name, sum] : onFunctions.takeVector())
        tell(name, sum);
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    take(pass, op);
  }

private:
  using Time = std::chrono::steady_clock::time_point;

  double take(Pass *pass, Operation *op) {
    auto start = starts.find({pass, op});
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start->second;
    starts.erase(start);
    return passed.count();
  }

  void tell(StringRef name, double seconds) {
    if (events.message)
      events.message({Severity::Remark, "",
                      llvm::formatv("{0}: {1:F3} s", name, seconds)});
  }

  const Events &events;
  DenseMap<std::pair<Pass *, Operation *>, Time> starts;
  llvm::MapVector<StringRef, double> onFunctions;
};

class RecipeObserver : public PassInstrumentation {
public:
  RecipeObserver(Report &report, const RecipeOptions &options)
      : report(report), options(options) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "krnl-write-recipes")
      report.recipes = explainRecipes(cast<ModuleOp>(op), options);
  }

private:
  Report &report;
  RecipeOptions options;
};

/// Calls the observer of passes, which come from one thread at a time.
class AfterPass : public PassInstrumentation {
public:
  explicit AfterPass(const Observers &observers) : observers(observers) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == observers.passName)
      observers.afterPass(cast<ModuleOp>(op));
  }

private:
  const Observers &observers;
};

} // namespace

std::unique_ptr<PassInstrumentation>
onnxc::makeAfterPass(const Observers &observers) {
  return std::make_unique<AfterPass>(observers);
}

std::unique_ptr<PassInstrumentation>
onnxc::makeRecipeObserver(Report &report, const RecipeOptions &options) {
  return std::make_unique<RecipeObserver>(report, options);
}

std::unique_ptr<PassInstrumentation>
onnxc::makePassTimer(const Events &events) {
  return std::make_unique<PassTimer>(events);
}
