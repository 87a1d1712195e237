//===- ClusterOps.h - Instructions of clusters --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_H
#define ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/ClusterOps.h.inc"

#endif // ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_H
