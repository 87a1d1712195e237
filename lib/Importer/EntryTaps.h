//===- EntryTaps.h - The outputs of --taps ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_ENTRYTAPS_H
#define ONNXC_LIB_IMPORTER_ENTRYTAPS_H

#include "ImportState.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace onnxc::importer {

/// The graph's declaration of the tensor `name`, possibly the name alone.
::onnx::ValueInfoProto findInfo(const ::onnx::GraphProto &graph,
                                const std::string &name);

/// The tensors of --taps that the entry function returns after its outputs.
class EntryTaps {
public:
  /// `outputs` are those of the entry function; the last of them are the taps.
  EntryTaps(ImportState &state, const ::onnx::GraphProto &graph,
            std::vector<::onnx::ValueInfoProto> &outputs)
      : state(state), graph(graph), outputs(outputs), builder(state.context) {}

  size_t size() const { return tapCount; }

  /// Adds the tensors of --taps that are no outputs yet, in the order of the
  /// nodes. The name of a node stands for its outputs.
  void collect();
  /// Makes outputs of the tensors of branches and bodies, and brings all taps
  /// in order.
  void addBodyTaps(mlir::func::ReturnOp ret);
  /// The artefact records how many outputs are taps, which nodes compute them,
  /// and which branch or body they are in.
  void note(mlir::ModuleOp module, mlir::func::FuncOp function);

private:
  /// An output of --taps.
  struct Tap {
    size_t order;   ///< of its operation
    size_t output;  ///< its number; of those in bodies a later one
    BodyTap ofBody; ///< no value for those of the main graph
  };

  void collectOfBodies(const llvm::StringSet<> &wanted,
                       llvm::StringSet<> &found);
  std::vector<Tap> inOrder(mlir::func::ReturnOp ret);
  void handOutAll(mlir::func::ReturnOp ret, std::vector<Tap> &taps);

  ImportState &state;
  const ::onnx::GraphProto &graph;
  std::vector<::onnx::ValueInfoProto> &outputs;
  mlir::OpBuilder builder;
  size_t tapCount = 0;
  /// The tensors in branches and bodies that --taps names.
  llvm::StringSet<> namedOfBodies;
  /// By tap the node that computes it, and the branch or body that it is in.
  mlir::NamedAttrList tapNodes, tapBodies;
};

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_ENTRYTAPS_H
