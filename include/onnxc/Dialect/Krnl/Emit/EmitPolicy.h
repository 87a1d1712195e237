//===- EmitPolicy.h - Decisions of a target on kernels ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Loops, accesses and payloads are emitted alike for all targets. A policy has
// the differences: how the tiles of the parallel loops open, where storage
// lives, and which ops pass values in registers.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H
#define ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Target/IR/Processor.h"
#include "onnxc/Target/IR/Target.h"

#include <memory>

namespace onnxc::krnl {

/// Lets the loops around an op stay loops to the end: unrolling is a step of
/// recipes.
void keepLoopsAround(mlir::Operation *op);

/// Threads that share a tile, those of a block of a GPU.
class TileThreads {
public:
  virtual ~TileThreads() = default;

  /// The iteration of each mapped loop that the calling thread has; the loops
  /// have these extents. A tile has `others` more threads, numbered after
  /// theirs.
  virtual llvm::SmallVector<mlir::Value>
  indices(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
          llvm::ArrayRef<int64_t> extents, int64_t others) const = 0;

  /// combiner(x, y) of each of the values of all threads of some mapped loops,
  /// by stride, which all of them get: always in the same order. Warps exchange
  /// all of them at once, by memory for so many values, at least as many as
  /// there are.
  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  virtual void combine(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       llvm::MutableArrayRef<mlir::Value> values,
                       int64_t maxValues, llvm::ArrayRef<ThreadLoop> threads,
                       Combine combine) const = 0;

  /// Combines values of all blocks of a cluster: `values` has an equal number
  /// of values for each block, and each block gets its own. The threads have to
  /// wait for the cluster before they do so again, and before they end.
  virtual llvm::SmallVector<mlir::Value>
  combineBlocks(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                llvm::ArrayRef<mlir::Value> values, mlir::Value block,
                int64_t blocks, Combine combine) const = 0;

  /// Threads with adjacent numbers have `parts`, vectors of up to a word, of as
  /// many tiles as they are: a power of two. Emits that each gets all parts of
  /// one tile, the first thread of the first one, in the order of the threads.
  virtual mlir::Value
  exchangeTiles(mlir::ImplicitLocOpBuilder &b,
                llvm::ArrayRef<mlir::Value> parts) const = 0;

  /// Emits memory of all threads of a tile, aligned to `alignment` bytes.
  virtual mlir::Value allocateShared(mlir::ImplicitLocOpBuilder &b,
                                     mlir::func::FuncOp func,
                                     mlir::MemRefType type,
                                     int64_t alignment) const = 0;
  /// The number of threads of a tile of the function.
  virtual int64_t count(mlir::func::FuncOp func) const = 0;
  /// Emits the number of the calling thread.
  virtual mlir::Value number(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Emits that each thread waits for all others.
  virtual void wait(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Emits that the copies that the thread has started since the last call are
  /// a group; waitForGroups(): that it waits for all its groups but the last
  /// `others`.
  virtual void closeGroup(mlir::ImplicitLocOpBuilder &b) const = 0;
  virtual void waitForGroups(mlir::ImplicitLocOpBuilder &b,
                             int64_t others) const = 0;
  /// Returns true if a warp multiplies matrices of these elements by one
  /// instruction.
  virtual bool multipliesMatrices(const MatrixProduct &product) const = 0;
  /// Returns true if a warpgroup (four warps) multiplies matrices of these
  /// elements, with the factors in shared memory.
  virtual bool hasWarpgroups(const MatrixProduct &product) const = 0;
  /// Returns true if one instruction copies a box of a tensor to the shared
  /// memory of all blocks that the nest makes a cluster.
  virtual bool copiesBoxes(const LoopNest &nest) const = 0;
  /// Returns true if blocks can form clusters.
  virtual bool formsClusters() const = 0;
  /// Emits that the blocks of the function form clusters of `blocks` blocks.
  virtual void makeClusters(mlir::func::FuncOp func, int64_t blocks) const = 0;
  /// Emits that other blocks of the cluster see the barriers that the thread
  /// has made, once all have waited for it.
  virtual void fenceBarriers(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Emits that each thread of a cluster arrives, and that it waits until all
  /// others have. These see what it has written if it `releases` that.
  virtual void arriveInCluster(mlir::ImplicitLocOpBuilder &b,
                               bool releases) const = 0;
  virtual void waitForCluster(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Emits that instructions of warpgroups see what the thread has written to
  /// shared memory, once all have waited for it.
  virtual void fenceAsyncProxy(mlir::ImplicitLocOpBuilder &b) const = 0;
};

class EmitPolicy {
public:
  virtual ~EmitPolicy() = default;

  /// The types of the arguments of a kernel's function that follow its
  /// operands.
  virtual llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const = 0;

  /// Returns true if operands are packed in each run, by a loop of the host
  /// program.
  virtual bool packsInRuns() const { return true; }

  /// Emits the code that runs `body` for each tile, with the indices of the
  /// parallel loops, which have these extents, and what emits how many tiles
  /// the threads of the tile have had before it: null if each is one thread's.
  using TileBody =
      llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> indices,
                              llvm::function_ref<mlir::Value()> before)>;
  virtual void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                         llvm::ArrayRef<mlir::OpFoldResult> extents,
                         TileBody body) const = 0;

  /// The threads of a tile; null if each tile has one thread.
  virtual const TileThreads *tileThreads() const { return nullptr; }

  /// Emits memory of a tile; the builder stands where all tiles see it.
  virtual mlir::Value allocate(mlir::ImplicitLocOpBuilder &b,
                               mlir::func::FuncOp func,
                               mlir::MemRefType type) const = 0;

  /// Returns true if one thread multiplies a group of so many bytes at once for
  /// a sum that is in no vector.
  virtual bool multipliesSingleGroups(int64_t bytes) const { return false; }

  /// Returns true if the consumer may take the values of the producer from
  /// registers.
  virtual bool forwards(const BodyOp &producer, const BodyOp &consumer) const {
    return true;
  }
};

/// Tiles have numbers, the last parallel loop running fastest. The function is
/// called for a range of them by each thread: its last two arguments. Storage
/// of tiles is on the stack.
class ThreadPolicy : public EmitPolicy {
public:
  explicit ThreadPolicy(TargetAttr target = {}) : target(target) {}

  llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const override;
  void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                 TileBody body) const override;
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       mlir::MemRefType type) const override;
  bool multipliesSingleGroups(int64_t bytes) const override;

private:
  /// Lists the instructions; null if there are none.
  TargetAttr target;
};

/// The threads of a block of a GPU. Memory of the block is a buffer of the
/// memory space that PTX has it in. The function has their number as the
/// attribute krnl.threads.
class BlockThreads : public TileThreads {
public:
  explicit BlockThreads(TargetAttr target) : target(target) {}

  llvm::SmallVector<mlir::Value> indices(mlir::ImplicitLocOpBuilder &b,
                                         mlir::func::FuncOp func,
                                         llvm::ArrayRef<int64_t> extents,
                                         int64_t others) const override;
  void combine(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
               llvm::MutableArrayRef<mlir::Value> values, int64_t maxValues,
               llvm::ArrayRef<ThreadLoop> threads,
               Combine combine) const override;
  llvm::SmallVector<mlir::Value>
  combineBlocks(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                llvm::ArrayRef<mlir::Value> values, mlir::Value block,
                int64_t blocks, Combine combine) const override;
  mlir::Value exchangeTiles(mlir::ImplicitLocOpBuilder &b,
                            llvm::ArrayRef<mlir::Value> parts) const override;
  mlir::Value allocateShared(mlir::ImplicitLocOpBuilder &b,
                             mlir::func::FuncOp func, mlir::MemRefType type,
                             int64_t alignment) const override;
  int64_t count(mlir::func::FuncOp func) const override;
  mlir::Value number(mlir::ImplicitLocOpBuilder &b) const override;
  void wait(mlir::ImplicitLocOpBuilder &b) const override;
  void closeGroup(mlir::ImplicitLocOpBuilder &b) const override;
  void waitForGroups(mlir::ImplicitLocOpBuilder &b,
                     int64_t others) const override;
  bool multipliesMatrices(const MatrixProduct &product) const override;
  bool hasWarpgroups(const MatrixProduct &product) const override;
  bool copiesBoxes(const LoopNest &nest) const override;
  bool formsClusters() const override;
  void makeClusters(mlir::func::FuncOp func, int64_t blocks) const override;
  void fenceBarriers(mlir::ImplicitLocOpBuilder &b) const override;
  void arriveInCluster(mlir::ImplicitLocOpBuilder &b,
                       bool releases) const override;
  void waitForCluster(mlir::ImplicitLocOpBuilder &b) const override;
  void fenceAsyncProxy(mlir::ImplicitLocOpBuilder &b) const override;

private:
  /// Lists the instructions; null if there are none.
  TargetAttr target;
};

/// Blocks of threads of a GPU, as many as the launch says, take tiles in turn;
/// the threads of a block share a tile. Each has storage of its own. Errors of
/// all kernels of a run share one word, so a kernel has the number of its first
/// message.
class BlockPolicy : public EmitPolicy {
public:
  explicit BlockPolicy(TargetAttr target = {}) : threads(target) {}

  llvm::SmallVector<mlir::Type>
  argumentTypes(mlir::MLIRContext *context) const override;
  bool packsInRuns() const override { return false; }
  void openTiles(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                 TileBody body) const override;
  const TileThreads *tileThreads() const override { return &threads; }
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp func,
                       mlir::MemRefType type) const override;

private:
  BlockThreads threads;
};

/// The policy of a processor, and the target that it is of.
std::unique_ptr<EmitPolicy> makePolicy(const target::Processor &processor,
                                       TargetAttr target);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_EMIT_EMITPOLICY_H
