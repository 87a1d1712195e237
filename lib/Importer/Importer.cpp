//===- Importer.cpp - From model files to the onnx dialect -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/Importer.h"

#include "EntryFunction.h"
#include "GraphImporter.h"
#include "ModelFile.h"
#include "NodeCheck.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Schema/Microsoft.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::FunctionProto;
using ::onnx::ModelProto;
using ::onnx::OperatorSetIdProto;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static LogicalResult openFile(ImportState &state, const ImportSource &source) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(source.path, status)) {
    state.error(state.modelLoc)
        << "the model cannot be read: " << error.message();
    return failure();
  }
  if (status.type() != llvm::sys::fs::file_type::regular_file) {
    state.error(state.modelLoc) << "the model is not a regular file";
    return failure();
  }
  // A mapped file that is cut off later ends the process at a read: one that
  // takes little memory is read.
  constexpr uint64_t maxRead = uint64_t(16) << 20;
  auto file = llvm::MemoryBuffer::getFile(
      source.path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/status.getSize() <= maxRead);
  if (!file) {
    state.error(state.modelLoc)
        << "the model cannot be read: " << file.getError().message();
    return failure();
  }
  state.modelBytes = std::move(*file);
  state.modelFile = source.path;
  state.baseDirectory = llvm::sys::path::parent_path(source.path).str();
  if (state.baseDirectory.empty())
    state.baseDirectory = ".";
  return success();
}

static LogicalResult openSource(ImportState &state,
                                const ImportSource &source) {
  if (source.inMemory) {
    state.modelBytes =
        llvm::MemoryBuffer::getMemBufferCopy(source.buffer.getBuffer());
    state.baseDirectory = source.baseDirectory;
  } else if (failed(openFile(state, source))) {
    return failure();
  }
  state.budget.addModelBytes(state.modelBytes->getBufferSize());
  if (state.modelBytes->getBufferSize() <= state.limits.bytes)
    return success();
  state.error(state.modelLoc)
      << "the model has " << state.modelBytes->getBufferSize()
      << " bytes, more than the limit of " << state.limits.bytes
      << "; --limit=bytes=N allows more";
  return failure();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void importFunctions(ImportState &state, const ModelProto &model) {
  for (const FunctionProto &function : model.functions()) {
    std::string key = functionKey(plainDomain(function.domain()),
                                  function.name(), function.overload());
    if (!state.functions.try_emplace(key, &function).second)
      state.error(state.modelLoc)
          << "function " << quote(function.name()) << " of domain "
          << quote(function.domain()) << " is defined twice";
  }
}

/// The metadata of the file, for the artefact and its users.
static void setMetadata(ModuleOp module, const ModelProto &model) {
  Builder b(module.getContext());
  auto set = [&](StringRef name, StringRef value) {
    if (!value.empty())
      module->setAttr(name, b.getStringAttr(value));
  };
  module->setAttr("onnx.ir_version", b.getI64IntegerAttr(model.ir_version()));
  NamedAttrList opsets;
  for (const OperatorSetIdProto &import : model.opset_import())
    opsets.set(plainDomain(import.domain()).empty() ? "ai.onnx"
                                                    : import.domain(),
               b.getI64IntegerAttr(import.version()));
  module->setAttr("onnx.opset", opsets.getDictionary(module.getContext()));
  set("onnx.producer", model.producer_name());
  set("onnx.producer_version", model.producer_version());
  set("onnx.domain", model.domain());
  set("onnx.model_name", model.graph().name());
  set("onnx.doc_string", model.doc_string());
  set("onnx.graph_doc_string", model.graph().doc_string());
  if (model.model_version() != 0)
    module->setAttr("onnx.model_version",
                    b.getI64IntegerAttr(model.model_version()));
  NamedAttrList metadata;
  for (const auto &entry : model.metadata_props())
    if (!entry.key().empty())
      metadata.set(entry.key(), b.getStringAttr(entry.value()));
  if (!metadata.empty())
    module->setAttr("onnx.metadata",
                    metadata.getDictionary(module.getContext()));
}

/// Verifies the module, with messages that name the node.
static LogicalResult verifyModule(ImportState &state, ModuleOp module) {
  SmallVector<std::pair<Location, std::string>> problems;
  {
    ScopedDiagnosticHandler handler(state.context, [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error)
        problems.emplace_back(diag.getLocation(),
                              onnxc::onnx::messageText(diag));
      return success();
    });
    if (succeeded(verify(module)))
      return success();
  }
  for (auto &[loc, message] : problems) {
    if (state.hasGivenUp())
      break;
    InFlightDiagnostic error = state.error(loc);
    if (auto named = dyn_cast<NameLoc>(loc))
      error << "node " << quote(named.getName()) << ": ";
    error << message;
  }
  return failure();
}

/// Nodes of a graph or function, those of graphs inside included.
static int64_t
countNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes) {
  int64_t count = nodes.size();
  for (const ::onnx::NodeProto &node : nodes)
    for (const ::onnx::AttributeProto &attribute : node.attribute()) {
      count += countNodes(attribute.g().node());
      for (const ::onnx::GraphProto &graph : attribute.graphs())
        count += countNodes(graph.node());
    }
  return count;
}

static LogicalResult checkNodeCount(ImportState &state,
                                    const ModelProto &model) {
  int64_t count = countNodes(model.graph().node());
  for (const ::onnx::FunctionProto &function : model.functions())
    count += countNodes(function.node());
  return state.budget.takeNodes(count, state.modelLoc);
}

static LogicalResult importModule(ImportState &state, ModuleOp module) {
  ModelProto model;
  std::optional<std::string> problem =
      parseModel(state.modelBytes->getBuffer(),
                 static_cast<int>(state.limits.nesting), model);
  if (problem) {
    state.error(state.modelLoc) << *problem;
    return failure();
  }
  if (!model.has_graph() || model.opset_import_size() == 0) {
    state.error(state.modelLoc)
        << "it is not an ONNX model: "
        << (model.has_graph() ? "no operator set is imported"
                              : "it has no graph");
    return failure();
  }
  if (failed(checkNodeCount(state, model)))
    return failure();
  state.formatVersion = model.ir_version();
  importFunctions(state, model);
  if (state.errorCount != 0 ||
      failed(importEntryFunction(state, model, module)))
    return failure();
  setMetadata(module, model);
  return verifyModule(state, module);
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::importer::importModel(MLIRContext &context, const ImportSource &source,
                             const ImportOptions &options) {
  schema::registerMicrosoftOperators();
  context.loadDialect<onnxc::onnx::ONNXDialect, func::FuncDialect>();
  Location loc = NameLoc::get(StringAttr::get(&context, source.path));
  ImportState state(&context, options, loc);
  if (failed(openSource(state, source)))
    return failure();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (failed(importModule(state, *module)))
    return failure();
  return module;
}
