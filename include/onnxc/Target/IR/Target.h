//===- Target.h - The target of a module -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_TARGET_H
#define ONNXC_TARGET_IR_TARGET_H

#include "mlir/IR/BuiltinAttributes.h"
#include "onnxc/Target/IR/Processor.h"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Target/IR/Target.h.inc"

#endif // ONNXC_TARGET_IR_TARGET_H
