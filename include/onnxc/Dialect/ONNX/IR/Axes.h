//===- Axes.h - Axes counted from the end ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_AXES_H
#define ONNXC_DIALECT_ONNX_IR_AXES_H

#include <cstdint>
#include <optional>

namespace onnxc::onnx {

/// The axis counted from the front; negative ones count from the end.
inline int64_t positiveAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// The axis that a possibly negative number means, if it is one of `rank`.
inline std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  axis = positiveAxis(axis, rank);
  if (axis < 0 || axis >= rank)
    return std::nullopt;
  return axis;
}

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_AXES_H
