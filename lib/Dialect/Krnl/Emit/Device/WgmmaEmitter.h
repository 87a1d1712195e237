//===- WgmmaEmitter.h - Products of matrices by a warpgroup -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H

#include "ReductionEmitter.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"

namespace onnxc::krnl {

/// Emits the points of a wgmma, which reads its factors from slices.
class WgmmaEmitter : EmitContext {
public:
  WgmmaEmitter(const EmitContext &context, CachedSlices &slices,
               const ReductionEmitter &reduction)
      : EmitContext(context), slices(slices), reduction(reduction) {}

  /// Adds the products of a point to the sums.
  Values emit(OpState &state, const Mma &mma, mlir::ValueRange accumulators);
  /// Waits after a loop for what its last iterations have left in flight.
  Values wait(OpState &state, unsigned loop, Values accumulators);

private:
  struct MatrixSumsOfPoint;

  mlir::Value descriptorOf(const CachedSlice &slice, const Mma &mma,
                           const Instance &instance);
  MatrixSumsOfPoint gatherSums(OpState &state, const Mma &mma,
                               mlir::ValueRange accumulators);

  CachedSlices &slices;
  const ReductionEmitter &reduction;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_WGMMAEMITTER_H
