//===- HoistedOps.h - Ops outside of fused outer loops -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_HOISTEDOPS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_HOISTEDOPS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// Returns true if the op is hoisted and runs after the loop, because it uses
/// results of ops that run inside; else a hoisted op runs before it.
bool runsAfterLoop(const LoopNest &nest, unsigned op);

/// Returns true if both ops run at the same points of the fused outer nest.
bool runTogether(const LoopNest &nest, unsigned op, unsigned other);

/// Returns true if, in each iteration of the fused outer loops that both have,
/// the first op is complete before the second one begins.
bool runsBefore(const LoopNest &nest, unsigned first, unsigned second);

/// Returns true if no iteration of the reader comes after one in which the op
/// has continued the elements that it reads. The op continues them in each
/// iteration of a fused outer loop that it reduces.
bool readsBefore(const LoopNest &nest, unsigned reader, unsigned op);

/// How many fused outer loops are outside of the first one that the op reduces:
/// those in each iteration of which its sums are complete.
unsigned depthOfSums(const LoopNest &nest, unsigned op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_HOISTEDOPS_H
