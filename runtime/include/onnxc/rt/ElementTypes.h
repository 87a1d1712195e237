//===- ElementTypes.h - Element types in C++ programs -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For programs that load artefacts with dlopen.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_ELEMENTTYPES_H
#define ONNXC_RT_ELEMENTTYPES_H

#include "onnxc/Runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnxc {

/// The OM_DATA_TYPE of a C++ element type. A type without one has no `value`.
template <typename T>
struct DataTypeOf;
#define ONNXC_DATA_TYPE(TYPE, NAME)                                            \
  template <>                                                                  \
  struct DataTypeOf<TYPE> {                                                    \
    static constexpr OM_DATA_TYPE value = ONNX_TYPE_##NAME;                    \
  };
ONNXC_DATA_TYPE(float, FLOAT)
ONNXC_DATA_TYPE(double, DOUBLE)
ONNXC_DATA_TYPE(bool, BOOL)
ONNXC_DATA_TYPE(int8_t, INT8)
ONNXC_DATA_TYPE(int16_t, INT16)
ONNXC_DATA_TYPE(int32_t, INT32)
ONNXC_DATA_TYPE(int64_t, INT64)
ONNXC_DATA_TYPE(uint8_t, UINT8)
ONNXC_DATA_TYPE(uint16_t, UINT16)
ONNXC_DATA_TYPE(uint32_t, UINT32)
ONNXC_DATA_TYPE(uint64_t, UINT64)
ONNXC_DATA_TYPE(const char *, STRING)
#undef ONNXC_DATA_TYPE

/// The name that signatures use: "f32".
inline const char *nameOf(OM_DATA_TYPE type) {
  switch (type) {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  case ONNX_TYPE_##NAME:                                                       \
    return TEXT;
#include "onnxc/rt/DataTypes.def"
  }
  return "unknown";
}

/// Elements narrower than a byte take one byte each.
inline int64_t elementBytes(OM_DATA_TYPE type) {
  switch (type) {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  case ONNX_TYPE_##NAME:                                                       \
    return NUMBER == 8 ? int64_t(sizeof(char *)) : SIZE;
#include "onnxc/rt/DataTypes.def"
  }
  return 0;
}

/// "'x', 'y'", for messages.
inline std::string listOf(const std::vector<std::string> &names) {
  std::string list = names.empty() ? "none" : "";
  for (const std::string &name : names)
    list += (list.empty() ? "'" : ", '") + name + "'";
  return list;
}

} // namespace onnxc

#endif // ONNXC_RT_ELEMENTTYPES_H
