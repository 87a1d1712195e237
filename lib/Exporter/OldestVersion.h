//===- OldestVersion.h - Which operator sets a model needs -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect has the newest version of each operator, which few readers of
// models know. Most nodes mean the same in older ones: a model that came with
// an operator set goes with it, or with the next one that will do.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPORTER_OLDESTVERSION_H
#define ONNXC_LIB_EXPORTER_OLDESTVERSION_H

#include "mlir/IR/TypeRange.h"
#include "onnx/defs/schema.h"

#include <map>

namespace onnxc::exporter {

/// The oldest operator set, if not older than `wanted`, in which a node of the
/// newest version is the same as it stands, but for attributes that the old
/// version lacks and that are what it did without them. `inputs` and `outputs`
/// are the types of all that the node names, null where it leaves one out.
int oldestVersion(const ::onnx::NodeProto &node, const ::onnx::OpSchema &newest,
                  mlir::TypeRange inputs, mlir::TypeRange outputs, int wanted);

/// Takes attributes away that the versions of these operator sets do not have.
void dropNewAttributes(::onnx::GraphProto &graph,
                       const std::map<std::string, int> &opsets);

} // namespace onnxc::exporter

#endif // ONNXC_LIB_EXPORTER_OLDESTVERSION_H
