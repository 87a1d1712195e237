//===- BufferParts.h - Parts of buffers of launches -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_BUFFERPARTS_H
#define ONNXC_DIALECT_KRNL_IR_BUFFERPARTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The attribute of a launch with the parts of its buffers: a BufferPart after
/// the other.
inline constexpr llvm::StringLiteral partsAttrName = "krnl.parts";

/// The part of a buffer of a launch. Of one that is not listed all is accessed.
struct BufferPart {
  /// The number of the buffer among the inputs of the launch, or ~number among
  /// its outputs.
  int64_t buffer;
  /// The bytes of a row, which are all of the buffer or divide it, and those
  /// that are accessed: from `begin` to `end`.
  int64_t pitch, begin, end;
};

/// The part of a buffer of the launch, if one is listed.
std::optional<BufferPart> partOf(LaunchOp launch, int64_t buffer);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_BUFFERPARTS_H
