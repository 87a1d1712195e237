//===- BodyTaps.h - Tensors of bodies as outputs ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_BODYTAPS_H
#define ONNXC_LIB_IMPORTER_BODYTAPS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <onnx/onnx_pb.h>
#include <string>

namespace onnxc::importer {

/// Reports the tensors that nodes make in branches and bodies of the graph, by
/// their name among all graphs ("loop/body/x"), and their nodes.
void forEachBodyTensor(const ::onnx::GraphProto &graph,
                       llvm::function_ref<void(const std::string &path,
                                               const ::onnx::NodeProto &node,
                                               const std::string &tensor)>
                           visit);

/// Returns true if `value`, of a branch or body, can be passed to the main
/// function. A Scan carries no lists, so that only its own tensors can be, not
/// those of branches and loops in it.
bool canHandOut(mlir::Value value);

/// What `value`, for which canHandOut() is true, was in each run of its branch
/// or body, as a value of the main function: a list that branches and loops
/// forward, and a tensor with a dimension in front where only Scans are around
/// it. Replaces the operations around it.
mlir::Value handOut(mlir::Value value);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_BODYTAPS_H
