//===- BoxCopier.h - Slices that are boxes of tensors -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_BOXCOPIER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_BOXCOPIER_H

#include "CachedSlices.h"

namespace onnxc::krnl {

/// Starts copies of boxes of tensors, and waits for them at barriers. It leaves
/// alone slices that are no boxes.
class BoxCopier : EmitContext {
public:
  BoxCopier(const EmitContext &context, CachedSlices &slices)
      : EmitContext(context), cached(slices) {}

  /// Makes the barriers of all stages.
  void makeBarriers(const Slices &slices);
  /// Lets all threads wait for each other that copy to the slices.
  void showBarriers(const Slices &slices);
  /// Lets the first thread start the copies of the current iteration.
  void copy(const Slices &slices);
  /// Starts the copies of boxes of the current iteration.
  void start(const Slices &boxed);
  /// Waits for the boxes of the current iteration.
  void wait(const Slices &slices);
  /// Ends the use of the barriers of a pipeline without a producer.
  void endPipeline(const CachedSlice &slice);
  /// Emits what follows all ops of a tile.
  void endTile();
  /// Emits a branch for the thread with this number.
  void byThread(int64_t number, llvm::function_ref<void()> emit);

private:
  std::pair<LaneIndex, LaneIndex> firstOfPart(const CachedSlice &slice);
  void copyBoxes(const CachedSlice &slice);
  void waitForReaders(const CachedSlice &slice);
  bool waitsAfterTile(const CachedSlice &slice);

  CachedSlices &cached;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_BOXCOPIER_H
