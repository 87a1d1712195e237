//===- Shuffles.h - Copies that go to memory together -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// transpose, interleave, strided: vectors whose elements are not adjacent.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHUFFLES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHUFFLES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

class Access;

/// Returns true if a loop of its own indexes the last dimension of the
/// operand, or a part of it, and copies of `loop` access consecutive elements
/// along it.
/// `along` is the access over the loops of the nest.
bool hasRows(const Access &along, mlir::OpOperand &operand, unsigned loop);

/// The factors by which the loop is unrolled: in whole steps, then in those
/// that are left.
llvm::SmallVector<int64_t> copiesOf(const LoopNest &nest, const LoopUse &use);

/// Returns true if the lanes are at most `copies` elements apart, and copies
/// of the loop `copied` access all elements between them.
bool liesBetween(const Access &along, unsigned lane, unsigned copied,
                 int64_t copies);

/// Returns true if the op has inputs whose lanes are 2 to `maxStride` elements
/// apart, and copies of the loop read the elements between them.
bool readsBetween(const LoopNest &nest, unsigned op, const LoopUse &use,
                  int64_t maxStride = INT64_MAX);

/// Returns true if the op has accesses that the copies of the loop are
/// shuffled for. `masked`: only accesses whose copies are no whole vector
/// when stored.
bool canShuffle(const LoopNest &nest, unsigned op, const LoopUse &use,
                Shuffle shuffle, bool masked = false);

/// Returns true if the op has an access for which the lanes of the loop are
/// `distance` elements apart. Packed operands and interleaved stores do not
/// count.
bool hasStride(const LoopNest &nest, unsigned op, const LoopUse &use,
               int64_t distance);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHUFFLES_H
