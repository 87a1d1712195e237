//===- OperandReader.h - Values of operands ---------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An operand is taken from registers, or loaded: once for all instances of a
// point at which it has the same element, with those beside it where a shuffle
// takes them apart, from a slice if a cache step asks for one.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDREADER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDREADER_H

#include "CachedSlices.h"
#include "KeptResults.h"

namespace onnxc::krnl {

class OperandReader : EmitContext {
public:
  OperandReader(const EmitContext &context, OperandPositions &positions,
                CachedSlices &slices, const KeptResults &kept)
      : EmitContext(context), positions(positions), slices(slices), kept(kept) {
  }

  /// The value of the operand in an instance.
  mlir::Value read(OpState &state, mlir::OpOperand &operand,
                   const Instance &instance);
  /// The arguments of the payload, null for those without a use. `at`: by
  /// result the position of the instance's accumulator in `running`, -1 if
  /// there is none.
  Values readArguments(OpState &state, const Instance &instance,
                       llvm::ArrayRef<int> at,
                       llvm::ArrayRef<mlir::Value> running);
  /// Reads it from memory.
  mlir::Value load(OpState &state, mlir::OpOperand &operand,
                   const Instance &instance);
  /// The operand, and the instance as far as its element depends on it: where
  /// OpState::reads has the value.
  std::pair<unsigned, Instance> keyOf(const OpState &state,
                                      mlir::OpOperand &operand,
                                      const Instance &instance);

private:
  bool loadTransposed(OpState &state, mlir::OpOperand &operand,
                      const Instance &instance, mlir::Value memref);
  bool loadInterleaved(OpState &state, mlir::OpOperand &operand,
                       const Instance &instance, mlir::Value memref);

  OperandPositions &positions;
  CachedSlices &slices;
  const KeptResults &kept;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDREADER_H
