//===- ReductionEmitter.h - Running values of reductions --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction keeps its accumulators across the reduction loops directly around
// its register loops. Lanes, threads and split loops have accumulators of their
// own, which are combined where the loops end.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_REDUCTIONEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_REDUCTIONEMITTER_H

#include "OperandReader.h"
#include "ResultWriter.h"

namespace onnxc::krnl {

class ReductionEmitter : EmitContext {
public:
  ReductionEmitter(const EmitContext &context, OperandReader &reader,
                   ResultWriter &writer)
      : EmitContext(context), reader(reader), writer(writer) {}

  /// The accumulator of the accumulated result at `position` that the instance
  /// adds to.
  int accumulatorAt(const OpState &state, const Instance &instance,
                    unsigned position = 0) const;
  /// Accumulators in the order of enumerate(): for each result, the instances
  /// of the loops that keep them apart.
  Values initial(OpState &state);
  /// The value of an accumulator after an instance; lanes that are masked keep
  /// the one before.
  mlir::Value nextOf(const OpState &state, const Instance &instance,
                     mlir::Value before, mlir::Value result);
  /// Brings split accumulators together and passes on the results.
  void finish(OpState &state, mlir::ValueRange accumulators);

private:
  bool isSplit(const OpState &state, unsigned loop) const;
  bool splitsInstances(const OpState &state) const;
  bool hasOwnAccumulator(const OpState &state, unsigned result,
                         unsigned loop) const;
  mlir::Value combineInThread(const OpState &state, unsigned position,
                              mlir::ValueRange accumulators,
                              const Instance &instance,
                              mlir::Operation *combiner);
  void combineInBlock(const OpState &state,
                      llvm::MutableArrayRef<mlir::Value> totals,
                      mlir::Operation *combiner);
  void exchangeParts(const OpState &state,
                     llvm::SmallVectorImpl<Instance> &kept,
                     llvm::MutableArrayRef<Values> totals);

  OperandReader &reader;
  ResultWriter &writer;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_REDUCTIONEMITTER_H
