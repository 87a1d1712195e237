//===- OldestVersion.h - The oldest operator set of a model -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect has the newest version of each operator, which few readers of
// models support. Most nodes mean the same in older ones: a model is exported
// in the operator set that it came with, or in the next possible one.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPORTER_OLDESTVERSION_H
#define ONNXC_LIB_EXPORTER_OLDESTVERSION_H

#include "mlir/IR/TypeRange.h"
#include "onnx/defs/schema.h"

#include <map>

namespace onnxc::exporter {

/// The oldest operator set, if not older than `wanted`, in which a node of the
/// newest version has the same meaning, but for attributes that the old version
/// lacks and that have the values of its behaviour. `inputs` and `outputs` are
/// the types of its inputs and outputs, null for absent ones.
int oldestVersion(const ::onnx::NodeProto &node, const ::onnx::OpSchema &newest,
                  mlir::TypeRange inputs, mlir::TypeRange outputs, int wanted);

/// Takes attributes away that the versions of these operator sets do not have.
void dropNewAttributes(::onnx::GraphProto &graph,
                       const std::map<std::string, int> &opsets);

} // namespace onnxc::exporter

#endif // ONNXC_LIB_EXPORTER_OLDESTVERSION_H
