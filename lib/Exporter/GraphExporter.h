//===- GraphExporter.h - Blocks as graphs ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPORTER_GRAPHEXPORTER_H
#define ONNXC_LIB_EXPORTER_GRAPHEXPORTER_H

#include "onnxc/Exporter/Exporter.h"
#include "onnxc/Schema/ProtoConversion.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace onnxc::exporter {

/// A weight inside the model whose bytes are written straight from where they
/// are.
struct EmbeddedTensor {
  /// All but the bytes.
  ::onnx::TensorProto head;
  mlir::TypedAttr value;
};

/// State shared by all graphs of one model.
struct ExportState {
  /// Whether large weights go to the data file.
  bool usesDataFile = false;
  std::string dataFile;
  /// Bytes of the data file so far, and its contents.
  uint64_t dataBytes = 0;
  std::vector<mlir::TypedAttr> data;
  /// Initializers of the main graph, besides those that it has.
  std::vector<EmbeddedTensor> embedded;
  /// The version, by domain, that has all operators seen: the wanted one, or
  /// the oldest that does.
  std::map<std::string, int> opsets;
  /// The versions that the model came with.
  std::map<std::string, int> wantedOpsets;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringSet<> taken;
  llvm::StringSet<> nodeNames;

  /// `wanted`, or with a number after it if that is taken.
  std::string uniqueName(llvm::StringRef wanted);
  /// Gives `value` a name that follows from its location.
  void nameValue(mlir::Value value, mlir::Operation *definer, unsigned number);
};

/// Fills one graph from one block: nodes, initializers, types of values.
class GraphExporter {
public:
  GraphExporter(ExportState &state, ::onnx::GraphProto &graph)
      : state(state), graph(graph) {}

  /// Outputs have the names `wanted`, or any if that is empty. A value that
  /// is not made by a node here, or is returned twice, gets an Identity.
  llvm::LogicalResult run(mlir::Block &block,
                          llvm::ArrayRef<std::string> wanted);

private:
  void reserveOutputs(mlir::Block &block, llvm::ArrayRef<std::string> wanted);
  std::string outputName(mlir::Block &block, unsigned number,
                         llvm::ArrayRef<std::string> wanted);
  llvm::LogicalResult exportConstant(mlir::Operation *op);
  llvm::LogicalResult exportNode(mlir::Operation *op);
  llvm::LogicalResult exportGraphs(mlir::Operation *op,
                                   const ::onnx::OpSchema &schema,
                                   ::onnx::NodeProto &node);
  /// Names the inputs and outputs of the node; null for absent ones.
  void nameOperands(mlir::Operation *op, const ::onnx::OpSchema &schema,
                    llvm::ArrayRef<mlir::Value> inputs,
                    llvm::ArrayRef<mlir::Value> outputs,
                    ::onnx::NodeProto &node);
  /// Adds a node of the newest version, with null for absent operands.
  void addNode(::onnx::NodeProto node, const ::onnx::OpSchema &schema,
               llvm::ArrayRef<mlir::Value> inputs,
               llvm::ArrayRef<mlir::Value> outputs);
  /// Fills `tensor` but for its name.
  void putIntoDataFile(mlir::TypedAttr value, size_t size,
                       ::onnx::TensorProto &tensor);
  void describe(mlir::Value value, const std::string &name,
                ::onnx::ValueInfoProto &info);
  void addOutput(mlir::Value value, const std::string &name);

  ExportState &state;
  ::onnx::GraphProto &graph;
};

/// Returns true if a node of the block makes the value: it may have the name of
/// an output.
bool isMadeIn(mlir::Block &block, mlir::Value value);

} // namespace onnxc::exporter

#endif // ONNXC_LIB_EXPORTER_GRAPHEXPORTER_H
