//===- Selection.cpp - Where elements are not zero --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../DataTypes.h"
#include "Ordering.h"

#include "OnnxMlirRuntime.h"

#include <string.h>

using namespace onnxc::rt;

namespace {

/// Tells elements from zeros by their bytes. Minus zero is zero, an empty
/// string counts as one.
class ZeroTest {
public:
  explicit ZeroTest(int64_t type) : bytes(elementBytes(type)) {
    isString = type == ONNX_TYPE_STRING;
    memset(mask, 0xff, sizeof mask);
    int64_t part = type == ONNX_TYPE_COMPLEX64 || type == ONNX_TYPE_COMPLEX128
                       ? bytes / 2
                       : bytes;
    bool isFloat = type == ONNX_TYPE_FLOAT || type == ONNX_TYPE_DOUBLE ||
                   type == ONNX_TYPE_FLOAT16 || type == ONNX_TYPE_BFLOAT16 ||
                   part != bytes;
    for (int64_t end = part; isFloat && end <= bytes; end += part)
      mask[end - 1] = 0x7f; // the sign, in the last byte
  }

  bool isZero(const void *array, int64_t i) const {
    if (isString) {
      const char *text = static_cast<const char *const *>(array)[i];
      return !text || !*text;
    }
    const unsigned char *element =
        static_cast<const unsigned char *>(array) + i * bytes;
    unsigned char any = 0;
    for (int64_t b = 0; b < bytes; ++b)
      any |= element[b] & mask[b];
    return any == 0;
  }

private:
  int64_t bytes;
  unsigned char mask[16];
  bool isString;
};

} // namespace

/// indices[rank, count] = nonzero(x) params [type]: of each element that is not
/// zero, in row-major order, the index in each dimension.
extern "C" int32_t onnxc_call_nonzero(OnnxcCall *call, int32_t,
                                      OnnxcValue *outs, int32_t,
                                      const OnnxcValue *ins,
                                      const int64_t *params) {
  const OnnxcValue &x = ins[0];
  ZeroTest test(params[0]);
  int64_t total = 1, count = 0;
  for (int32_t d = 0; d < x.rank; ++d)
    total *= x.dims[d];
  for (int64_t i = 0; i < total; ++i)
    count += !test.isZero(x.data, i);
  int64_t bytesOfRow;
  if (__builtin_mul_overflow(count, int64_t(sizeof(int64_t)), &bytesOfRow))
    return onnxc_rt_fail(call, ONNXC_ERR_MEMORY, "NonZero: too many elements");
  auto *indices =
      static_cast<int64_t *>(allocateBytes(call, x.rank, bytesOfRow));
  if (!indices)
    return onnxc_rt_status(call);
  for (int64_t i = 0, at = 0; i < total; ++i) {
    if (test.isZero(x.data, i))
      continue;
    int64_t rest = i;
    for (int32_t d = x.rank - 1; d >= 0; --d) {
      indices[d * count + at] = rest % x.dims[d];
      rest /= x.dims[d];
    }
    ++at;
  }
  outs[0].dims[0] = x.rank;
  outs[0].dims[1] = count;
  outs[0].data = indices;
  return ONNXC_OK;
}

/// places[count] = true_places(condition, limit): where the first `limit`
/// elements of a row of bools are true.
extern "C" int32_t onnxc_call_true_places(OnnxcCall *call, int32_t,
                                          OnnxcValue *outs, int32_t,
                                          const OnnxcValue *ins,
                                          const int64_t *) {
  auto *condition = static_cast<const unsigned char *>(ins[0].data);
  int64_t limit;
  memcpy(&limit, ins[1].data, sizeof limit);
  if (limit > ins[0].dims[0])
    limit = ins[0].dims[0];
  int64_t count = 0;
  for (int64_t i = 0; i < limit; ++i)
    count += condition[i] != 0;
  int64_t *places = allocate<int64_t>(call, count);
  if (!places)
    return onnxc_rt_status(call);
  for (int64_t i = 0, at = 0; i < limit; ++i)
    if (condition[i])
      places[at++] = i;
  outs[0].dims[0] = count;
  outs[0].data = places;
  return ONNXC_OK;
}
