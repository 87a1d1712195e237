//===- MmaEmitter.h - Products of matrices by a warp ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_MMAEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_MMAEMITTER_H

#include "ReductionEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

namespace onnxc::krnl {

/// Emits the points of an mma, whose sums and factors the threads of a warp
/// have.
class MmaEmitter : EmitContext {
public:
  MmaEmitter(const EmitContext &context, OperandPositions &positions,
             CachedSlices &slices, const KeptResults &kept,
             OperandReader &reader, const ReductionEmitter &reduction)
      : EmitContext(context), positions(positions), slices(slices), kept(kept),
        reader(reader), reduction(reduction) {}

  /// The products of the op, if they are those of an instruction here: of a
  /// warp or of a warpgroup.
  const Mma *productsOf(const OpState &state);
  /// Adds the products of a point to the sums.
  Values emit(OpState &state, const Mma &mma, mlir::ValueRange accumulators);

private:
  struct SharedFactor;

  std::optional<SharedFactor> sharedFactor(const OpState &state,
                                           mlir::OpOperand &operand);
  void enterColumn(const Mma &mma, LaneIndex column);
  mlir::Value loadMatrices(OpState &state, const SharedFactor &factor,
                           const Mma &mma, const Instance &instance,
                           mlir::VectorType type, bool isRows,
                           bool isTransposed);
  mlir::Value loadFactor(OpState &state, const Mma &mma,
                         mlir::OpOperand &operand, const Instance &instance,
                         mlir::VectorType type, bool isRows);
  mlir::Value readFactor(OpState &state, const Mma &mma,
                         mlir::OpOperand &operand, const Instance &instance,
                         bool isRows);
  void multiply(OpState &state, const Mma &mma, const MatrixProduct &product,
                unsigned position, Instance instance, Values &running);

  OperandPositions &positions;
  CachedSlices &slices;
  const KeptResults &kept;
  OperandReader &reader;
  const ReductionEmitter &reduction;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_MMAEMITTER_H
