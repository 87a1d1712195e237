//===- ComputedSliceCost.h - Slices that threads compute --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_COMPUTEDSLICECOST_H
#define ONNXC_LIB_RECIPE_COST_COMPUTEDSLICECOST_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc {

/// What the threads of a tile do to compute slices of shared memory.
struct SliceWork {
  /// How often they begin to compute one.
  double rounds = 0;
  /// Instructions of warps, of which `operations` compute elements; the others
  /// are accesses and find their addresses.
  double instructions = 0, operations = 0;
  /// Cycles of the first cache.
  double cacheCycles = 0;
  /// Bytes that the op which computes them reads.
  double bytes = 0;
  /// Registers of a thread for the elements that it computes at once.
  double registers = 0;
};

/// The work for all slices that the op reads; `roundsAt` has the iterations of
/// a tile up to a loop.
SliceWork sliceWorkOf(const krnl::LoopNest &nest, unsigned number,
                      llvm::function_ref<double(unsigned)> roundsAt,
                      const target::Processor &target);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_COMPUTEDSLICECOST_H
