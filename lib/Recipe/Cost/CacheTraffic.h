//===- CacheTraffic.h - Bytes between the caches ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_CACHETRAFFIC_H
#define ONNXC_LIB_RECIPE_COST_CACHETRAFFIC_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Target/IR/Processor.h"

namespace onnxc {

/// Cycles to move all operands between the core and the levels of memory, with
/// the loops of `nest`; dynamic extents count as `outerExtent`.
double memoryCycles(krnl::KernelOp kernel, const krnl::LoopNest &nest,
                    const target::Processor &target);

/// Bytes of the operands of an op that one tile reads and writes, of those that
/// `counts` picks.
double tileTraffic(const krnl::LoopNest &nest, unsigned number,
                   const target::Processor &target,
                   llvm::function_ref<bool(mlir::OpOperand &)> counts);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_CACHETRAFFIC_H
