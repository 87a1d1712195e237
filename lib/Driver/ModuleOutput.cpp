//===- ModuleOutput.cpp - Outputs that are a module or a model -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModuleOutput.h"
#include "onnxc/Driver/Artefact.h"

#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace onnxc;

/// The file of a name, which another one takes the place of when it is written;
/// nothing if there is none.
static std::optional<llvm::sys::fs::UniqueID> fileOf(StringRef name) {
  llvm::sys::fs::UniqueID file;
  if (name.empty() || llvm::sys::fs::getUniqueID(name, file))
    return std::nullopt;
  return file;
}

llvm::Error onnxc::writeModuleText(ModuleOp module, OutputFiles to) {
  // Constants that the compiler made are read back from a file of their own.
  std::string &constants = to.outputs.constants;
  std::optional<llvm::sys::fs::UniqueID> before = fileOf(constants);
  if (!constants.empty())
    if (llvm::Error error =
            onnx::BlobStore::get(module.getContext()).save(constants))
      return error;
  bool hasBlobs = fileOf(constants) != before;
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo(to.options.debug));
  os << "\n";
  auto writeText = [&](raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  };
  llvm::Error error = writeOutput(to.options, to.events, writeText,
                                  [&] { return to.files.check(); });
  if (error && hasBlobs && !before)
    (void)llvm::sys::fs::remove(constants);
  if (!hasBlobs)
    constants.clear();
  return error;
}

llvm::Error onnxc::writeModelFiles(const exporter::ExportedModel &model,
                                   OutputFiles to) {
  auto writeModel = [&](raw_ostream &os) {
    return exporter::writeModel(model, os, to.events.cancel);
  };
  // The data before the model that names it: neither takes its place unless
  // both are complete.
  auto writeData = [&]() -> llvm::Error {
    if (llvm::Error error = to.files.check(); error || model.data.empty())
      return error;
    return writeFile(to.outputs.constants, [&](raw_ostream &os) {
      return exporter::writeData(model, os, to.events.cancel);
    });
  };
  if (model.data.empty())
    to.outputs.constants.clear();
  return writeOutput(to.options, to.events, writeModel, writeData);
}
