//===- OperandNotes.cpp - Where operands that disagree come from ----------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/OperandNotes.h"

#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;

/// The maximum number of notes: of a long list the first ones are enough.
static constexpr size_t maxNotes = 8;

void onnxc::onnx::noteOperands(InFlightDiagnostic &error, Operation *op,
                               function_ref<Type(Value)> typeOf) {
  if (op->getNumOperands() < 2 || !error.getUnderlyingDiagnostic())
    return;
  for (OpOperand &operand : op->getOpOperands().take_front(maxNotes))
    error.attachNote(operand.get().getLoc())
        << inputName(operand) << " of type " << typeOf(operand.get())
        << " comes from here";
}
