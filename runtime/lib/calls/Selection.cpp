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

/// Distinguishes elements from zeros by their bits: some bit of `mask` is set.
template <typename Word, int words = 1>
struct HasBits {
  Word mask;

  bool operator()(const void *array, int64_t i) const {
    Word element[words];
    memcpy(element, static_cast<const char *>(array) + i * sizeof element,
           sizeof element);
    Word any = 0;
    for (Word word : element)
      any |= word & mask;
    return any != 0;
  }
};

/// An empty string counts as zero.
struct HasText {
  bool operator()(const void *array, int64_t i) const {
    const char *text = static_cast<const char *const *>(array)[i];
    return text && *text;
  }
};

/// Calls `fn` with the test of the type. Minus zero is zero: the sign of a
/// float does not count.
template <typename Fn>
auto withTest(int64_t type, Fn fn) {
  constexpr uint64_t all = UINT64_MAX;
  switch (type) {
  case ONNX_TYPE_STRING:
    return fn(HasText());
  case ONNX_TYPE_FLOAT16:
  case ONNX_TYPE_BFLOAT16:
    return fn(HasBits<uint16_t>{INT16_MAX});
  case ONNX_TYPE_FLOAT:
    return fn(HasBits<uint32_t>{INT32_MAX});
  case ONNX_TYPE_COMPLEX64:
    return fn(HasBits<uint32_t, 2>{INT32_MAX});
  case ONNX_TYPE_DOUBLE:
    return fn(HasBits<uint64_t>{INT64_MAX});
  case ONNX_TYPE_COMPLEX128:
    return fn(HasBits<uint64_t, 2>{INT64_MAX});
  }
  switch (elementBytes(type)) {
  case 1:
    return fn(HasBits<uint8_t>{uint8_t(all)});
  case 2:
    return fn(HasBits<uint16_t>{uint16_t(all)});
  case 4:
    return fn(HasBits<uint32_t>{uint32_t(all)});
  default:
    return fn(HasBits<uint64_t>{all});
  }
}

/// Writes the positions in a row of `length` elements at which `test` holds, at
/// most `count` of them, and returns how many these are. There is no branch for
/// an element: a position that fails is overwritten.
template <typename Test>
int64_t findPositions(const Test &test, const void *array, int64_t first,
                      int64_t length, int64_t *positions, int64_t count) {
  int64_t found = 0;
  for (int64_t i = 0; i < length && found < count; ++i) {
    positions[found] = i;
    found += test(array, first + i);
  }
  return found;
}

int64_t elementsOf(const OnnxcValue &x) {
  int64_t total = 1;
  for (int64_t d = 0; d < x.rank; ++d)
    total *= x.dims[d];
  return total;
}

/// Writes the indices of the `count` elements at which `test` holds, row by row
/// of the last dimension; `position` has room for an index of each dimension.
template <typename Test>
void findIndices(const Test &test, const OnnxcValue &x, int64_t count,
                 int64_t *position, int64_t *indices) {
  int64_t last = x.rank - 1;
  for (int64_t d = 0; d <= last; ++d)
    position[d] = 0;
  for (int64_t at = 0, first = 0; last >= 0 && at < count;
       first += x.dims[last]) {
    int64_t found = findPositions(test, x.data, first, x.dims[last],
                                  indices + last * count + at, count - at);
    for (int64_t d = 0; d < last; ++d)
      for (int64_t i = at; i < at + found; ++i)
        indices[d * count + i] = position[d];
    at += found;
    for (int64_t d = last - 1; d >= 0 && ++position[d] == x.dims[d]; --d)
      position[d] = 0;
  }
}

} // namespace

/// indices[rank, count] = nonzero(x) params [type]: of each element that is not
/// zero, in row-major order, the index in each dimension.
ONNXC_CALL(onnxc_call_nonzero) {
  const OnnxcValue &x = ins[0];
  return withTest(params[0], [&](auto test) -> int32_t {
    int64_t count = 0, bytesOfRow;
    for (int64_t i = 0, total = elementsOf(x); i < total; ++i)
      count += test(x.data, i);
    if (__builtin_mul_overflow(count, int64_t(sizeof(int64_t)), &bytesOfRow))
      return onnxc_rt_fail(call, ONNXC_ERR_MEMORY,
                           "NonZero: too many elements");
    auto *position = allocate<int64_t>(call, x.rank);
    auto *indices =
        static_cast<int64_t *>(allocateBytes(call, x.rank, bytesOfRow));
    if (!position || !indices)
      return onnxc_rt_status(call);
    findIndices(test, x, count, position, indices);
    onnxc_rt_release(call, position);
    outs[0].dims[0] = x.rank;
    outs[0].dims[1] = count;
    outs[0].data = indices;
    return ONNXC_OK;
  });
}

/// positions[count] = true_positions(condition, limit): where the first `limit`
/// elements of a row of bools are true.
ONNXC_CALL(onnxc_call_true_positions) {
  HasBits<uint8_t> isTrue{UINT8_MAX};
  int64_t limit;
  memcpy(&limit, ins[1].data, sizeof limit);
  if (limit > ins[0].dims[0])
    limit = ins[0].dims[0];
  int64_t count = 0;
  for (int64_t i = 0; i < limit; ++i)
    count += isTrue(ins[0].data, i);
  int64_t *positions = allocate<int64_t>(call, count);
  if (!positions)
    return onnxc_rt_status(call);
  findPositions(isTrue, ins[0].data, 0, limit, positions, count);
  outs[0].dims[0] = count;
  outs[0].data = positions;
  return ONNXC_OK;
}
