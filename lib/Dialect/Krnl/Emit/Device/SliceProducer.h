//===- SliceProducer.h - A warp that copies slices --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_SLICEPRODUCER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_SLICEPRODUCER_H

#include "Device/BoxCopier.h"

namespace onnxc::krnl {

/// Gives the copies of slices to a warp of its own, where a pipeline asks for
/// one.
class SliceProducer : EmitContext {
public:
  SliceProducer(const EmitContext &context, CachedSlices &slices,
                BoxCopier &boxes)
      : EmitContext(context), cached(slices), boxes(boxes) {}

  /// Emits both parts of the threads, or all of them compute.
  void emitRoles(llvm::function_ref<void()> produce,
                 llvm::function_ref<void()> compute);
  /// Begins a tile; `before` emits how many the block has had.
  void enterTile(llvm::function_ref<mlir::Value()> before);
  /// Copies all slices of the tile.
  void produceTile();
  /// After the products of an iteration: all but those in flight have ended.
  void releaseProducts(unsigned loop, unsigned op);
  /// After the loop, where those in flight have ended, too.
  void releaseLastProducts(const CachedSlice &slice);

private:
  void releaseStage(const CachedSlice &slice, int64_t earlier);

  CachedSlices &cached;
  BoxCopier &boxes;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_SLICEPRODUCER_H
