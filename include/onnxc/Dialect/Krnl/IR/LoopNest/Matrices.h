//===- Matrices.h - Loops of products of matrices ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// mma, wgmma: ops whose products a warp or a warpgroup computes together.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_MATRICES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_MATRICES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The step mma or wgmma of the op; null if it has none.
const Mma *mmaOf(const LoopNest &nest, unsigned op);

/// The layout of the slice of an op that has wgmma; nothing if no instruction
/// can read the slice.
std::optional<SwizzledSlice> swizzledSlice(const LoopNest &nest,
                                           const Cache &cache, unsigned op);

/// The rows that an instruction for matrices multiplies, where the threads have
/// them as the result of another op: of elements of 16 bits each thread has
/// those in the place of its sums that it needs as a factor (PTX ISA, fragments
/// of mma.m16n8k16 and wgmma.m64nNk16).
struct RegisterFactor {
  /// The loops of that op over the tiles of eight elements of a row, and over
  /// the adjacent elements of a thread in them.
  unsigned tiles, copies;
  /// The loops over instructions of the op that multiplies, and how many
  /// elements of a row their iterations are apart.
  llvm::SmallVector<std::pair<unsigned, int64_t>> instructions;
};

/// The form of the factor in registers; nothing if the threads do not have it
/// so.
std::optional<RegisterFactor> registerFactor(const LoopNest &nest,
                                             mlir::OpOperand &factor);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_MATRICES_H
