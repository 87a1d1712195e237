//===- ElementBytes.h - Sizes of elements in memory ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_ELEMENTBYTES_H
#define ONNXC_SUPPORT_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

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

} // namespace onnxc

#endif // ONNXC_SUPPORT_ELEMENTBYTES_H
