//===- InstanceEmitter.h - The payload in one instance ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_INSTANCEEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_INSTANCEEMITTER_H

#include "OperandPositions.h"
#include "PayloadEmitter.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

namespace onnxc::krnl {

/// Emits payloads of ops in one instance of their register loops.
class InstanceEmitter : EmitContext {
public:
  InstanceEmitter(const EmitContext &context, OperandPositions &positions)
      : EmitContext(context), positions(positions) {}

  /// What the payload yields for its arguments, null for those without a use.
  Values emit(OpState &state, const Instance &instance,
              llvm::ArrayRef<mlir::Value> args);
  /// The bytes of a factor after the operations of the payload on them.
  mlir::Value apply(OpState &state, const ByteFactor &factor,
                    const Instance &instance, mlir::Value bytes);

private:
  struct Point;

  /// Returns true if a multiply and an add may be one operation. They may not
  /// where the model's order is to be kept, nor in an op that overwrites an
  /// operand without summing up: it would round otherwise with a result of its
  /// own.
  bool contracts(const OpState &state) const {
    return state.accumulates && !options.strict &&
           state.op.getNumReductionLoops() > 0;
  }

  OperandPositions &positions;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_INSTANCEEMITTER_H
