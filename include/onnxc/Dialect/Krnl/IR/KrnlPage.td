//===- KrnlPage.td - All that the krnl dialect has ---------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For the dialect's page of the documentation: code includes the files one by one.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KRNLPAGE_TD
#define ONNXC_DIALECT_KRNL_IR_KRNLPAGE_TD

include "onnxc/Dialect/Krnl/IR/ClusterOps.td"
include "onnxc/Dialect/Krnl/IR/KrnlOps.td"
include "onnxc/Dialect/Krnl/IR/WarpgroupOps.td"
include "onnxc/Target/IR/Target.td"

#endif // ONNXC_DIALECT_KRNL_IR_KRNLPAGE_TD
