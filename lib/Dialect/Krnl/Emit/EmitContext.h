//===- EmitContext.h - What the emitters of a kernel share ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The nest, the memory and the builders of the kernel that is being emitted,
// and what they say of an op at the current point. Each emitter has a copy, and
// names the other emitters that it calls.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_EMITCONTEXT_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_EMITCONTEXT_H

#include "EmptyOperands.h"
#include "NestEmitter.h"
#include "OpState.h"
#include "VectorAccess.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"

namespace onnxc::krnl {

struct Mma;

/// The values of the function being emitted for those of the kernel.
struct KernelValues {
  mlir::func::FuncOp func;
  /// Scalars and tensors of the kernel body -> values of the function.
  mlir::IRMapping uniform;
  /// Written by ops that meet an index out of range, which have numbers.
  mlir::Value errorWord;
  llvm::DenseMap<mlir::Operation *, int64_t> wrapNumbers;
  /// By packed operand: which sums of its products do not fit 16 bits.
  llvm::DenseMap<unsigned, mlir::Value> longSums;
};

struct EmitContext {
  using Values = llvm::SmallVector<mlir::Value>;

  KernelOp kernel;
  const LoopNest &nest;
  StoragePlan &storage;
  NestEmitter &loops;
  KernelValues &outside;
  EmptyOperands &empty;
  VectorAccess &access;
  mlir::ImplicitLocOpBuilder &b;
  LaneMath &math;
  const EmitOptions &options;
  const EmitPolicy &policy;
  /// The state of each loop at the current point.
  llvm::SmallVector<ActiveLoop> &active = loops.active;

  /// The loop of the op that has lanes here, and how many; 1 without one.
  std::optional<unsigned> laneLoop(const OpState &state) const {
    return loops.laneLoop(state.number);
  }
  int64_t lanesHere(const OpState &state) const {
    return loops.lanesOf(state.number);
  }
  /// How far apart lanes are that are shuffled.
  llvm::ArrayRef<int64_t> stridesHere(const OpState &state) const;
  /// Returns true if the op sums up along the loop.
  bool isReduced(const OpState &state, unsigned loop) const;
  /// Returns true if a warpgroup computes the products of the op.
  bool isOfWarpgroup(unsigned op, const Mma &mma) const;
  /// The memory of a tensor of the kernel.
  Storage &slotOf(mlir::Value tensor) const {
    return storage.slots[storage.chainRoot(tensor)];
  }
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_EMITCONTEXT_H
