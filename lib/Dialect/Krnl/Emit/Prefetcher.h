//===- Prefetcher.h - Prefetching of operands -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_PREFETCHER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_PREFETCHER_H

#include "OperandPositions.h"

namespace onnxc::krnl {

struct EarlyRead;

/// Emits what prefetch steps ask for.
class Prefetcher : EmitContext {
public:
  Prefetcher(const EmitContext &context, OperandPositions &positions)
      : EmitContext(context), positions(positions) {}

  /// Called before the loops of an op: prefetches what others read after its
  /// sums.
  void emitBefore(unsigned op);
  /// Called in each step of a reduction that has its accumulators in registers:
  /// prefetches the panels of packed operands.
  void emitInStep(OpState &state);

private:
  void prefetchPanel(mlir::OpOperand &operand);
  void prefetchLines(const EarlyRead &read, int64_t lineBytes);

  OperandPositions &positions;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_PREFETCHER_H
