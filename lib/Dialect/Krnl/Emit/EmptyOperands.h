//===- EmptyOperands.h - Reads of operands without elements -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A payload that takes its elements from several operands computes an index for
// each of them, brings it inside, and selects afterwards. In an operand that
// has no element there is no inside: it may have no memory, so it is not read.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_EMPTYOPERANDS_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_EMPTYOPERANDS_H

#include "VectorAccess.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

class EmptyOperands {
public:
  /// Sizes of operands are computed at the beginning of `entry`.
  EmptyOperands(mlir::ImplicitLocOpBuilder &b, VectorAccess &access,
                mlir::Block &entry)
      : b(b), access(access), entry(entry) {}

  /// Emits `body`, and once more for runs where an operand that the kernel
  /// extracts from has no element, if that may be.
  void emitBranches(KernelOp kernel,
                    llvm::function_ref<mlir::Value(mlir::Value)> memrefOf,
                    llvm::function_ref<void()> body);
  /// Reads the element that the op extracts, or a placeholder where there is no
  /// element.
  mlir::Value load(mlir::tensor::ExtractOp extract, mlir::Value memref,
                   llvm::ArrayRef<LaneIndex> at, int64_t lanes,
                   mlir::Value mask, llvm::ArrayRef<int64_t> strides);

private:
  mlir::Value hasElements(mlir::Value memref);

  mlir::ImplicitLocOpBuilder &b;
  VectorAccess &access;
  mlir::Block &entry;
  /// For operands that may have no element, the i1 that says whether they have
  /// one.
  llvm::DenseMap<mlir::Value, mlir::Value> nonEmpty;
  /// The code being emitted is for runs where one of them has none.
  bool someEmpty = false;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_EMPTYOPERANDS_H
