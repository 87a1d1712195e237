//===- ElementBytes.h - Sizes of elements in memory ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_ELEMENTBYTES_H
#define ONNXC_SUPPORT_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace onnxc {

/// No tensor takes more bytes, also when each of its sizes counts as at least
/// 1: a product of some of the sizes of one tensor never overflows.
inline constexpr int64_t maxTensorBytes = int64_t(1) << 46;

/// Bytes of one element in memory: narrow types take a whole byte; strings,
/// objects and index a pointer or word.
inline int64_t elementBytes(mlir::Type type) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (type.isIntOrFloat())
    return (type.getIntOrFloatBitWidth() + 7) / 8;
  return 8;
}

/// Bytes of a buffer or tensor of static shape.
inline int64_t staticBytes(mlir::ShapedType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

/// The least bytes of a tensor by its type: every size counts as at least 1,
/// and one that is not known as 1. Nothing if that is above maxTensorBytes.
inline std::optional<int64_t> boundedBytes(mlir::ShapedType type) {
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!mlir::ShapedType::isDynamic(size) && size > 1) {
      if (size > maxTensorBytes / bytes)
        return std::nullopt;
      bytes *= size;
    }
  return bytes;
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_ELEMENTBYTES_H
