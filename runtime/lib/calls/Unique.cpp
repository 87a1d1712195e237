//===- Unique.cpp - Different elements or slices ----------------*- C++ -*-===//
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

/// The tensor as `count` slices along the axis, slice i being [before, i,
/// after]; elements one by one if there is no axis.
struct Slices {
  int64_t before = 1, count = 1, after = 1;

  Slices(const OnnxcValue &x, bool hasAxis, int64_t axis) {
    for (int64_t d = 0; d < x.rank; ++d)
      (!hasAxis || d == axis ? count : d < axis ? before : after) *= x.dims[d];
  }
  int64_t size() const { return before * after; }
  /// Element `e` of slice `i` in the tensor.
  int64_t element(int64_t i, int64_t e) const {
    return ((e / after) * count + i) * after + e % after;
  }
};

/// Compares slices element by element.
class Order {
public:
  Order(OnnxcCall *call, const OnnxcValue &x, const Slices &slices,
        int64_t type)
      : x(x), slices(slices), isString(type == ONNX_TYPE_STRING) {
    int64_t parts;
    KeyFn key = keyOf(type, parts);
    length = slices.size() * parts;
    if (isString)
      return;
    if (!key) {
      onnxc_rt_fail(call, ONNXC_ERR_UNSUPPORTED,
                    "Unique: the elements have no order");
      return;
    }
    keys = allocate<uint64_t>(call, slices.count * length);
    for (int64_t i = 0; keys && i < slices.count; ++i)
      for (int64_t e = 0; e < length; ++e)
        keys[i * length + e] =
            key(x.data, slices.element(i, e / parts) * parts + e % parts);
  }

  int compare(int64_t a, int64_t b) const {
    for (int64_t e = 0; e < length; ++e) {
      if (isString) {
        if (int order = strcmp(text(a, e), text(b, e)))
          return order;
        continue;
      }
      uint64_t p = keys[a * length + e], q = keys[b * length + e];
      if (p != q)
        return p < q ? -1 : 1;
    }
    return 0;
  }

private:
  const char *text(int64_t i, int64_t e) const {
    const char *found =
        static_cast<const char *const *>(x.data)[slices.element(i, e)];
    return found ? found : "";
  }

  const OnnxcValue &x;
  const Slices &slices;
  bool isString;
  int64_t length;
  uint64_t *keys = nullptr;
};

/// A group of equal slices.
struct Group {
  int64_t first; ///< its first slice
  int64_t count;
  int64_t number; ///< in sorted order
};

/// All that is computed before the size of the result is known.
struct Grouping {
  Group *groups;
  int64_t count = 0;
  /// By slice: the number of its group.
  int64_t *groupOf;
};

} // namespace

/// Sorts the slices and numbers the groups of equal ones; false after an error.
static bool makeGroups(OnnxcCall *call, const Order &order, int64_t slices,
                       bool sorted, Grouping &result) {
  int64_t *items = allocate<int64_t>(call, slices);
  int64_t *scratch = allocate<int64_t>(call, slices);
  result.groups = allocate<Group>(call, slices);
  result.groupOf = allocate<int64_t>(call, slices);
  Group *spare = allocate<Group>(call, slices);
  if (!items || !scratch || !result.groups || !result.groupOf || !spare)
    return false;
  for (int64_t i = 0; i < slices; ++i)
    items[i] = i;
  sortStably(items, scratch, slices,
             [&](int64_t a, int64_t b) { return order.compare(a, b) < 0; });
  for (int64_t i = 0; i < slices; ++i) {
    if (i == 0 || order.compare(items[i - 1], items[i]) != 0) {
      result.groups[result.count] = {items[i], 0, result.count};
      ++result.count;
    }
    ++result.groups[result.count - 1].count;
    result.groupOf[items[i]] = result.count - 1;
  }
  if (!sorted) {
    sortStably(
        result.groups, spare, result.count,
        [](const Group &a, const Group &b) { return a.first < b.first; });
    // `scratch` takes the new number of each group.
    for (int64_t g = 0; g < result.count; ++g)
      scratch[result.groups[g].number] = g;
    for (int64_t i = 0; i < slices; ++i)
      result.groupOf[i] = scratch[result.groupOf[i]];
  }
  onnxc_rt_release(call, items);
  onnxc_rt_release(call, scratch);
  onnxc_rt_release(call, spare);
  return true;
}

/// Copies the first slice of each group.
static void copySlices(const OnnxcValue &x, const Slices &slices,
                       const Grouping &grouping, int64_t bytes, char *to) {
  const char *from = static_cast<const char *>(x.data);
  int64_t row = slices.after * bytes;
  for (int64_t before = 0; before < slices.before; ++before)
    for (int64_t g = 0; g < grouping.count; ++g, to += row)
      memcpy(to,
             from + (before * slices.count + grouping.groups[g].first) * row,
             row);
}

/// y, indices, inverse, counts = unique(x) params [type, sorted, has axis,
/// axis]
extern "C" int32_t onnxc_call_unique(OnnxcCall *call, int32_t, OnnxcValue *outs,
                                     int32_t, const OnnxcValue *ins,
                                     const int64_t *params) {
  const OnnxcValue &x = ins[0];
  bool sorted = params[1] != 0, hasAxis = params[2] != 0;
  int64_t axis = params[3];
  int64_t bytes = elementBytes(params[0]);
  Slices slices(x, hasAxis, axis);
  Order order(call, x, slices, params[0]);
  Grouping grouping;
  if (onnxc_rt_status(call) != ONNXC_OK ||
      !makeGroups(call, order, slices.count, sorted, grouping))
    return onnxc_rt_status(call);
  char *y = static_cast<char *>(
      allocateBytes(call, grouping.count * slices.size(), bytes));
  int64_t *indices = allocate<int64_t>(call, grouping.count);
  int64_t *counts = allocate<int64_t>(call, grouping.count);
  if (!y || !indices || !counts)
    return onnxc_rt_status(call);
  if (slices.size() > 0)
    copySlices(x, slices, grouping, bytes, y);
  for (int64_t g = 0; g < grouping.count; ++g) {
    indices[g] = grouping.groups[g].first;
    counts[g] = grouping.groups[g].count;
  }
  for (int32_t d = 0; d < outs[0].rank; ++d)
    outs[0].dims[d] = !hasAxis || d == axis ? grouping.count : x.dims[d];
  outs[1].dims[0] = outs[3].dims[0] = grouping.count;
  outs[2].dims[0] = slices.count;
  outs[0].data = y;
  outs[1].data = indices;
  outs[2].data = grouping.groupOf;
  outs[3].data = counts;
  return ONNXC_OK;
}
