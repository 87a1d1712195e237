//===- Polls.h - Costs of launches, and when workers poll -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_POLLS_H
#define ONNXC_DIALECT_KRNL_IR_POLLS_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// Integer attribute of a launch in a parallel region: whenever a worker has
/// run so many of its tiles, it polls whether the run is to end. Without it, it
/// runs all of them.
inline constexpr llvm::StringLiteral pollTilesAttrName = "krnl.poll_tiles";
/// Unit attribute beside it: the number is for assumed sizes, and a tile takes
/// more cycles the larger those of the run are. A worker computes from
/// krnl.cycles how many tiles take as long.
inline constexpr llvm::StringLiteral pollBySizesAttrName = "krnl.poll_by_sizes";
/// Unit attribute: it polls before the first tile.
inline constexpr llvm::StringLiteral pollFirstAttrName = "krnl.poll_first";

/// Array attribute of a launch: its cost on one thread. Each element is an
/// array of a number of cycles, and of the positions of inputs, dynamic
/// extents, which it is multiplied with. The cost is their sum, and
/// without this attribute that of the tiles. For a launch on a device it is one
/// number, the time of the device with assumed extents.
inline constexpr llvm::StringLiteral cyclesAttrName = "krnl.cycles";
/// Integer attribute: cycles of one tile, where dynamic extents are assumed.
inline constexpr llvm::StringLiteral tileCyclesAttrName = "krnl.tile_cycles";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_POLLS_H
