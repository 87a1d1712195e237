//===- import-model.cpp - The importer alone, for its tests ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Imports the files named on the command line one after the other and prints
// their modules (with `-q` only "ok"; with `--expand` after every operator that
// has a body was replaced by it). Exit status 1 if any of them fails, so that a
// test sees a crash as something else.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/Importer.h"
#include "onnxc/Importer/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc::importer;

/// "x:1x?x3" -> {"x", {1, -1, 3}}.
static void addShape(llvm::StringRef text, ImportOptions &options) {
  auto [name, sizes] = text.rsplit(':');
  std::vector<int64_t> &shape = options.shapes[name.str()];
  llvm::SmallVector<llvm::StringRef> parts;
  sizes.split(parts, 'x', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    int64_t size = -1;
    if (part != "?" && part.getAsInteger(10, size))
      size = -1;
    shape.push_back(size);
  }
}

static LogicalResult expand(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createExpandFunctions());
  return passes.run(module);
}

static bool importFile(llvm::StringRef path, const ImportOptions &options,
                       bool isQuiet, bool expands) {
  MLIRContext context;
  context.getDiagEngine().registerHandler([](Diagnostic &diag) {
    llvm::errs() << diag.getLocation() << ": ";
    llvm::errs() << (diag.getSeverity() == DiagnosticSeverity::Error
                         ? "error: "
                         : "warning: ")
                 << diag << "\n";
    return success();
  });
  FailureOr<OwningOpRef<ModuleOp>> module =
      importModel(context, ImportSource::file(path), options);
  if (failed(module) || (expands && failed(expand(**module))))
    return false;
  if (isQuiet)
    llvm::outs() << "ok " << path << "\n";
  else
    (*module)->print(llvm::outs(), OpPrintingFlags().enableDebugInfo(false));
  return true;
}

int main(int argc, char **argv) {
  ImportOptions options;
  bool isQuiet = false, expands = false, isGood = true;
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument == "-q") {
      isQuiet = true;
    } else if (argument == "--expand") {
      expands = true;
    } else if (argument.consume_front("--shape=")) {
      addShape(argument, options);
    } else if (argument.consume_front("--dim=")) {
      auto [name, size] = argument.split('=');
      size.getAsInteger(10, options.dims[name.str()]);
    } else {
      isGood &= importFile(argument, options, isQuiet, expands);
    }
  }
  return isGood ? 0 : 1;
}
