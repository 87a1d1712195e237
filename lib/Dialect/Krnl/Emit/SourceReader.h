//===- SourceReader.h - The elements of a slice -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_SOURCEREADER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_SOURCEREADER_H

#include "CachedSlices.h"
#include "PayloadEmitter.h"

#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"

namespace onnxc::krnl {

/// Loads the elements that a slice gets from the memory of its operand, or
/// computes them where the operand is the result of an op that is in slices.
class SourceReader : EmitContext {
public:
  SourceReader(const EmitContext &context, CachedSlices &slices)
      : EmitContext(context), slices(slices) {}

  /// The elements of the slice from the current iterations on.
  mlir::Value read(const CachedSlice &slice, const OpState &state,
                   int64_t lanes);

private:
  struct Point;

  mlir::Value computeLanes(ComputeOp op, llvm::ArrayRef<LaneIndex> iterations,
                           int64_t lanes);
  llvm::SmallVector<LaneIndex>
  firstIterations(ComputeOp op, llvm::ArrayRef<LaneIndex> at, int64_t lanes,
                  llvm::SmallVectorImpl<ResultDigit> &inside);
  mlir::Value joinParts(llvm::ArrayRef<mlir::Value> parts, int64_t each);
  mlir::Value computeElements(ComputeOp op, llvm::ArrayRef<LaneIndex> at,
                              int64_t lanes);

  CachedSlices &slices;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_SOURCEREADER_H
