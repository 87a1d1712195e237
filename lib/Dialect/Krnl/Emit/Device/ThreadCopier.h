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

private:
  /// A digit of the numbers of the parts that threads copy: so many steps of a
  /// loop, each of so many iterations.
  struct CopyDigit {
    unsigned loop;
    int64_t count, step;
  };

  llvm::SmallVector<unsigned> loopsOfLine(const CachedSlice &slice,
                                          unsigned along, int64_t maxElements);
  int64_t lanesAlong(const CachedSlice &slice, llvm::ArrayRef<unsigned> line);
  llvm::SmallVector<CopyDigit> copyDigits(const CachedSlice &slice,
                                          int64_t &lanes);
  void enterPart(const CachedSlice &slice, llvm::ArrayRef<CopyDigit> digits,
                 LaneIndex number, int64_t lanes);
  mlir::Value isInsideLoops(const CachedSlice &slice);
  bool isCopiedAhead(const CachedSlice &slice, mlir::Value source,
                     llvm::ArrayRef<LaneIndex> from, LaneIndex at,
                     int64_t lanes);
  void storePart(const CachedSlice &slice, LaneIndex at, mlir::Value part,
                 int64_t lanes);
  std::pair<LaneIndex, mlir::Value> loadPart(const CachedSlice &slice,
                                             OpState &state, int64_t lanes);

  OperandPositions &positions;
  CachedSlices &slices;
  SourceReader &sources;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_THREADCOPIER_H
