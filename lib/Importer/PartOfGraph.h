//===- PartOfGraph.h - The part between named tensors ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_PARTOFGRAPH_H
#define ONNXC_LIB_IMPORTER_PARTOFGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/onnx_pb.h"

#include <string>

namespace onnxc::importer {

/// The nodes of a graph that compute some tensors from others. What else the
/// graph has is not looked at: it may be wrong or unknown.
struct PartOfGraph {
  /// By the number of a node whether it belongs to the part.
  llvm::BitVector nodes;
  /// The tensors that the part starts from, whatever else makes them.
  llvm::StringSet<> given;
  /// The names that nodes of the part read and the names of its results,
  /// without those that are given.
  llvm::StringSet<> read;
  /// The domains of the operators of the part, of graphs inside as well; ""
  /// is ai.onnx.
  llvm::StringSet<> domains;
};

/// The part of `graph` that computes `to` from `from`, initializers and inputs.
PartOfGraph findPart(const ::onnx::GraphProto &graph,
                     llvm::ArrayRef<std::string> from,
                     llvm::ArrayRef<std::string> to);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_PARTOFGRAPH_H
