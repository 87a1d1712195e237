//===- MinimalModel.cpp - A model of one node of a model -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Check/Check.h"

#include "onnxc/Driver/Artefact.h"
#include "onnxc/Driver/SourceFiles.h"
#include "onnxc/Support/SimilarName.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Waits for one node.
struct Cutter final : importer::ImportObserver {
  explicit Cutter(StringRef wanted)
      : wanted(wanted), similar(wanted, /*maxDistance=*/3) {}

  void imported(const importer::ImportedNode &node) override {
    similar.offer(cast<NameLoc>(node.loc).getName());
  }
  void unread(Location, bool) override {}
  bool wantsModel(StringRef node) override { return node == wanted; }
  void takeModel(llvm::Expected<std::string> made) override {
    problem.clear();
    if (made)
      model = std::move(*made);
    else
      problem = llvm::toString(made.takeError());
  }

  StringRef wanted;
  SimilarName similar;
  std::string model, problem;
};

} // namespace

/// Why there is no model.
static std::string problemOf(const Cutter &cutter) {
  std::string node = "node '" + cutter.wanted.str() + "': ";
  if (!cutter.problem.empty())
    return node + cutter.problem;
  return node + "the model has no such node" + cutter.similar.question();
}

Outcome onnxc::cutNode(const Input &input, const CompileOptions &options,
                       const Events &events, StringRef node) {
  CompileOptions cut = options;
  cut.emit = "onnx-basic";
  cut.output = "-";
  cut.limits.errors = UINT_MAX;
  // Errors of the model are what it is cut for.
  std::vector<Message> errors;
  Events own = events;
  own.message = [&](const Message &message) { errors.push_back(message); };
  Cutter cutter(node);
  Observers observers;
  observers.import = &cutter;
  Report unused;
  Outcome outcome = inspect(input, cut, own, unused, observers);
  auto tell = [&](const Message &message) {
    if (events.message)
      events.message(message);
  };
  if (!cutter.model.empty() && cutter.problem.empty()) {
    llvm::Error error = SourceFiles(input).checkOutputs({options.output});
    if (!error)
      error = writeOutput(options, events, cutter.model);
    if (!error)
      return Outcome::Done;
    tell({Severity::Error, "", llvm::toString(std::move(error))});
    return Outcome::Usage;
  }
  // A model that is none has no nodes.
  bool isReadable = outcome == Outcome::Done || !cutter.similar.get().empty() ||
                    !cutter.problem.empty() || errors.empty();
  if (!isReadable) {
    llvm::for_each(errors, tell);
    return outcome;
  }
  tell({Severity::Error, "", problemOf(cutter)});
  return outcome == Outcome::Cancelled ? outcome : Outcome::Usage;
}
