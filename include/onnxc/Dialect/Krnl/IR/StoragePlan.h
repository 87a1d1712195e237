//===- StoragePlan.h - Where the tensors of a kernel live -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Values that an op computes at one point of the fused outer nest are passed to
// the next op in registers where that reads the very elements. Others have
// memory: that of a destination of the kernel, memory of the tile, or, where
// its size is not known or a step says so, of the arena of the run.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_STORAGEPLAN_H
#define ONNXC_DIALECT_KRNL_IR_STORAGEPLAN_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/OpPlan.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc::krnl {

/// Bytes that an intermediate may have on the stack of a thread.
constexpr int64_t maxTileBytes = 65536;

/// The storage of a tensor of the kernel.
struct Storage {
  /// The whole tensor, or the part of it that one visit of the first `depth`
  /// fused outer loops touches (`local`), or the packed form of an operand.
  mlir::Value memref;
  bool local = false;
  unsigned depth = 0;
  /// The tensor is in memory of all threads of the tile.
  bool isShared = false;
  llvm::SmallVector<int64_t> localShape;
  /// The memref is indexed by loops, outermost first: a packed operand or the
  /// cached slice of one.
  bool byLoops = false;
  llvm::SmallVector<unsigned> packed;

  /// The loops around the part that is stored; none if all is.
  std::optional<unsigned> localDepth() const {
    return local ? std::optional(depth) : std::nullopt;
  }
};

/// Returns true if a part of a tensor that one visit of so many fused outer
/// loops touches is counted from the current iteration of the loop on.
bool isAroundPart(const LoopNest &nest, unsigned loop, unsigned depth);

class StoragePlan {
public:
  /// Returns true if a target may pass values of the producer to the
  /// consumer in registers.
  using Forwards =
      std::function<bool(const BodyOp &producer, const BodyOp &consumer)>;
  StoragePlan(KernelOp kernel, const LoopNest &nest,
              Forwards forwards = nullptr);

  /// Gives each tensor that needs memory a slot.
  void assign();

  /// The storage of tensors, by root of the destination chain; memrefs are
  /// filled in when there are any.
  llvm::MapVector<mlir::Value, Storage> slots;
  /// Roots that are written straight into a destination of the kernel.
  llvm::DenseMap<mlir::Value, unsigned> outputOf;
  /// Roots that are no memory of a tile.
  llvm::SmallVector<mlir::Value> temporaries;
  /// The bytes that a tile has of a root, or would have but for the step
  /// `arena`.
  llvm::DenseMap<mlir::Value, int64_t> tileBytes;

  const OpPlan &plan(unsigned op) const { return plans[op]; }
  /// Returns true if the results of the op are only initial values of other
  /// ops, each used once.
  bool isOnlyStart(unsigned op) const;
  /// The value whose memory `tensor` is written into: its own, or that of the
  /// tensor it continues.
  mlir::Value chainRoot(mlir::Value tensor) const;
  /// Returns true if `use` reads the result from memory.
  bool isReadFromMemory(mlir::OpResult produced, mlir::OpOperand &use) const;
  /// Returns true if the op writes into the memory of the root.
  bool writes(unsigned op, mlir::Value root) const;
  /// Returns true if the results of the op are complete, in registers, at the
  /// point of the fused outer nest.
  bool isCompleteInRegisters(unsigned op) const;
  /// Returns true if `use` can take the value from registers.
  bool canForward(mlir::OpResult produced, mlir::OpOperand &use) const;
  /// Bytes of all intermediates that threads share.
  int64_t sharedBytes() const;
  /// Returns true if the result must be stored, because a use cannot take it
  /// from registers.
  bool needsMemory(mlir::OpResult produced) const;
  /// The memory of others that must start with a copy of the result.
  llvm::SmallVector<mlir::Value>
  destinationAliases(mlir::OpResult produced) const;

private:
  bool isBodyOp(mlir::Operation *op) const;
  bool overwritesEarly(mlir::OpOperand &init) const;
  bool accesses(unsigned op, mlir::Value root) const;
  unsigned depthOf(mlir::Value root) const;
  bool hasFusedOuterLoop(unsigned op, unsigned dim, unsigned depth) const;
  int64_t lastLocal(unsigned op, mlir::AffineExpr value, unsigned depth) const;
  llvm::SmallVector<int64_t> localShape(mlir::OpResult value,
                                        unsigned depth) const;
  void assignOutputs();
  void assignSlot(mlir::Value root, mlir::OpResult value);
  bool isSharedRoot(mlir::Value root) const;

  mutable KernelOp kernel;
  const LoopNest &nest;
  Forwards forwards;
  llvm::SmallVector<OpPlan, 0> plans;
};

/// The indices of an access over the axes of the kernel instead of those of
/// the op.
llvm::SmallVector<mlir::AffineExpr> indicesOverAxes(mlir::AffineMap map,
                                                    const BodyOp &op);

/// Returns true if the op has results of several threads. One thread alone
/// computes all of them before the next op begins, while a sum of them is in
/// its registers.
bool isSharedByThreads(const LoopNest &nest, const BodyOp &op);

/// Decides which values the target of the kernel passes in registers: where
/// each tile has one thread, none of ops that several threads share.
StoragePlan::Forwards forwardsOfTarget(KernelOp kernel, const LoopNest &nest);

/// Fails if the step `arena` of the op makes no difference.
mlir::LogicalResult verifyArena(KernelOp kernel, const LoopNest &nest,
                                llvm::StringRef op, EmitErrorFn emitError);

/// Bytes of memory that threads share, for results that steps `shared` name and
/// for sums that warps exchange.
int64_t sharedResultBytes(KernelOp kernel, const LoopNest &nest);

/// Fails if the results that steps `shared` name cannot be in memory of all
/// threads, or exceed it.
mlir::LogicalResult verifyShared(KernelOp kernel, const LoopNest &nest,
                                 EmitErrorFn emitError);

/// Fails if a thread that has iterations of mapped loops of an op reads from
/// memory that is not shared what another thread has written.
mlir::LogicalResult verifyThreads(KernelOp kernel, const LoopNest &nest,
                                  EmitErrorFn emitError);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_STORAGEPLAN_H
