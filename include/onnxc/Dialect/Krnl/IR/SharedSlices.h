//===- SharedSlices.h - Slices that threads copy and multiply ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What steps of recipes say of slices of operands in scratch and shared memory,
// of the instructions that multiply them, and of the threads of a tile.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_SHAREDSLICES_H
#define ONNXC_DIALECT_KRNL_IR_SHAREDSLICES_H

#include <cstdint>
#include <optional>

namespace onnxc::krnl {

/// How slices of an operand are copied.
enum class SliceCopy {
  Scratch,     ///< by each op, to scratch memory
  Wide,        ///< as=i16: the same, bytes extended to 16 bits
  Shared,      ///< in=shared: by all threads of a tile, to memory of all
  SharedByTma, ///< by=tma: by copies of boxes, which one of them starts
};

/// cache(operand, at=l): at the beginning of each iteration of `at` every op
/// inside that reads the operand copies its slice.
struct Cache {
  unsigned operand;
  unsigned at;
  /// The body op the step is limited to, or -1.
  int onlyOp;
  SliceCopy copy;

  bool isShared() const {
    return copy == SliceCopy::Shared || copy == SliceCopy::SharedByTma;
  }
  bool isWide() const { return copy == SliceCopy::Wide; }
  bool isByTma() const { return copy == SliceCopy::SharedByTma; }

  /// The alignment of the slices in shared memory, in bytes.
  static constexpr int64_t sharedAlignment = 16;
};

/// pipeline(l, stages, in_flight): the slices of shared memory that are copied
/// at the beginning of each iteration of a loop are so many. An iteration
/// leaves `inFlight` groups of products of a warpgroup to the next ones, which
/// read its slice; the copy for an iteration begins so many iterations before
/// as there are other slices. `producer`: one more warp of the block starts the
/// copies of boxes, and computes nothing.
struct Pipeline {
  unsigned loop;
  int64_t stages = 1, inFlight = 0;
  bool producer = false;

  int64_t ahead() const { return stages - 1 - inFlight; }
};

/// mma(rowCopies, rowThreads, columnThreads, columnCopies, products): a warp
/// computes 16 rows by 8 columns of sums at a time.
///
/// wgmma(rowWarps, rowCopies, rowThreads, columnTiles, columnThreads,
/// columnCopies, products): the four warps of a warpgroup compute 64 rows by
/// all columns of the three loops at a time, from slices of shared memory.
struct Mma {
  unsigned op;
  unsigned rowCopies, rowThreads, columnThreads, columnCopies, products;
  /// The loops of wgmma that mma lacks; no value for mma.
  std::optional<unsigned> rowWarps = {}, columnTiles = {};

  bool isOfWarpgroup() const { return rowWarps.has_value(); }
};

/// How a slice of shared memory lies that wgmma reads: lines of 128, 64 or 32
/// bytes, all lines of the first block, then those of the next one. In each
/// line chunks of 16 bytes are exchanged, so that those at the same place of
/// eight lines are in different banks.
struct SwizzledSlice {
  /// Lines are along rows or columns of the result instead of the sums.
  bool isTransposed;
  int64_t elementBytes, lineBytes;
  /// The number of lines of a block.
  int64_t lines;

  int64_t lineElements() const { return lineBytes / elementBytes; }
  int64_t blockBytes() const { return lines * lineBytes; }
  /// Where an element is whose place without exchanges is `at`, in bytes: the
  /// bits of `at` from `from` on are added to those from `to` on without carry,
  /// as far as `mask` has them.
  static constexpr int64_t from = 7, to = 4;
  /// The exchange is one of the bits of addresses, which begin at a multiple of
  /// so many bytes.
  static constexpr int64_t alignment = 1024;
  int64_t mask() const { return lineBytes / 16 - 1; }
};

/// The boxes of a tensor that make up a slice of shared memory: each has so
/// many lines, which the iterations of one dimension are, and a line is part of
/// the last dimension. All other dimensions have one element of the slice.
///
/// Where the blocks of a cluster have the same slice, each of them copies a
/// part to all: so many blocks of lines, and lines of each of these.
struct TensorBoxes {
  unsigned linesDim;
  int64_t lines;
  int64_t sharers = 1, partBlocks = 1, partLines = 0;

  /// Returns true if the parts are lines of all blocks of the slice, false if
  /// they are whole blocks.
  bool dividesLines(const SwizzledSlice &slice) const {
    return partLines < slice.lines;
  }

  /// PTX ISA, "Tensor Size and Swizzle Modes"; CUDA driver API,
  /// cuTensorMapEncodeTiled.
  static constexpr int64_t maxRank = 5, maxLines = 256, pitchBytes = 16,
                           maxPitchBytes = int64_t(1) << 40;
  /// The size of the barrier that counts the bytes of a stage that have
  /// arrived, in bytes.
  static constexpr int64_t barrierBytes = 8;
};

/// The iteration of a mapped loop that a thread has is its number divided by
/// the stride, modulo the extent.
struct ThreadLoop {
  int64_t stride, extent;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_SHAREDSLICES_H
