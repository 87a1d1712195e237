//===- TopK.cpp - The largest or smallest elements of rows ------*- C++ -*-===//
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

/// An element as it competes: the smaller key first, then the lower index.
struct Item {
  uint64_t key;
  int64_t index;
  bool operator<(const Item &other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// The first `count` items seen so far as a heap, the last of them on top.
class FirstItems {
public:
  FirstItems(Item *items, int64_t capacity)
      : items(items), capacity(capacity) {}

  void add(Item item) {
    if (count < capacity) {
      int64_t at = count++;
      for (; at > 0 && items[(at - 1) / 2] < item; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
      items[at] = item;
    } else if (item < items[0]) {
      sink(item, count);
    }
  }

  bool isFull() const { return count == capacity; }
  /// Of a full heap: the index that the next item has to beat.
  int64_t lastIndex() const { return items[0].index; }

  /// Puts them in order and starts over.
  void sort() {
    for (int64_t end = count - 1; end > 0; --end) {
      Item last = items[end];
      items[end] = items[0];
      sink(last, end);
    }
    count = 0;
  }

private:
  /// Puts `item` in the place of the top of a heap of `end` items.
  void sink(Item item, int64_t end) {
    int64_t at = 0;
    for (int64_t child = 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && items[child] < items[child + 1])
        ++child;
      if (!(item < items[child]))
        break;
      items[at] = items[child];
      at = child;
    }
    items[at] = item;
  }

  Item *items;
  int64_t capacity, count = 0;
};

/// Sizes around the axis: rows are [before, after], each of `length` elements.
struct Rows {
  int64_t before = 1, length = 1, after = 1;
  Rows(const OnnxcValue &x, int64_t axis) {
    for (int64_t d = 0; d < x.rank; ++d)
      (d < axis ? before : d == axis ? length : after) *= x.dims[d];
  }
};

/// From element `i` of a row on, the first that may come before element
/// `other`; `end` if there is none.
using SkipFn = int64_t (*)(const void *row, int64_t i, int64_t end,
                           int64_t other);

/// Blocks are compared at once: most have nothing. What is no number is not
/// skipped.
template <typename T, bool Largest>
int64_t skip(const void *row, int64_t i, int64_t end, int64_t other) {
  const T *elements = static_cast<const T *>(row);
  T bound = elements[other];
  auto mayCome = [&](T x) { return Largest ? !(x <= bound) : !(x >= bound); };
  constexpr int64_t block = 16;
  for (; i + block <= end; i += block) {
    bool any = false;
    for (int64_t j = 0; j < block; ++j)
      any |= mayCome(elements[i + j]);
    if (any)
      break;
  }
  while (i < end && !mayCome(elements[i]))
    ++i;
  return i;
}

/// For the types that rows of scores have; null for the others.
SkipFn skipOf(int64_t type, bool largest) {
  switch (type) {
  case ONNX_TYPE_FLOAT:
    return largest ? skip<float, true> : skip<float, false>;
  case ONNX_TYPE_DOUBLE:
    return largest ? skip<double, true> : skip<double, false>;
  case ONNX_TYPE_INT32:
    return largest ? skip<int32_t, true> : skip<int32_t, false>;
  case ONNX_TYPE_INT64:
    return largest ? skip<int64_t, true> : skip<int64_t, false>;
  default:
    return nullptr;
  }
}

struct Selection {
  KeyFn key;
  /// Null where the elements of a row are no neighbours.
  SkipFn skip;
  int64_t bytes, k;
  bool largest;
};

} // namespace

static void select(const OnnxcValue &x, const Rows &rows,
                   const Selection &wanted, Item *items, char *values,
                   int64_t *indices) {
  const char *elements = static_cast<const char *>(x.data);
  int64_t bytes = wanted.bytes, k = wanted.k;
  FirstItems first(items, k);
  for (int64_t before = 0; before < rows.before; ++before)
    for (int64_t after = 0; after < rows.after; ++after) {
      int64_t begin = before * rows.length * rows.after + after;
      for (int64_t i = 0; i < rows.length; ++i) {
        if (wanted.skip && first.isFull())
          i = wanted.skip(elements + begin * bytes, i, rows.length,
                          first.lastIndex());
        if (i == rows.length)
          break;
        uint64_t key = wanted.key(x.data, begin + i * rows.after);
        first.add({wanted.largest ? ~key : key, i});
      }
      first.sort();
      int64_t to = before * k * rows.after + after;
      for (int64_t i = 0; i < k; ++i, to += rows.after) {
        int64_t from = begin + items[i].index * rows.after;
        memcpy(values + to * bytes, elements + from * bytes, bytes);
        indices[to] = items[i].index;
      }
    }
}

/// values, indices = topk(x, k) params [type, axis, largest]
extern "C" int32_t onnxc_call_topk(OnnxcCall *call, int32_t, OnnxcValue *outs,
                                   int32_t, const OnnxcValue *ins,
                                   const int64_t *params) {
  const OnnxcValue &x = ins[0];
  int64_t parts, axis = params[1];
  Rows rows(x, axis);
  bool largest = params[2] != 0;
  Selection wanted{keyOf(params[0], parts),
                   rows.after == 1 ? skipOf(params[0], largest) : nullptr,
                   elementBytes(params[0]), 0, largest};
  memcpy(&wanted.k, ins[1].data, sizeof wanted.k);
  if (!wanted.key || parts != 1)
    return onnxc_rt_fail(call, ONNXC_ERR_UNSUPPORTED,
                         "TopK: the elements have no order");
  if (wanted.k < 0 || wanted.k > rows.length)
    return onnxc_rt_fail(call, ONNXC_ERR_VALUE,
                         "TopK: k is negative or above the size of the axis");
  int64_t count = rows.before * wanted.k * rows.after;
  Item *items = allocate<Item>(call, wanted.k);
  char *values = static_cast<char *>(allocateBytes(call, count, wanted.bytes));
  int64_t *indices = allocate<int64_t>(call, count);
  if (!items || !values || !indices)
    return onnxc_rt_status(call);
  for (int64_t d = 0; d < x.rank; ++d)
    outs[0].dims[d] = outs[1].dims[d] = d == axis ? wanted.k : x.dims[d];
  if (count > 0)
    select(x, rows, wanted, items, values, indices);
  onnxc_rt_release(call, items);
  outs[0].data = values;
  outs[1].data = indices;
  return ONNXC_OK;
}
