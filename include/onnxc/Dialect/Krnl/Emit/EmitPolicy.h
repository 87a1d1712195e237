//===- EmitPolicy.h - Decisions of a target on kernels ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Loops, accesses and payloads are emitted alike for all targets. A policy has
// the differences: how the tiles of the parallel loops open, where storage
// lives, and which ops hand values over in registers.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H
#define ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

class EmitPolicy {
public:
  virtual ~EmitPolicy() = default;

  /// The arguments of a kernel's function behind its operands.
  virtual llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const = 0;

  /// Emits the code that runs `body` for each tile, with the indices of the
  /// parallel loops, which have these extents.
  using TileBody =
      llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> indices)>;
  virtual void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                         llvm::ArrayRef<mlir::OpFoldResult> extents,
                         TileBody body) const = 0;

  /// May an intermediate of so many bytes be memory of a tile? Others become
  /// arguments of the function.
  virtual bool isLocal(int64_t bytes) const = 0;

  /// Emits memory of a tile; the builder stands where all tiles see it.
  virtual mlir::Value allocate(mlir::ImplicitLocOpBuilder &b,
                               mlir::func::FuncOp func,
                               mlir::MemRefType type) const = 0;

  /// May the consumer take the values of the producer from registers?
  virtual bool forwards(const BodyOp &producer, const BodyOp &consumer) const {
    return true;
  }
};

/// Tiles have numbers, the last parallel loop running fastest. The function is
/// called for a range of them by each thread: its last two arguments. Storage
/// of tiles is on the stack.
class ThreadPolicy : public EmitPolicy {
public:
  explicit ThreadPolicy(int64_t stackBytes) : stackBytes(stackBytes) {}

  llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const override;
  void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                 TileBody body) const override;
  bool isLocal(int64_t bytes) const override { return bytes <= stackBytes; }
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       mlir::MemRefType type) const override;

private:
  int64_t stackBytes;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H
