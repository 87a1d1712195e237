//===- WarpgroupOps.h - Instructions of warpgroups ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_H
#define ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.h.inc"

#endif // ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_H
