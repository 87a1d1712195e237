//===- WgmmaEmitter.h - Products of matrices by a warpgroup -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H

#include "ReductionEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

namespace onnxc::krnl {

/// Emits the points of a wgmma, which reads its factors from slices.
class WgmmaEmitter : EmitContext {
public:
  WgmmaEmitter(const EmitContext &context, CachedSlices &slices,
               const KeptResults &kept, const ReductionEmitter &reduction)
      : EmitContext(context), slices(slices), kept(kept), reduction(reduction) {
  }

  /// Adds the products of a point to the sums.
  Values emit(OpState &state, const Mma &mma, mlir::ValueRange accumulators);
  /// Waits after a loop for what its last iterations have left in flight.
  Values wait(OpState &state, unsigned loop, Values accumulators);

private:
  struct MatrixSumsOfPoint;

  mlir::Value descriptorOf(const CachedSlice &slice, const Mma &mma,
                           const Instance &instance);
  llvm::SmallVector<mlir::Value> gatherRows(const MatrixProduct &product,
                                            const Mma &mma,
                                            llvm::ArrayRef<Instance> instances);
  mlir::Value multiply(const MatrixProduct &product, const Mma &mma,
                       const Instance &instance, mlir::Value rows,
                       mlir::Value sums);
  MatrixSumsOfPoint gatherSums(OpState &state, const Mma &mma,
                               mlir::ValueRange accumulators);

  CachedSlices &slices;
  const KeptResults &kept;
  const ReductionEmitter &reduction;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H
