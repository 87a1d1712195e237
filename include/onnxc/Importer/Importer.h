//===- Importer.h - From model files to the onnx dialect -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The only interface that reads models. No model is trusted: for every file the
// result is a module or located errors.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_IMPORTER_IMPORTER_H
#define ONNXC_IMPORTER_IMPORTER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "onnxc/Support/Budget.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace onnxc::importer {

/// The source of a model.
struct ImportSource {
  /// A file; folders of external data are looked for beside it.
  static ImportSource file(llvm::StringRef path) {
    ImportSource source;
    source.path = path.str();
    return source;
  }

  /// A model in memory, which must stay until `importModel` returns. `name`
  /// is its name in messages; external data lies beneath `baseDirectory`, and
  /// is refused if that is empty.
  static ImportSource memory(llvm::StringRef bytes, llvm::StringRef name,
                             llvm::StringRef baseDirectory) {
    ImportSource source;
    source.buffer = llvm::MemoryBufferRef(bytes, name);
    source.path = name.str();
    source.baseDirectory = baseDirectory.str();
    source.inMemory = true;
    return source;
  }

  std::string path;
  std::string baseDirectory;
  llvm::MemoryBufferRef buffer;
  bool inMemory = false;
};

/// A node as the model has it, in its graph, in a graph inside it or in a
/// function that it calls.
struct ImportedNode {
  mlir::Location loc;
  /// The operator with its domain: "com.microsoft.Gelu".
  std::string op;
  /// The version of the operator set that it is written in.
  int64_t version;
  /// True if a rule rewrote the node for the newest version.
  bool isUpgraded;
  /// The operands and results; null where one is left out or not known. Values
  /// of a body are erased when it is imported again or the node around it is
  /// refused.
  llvm::SmallVector<mlir::Value> operands, results;
  /// Names of results that nothing reads.
  llvm::SmallVector<std::string> unread;
  /// The names of all operands and results; empty where one is left out.
  llvm::SmallVector<std::string> inputs = {}, outputs = {};
};

/// Receives the contents of a model.
struct ImportObserver {
  virtual ~ImportObserver() = default;
  /// A node is imported, or was refused; one in a loop possibly twice.
  virtual void imported(const ImportedNode &node) = 0;
  /// Nothing reads this input, or initializer, of the main graph.
  virtual void unread(mlir::Location loc, bool isInput) = 0;
  /// Returns true if the rest of a model is imported where nodes of its graph
  /// are refused. Their results become inputs if their types are declared; what
  /// else depends on them is left out.
  virtual bool keepsRest() const { return false; }
  /// Returns true if a model of the node of this name alone is requested.
  virtual bool wantsModel(llvm::StringRef node) { return false; }
  /// The bytes of that model: the node under its full name, constants that it
  /// reads, and inputs of the types that its other operands have. Fails where
  /// the type of an operand is not known.
  virtual void takeModel(llvm::Expected<std::string> model) {
    llvm::consumeError(model.takeError());
  }
};

struct ImportOptions {
  /// The sizes by name of a graph input that it has instead of the declared
  /// ones, -1 for an unknown one.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// The size by name of a dimension ("batch").
  std::map<std::string, int64_t> dims;
  /// Tensors of the main graph to start from instead of its inputs, and to end
  /// with instead of its outputs; empty: these.
  std::vector<std::string> from, to;
  /// Tensors that are outputs as well, after the others, by their names or
  /// those of their nodes; "all": all that nodes compute. Those of branches and
  /// bodies are lists: what the tensor was each time, "loop/body/x".
  std::vector<std::string> taps;
  /// Initializers of floating point become weights (onnx::NamedWeights):
  /// those of the main graph with more than one element that no Resize or
  /// Upsample reads, whose numbers are sizes.
  bool refit = false;
  /// The limits of the budget that a context without one gets.
  Limits limits;
  /// Null: none.
  ImportObserver *observer = nullptr;
  /// Called before a file of external data is opened; may be empty.
  std::function<void(llvm::StringRef path)> opensFile = nullptr;
};

/// Reads a model into a module with one function `main_graph`, every node as
/// the newest version of its operator. Result types are those that follow
/// node by node, merged with the declared ones. Fails with errors at the nodes
/// they are about, in the context's diagnostic engine; nothing else is
/// printed, and no exception leaves.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, const ImportSource &source,
            const ImportOptions &options = {});

} // namespace onnxc::importer

#endif // ONNXC_IMPORTER_IMPORTER_H
