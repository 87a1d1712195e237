//===- ElementTypes.h - What element types are ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_VALUES_ELEMENTTYPES_H
#define ONNXC_VALUES_ELEMENTTYPES_H

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace onnxc::run {

/// Returns true if elements of the TensorProto.DataType number `type` are
/// integers or booleans.
inline bool isInteger(int64_t type) {
  static constexpr const char *names[] = {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) TEXT,
#include "onnxc/rt/DataTypes.def"
  };
  if (type < 0 || type >= int64_t(std::size(names)))
    return false;
  const char *name = names[type];
  return name[0] == 'i' || (name[0] == 'u' && name[1] == 'i');
}

} // namespace onnxc::run

#endif // ONNXC_VALUES_ELEMENTTYPES_H
