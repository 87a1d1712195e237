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
  Order(OnnxcCall *call, Steps &steps, const OnnxcValue &x,
        const Slices &slices, int64_t type)
      : steps(steps), x(x), slices(slices), isString(type == ONNX_TYPE_STRING) {
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
    // Slices without elements have no keys, however many there are.
    for (int64_t i = 0;
         keys && length > 0 && i < slices.count && steps.goOn(length); ++i)
      for (int64_t e = 0; e < length; ++e)
        keys[i * length + e] =
            key(x.data, slices.element(i, e / parts) * parts + e % parts);
  }

  /// The numbers of all slices in their order; false after an error.
  bool sort(OnnxcCall *call, int64_t *items) const {
    if (!isString && length == 1)
      return sortKeys(call, items);
    int64_t *scratch = allocate<int64_t>(call, slices.count);
    if (!scratch)
      return false;
    for (int64_t i = 0; i < slices.count; ++i)
      items[i] = i;
    sortStably(steps, items, scratch, slices.count,
               [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
    onnxc_rt_release(call, scratch);
    return true;
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
  /// Slices of one key each.
  bool sortKeys(OnnxcCall *call, int64_t *items) const {
    Keyed *keyed = allocate<Keyed>(call, slices.count);
    Keyed *scratch = allocate<Keyed>(call, slices.count);
    if (!keyed || !scratch)
      return false;
    for (int64_t i = 0; i < slices.count; ++i)
      keyed[i] = {keys[i], i};
    const Keyed *sorted = sortByKey(steps, keyed, scratch, slices.count);
    for (int64_t i = 0; i < slices.count; ++i)
      items[i] = sorted[i].index;
    onnxc_rt_release(call, keyed);
    onnxc_rt_release(call, scratch);
    return true;
  }

  const char *text(int64_t i, int64_t e) const {
    const char *found =
        static_cast<const char *const *>(x.data)[slices.element(i, e)];
    return found ? found : "";
  }

  Steps &steps;
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
};

/// All that is computed before the size of the result is known.
struct Grouping {
  Group *groups;
  int64_t count = 0;
  /// By slice: the number of its group.
  int64_t *groupOf;
};

} // namespace

/// The groups in the order of their first slices; false after an error.
static bool orderByFirst(OnnxcCall *call, Steps &steps, int64_t slices,
                         Grouping &result) {
  Group *groups = allocate<Group>(call, result.count);
  int64_t *numbers = allocate<int64_t>(call, result.count);
  if (!groups || !numbers)
    return false;
  int64_t next = 0;
  for (int64_t i = 0; i < slices && steps.goOn(); ++i) {
    int64_t group = result.groupOf[i];
    if (result.groups[group].first == i) {
      numbers[group] = next;
      groups[next++] = result.groups[group];
    }
    result.groupOf[i] = numbers[group];
  }
  onnxc_rt_release(call, numbers);
  onnxc_rt_release(call, result.groups);
  result.groups = groups;
  return true;
}

/// Slices without elements are all equal.
static bool makeOneGroup(OnnxcCall *call, int64_t slices, Grouping &result) {
  result.groups = allocate<Group>(call, 1);
  result.groupOf = allocate<int64_t>(call, slices);
  if (!result.groups || !result.groupOf)
    return false;
  result.groups[0] = {0, slices};
  result.count = slices > 0;
  memset(result.groupOf, 0, size_t(slices) * sizeof(int64_t));
  return true;
}

/// Sorts the slices and numbers the groups of equal ones; false after an error.
static bool makeGroups(OnnxcCall *call, Steps &steps, const Order &order,
                       int64_t slices, bool sorted, Grouping &result) {
  int64_t *items = allocate<int64_t>(call, slices);
  result.groups = allocate<Group>(call, slices);
  result.groupOf = allocate<int64_t>(call, slices);
  if (!items || !result.groups || !result.groupOf || !order.sort(call, items))
    return false;
  for (int64_t i = 0; i < slices && steps.goOn(); ++i) {
    if (i == 0 || order.compare(items[i - 1], items[i]) != 0)
      result.groups[result.count++] = {items[i], 0};
    ++result.groups[result.count - 1].count;
    result.groupOf[items[i]] = result.count - 1;
  }
  onnxc_rt_release(call, items);
  return sorted || orderByFirst(call, steps, slices, result);
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
ONNXC_CALL(onnxc_call_unique) {
  const OnnxcValue &x = ins[0];
  bool sorted = params[1] != 0, hasAxis = params[2] != 0;
  int64_t axis = params[3];
  int64_t bytes = elementBytes(params[0]);
  Slices slices(x, hasAxis, axis);
  Steps steps(call);
  Order order(call, steps, x, slices, params[0]);
  Grouping grouping;
  if (onnxc_rt_status(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  if (slices.size() == 0
          ? !makeOneGroup(call, slices.count, grouping)
          : !makeGroups(call, steps, order, slices.count, sorted, grouping))
    return onnxc_rt_status(call);
  char *y = static_cast<char *>(
      allocateBytes(call, grouping.count * slices.size(), bytes));
  int64_t *indices = allocate<int64_t>(call, grouping.count);
  int64_t *counts = allocate<int64_t>(call, grouping.count);
  if (!y || !indices || !counts || steps.hasEnded())
    return onnxc_rt_status(call);
  if (grouping.count > 0 && slices.size() > 0)
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
