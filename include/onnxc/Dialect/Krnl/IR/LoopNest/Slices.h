//===- Slices.h - Copies of operands near the threads -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache, pipeline: the slices of operands in scratch and shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_SLICES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_SLICES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// Body ops that copy the operand of a cache step.
llvm::SmallVector<unsigned> cachingOps(const LoopNest &nest,
                                       const Cache &cache);

/// The step that lets the op read an operand from memory that the threads of
/// a tile share; null if there is none.
const Cache *sharedCacheOf(const LoopNest &nest, mlir::OpOperand &operand,
                           unsigned op);

/// The loops that such a copy is indexed by: those of the op inside `at` that
/// the operand depends on, outermost first. Of a shared one also the mapped
/// loops, and those around `at` that are unrolled completely: reduced ones
/// first, then those of each axis together; for an mma the reduced ones come
/// last if it reads elements along them.
llvm::SmallVector<unsigned> cachedLoops(const LoopNest &nest,
                                        const Cache &cache, unsigned op);

/// Elements of a slice from one iteration of a loop to the next one, among
/// those along the sums or among those across them; 0 for a loop that the slice
/// is not indexed by.
int64_t strideInSlice(const LoopNest &nest, const Cache &cache, unsigned op,
                      unsigned loop);

/// The loops of a slice, out of all those of it, that go along its rows: sums
/// or the others, whichever come last; those of the last axis without sums.
llvm::SmallVector<unsigned> loopsOfRow(const LoopNest &nest, unsigned op,
                                       llvm::ArrayRef<unsigned> loops);

/// The elements of a shared slice's rows, where these are copied ahead in whole
/// accesses of 16 bytes though they begin anywhere in memory: each from the
/// access on that its first element lies in. A row is followed by one more
/// access then. Nothing where rows begin with an access, or are copied
/// otherwise: only inputs of ops without sums whose rows have no gaps are.
std::optional<int64_t> shiftedRow(const LoopNest &nest, const Cache &cache,
                                  unsigned op, mlir::OpOperand &input);

/// The op whose loops the slices of `op` at a loop are copied in: the last one
/// of those that are computed at the loop, else `op` itself.
unsigned copyingOp(const LoopNest &nest, unsigned loop, unsigned op);

/// The pipeline step of a loop; one stage if the loop has none.
Pipeline pipelineAt(const LoopNest &nest, unsigned loop);

/// Bytes of all slices of shared memory, with padding after and between their
/// rows; more than any memory has where that is too many to count.
int64_t sharedSliceBytes(const LoopNest &nest);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_SLICES_H
