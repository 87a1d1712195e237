//===- NodeOrder.h - Topological order of nodes ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_NODEORDER_H
#define ONNXC_LIB_IMPORTER_NODEORDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include "onnx/onnx_pb.h"

#include <vector>

namespace onnxc::importer {

/// Visits the names that a Gradient has in its attributes: those of `xs`, `zs`
/// and `y`. Other nodes have none.
void forEachNamedTensor(const ::onnx::NodeProto &node,
                        llvm::function_ref<void(llvm::StringRef)> visit);

/// Visits the names that `node`, or a graph inside it, reads from outside.
void forEachRead(const ::onnx::NodeProto &node,
                 llvm::function_ref<void(llvm::StringRef)> visit);

/// An order of the nodes that `isTaken` holds for, in which each comes after
/// the nodes that it, or a graph inside it, reads from; the given order as far
/// as possible. Values for which `isDefined` holds come from elsewhere. Nodes
/// that depend on a cycle are left out, and one cycle is put into `cycle`.
std::vector<int>
orderNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
           llvm::function_ref<bool(int)> isTaken,
           llvm::function_ref<bool(llvm::StringRef)> isDefined,
           std::vector<int> &cycle);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_NODEORDER_H
