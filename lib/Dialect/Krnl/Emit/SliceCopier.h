//===- SliceCopier.h - Copies of operands to scratch memory -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_SLICECOPIER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_SLICECOPIER_H

#include "Device/SliceProducer.h"
#include "Device/ThreadCopier.h"

namespace onnxc::krnl {

/// Fills the slices of cache steps: where a loop begins, or iterations ahead if
/// it is a pipeline.
class SliceCopier : EmitContext {
public:
  SliceCopier(const EmitContext &context, OperandPositions &positions,
              CachedSlices &slices)
      : EmitContext(context), positions(positions), cached(slices),
        sources(context, slices), threads(context, positions, slices, sources),
        boxes(context, slices), producer(context, slices, boxes) {}

  /// Emits a tile by the roles of threads: SliceProducer has them.
  SliceProducer &roles() { return producer; }
  /// Copies slices where the body of `loop` begins: of a shared one, or of one
  /// of `op` and the ops that are computed in it.
  void fill(unsigned loop, int op = -1);
  /// Begins to copy the slices of the first iterations of a loop of `op` that
  /// is a pipeline; nothing for others.
  void startPipeline(unsigned loop, unsigned op);
  /// Emits what follows the body of a loop.
  void endIteration(unsigned loop, unsigned op) {
    producer.releaseProducts(loop, op);
  }
  /// Emits what follows such a loop.
  void endPipeline(unsigned loop, unsigned op);
  /// Emits what follows all ops of a tile.
  void endTile() { boxes.endTile(); }

private:
  /// How a thread copies a slice: elements of an access, accesses that are
  /// unrolled, the loops that these are along, the innermost first, and the
  /// iterations of each that an access has.
  struct Line {
    int64_t lanes = 1, copies = 1;
    llvm::SmallVector<unsigned> loops = {};
    llvm::DenseMap<unsigned, int64_t> steps;

    /// The loop that the accesses of the line follow each other along.
    std::optional<unsigned> outer() const {
      return loops.empty() ? std::nullopt : std::optional(loops.back());
    }
  };
  Line lineOf(const CachedSlice &slice);
  void copyByThread(const CachedSlice &slice, const Line &line,
                    unsigned position);
  mlir::Value widened(const CachedSlice &slice, mlir::Value bytes);
  void copyAhead(const Slices &slices, unsigned loop, unsigned op);

  OperandPositions &positions;
  CachedSlices &cached;
  SourceReader sources;
  ThreadCopier threads;
  BoxCopier boxes;
  SliceProducer producer;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_SLICECOPIER_H
