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

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_MATRICES_H
