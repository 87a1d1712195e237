//===- Reasons.h - Why a nest cannot be as steps want it --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What a later step can make illegal, checked after each. Each of these says
// why it is, and is empty if it is not.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_REASONS_H
#define ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_REASONS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// Why copies cannot be pipelined so.
std::string reasonAgainst(const LoopNest &nest, const Pipeline &pipeline);
/// Why a warp or a warpgroup cannot compute so.
std::string reasonAgainst(const LoopNest &nest, const Mma &mma);
/// Why a warpgroup cannot read the slices of its factors.
std::string reasonAgainstSlices(const LoopNest &nest, const Mma &mma,
                                mlir::OpOperand &rows,
                                mlir::OpOperand &columns);
/// Why the op cannot have its padded blocks.
std::string reasonAgainstPadding(const LoopNest &nest, unsigned op);
/// Why the op cannot have the vectors that its loops have where its operands
/// have ranges.
std::string reasonAgainstRanges(const LoopNest &nest, unsigned op);
/// Why results would be others if the loop ended where a mask hides the rest.
std::string reasonAgainstSkipping(const LoopNest &nest, unsigned op,
                                  const LoopUse &use);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_LOOPNEST_REASONS_H
