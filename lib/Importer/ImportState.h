//===- ImportState.h - State shared by an import ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_IMPORTSTATE_H
#define ONNXC_LIB_IMPORTER_IMPORTSTATE_H

#include "onnxc/Importer/Importer.h"
#include "onnxc/Schema/CustomOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

#include "onnx/onnx_pb.h"

#include <functional>
#include <memory>

namespace onnxc::importer {

/// A tensor of a branch or body that is to be an output: "loop/body/x" of
/// "loop/body".
struct BodyTap {
  std::string name, body;
  mlir::Value value;
};

/// State of one import, or of one expansion of function bodies.
struct ImportState {
  ImportState(mlir::MLIRContext *context, const ImportOptions &options,
              mlir::Location modelLoc)
      : context(context), options(options), budget(budgetOf(context, options)),
        limits(budget.getLimits()), observer(options.observer),
        modelLoc(modelLoc), customOps(schema::CustomOps::find(context)) {}

  mlir::MLIRContext *context;
  const ImportOptions &options;
  Budget &budget;
  const Limits &limits;
  /// Receives what is imported; null: nobody.
  ImportObserver *observer;
  /// Location of diagnostics that belong to no node.
  mlir::Location modelLoc;
  /// Operators of the user's libraries; null without them.
  const schema::CustomOps *customOps;
  /// Functions of the model that a warning prefers to operators of these.
  llvm::StringSet<> preferred;
  /// The mapped file or the buffer; null where there is none.
  std::shared_ptr<llvm::MemoryBuffer> modelBytes;
  /// File name in the blobs of the model; empty for a model in memory.
  std::string modelFile;
  /// The folder that external data lies beneath.
  std::string baseDirectory;
  /// Files of external data by location: each is opened and mapped once.
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> dataFiles;
  /// The model's own functions by "domain::name::overload".
  llvm::StringMap<const ::onnx::FunctionProto *> functions;
  /// The version of the file format which the model is written in.
  int64_t formatVersion = 0;
  unsigned errorCount = 0;
  /// How many graphs and functions the current node is inside of.
  int64_t depth = 0;
  uint64_t nameCount = 0;
  /// Names of tensors in branches and bodies that are to be outputs, and those
  /// of them that have been imported.
  llvm::StringSet<> wantedBodyTaps;
  std::vector<BodyTap> bodyTaps;

  /// Reports one error. Text from the model is quoted with `quote`.
  /// Nothing is reported any more once the import has given up.
  mlir::InFlightDiagnostic error(mlir::Location loc) {
    mlir::InFlightDiagnostic diagnostic = mlir::emitError(loc);
    if (hasGivenUp())
      diagnostic.abandon();
    ++errorCount;
    return diagnostic;
  }

  /// Counts a node, one that is inlined if `isInlined`. False, with an error,
  /// once that is too much for the budget.
  bool takeNode(mlir::Location loc, bool isInlined);

  /// Returns true if the module is of use in spite of errors in nodes of the
  /// main graph.
  bool keepsRest() const {
    return observer && observer->keepsRest() && options.from.empty() &&
           !hasGivenUp();
  }

  /// Returns true once there are so many errors that more would not help.
  bool hasGivenUp() const { return errorCount >= limits.errors; }

  /// A name that no value of a model has.
  std::string freshName() { return "\x01" + std::to_string(++nameCount); }

  mlir::Location nameLoc(llvm::StringRef name) const {
    return mlir::NameLoc::get(mlir::StringAttr::get(context, name), modelLoc);
  }

private:
  static Budget &budgetOf(mlir::MLIRContext *context,
                          const ImportOptions &options) {
    Budget *budget = Budget::find(context);
    return budget ? *budget : Budget::start(context, options.limits);
  }
};

/// `text` in quotes, shortened, without terminal control sequences.
std::string quote(llvm::StringRef text);

/// The key of a function in `ImportState::functions`.
std::string functionKey(llvm::StringRef domain, llvm::StringRef name,
                        llvm::StringRef overload);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_IMPORTSTATE_H
