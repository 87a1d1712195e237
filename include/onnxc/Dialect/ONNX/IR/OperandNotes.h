//===- OperandNotes.h - Where operands that disagree come from -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_OPERANDNOTES_H
#define ONNXC_DIALECT_ONNX_IR_OPERANDNOTES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// Adds to an error about operands of `op` that disagree, if it has several,
/// where each comes from: a note at the node, input or initializer that gives
/// it, with its type as `typeOf` knows it.
void noteOperands(
    mlir::InFlightDiagnostic &error, mlir::Operation *op,
    llvm::function_ref<mlir::Type(mlir::Value)> typeOf = [](mlir::Value value) {
      return value.getType();
    });

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_OPERANDNOTES_H
