//===- Transforms.h - Free functions on kernels -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_TRANSFORMS_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_TRANSFORMS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc::krnl {

/// How the loops of a producer and a consumer become the loops of one kernel.
struct LoopMapping {
  /// The consumer's loop names to those of the merged kernel.
  llvm::StringMap<std::string> rename;
  /// The loops of the merged kernel: the producer's, then the consumer's own.
  llvm::SmallVector<LoopAttr> loops;
  /// The extents of those that are dynamic.
  llvm::SmallVector<mlir::Value> extents;
  /// Names of the loops that both have, through the tensors between them.
  llvm::SmallVector<std::string> common;
};

/// Finds which loops of the two kernels run along the same dimensions of the
/// tensors that `consumer` reads from `producer`. Fails, with the reason, where
/// one loop would have to stand for two.
mlir::FailureOr<LoopMapping> mapLoops(KernelOp producer, KernelOp consumer,
                                      std::string &reason);

/// The numbers that the operands of a producer and a consumer, and after those
/// the results of their ops, have in the merged kernel; -1 for what steps
/// cannot name there.
struct OperandMapping {
  llvm::SmallVector<int> producer, consumer;
  /// The operands of the merged kernel.
  unsigned numOperands = 0;
};

/// The recipe of the merged kernel: both empty, or both with the same shared
/// loops.
mlir::FailureOr<mlir::ArrayAttr>
joinRecipes(KernelOp producer, KernelOp consumer, const LoopMapping &plan,
            const OperandMapping &operands, std::string &reason);

/// Merges two kernels of one block into one that replaces both. A result of the
/// producer that only the consumer uses becomes a temporary inside. On failure
/// nothing has changed and `reason` names the kernels.
mlir::FailureOr<KernelOp> mergeKernels(mlir::RewriterBase &rewriter,
                                       KernelOp producer, KernelOp consumer,
                                       std::string &reason);

/// A kernel beside two of one block that does what both do, at the place of the
/// first one: the loops of both have the same extents, in the same order. Its
/// results are those of the first and then those of the second. Null where one
/// needs the other, or a destination is no memory of its own; then nothing has
/// changed but the places of ops without effects.
KernelOp joinSiblings(mlir::RewriterBase &rewriter, KernelOp first,
                      KernelOp second);

/// The producers of the rows that a contraction sums up: a contraction, and a
/// kernel that computes along each of its rows. Between them there may be one
/// that computes with each of its results; null if there is none.
struct AttentionParts {
  KernelOp scores, between, rows;

  /// The kernels that are not null, in program order.
  llvm::SmallVector<KernelOp> all() const {
    return between ? llvm::SmallVector<KernelOp>{scores, between, rows}
                   : llvm::SmallVector<KernelOp>{scores, rows};
  }
};

/// Finds the kernels that belong to the contraction `consumer` as the first
/// parts of an attention; fails, with the reason, where there are none, or it
/// is not profitable to make one kernel of them.
mlir::FailureOr<AttentionParts> findAttention(KernelOp consumer,
                                              std::string &reason);

/// Makes one kernel of copies of the parts and of `sums`, which are given in
/// this order and read what these read, perhaps views of it. Its result may
/// have more dimensions than that of `sums`. The copies are erased, and the
/// result is null, where that is impossible or `mayMerge` fails for a producer
/// and a consumer.
KernelOp mergeAttention(
    mlir::RewriterBase &rewriter, const AttentionParts &parts, KernelOp sums,
    llvm::SmallVector<KernelOp> copies,
    llvm::function_ref<mlir::LogicalResult(KernelOp, KernelOp)> mayMerge =
        nullptr);

/// The tensor with dimensions of which it has the parts; null if that is no
/// view.
mlir::Value viewAs(mlir::RewriterBase &rewriter, mlir::Value tensor,
                   mlir::RankedTensorType type);

/// The tensor of known rank that the value is a view of as another shape of
/// known rank; null if it is none.
mlir::Value viewedBy(mlir::Value value);

/// The tensor that the value is a view of, through views of known ranks that
/// have no other use.
mlir::Value withoutViews(mlir::Value value);

/// Lets `consumer` read the only result of `producer` itself by an input that
/// is a view of it: loops of both become several, for dimensions that are parts
/// of those of either. A dynamic size has a known factor and a part that stays
/// whole. False where the sizes have no such parts, or a loop cannot be
/// expanded; kernels may have more loops then.
bool alignLoops(mlir::RewriterBase &rewriter, KernelOp producer,
                KernelOp consumer, unsigned input);

/// Erases the kernel, and views and tensors of the host program that only it
/// used.
void eraseWithOperands(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Where remarks are wanted, one of this name that the two stay two kernels,
/// and why. It is at the consumer; the location of the producer is its argument
/// "Producer".
void reportApart(KernelOp producer, KernelOp consumer, llvm::StringRef name,
                 llvm::StringRef pass, llvm::StringRef reason);

/// Fails, with the reason, where the two together have more than `maxOps`
/// structured ops, or so many values that one more gains nothing: merging and
/// emitting a kernel may take more than linear time in them. The time of the
/// check depends on these limits, not on the size of the kernels.
mlir::LogicalResult checkOps(KernelOp producer, KernelOp consumer,
                             unsigned maxOps, std::string &reason);

/// Replaces a kernel that copies a tensor, all elements of which keep their
/// place in memory, by a view. Its readers read the tensor itself.
bool forwardCopy(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Folds elementwise ops into the only op that reads them, where no iteration
/// is computed twice.
void foldElementwise(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Lets an elementwise op that is the last reader of a temporary write its
/// result over it, so that the temporary becomes the destination itself.
void reuseDestinations(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Drops loops of one iteration; 0 replaces their indices in accesses.
void dropUnitLoops(KernelOp kernel);

/// Drops the loops of which the kernel has no op any more.
void dropUnusedLoops(KernelOp kernel);

/// Makes adjacent loops that access memory contiguously one loop, over
/// operands whose dimensions are collapsed likewise.
void collapseLoops(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Lets an elementwise kernel that reads a collapsed view of another kernel's
/// result run over the dimensions of the result itself. Its other operands are
/// expanded likewise, its results collapsed. Not where its results are copied
/// into parts of others, as it may write there. False if nothing changes.
bool expandLoops(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Makes several loops of one, with these extents, the outer ones first, and
/// gives their names. Operands and results along it are views of as many
/// dimensions more. False, and nothing has changed, where the loop does not
/// cover a dimension of a tensor that it indexes, or has other iterations. One
/// extent may be dynamic where that of the loop was computed as a multiple of
/// the others.
bool expandLoop(mlir::RewriterBase &rewriter, KernelOp kernel,
                llvm::StringRef loop, llvm::ArrayRef<int64_t> extents,
                llvm::SmallVectorImpl<std::string> &names);

/// Makes two loops of one, and gives their names: parts, and `size` iterations
/// of each. Those of the last part may be past the end: inputs are zero there,
/// and indices in payloads the last one, where they are not just compared.
/// Returns the extent inside, a new input of the kernel where it is dynamic;
/// null, and nothing has changed, where the loop covers a dimension of a
/// result, or not one of each tensor that it indexes.
mlir::Value divideLoop(mlir::RewriterBase &rewriter, KernelOp kernel,
                       llvm::StringRef loop, int64_t size,
                       llvm::SmallVectorImpl<std::string> &names);

/// Runs the op over the loops `axes` instead, the first `parallel` of them in
/// parallel. `dims` has for each of its loops so far a dimension of these, or
/// the only value of the index.
void replaceAxes(ComputeOp op, llvm::ArrayRef<mlir::AffineExpr> dims,
                 llvm::ArrayRef<llvm::StringRef> axes, unsigned parallel);

/// Drops an input that the payload does not read.
void eraseInput(ComputeOp op, unsigned number);

/// Puts the loops of the kernel, and those of its ops, in the order in which
/// memory is walked: as the results have them, then as the operands do.
void orderLoops(KernelOp kernel);

/// Puts numbers into the ops that read tensors all of one constant element.
void inlineConstants(mlir::RewriterBase &rewriter, KernelOp kernel);

/// Drops operands that the body does not use, and equal ones.
void dropUnusedInputs(mlir::RewriterBase &rewriter, KernelOp kernel);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_TRANSFORMS_H
