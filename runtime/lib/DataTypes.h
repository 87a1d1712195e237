//===- DataTypes.h - Facts about element types ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DATATYPES_H
#define ONNXC_RUNTIME_LIB_DATATYPES_H

#include <stdint.h>

namespace onnxc::rt {

/// Largest rank of an output. Inputs may have any rank.
constexpr int kMaxRank = 64;

bool isDataType(int64_t type);
/// Bytes of one element in memory: a pointer for strings, 0 for undefined.
int64_t elementBytes(int64_t type);
/// "f32", ...; "unknown" for a number that is no type.
const char *typeName(int64_t type);

/// Bytes of a tensor. -1 if a size is negative, or the bytes are above
/// ONNXC_MAX_TENSOR_BYTES when each size counts as at least 1: after this check
/// the sizes of a tensor may be multiplied without one.
int64_t tensorBytes(int64_t type, int64_t rank, const int64_t *dims);

/// a * b for non-negative numbers; false when it does not fit.
inline bool multiply(int64_t a, int64_t b, int64_t &product) {
  return !__builtin_mul_overflow(a, b, &product);
}

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_DATATYPES_H
