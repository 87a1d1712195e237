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
#include "onnxc/Target/Processor.h"

#include <memory>

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

  /// The iteration of each mapped loop that is the calling thread's, for a tile
  /// that threads share; none where its thread has all of them.
  virtual llvm::SmallVector<mlir::Value>
  threadIndices(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                llvm::ArrayRef<int64_t> extents) const {
    return {};
  }

  /// combiner(x, y) of the values of `threads` threads, those of the innermost
  /// mapped loop, which all of them get: always in the same order.
  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  virtual mlir::Value combineThreads(mlir::ImplicitLocOpBuilder &b,
                                     mlir::func::FuncOp func, mlir::Value value,
                                     int64_t threads, Combine combine) const {
    return value;
  }

  /// Do threads share a tile? Then these emit memory of all of them, the number
  /// of the calling one, and that each waits for all others.
  virtual bool sharesTiles() const { return false; }
  virtual mlir::Value allocateShared(mlir::ImplicitLocOpBuilder &b,
                                     mlir::func::FuncOp func,
                                     mlir::MemRefType type) const {
    return {};
  }
  virtual mlir::Value threadNumber(mlir::ImplicitLocOpBuilder &b) const {
    return {};
  }
  virtual void waitForThreads(mlir::ImplicitLocOpBuilder &b) const {}

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
  llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const override;
  void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                 TileBody body) const override;
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       mlir::MemRefType type) const override;
};

/// Blocks of threads of a GPU, as many as the launch says, take tiles in turn;
/// the threads of a block share a tile. Each has storage of its own. Memory of
/// the block is a buffer of the memory space that PTX has it in. The function
/// has the number of threads as the attribute krnl.threads.
class BlockPolicy : public EmitPolicy {
public:
  llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const override;
  void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                 TileBody body) const override;
  llvm::SmallVector<mlir::Value>
  threadIndices(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                llvm::ArrayRef<int64_t> extents) const override;
  mlir::Value combineThreads(mlir::ImplicitLocOpBuilder &b,
                             mlir::func::FuncOp func, mlir::Value value,
                             int64_t threads, Combine combine) const override;
  bool sharesTiles() const override { return true; }
  mlir::Value allocateShared(mlir::ImplicitLocOpBuilder &b,
                             mlir::func::FuncOp func,
                             mlir::MemRefType type) const override;
  mlir::Value threadNumber(mlir::ImplicitLocOpBuilder &b) const override;
  void waitForThreads(mlir::ImplicitLocOpBuilder &b) const override;
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       mlir::MemRefType type) const override;
};

/// The policy of a processor.
std::unique_ptr<EmitPolicy> makePolicy(const target::Processor &processor);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H
