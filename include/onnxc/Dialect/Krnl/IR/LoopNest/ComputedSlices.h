//===- ComputedSlices.h - Slices whose elements are computed ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(n, at=l, in=shared), where n is the number of an op after those of the
// operands of the kernel: slices of its result.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_COMPUTEDSLICES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_COMPUTEDSLICES_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// One of the loops that a dimension of a result goes over together, such as
/// `b` and `p` of `[n, 2 * b + p]`: the index is the sum of all iterations
/// times the distances.
struct ResultDigit {
  unsigned loop;
  int64_t distance, extent;
};

/// The loops of the op that the dimension of its one result goes over, the one
/// whose iterations are next to each other first. Each index is that of one
/// combination of iterations. Nothing for other results.
std::optional<llvm::SmallVector<ResultDigit>> digitsOf(ComputeOp op,
                                                       unsigned position);

/// Elements of a vector along the last dimension of the result of which all
/// digits but one go through all iterations, and the iterations of that one
/// follow each other: a divisor of `maxElements`.
int64_t elementsTogether(ComputeOp op, int64_t maxElements);

/// Why slices of the op's result cannot be computed; empty if they can.
std::string reasonAgainstSlices(ComputeOp op);

/// The number that LoopNest::operand() has for the result of an op of a kernel,
/// after its operands.
unsigned numberOfResult(KernelOp kernel, unsigned op);
/// The op whose result has the number; nothing for operands of the kernel.
std::optional<unsigned> makerOf(const LoopNest &nest, unsigned operand);
/// Returns true if slices of the op's result are computed, so that it has no
/// loops.
bool isInSlices(const LoopNest &nest, unsigned op);

/// What the slices of a step have elements of: an argument of the body of the
/// kernel, or the result of an op.
mlir::Value slicedValue(const LoopNest &nest, const Cache &cache);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_COMPUTEDSLICES_H
