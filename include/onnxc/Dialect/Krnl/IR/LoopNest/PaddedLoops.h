//===- PaddedLoops.h - Blocks that reach past the end -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// tail=pad: values of loops past their end, and the distances of blocks.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_PADDEDLOOPS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_PADDEDLOOPS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

class Access;

/// Loops whose blocks are padded for the op: their values may be past their
/// end. `reduced`: only loops that the op reduces.
llvm::SmallVector<unsigned> paddedLoops(const LoopNest &nest, unsigned op,
                                        bool reduced = false);

/// The padded loops that the element of an operand depends on, by an access
/// over the loops of the op.
llvm::SmallVector<unsigned> paddedLoops(const LoopNest &nest, unsigned op,
                                        const Access &access, bool reduced);

/// Iterations of `ancestor`, a loop that blocks were made of, from one
/// iteration of the loop to the next; nothing where loops were fused between.
std::optional<int64_t> distanceIn(const LoopNest &nest, unsigned ancestor,
                                  unsigned loop);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_PADDEDLOOPS_H
