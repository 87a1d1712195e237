//===- Target.h - The target of a module -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_TARGET_H
#define ONNXC_DIALECT_KRNL_IR_TARGET_H

#include "mlir/IR/BuiltinAttributes.h"
#include "onnxc/Dialect/Krnl/IR/Processor.h"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Krnl/IR/Target.h.inc"

#endif // ONNXC_DIALECT_KRNL_IR_TARGET_H
