//===- CarriedSlots.h - Offsets of loop-carried values ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_CARRIEDSLOTS_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_CARRIEDSLOTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace onnxc::krnl {

/// Returns true where an operand gives its buffer to a loop or to the parent of
/// a block.
bool isForwardingUse(mlir::OpOperand &use);

/// A value that a loop carries and whose size no iteration changes has two
/// buffers: one with the value of this iteration, one for that of the next,
/// which swap in each iteration.
struct CarriedSlots {
  llvm::SmallVector<mlir::memref::AllocOp, 2> buffers;
  /// The carried and the left-over buffers; they are not released.
  mlir::Value result, spare;
};

/// Rewrites the loops of a host function so that loop-carried values stay in
/// such buffers, where `isPlanned` accepts the first one. Inner loops come
/// first.
///
///   %r = scf.while (%a = %i) {..}      %b = memref.alloc()
///   do {                               %r:2 = scf.while (%a = %i, %s = %b)
///     %n = memref.alloc()         ->   do {
///     launch ins(%a) outs(%n)            launch ins(%a) outs(%s)
///     scf.yield %n                       scf.yield %s, %a
llvm::SmallVector<CarriedSlots>
makeCarriedSlots(mlir::func::FuncOp host,
                 llvm::function_ref<bool(mlir::memref::AllocOp)> isPlanned);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_CARRIEDSLOTS_H
