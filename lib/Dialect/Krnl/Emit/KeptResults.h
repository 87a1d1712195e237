//===- KeptResults.h - Results of ops in registers --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A result that is complete at a point of the fused outer nest stays in
// registers for the ops after it at the same point.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_KEPTRESULTS_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_KEPTRESULTS_H

#include "EmitContext.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"

#include <map>

namespace onnxc::krnl {

class KeptResults : EmitContext {
public:
  explicit KeptResults(const EmitContext &context) : EmitContext(context) {}

  /// Forgets all: another point begins.
  void clear() { results.clear(); }
  /// Keeps the result of an op that accumulates.
  void keep(const OpState &state, unsigned result, const Instance &instance,
            mlir::Value value);
  /// The value of another op that the operand is; null if that is to be read
  /// from memory. Lanes are put together from single columns; those that there
  /// are not may be anything.
  mlir::Value find(const OpState &state, mlir::OpOperand &operand,
                   const Instance &instance) const;

  /// What a thread has of 16 rows that an instruction for matrices multiplies,
  /// of a factor that is in registers (registerFactor).
  mlir::Value rowsOfMatrix(const Mma &mma, mlir::OpOperand &factor,
                           const RegisterFactor &form, Instance instance) const;

private:
  /// A result held in registers: by the instances of the loops it depends on.
  struct RegisterValue {
    llvm::SmallVector<unsigned> loops;
    std::map<Instance, mlir::Value> values;
  };

  mlir::Value valueOf(const OpState &state, mlir::OpResult result,
                      const RegisterValue &kept,
                      const Instance &instance) const;

  llvm::DenseMap<mlir::Value, RegisterValue> results;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_KEPTRESULTS_H
