//===- DataTypes.cpp - Facts about element types ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"

#include "OnnxMlirRuntime.h"
#include "onnxc/rt/hooks.h"

using namespace onnxc;

const int OM_DATA_TYPE_SIZE[] = {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) SIZE,
#include "onnxc/rt/DataTypes.def"
};

static const char *const typeNames[] = {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) TEXT,
#include "onnxc/rt/DataTypes.def"
};

constexpr int64_t kNumTypes = sizeof typeNames / sizeof typeNames[0];

// The tables above are indexed by number.
constexpr bool numbersAreDense() {
  int next = 0;
  bool dense = true;
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) dense &= NUMBER == next++;
#include "onnxc/rt/DataTypes.def"
  return dense;
}
static_assert(numbersAreDense());

bool rt::isDataType(int64_t type) { return type >= 0 && type < kNumTypes; }

int64_t rt::elementBytes(int64_t type) {
  if (type == ONNX_TYPE_STRING)
    return sizeof(char *);
  return isDataType(type) ? OM_DATA_TYPE_SIZE[type] : 0;
}

const char *rt::typeName(int64_t type) {
  return isDataType(type) ? typeNames[type] : "unknown";
}

int64_t rt::tensorBytes(int64_t type, int64_t rank, const int64_t *dims) {
  int64_t element = elementBytes(type);
  // A type of no bytes is checked like one of a byte.
  int64_t bytes = element > 0 ? element : 1;
  bool empty = element == 0;
  for (int64_t i = 0; i < rank; ++i) {
    empty |= dims[i] == 0;
    if (dims[i] < 0 || !multiply(bytes, dims[i] + (dims[i] == 0), bytes) ||
        bytes > ONNXC_MAX_TENSOR_BYTES)
      return -1;
  }
  return empty ? 0 : bytes;
}
