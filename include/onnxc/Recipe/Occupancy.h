//===- Occupancy.h - Tiles that a core of a device runs at once -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_OCCUPANCY_H
#define ONNXC_RECIPE_OCCUPANCY_H

#include "onnxc/Target/IR/Processor.h"

namespace onnxc {

/// The resources of a core that a tile of a kernel needs; registers are those
/// of a thread.
struct TileResources {
  int64_t threads = 1, registers = 1, sharedBytes = 0;
};

/// Tiles that a core runs at once, and their share of the threads that it can
/// run.
struct Occupancy {
  int64_t tiles = 0;
  double share = 0;
};
Occupancy occupancyOf(const target::Processor &target,
                      const TileResources &tile);

/// Registers that each thread may have of a tile of so many threads.
int64_t maxRegisters(const target::Processor &target, int64_t threads);

} // namespace onnxc

#endif // ONNXC_RECIPE_OCCUPANCY_H
