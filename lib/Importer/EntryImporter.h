//===- EntryImporter.h - Steps to the entry function ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_ENTRYIMPORTER_H
#define ONNXC_LIB_IMPORTER_ENTRYIMPORTER_H

#include "EntryTaps.h"
#include "GraphImporter.h"
#include "PartOfGraph.h"

#include <deque>

namespace onnxc::importer {

/// Builds the entry function step by step.
struct EntryImporter {
  ImportState &state;
  const ::onnx::GraphProto &graph;
  const OpsetImports &opsets;
  const Frame &frame;
  mlir::OpBuilder builder;
  /// `graph.input()` without the initializers; once the types are known those
  /// of the function, which --from names.
  llvm::SmallVector<const ::onnx::ValueInfoProto *> inputs = {};
  llvm::SmallVector<mlir::Type> inputTypes = {};
  llvm::SmallVector<mlir::DictionaryAttr> inputAttrs = {};
  /// The graph's own, or those of the options; the last are those of --taps.
  std::vector<::onnx::ValueInfoProto> outputs = {};
  EntryTaps taps = {state, graph, outputs};
  /// Who names the outputs, for messages.
  llvm::StringRef outputOption = "graph output ";
  /// What --from and --to take; nothing without them.
  std::optional<PartOfGraph> part = std::nullopt;
  /// The declarations of the tensors of --from.
  std::deque<::onnx::ValueInfoProto> started = {};
  /// Names that the part needs as inputs, but that cannot be; reported.
  std::vector<std::string> missing = {};

  void collectInputs();
  void collectOutputs();
  void findPartOf(llvm::ArrayRef<std::string> from);
  llvm::StringRef optionOf(size_t output) const;
  void checkOverrides();
  void checkAgreement(const ::onnx::ValueInfoProto &input);
  mlir::Type inputType(const ::onnx::ValueInfoProto &input);
  mlir::DictionaryAttr describe(const ::onnx::ValueInfoProto &info,
                                mlir::Type type, bool isOverridden);
  void typeInputs();
  llvm::StringMap<mlir::Type> typesOf(llvm::ArrayRef<std::string> names,
                                      std::vector<mlir::Diagnostic> &problems);
  bool isMade(const std::string &name) const;
  mlir::Type declaredTypeOf(const std::string &name);
  mlir::Type overrideShape(const std::string &name, mlir::Type type);
  void startAt(const std::string &name, mlir::Type type);
  void startAtFrom();
  void reportMissing(std::vector<mlir::Diagnostic> &problems);
  mlir::func::FuncOp makeFunction(mlir::ModuleOp module);
  llvm::SmallVector<mlir::Value> importBody(mlir::func::FuncOp function);
  void completeRest(mlir::func::FuncOp function,
                    llvm::SmallVectorImpl<mlir::Value> &results);
  void finish(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> results);
};

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_ENTRYIMPORTER_H
