//===- LoopNames.h - Names of the loops of recipes --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A loop that a planner makes is named by the axis that it stems from and a
// suffix, which says what its iterations are: n -> n.o, n.r. A suffix has one
// meaning.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_LOOPNAMES_H
#define ONNXC_RECIPE_LOOPNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace onnxc {

/// What the iterations of a loop are, as the end of its name.
struct LoopSuffix {
  llvm::StringLiteral text;
};

namespace suffix {

// Of all targets.

/// Blocks: tiles, slices of a sum, groups of bytes.
constexpr LoopSuffix blocks{"o"};
/// Iterations of a block or slice.
constexpr LoopSuffix inside{"i"};
/// Rows, columns or lanes that a thread has in registers.
constexpr LoopSuffix registers{"r"};
/// Columns of a block that stays in a cache.
constexpr LoopSuffix cached{"cached"};
/// Panels of packed columns.
constexpr LoopSuffix panels{"p"};
/// Tiles of a launch, and the iterations of one.
constexpr LoopSuffix tiles{"tile"};
constexpr LoopSuffix inTile{"in_tile"};
/// Bytes of a group that `dot` multiplies.
constexpr LoopSuffix bytes{"q"};
/// Steps of a sum: of one that `split_reduction` divides, or the instructions
/// for matrices of a slice.
constexpr LoopSuffix steps{"s"};
/// Partial results of a sum that `split_reduction` divides.
constexpr LoopSuffix partials{"v"};

// Of devices: blocks of threads and what they consist of.

/// Clusters of thread blocks.
constexpr LoopSuffix clusters{"cluster"};
/// What each block of a cluster has one of: a tile, a part of the terms of a
/// sum, or a share of the results.
constexpr LoopSuffix clusterBlocks{"u"};
/// Terms of a part of a sum.
constexpr LoopSuffix inPart{"in_part"};
/// Results of a share.
constexpr LoopSuffix inShare{"in_share"};
/// Rows or columns of a thread block.
constexpr LoopSuffix inBlock{"b"};
/// Warpgroups, and the rows or columns of one.
constexpr LoopSuffix warpgroups{"group"};
constexpr LoopSuffix inWarpgroup{"in_group"};
/// Warps, and the rows or columns of one.
constexpr LoopSuffix warps{"w"};
constexpr LoopSuffix inWarp{"in_warp"};
/// Threads.
constexpr LoopSuffix threads{"t"};
/// Vectors or register tiles, and a line with one vector of each thread.
constexpr LoopSuffix vectors{"vector"};
constexpr LoopSuffix line{"l"};
/// Squares of a transposed tensor, and the columns of one.
constexpr LoopSuffix squares{"square"};
constexpr LoopSuffix inSquare{"in_square"};

// Of instructions for matrices.

/// Fragments, or tiles of an instruction, and the rows or columns of one.
constexpr LoopSuffix fragments{"f"};
constexpr LoopSuffix inFragment{"in_fragment"};
/// Halves of the rows of a fragment, and the threads along one.
constexpr LoopSuffix halves{"h"};
constexpr LoopSuffix halfThreads{"g"};
/// Adjacent columns of a thread.
constexpr LoopSuffix adjacent{"c"};
/// Products of one instruction.
constexpr LoopSuffix products{"k"};
/// Slices of keys whose values are summed up, and the keys of one.
constexpr LoopSuffix keySlices{"x"};
constexpr LoopSuffix inKeySlice{"y"};

// Axes of kernels that have parts of the rows or sums of others.

/// Parts, each of which a kernel reduces for itself.
constexpr LoopSuffix parts{"part"};
/// Turns of a part, which has other elements in each.
constexpr LoopSuffix turns{"turn"};

} // namespace suffix

/// Names of loops that are several by `fuse`.
namespace fused {

/// All rows, and all terms, of a contraction.
constexpr llvm::StringLiteral rows = "rows", sum = "sum";
/// The loops that all ops have, and those of a row.
constexpr llvm::StringLiteral flat = "flat", row = "row";

} // namespace fused

/// The name of a loop that stems from another: m -> m.o, n.b -> n.w.
inline std::string deriveName(llvm::StringRef loop, LoopSuffix suffix) {
  return (loop.split('.').first + "." + suffix.text).str();
}

/// The name of an axis beside another, of which it keeps all: k -> k.part,
/// k.part -> k.part.part.
inline std::string axisBeside(llvm::StringRef axis, LoopSuffix suffix) {
  return (axis + "." + suffix.text).str();
}

} // namespace onnxc

#endif // ONNXC_RECIPE_LOOPNAMES_H
