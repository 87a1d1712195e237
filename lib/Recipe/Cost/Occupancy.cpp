//===- Occupancy.cpp - Tiles that a core runs at once -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/Occupancy.h"

#include "llvm/Support/MathExtras.h"

using onnxc::target::Processor;

namespace onnxc {

Occupancy occupancyOf(const Processor &target, const TileResources &tile) {
  int64_t warps = llvm::divideCeil(tile.threads, target.warpThreads);
  int64_t registers =
      warps * int64_t(llvm::alignTo(tile.registers * target.warpThreads,
                                    target.registerUnit));
  int64_t shared = llvm::alignTo(tile.sharedBytes + target.tileSharedBytes,
                                 target.sharedUnit);
  Occupancy occupancy;
  occupancy.tiles = std::min(
      {target.coreTiles, target.coreThreads / (warps * target.warpThreads),
       target.coreRegisters / std::max<int64_t>(registers, 1),
       target.coreSharedBytes / shared});
  occupancy.share = double(occupancy.tiles * warps * target.warpThreads) /
                    double(target.coreThreads);
  return occupancy;
}

int64_t maxRegisters(const Processor &target, int64_t threads) {
  int64_t warps = llvm::divideCeil(threads, target.warpThreads);
  auto ofWarp = int64_t(
      llvm::alignDown(target.coreRegisters / warps, target.registerUnit));
  return std::min(target.threadRegisters, ofWarp / target.warpThreads);
}

} // namespace onnxc
