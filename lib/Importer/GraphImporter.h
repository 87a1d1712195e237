//===- GraphImporter.h - Nodes of one graph or function --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The same importer serves the graph of a model, graphs in its nodes, bodies
// of its functions, and function bodies of operators that are expanded later.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_GRAPHIMPORTER_H
#define ONNXC_LIB_IMPORTER_GRAPHIMPORTER_H

#include "ImportState.h"
#include "PartOfGraph.h"
#include "onnxc/Schema/CustomOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace onnxc::onnx {
struct OpSignature;
} // namespace onnxc::onnx

namespace onnxc::importer {

/// What is wrong with a name that stands for no value where one is needed.
inline constexpr llvm::StringLiteral absentText =
    " has no value: the call of a function leaves it out";

/// The value that a name stands for.
struct Binding {
  /// Null for an input that the caller of a function leaves out, and where the
  /// error that makes it unknown was reported already (`isBroken`).
  mlir::Value value;
  bool isBroken = false;
};

/// The names of one graph; those of the graph around it are visible.
struct Scope {
  explicit Scope(const Scope *parent = nullptr) : parent(parent) {}

  const Binding *find(llvm::StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto found = scope->values.find(name); found != scope->values.end())
        return &found->second;
    return nullptr;
  }

  const Scope *parent;
  llvm::StringMap<Binding> values;
};

/// The context of nodes beside values: the versions of operator sets, and in
/// a function its attributes.
struct Frame {
  llvm::StringMap<int64_t> opsets;
  /// The attributes that `ref_attr_name` refers to.
  llvm::StringMap<const ::onnx::AttributeProto *> attributes;
  /// The function that this is the body of, or null.
  const ::onnx::FunctionProto *function = nullptr;
  const Frame *caller = nullptr;
  /// Put before the names of nodes.
  std::string prefix;
};

using OpsetImports =
    google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>;

/// Reads the versions of operator sets; reports those that are not known. With
/// `domains` the others may be wrong.
void importOpsets(ImportState &state, const OpsetImports &imports, Frame &frame,
                  const llvm::StringSet<> *domains = nullptr);

class GraphImporter {
public:
  /// Nodes go where `builder` points. Of the graph only `part` is imported,
  /// where one is given.
  GraphImporter(ImportState &state, mlir::OpBuilder &builder,
                const Frame &frame, Scope &scope,
                const PartOfGraph *part = nullptr)
      : state(state), builder(builder), frame(frame), scope(scope), part(part) {
  }

  /// Takes note of declared types of values that nodes make. Their sizes are
  /// not believed: code for a size that the data do not have would reach
  /// beyond its buffers, and files often have wrong ones.
  void declareTypes(
      const google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> &infos);

  /// Makes a constant of every initializer, or of those that the part reads.
  void importInitializers(const ::onnx::GraphProto &graph);

  /// Imports the nodes in an order in which values come before their uses;
  /// `outputs` are further uses of values. Optional results without uses are
  /// left out.
  template <typename Outputs>
  void importNodes(
      const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
      const Outputs &outputs) {
    llvm::StringSet<> readNames;
    for (const auto &output : outputs)
      readNames.insert(nameOf(output));
    importNodes(nodes, readNames);
  }

  /// Gives `name` a meaning; an error if it has one in this graph, unless the
  /// part of it starts there.
  void define(llvm::StringRef name, Binding binding, mlir::Location loc);

  /// The value called `name`, or an error by `report`. A broken or absent value
  /// is null without an error.
  mlir::FailureOr<mlir::Value>
  lookup(llvm::StringRef name,
         llvm::function_ref<mlir::InFlightDiagnostic()> report);

  /// The value called `name`, or an error by `report`; an absent one is an
  /// error, too.
  mlir::FailureOr<mlir::Value>
  lookupRequired(llvm::StringRef name,
                 llvm::function_ref<mlir::InFlightDiagnostic()> report);

  /// The declared type of `name`; NoneType if there is none.
  mlir::Type declaredType(llvm::StringRef name, mlir::Location loc);

private:
  static llvm::StringRef nameOf(llvm::StringRef name) { return name; }
  static llvm::StringRef nameOf(const ::onnx::ValueInfoProto &info) {
    return info.name();
  }

  // GraphImporter.cpp
  void importNodes(
      const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
      llvm::StringSet<> &readNames);
  void importNode(const ::onnx::NodeProto &node, int index);
  void observe(const ::onnx::NodeProto &node, int index);
  void observeUnread();

  // CutNode.cpp
  llvm::Expected<std::string> modelOf(const ::onnx::NodeProto &node, int index);
  llvm::Error addOperand(llvm::StringRef name, ::onnx::GraphProto &graph);

  // GraphImporter.cpp
  void importVersioned(const ::onnx::NodeProto &proto, int64_t version,
                       mlir::Location loc);
  std::optional<::onnx::NodeProto>
  resolveAttributes(const ::onnx::NodeProto &node, int64_t version);
  ::onnx::NodeProto dropUnread(const ::onnx::NodeProto &node,
                               int64_t version) const;
  int64_t versionOf(const ::onnx::NodeProto &node) const;
  void noteMissing(const ::onnx::NodeProto &node,
                   mlir::InFlightDiagnostic &diagnostic) const;
  mlir::InFlightDiagnostic error(const ::onnx::NodeProto &node,
                                 mlir::Location loc);
  void breakOutputs(const ::onnx::NodeProto &node);
  Binding inputInPlaceOf(llvm::StringRef name);
  bool importNamedTensors(const ::onnx::NodeProto &node, mlir::Location loc,
                          llvm::SmallVectorImpl<mlir::Value> &operands);
  bool importOperands(const ::onnx::NodeProto &node, mlir::Location loc,
                      llvm::SmallVectorImpl<mlir::Value> &operands);
  bool hasRequiredInputs(const ::onnx::NodeProto &node, mlir::Location loc,
                         const onnx::OpSignature &signature,
                         llvm::ArrayRef<mlir::Value> operands);
  void reportCycle(
      const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
      llvm::ArrayRef<int> cycle);
  std::string nodeName(const ::onnx::NodeProto &node, int index) const;
  mlir::Location nodeLoc(const ::onnx::NodeProto &node, int index) const;

  // NodeBuilder.cpp
  void buildOperation(const ::onnx::NodeProto &node, mlir::Location loc);
  bool importAttributes(const ::onnx::NodeProto &node, mlir::Location loc,
                        mlir::NamedAttrList &attributes);
  mlir::Attribute importAttribute(const ::onnx::AttributeProto &attribute,
                                  std::string &why);
  bool inferTypes(const ::onnx::NodeProto &node, mlir::Operation *op);
  void defineResults(const ::onnx::NodeProto &node, mlir::Operation *op);
  void defineResult(const ::onnx::NodeProto &node, llvm::StringRef name,
                    mlir::Value result);

  // GraphAttributes.cpp
  bool importGraphs(const ::onnx::NodeProto &node, mlir::Operation *op);
  bool importGraph(const ::onnx::GraphProto &graph, mlir::Region &region,
                   mlir::Location loc, llvm::StringRef attribute,
                   llvm::ArrayRef<mlir::Type> argumentTypes);
  /// Adds the inputs of `graph` to `block`, with their declared types merged
  /// with `argumentTypes`; `dropsShapes` keeps no declared shape of those after
  /// the first two.
  void importArguments(const ::onnx::GraphProto &graph, mlir::Block *block,
                       mlir::Location loc,
                       llvm::ArrayRef<mlir::Type> argumentTypes,
                       bool dropsShapes);
  /// Adds the terminator. Emits an error and returns false unless all outputs
  /// of `graph` are defined.
  bool importYield(const ::onnx::GraphProto &graph, mlir::Location loc);
  void noteTaps(const ::onnx::GraphProto &graph);
  bool importAgain(const ::onnx::GraphProto &graph, mlir::Region &region,
                   mlir::Location loc, llvm::StringRef attribute,
                   llvm::ArrayRef<mlir::Type> argumentTypes);
  bool inferRegionTypes(const ::onnx::NodeProto &node, mlir::Operation *op);
  /// The error of graphs whose results do not fit together, and their types.
  void reportResults(const ::onnx::NodeProto &node, mlir::Operation *op,
                     mlir::TypeRange inputs);

  // CustomNodes.cpp
  void importCustom(const ::onnx::NodeProto &node,
                    const schema::CustomOp &custom,
                    const ::onnx::FunctionProto *function, mlir::Location loc);
  mlir::Operation *buildCustom(const ::onnx::NodeProto &node,
                               const schema::CustomOp &custom,
                               mlir::Location loc);
  bool importCustomAttributes(const ::onnx::NodeProto &node,
                              const schema::CustomOp &custom,
                              mlir::Location loc,
                              mlir::NamedAttrList &attributes);
  llvm::SmallVector<mlir::Type>
  typesFromBody(const ::onnx::NodeProto &node,
                const ::onnx::FunctionProto &function, mlir::Location loc);
  void warnOfFunction(const ::onnx::NodeProto &node, mlir::Location loc);
  std::string describeUnknown(const ::onnx::NodeProto &node,
                              const std::string &domain, int64_t version);

  // FunctionCalls.cpp
  void importCall(const ::onnx::NodeProto &node,
                  const ::onnx::FunctionProto &function, mlir::Location loc);
  bool checkCall(const ::onnx::NodeProto &node,
                 const ::onnx::FunctionProto &function, mlir::Location loc);

  ImportState &state;
  mlir::OpBuilder &builder;
  const Frame &frame;
  Scope &scope;
  const PartOfGraph *part;
  llvm::StringMap<const ::onnx::TypeProto *> declared;
  /// Put before numbered names of nodes, which repeat in each graph:
  /// "loop_7/body/" in the body of a Loop.
  std::string path;
  /// True if an upgrade rule rewrites the node that is imported.
  bool isUpgraded = false;
  /// The nodes are in the body of a loop that contradicts its declaration.
  bool ignoresShapes = false;
  /// Loops that contradict their declarations.
  llvm::SmallPtrSet<mlir::Operation *, 2> contradicted;
  /// Names that a node or an output of the graph reads.
  const llvm::StringSet<> *readNames = nullptr;
};

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_GRAPHIMPORTER_H
