//===- ThreadCopier.h - Slices that the threads of a tile copy --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_THREADCOPIER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_THREADCOPIER_H

#include "SourceReader.h"

namespace onnxc::krnl {

/// Lets all threads of a tile copy a slice together.
class ThreadCopier : EmitContext {
public:
  ThreadCopier(const EmitContext &context, OperandPositions &positions,
               CachedSlices &slices, SourceReader &sources)
      : EmitContext(context), positions(positions), slices(slices),
        sources(sources) {}

  /// Copies the slice of the current iteration. What is copied without going
  /// through registers comes later: see TileThreads::closeGroup().
  void copy(const CachedSlice &slice);

  /// The loop along memory, and those whose iterations continue its line both
  /// in memory and in the slice until an access has enough adjacent elements,
  /// which are whole iterations of each loop but the last.
  llvm::SmallVector<unsigned> loopsOfLine(const CachedSlice &slice,
                                          unsigned along, int64_t maxElements);
  /// Adjacent elements that one access may have: it begins at a multiple of
  /// them in all iterations, and no loop ends within it.
  int64_t lanesAlong(const CachedSlice &slice, llvm::ArrayRef<unsigned> line);

private:
  /// A digit of the numbers of the parts that threads copy: so many steps of a
  /// loop, each of so many iterations.
  struct CopyDigit {
    unsigned loop;
    int64_t count, step;
  };

  /// What is loaded of a part, and its index in the slice; no value where it is
  /// copied ahead.
  using Part = std::pair<LaneIndex, mlir::Value>;

  /// How a slice is copied: in parts of so many adjacent elements.
  struct CopyWork {
    const CachedSlice &slice;
    OpState state;
    llvm::SmallVector<CopyDigit> digits = {};
    /// The elements of a part, and the accesses of each shifted row.
    int64_t lanes = 1, accesses = 1;
    int64_t parts = 1;
    /// Loaded, but not stored.
    llvm::SmallVector<Part> waiting = {};
  };

  llvm::SmallVector<CopyDigit> copyDigits(const CachedSlice &slice,
                                          int64_t &lanes);
  llvm::SmallVector<CopyDigit> rowDigits(const CachedSlice &slice);
  void enterPart(const CachedSlice &slice, llvm::ArrayRef<CopyDigit> digits,
                 LaneIndex number, int64_t lanes);
  mlir::Value isInsideLoops(const CachedSlice &slice);
  bool isCopiedAhead(const CachedSlice &slice, mlir::Value source,
                     llvm::ArrayRef<LaneIndex> from, LaneIndex at,
                     int64_t lanes);
  void storePart(const CachedSlice &slice, const Part &part, int64_t lanes);
  void copyAccess(const CachedSlice &slice, LaneIndex number);
  Part loadPart(CopyWork &work, LaneIndex inRow);
  void copyPart(CopyWork &work, LaneIndex number, bool isWhole);
  void storeWaiting(const CopyWork &work);
  void copyRounds(CopyWork &work);

  OperandPositions &positions;
  CachedSlices &slices;
  SourceReader &sources;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_THREADCOPIER_H
