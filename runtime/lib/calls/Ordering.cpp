//===- Ordering.cpp - Elements in order, without the library ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"

#include "OnnxMlirRuntime.h"

#include <string.h>

namespace onnxc::rt {

template <typename T>
static T load(const void *array, int64_t i) {
  T value;
  memcpy(&value, static_cast<const char *>(array) + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static uint64_t unsignedKey(const void *array, int64_t i) {
  return load<T>(array, i);
}

template <typename T>
static uint64_t signedKey(const void *array, int64_t i) {
  return uint64_t(int64_t(load<T>(array, i))) ^ uint64_t(1) << 63;
}

/// A float by its bits: the sign first, then the magnitude grows with them.
template <typename Bits, int mantissaBits>
static uint64_t floatKey(const void *array, int64_t i) {
  constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  constexpr Bits infinity = Bits(sign - (Bits(1) << mantissaBits));
  Bits bits = load<Bits>(array, i);
  Bits magnitude = Bits(bits & ~sign);
  if (magnitude > infinity)
    return UINT64_MAX;
  if (magnitude == 0)
    return sign;
  return bits & sign ? Bits(~bits) : Bits(bits | sign);
}

KeyFn keyOf(int64_t type, int64_t &parts) {
  parts = type == ONNX_TYPE_COMPLEX64 || type == ONNX_TYPE_COMPLEX128 ? 2 : 1;
  switch (type) {
  case ONNX_TYPE_BOOL:
  case ONNX_TYPE_UINT8:
  case ONNX_TYPE_UINT4:
  case ONNX_TYPE_UINT2:
    return unsignedKey<uint8_t>;
  case ONNX_TYPE_UINT16:
    return unsignedKey<uint16_t>;
  case ONNX_TYPE_UINT32:
    return unsignedKey<uint32_t>;
  case ONNX_TYPE_UINT64:
    return unsignedKey<uint64_t>;
  case ONNX_TYPE_INT8:
  case ONNX_TYPE_INT4:
  case ONNX_TYPE_INT2:
    return signedKey<int8_t>;
  case ONNX_TYPE_INT16:
    return signedKey<int16_t>;
  case ONNX_TYPE_INT32:
    return signedKey<int32_t>;
  case ONNX_TYPE_INT64:
    return signedKey<int64_t>;
  case ONNX_TYPE_FLOAT16:
    return floatKey<uint16_t, 10>;
  case ONNX_TYPE_BFLOAT16:
    return floatKey<uint16_t, 7>;
  case ONNX_TYPE_FLOAT:
  case ONNX_TYPE_COMPLEX64:
    return floatKey<uint32_t, 23>;
  case ONNX_TYPE_DOUBLE:
  case ONNX_TYPE_COMPLEX128:
    return floatKey<uint64_t, 52>;
  default:
    return nullptr;
  }
}

/// Moves the items to where their byte puts them; by byte, `positions` are
/// those of the first ones.
static void moveByByte(const Keyed *items, int64_t count, int shift,
                       int64_t *positions, Keyed *to) {
  for (int64_t i = 0; i < count; ++i)
    to[positions[items[i].key >> shift & 255]++] = items[i];
}

Keyed *sortByKey(Steps &steps, Keyed *items, Keyed *scratch, int64_t count) {
  constexpr int64_t bytes = 256, fewItems = 64;
  auto less = [](const Keyed &x, const Keyed &y) { return x.key < y.key; };
  if (count <= fewItems) {
    sortStably(steps, items, scratch, count, less);
    return items;
  }
  uint64_t different = 0;
  for (int64_t i = 1; i < count; ++i)
    different |= items[i].key ^ items[0].key;
  Keyed *from = items, *to = scratch;
  for (int shift = 0; shift < 64; shift += 8) {
    if ((different >> shift & 255) == 0)
      continue;
    if (!steps.goOn(count))
      break;
    int64_t positions[bytes] = {};
    for (int64_t i = 0; i < count; ++i)
      ++positions[from[i].key >> shift & 255];
    int64_t before = 0;
    for (int64_t &position : positions) {
      int64_t here = position;
      position = before;
      before += here;
    }
    moveByByte(from, count, shift, positions, to);
    Keyed *swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

void *allocateBytes(OnnxcCall *call, int64_t count, int64_t size) {
  int64_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    onnxc_rt_fail(call, ONNXC_ERR_MEMORY, "a value is too large for memory");
    return nullptr;
  }
  void *memory = onnxc_rt_alloc(call, bytes);
  return onnxc_rt_status(call) == ONNXC_OK ? memory : nullptr;
}

} // namespace onnxc::rt
