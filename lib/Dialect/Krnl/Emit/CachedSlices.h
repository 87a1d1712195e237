//===- CachedSlices.h - Slices of operands in scratch memory ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(operand, at=l): in each iteration of l the elements that the loops
// inside l will read lie next to each other in scratch memory. A slice is
// indexed by these loops, as a packed operand is. SliceCopier fills it.
//
// pipeline(l, 3): iteration i has slice i mod 3.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_CACHEDSLICES_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_CACHEDSLICES_H

#include "OperandPositions.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"

namespace onnxc::krnl {

/// Bytes of the widest access to a slice.
constexpr int64_t sliceAccessBytes = 16;

/// Elements of an operand in an access of so many bytes, 1 if they are in no
/// vector.
int64_t elementsOfAccess(mlir::OpOperand &operand);

/// The copy that an op makes for a cache step: where, for which of its
/// operands, and the loops inside `at` that index it.
struct CachedSlice {
  unsigned at;
  unsigned op;
  mlir::OpOperand *use;
  bool isShared;
  llvm::SmallVector<unsigned> loops;
  /// Bytes are extended to 16 bits.
  bool isWide = false;
  /// Elements of its rows, which begin as far from a multiple of an access as
  /// in memory (shiftedRow); none where they begin with one.
  std::optional<int64_t> shiftedRow = {};
  /// The form that wgmma reads here.
  std::optional<SwizzledSlice> swizzle = {};
  /// Elements from one iteration of each to the next, and of all.
  llvm::SmallVector<int64_t> strides;
  int64_t size;
  /// Slices of iterations of `at` that follow each other, and how many
  /// iterations ahead they are copied.
  int64_t stages = 1, ahead = 0;
  mlir::Value memref;
  /// Where it is copied by boxes: these, and what counts the bytes of each
  /// stage.
  std::optional<TensorBoxes> boxes = {};
  mlir::Value barriers = {};
  /// The number of blocks of a cluster that copy some slices of the stage to
  /// each other, and the barrier that counts those that have read a stage;
  /// null unless there are several blocks or a producer.
  int64_t blocks = 1;
  mlir::Value readers = {};
  /// A warp of its own copies it.
  bool hasProducer = false;

  /// The op that computes the elements; null for an input of the kernel.
  ComputeOp maker() const { return use->get().getDefiningOp<ComputeOp>(); }
};

using Slices = llvm::SmallVector<const CachedSlice *>;

class CachedSlices : EmitContext {
public:
  CachedSlices(const EmitContext &context, OperandPositions &positions)
      : EmitContext(context), positions(positions) {}

  /// Makes memory for the slices of operands that cache steps ask for.
  void allocate();
  /// Sets how many slices of tiles that the block has had come before those of
  /// this one, where a producer copies.
  void setBefore(LaneIndex slices) { before = slices; }

  llvm::ArrayRef<CachedSlice> all() const { return slices; }
  /// The slice of the operand; null without one.
  const CachedSlice *find(const mlir::OpOperand &operand) const;
  /// The slices of a pipeline of the op, and of those that are computed in it.
  Slices ofPipeline(unsigned loop, unsigned op) const;
  /// Those that a producer copies, which are of one loop.
  Slices produced() const;

  /// Where the element of the current iterations is in the memory of the slice.
  LaneIndex indexIn(const CachedSlice &slice, const Instance &instance);
  /// Where the matrix of the current iterations begins there, before lines are
  /// exchanged.
  LaneIndex matrixIn(const CachedSlice &slice, const Instance &instance);
  /// Where the element is in the memory of the operand.
  llvm::SmallVector<LaneIndex> indicesInSource(const CachedSlice &slice,
                                               const OpState &state);
  /// Where a box begins, of which a part may be outside of the operand.
  llvm::SmallVector<LaneIndex> indicesOfBox(const CachedSlice &slice,
                                            const OpState &state);
  mlir::Value sourceOf(const CachedSlice &slice) const {
    return slotOf(slice.use->get()).memref;
  }
  /// Of the current row of a slice of shifted ones: the number of its first
  /// element in the operand, and where it begins in the slice, without its
  /// distance from a multiple of an access.
  std::pair<LaneIndex, LaneIndex> shiftedRowAt(const CachedSlice &slice,
                                               const Instance &instance);
  /// The loop along which the operand is contiguous in memory.
  std::optional<unsigned> loopAlongMemory(const CachedSlice &slice) const;

  /// The number of the current slice: those of a producer are counted over
  /// tiles.
  LaneIndex iterationOf(const CachedSlice &slice);
  /// The stage of the current iteration, and how often it has been used before.
  std::pair<LaneIndex, LaneIndex> stageOf(const CachedSlice &slice);

private:
  int64_t paddingOf(const CachedSlice &slice, int64_t row) const;
  void place(CachedSlice &slice) const;
  void allocate(const Cache &cache, unsigned op, mlir::OpOperand &input);
  void allocateBoxes(const Cache &cache, CachedSlice &slice);
  LaneIndex swizzledIndex(const CachedSlice &slice, const Instance &instance,
                          bool isExchanged);
  LaneIndex inStage(const CachedSlice &slice, LaneIndex index);
  LaneIndex placeOf(const CachedSlice &slice, const Instance &instance);

  OperandPositions &positions;
  llvm::SmallVector<CachedSlice, 2> slices;
  LaneIndex before;
};

/// The slices that are copied by boxes, and whether all are.
Slices boxesOf(llvm::ArrayRef<const CachedSlice *> slices);
bool areBoxes(llvm::ArrayRef<const CachedSlice *> slices);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_CACHEDSLICES_H
